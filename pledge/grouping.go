package pledge

// Grouping is the rule by which a supporter's pledges to one campaign are combined into
// one charge. The zero value is ByConfirmation.
type Grouping string

const (
	// ByConfirmation combines the pledges that were joined through a pledge link, and the
	// pledges of one address made in the same browser session. All other pledges are
	// charged separately.
	ByConfirmation Grouping = "confirmed"
	// ByEmail combines all unpaid pledges of an address and charges the newest card.
	// Addresses are not verified at checkout, so someone else's pledge can be charged to
	// the address holder's card.
	ByEmail Grouping = "email"
)

// CombinedBy returns the browser session whose pledges are charged together with p. It is "" if p
// can no longer be charged, was joined through its link, or got another card through its link. In
// the last case, the address holder agreed to charges for that pledge only.
func (p *Pledge) CombinedBy() string {
	if !p.Unpaid() || p.JoinedAt != nil || p.CardByLink {
		return ""
	}
	return p.Session
}
