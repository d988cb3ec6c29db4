package httpapi

// Whose says about whom a route's answers tell: name, address, what somebody said, or a key
// that leads to them.
type Whose string

// Those whom answers may tell about. An order's ID and an amount alone tell about nobody.
const (
	Own        Whose = "own"        // who asks
	Supporters Whose = "supporters" // those who pledged, or whom a mail was for
	Operators  Whose = "operators"  // those who run campaigns
	Referrers  Whose = "referrers"  // those who tell others of a campaign
)
