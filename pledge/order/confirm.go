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
	o, err := load(tx)
	if err != nil {
		return none{}, err
	}
	if o.SessionID != cmd.SessionID {
		return none{}, fault.New(fault.Conflict, "The session is not this checkout's").In("sessionId")
	}
	if o.State == Confirmed {
		return none{}, nil
	}
	if o.State == Abandoned && !cmd.Revive {
		return none{}, fault.New(fault.Gone, "The checkout was abandoned")
	}
	if err := o.verify(cmd.CartHash); err != nil {
		return none{}, err
	}
	o.State, o.ConfirmedAt = Confirmed, &now
	for _, c := range o.Manifest.Campaigns {
		o.Pledges = append(o.Pledges, newPledge(o.Manifest, c, cmd.Card, now))
	}
	return none{}, kv.Keep(tx, orderKey, o)
}

// verify holds the manifest against the hash it was accepted with, and against
// the one that the processor carried.
func (o *Order) verify(cartHash string) error {
	hash, err := o.Manifest.Hash()
	if err != nil {
		return err
	}
	if hash != o.Hash || hash != cartHash {
		return fault.New(fault.Conflict, "The cart is not the one that was accepted")
	}
	return o.Manifest.Check()
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
