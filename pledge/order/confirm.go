package order

import (
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// runConfirm makes the pledges from the frozen manifest. Nothing of it is
// computed again but its hash: what was accepted is what is kept.
func runConfirm(tx kv.Tx, now time.Time, cmd confirm) (none, error) {
	h, err := loadHead(tx)
	if err != nil {
		return none{}, err
	}
	if h.SessionID != cmd.SessionID {
		return none{}, fault.New(fault.Conflict, "The session is not this checkout's").In("sessionId")
	}
	if h.State == Confirmed {
		return none{}, nil
	}
	if h.State == Abandoned && !cmd.Revive {
		return none{}, fault.New(fault.Gone, "The checkout was abandoned")
	}
	m, _, err := kv.Load[Manifest](tx, manifestKey)
	if err != nil {
		return none{}, err
	}
	if err := m.verify(h.Hash, cmd.CartHash); err != nil {
		return none{}, err
	}
	h.State, h.ConfirmedAt = Confirmed, &now
	for _, c := range m.Campaigns {
		h.Pledges = append(h.Pledges, c.PledgeID)
		if err := keepPledge(tx, newPledge(m, c, cmd.Card, now)); err != nil {
			return none{}, err
		}
	}
	return none{}, kv.Keep(tx, headKey, h)
}

// verify holds the manifest against the hash it was accepted with, and against
// the one that the processor carried.
func (m Manifest) verify(accepted, carried string) error {
	hash, err := m.Hash()
	if err != nil {
		return err
	}
	if hash != accepted || hash != carried {
		return fault.New(fault.Conflict, "The cart is not the one that was accepted")
	}
	return m.Check()
}

func newPledge(m Manifest, c Contribution, card Card, now time.Time) *pledge.Pledge {
	p := &pledge.Pledge{
		OrderID:         c.PledgeID,
		Email:           m.Email,
		CampaignSlug:    c.CampaignSlug,
		Totals:          c.Totals,
		Currency:        m.Currency,
		ValueTime:       card.SavedAt,
		BookedAt:        now,
		Status:          pledge.Active,
		Lines:           c.Lines,
		ShippingAddress: m.ShippingAddress,
		BillingAddress:  m.BillingAddress,
		ShippingOption:  c.ShippingOption,
		Promise: pledge.Promise{
			CampaignRevision: c.CampaignRevision,
			ConsentVersion:   m.ConsentVersion,
			AcceptedAt:       m.BookedAt,
			EndsAt:           c.EndsAt,
			Goal:             c.Goal,
		},
		Explanation:     c.Explanation,
		Attribution:     m.Attribution,
		FulfillmentType: c.FulfillmentType,
		PreferredLang:   m.PreferredLang,
	}
	setCard(p, card)
	p.Record("created", now)
	return p
}
