package order

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// runConfirm creates the pledges from the manifest that the supporter accepted, after verifying its
// hash. It does not calculate any amount again.
func runConfirm(tx kv.Tx, now time.Time, cmd confirm) (json.RawMessage, error) {
	h, err := loadHead(tx)
	if err != nil {
		return nil, err
	}
	if h.SessionID != cmd.SessionID {
		return nil, fault.New(fault.Conflict, "The session does not belong to this checkout").In("sessionId")
	}
	if h.State == Confirmed {
		return partsText(tx, h.Pledges, false)
	}
	if h.State == Abandoned && !cmd.Revive {
		return nil, fault.New(fault.Gone, "The checkout was abandoned")
	}
	m, err := verifiedManifest(tx, h.Hash, cmd.CartHash)
	if err != nil {
		return nil, err
	}
	h.State, h.ConfirmedAt = Confirmed, &now
	for _, c := range m.Campaigns {
		h.Pledges = append(h.Pledges, c.PledgeID)
		if err := addPledge(tx, newPledge(m, c, cmd.Card, now)); err != nil {
			return nil, err
		}
	}
	if err := kv.PutValue(tx, headKey, h); err != nil {
		return nil, err
	}
	return partsText(tx, h.Pledges, true)
}

// addPledge writes a new pledge without reading the key first: each read is a round
// trip on some hosts.
func addPledge(tx kv.Tx, p *pledge.Pledge) error {
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("order: encoding a pledge: %w", err)
	}
	return tx.Put(pledgePrefix+p.OrderID, text)
}

// verifiedManifest returns the manifest. It fails with code Conflict unless the hash of the stored
// bytes equals the accepted hash and carried, the hash in the Stripe session.
func verifiedManifest(tx kv.Tx, accepted, carried string) (Manifest, error) {
	b, err := tx.Get(manifestKey)
	if err != nil {
		return Manifest{}, err
	}
	if hash := hashOf(b); hash != accepted || hash != carried {
		return Manifest{}, fault.New(fault.Conflict, "The cart differs from the accepted one")
	}
	m, err := kv.Decode[Manifest](manifestKey, b)
	if err != nil {
		return Manifest{}, err
	}
	return m, m.Check()
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
		Session:         m.Session,
	}
	setCard(p, card)
	if m.Link != "" {
		p.CardByLink, p.JoinedAt = true, &now
	}
	p.Record("created", now)
	return p
}
