package httpapi

// Whose names a group of people about whom a route's response contains personal data: names,
// addresses, messages, or keys that lead to them.
type Whose string

// Groups of people. An order ID and an amount alone are not personal data.
const (
	Own        Whose = "own"        // the caller
	Supporters Whose = "supporters" // supporters and other recipients of mails
	Operators  Whose = "operators"  // users of the dashboard
	Referrers  Whose = "referrers"  // people with referral codes
)
