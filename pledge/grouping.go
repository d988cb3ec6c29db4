package pledge

// Grouping is the rule by which a supporter's pledges to one campaign are combined into
// one charge. The zero value is ByConfirmation.
type Grouping string

const (
	// ByConfirmation combines the pledges that the holder of a pledge link has joined, and
	// the pledges of one address that were made in the same browser session. Every other
	// pledge is charged alone.
	ByConfirmation Grouping = "confirmed"
	// ByEmail combines all unpaid pledges of an address, and the newest card pays. Addresses
	// are not verified at checkout, so a pledge made by a stranger can be charged to the card
	// of the address holder.
	ByEmail Grouping = "email"
)

// CombinedBy returns the browser session whose pledges are charged together with p. It is
// "" if p has nothing left to pay, was joined through its link, or got another card through
// its link: the address holder agreed to that pledge only.
func (p *Pledge) CombinedBy() string {
	if !p.Unpaid() || p.JoinedAt != nil || p.CardByLink {
		return ""
	}
	return p.Session
}
