package order

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	actPrefix = "act/"
	maxActs   = 200
)

// Noted is the type of an act that is a note.
const Noted = "note"

// Act is something that an operator did for a supporter. Acts are only ever added.
type Act struct {
	Number int `json:"number"` // 1 is the pledge's first
	// ID is what the operator's command is known by: it is carried out once.
	ID   string    `json:"id" kv:"id"`
	Type string    `json:"type"` // Noted, or that of the entry in the pledge's history
	By   string    `json:"by"`   // the operator's address, "" for a program
	At   time.Time `json:"at"`
	// Parcel is as the act left it.
	Parcel *pledge.Parcel `json:"parcel,omitempty"`
	// Text is a note, or why an address was changed; Before is the address that was.
	Text   string          `json:"text,omitempty"`
	Before *pledge.Address `json:"addressBefore,omitempty"`
}

// Deed is whose act it is, of which pledge, under which identity.
type Deed struct {
	CampaignSlug string `json:"campaignSlug"` // has to be the pledge's
	PledgeID     string `json:"pledgeId"`
	ID           string `json:"id"`
	By           string `json:"by"`
}

// Done is a pledge after an act, and whether the act has left anything.
type Done struct {
	Pledge  *pledge.Pledge `json:"pledge"`
	Changed bool           `json:"changed"`
}

// MarkParcel says how far a parcel of a charged pledge is, once. Its errors are those of
// pledge.Pledge.Marked; NotFound where the campaign has no such pledge.
func (c Client) MarkParcel(ctx context.Context, d Deed, m pledge.Mark) (Done, error) {
	return act[Done](ctx, c, d, markParcel{d, m})
}

// Readdress sends a pledge's parcels to another address in the same country, once; the
// amounts stay. It fails with code Conflict when the pledge has another revision by now, is
// cancelled or being charged, or has nothing left to send, and with Invalid for another
// country.
func (c Client) Readdress(ctx context.Context, d Deed, revision int, to pledge.Address, reason string) (Done, error) {
	return act[Done](ctx, c, d, readdress{d, revision, to, reason})
}

// Note adds a note to a pledge, once.
func (c Client) Note(ctx context.Context, d Deed, text string) error {
	_, err := act[none](ctx, c, d, note{d, text})
	return err
}

// Acts returns what operators did about a pledge, oldest first.
func (c Client) Acts(ctx context.Context, pledgeID string) ([]Act, error) {
	orderID, err := pledge.OrderOf(pledgeID)
	if err != nil {
		return nil, err
	}
	return kv.Ask[[]Act](ctx, c.Coordinator, at(orderID), acts{pledgeID})
}

func act[R any](ctx context.Context, c Client, d Deed, cmd kv.Command) (r R, err error) {
	orderID, err := pledge.OrderOf(d.PledgeID)
	if err != nil {
		return r, err
	}
	return kv.Send[R](ctx, c.Coordinator, at(orderID), identity("act", d.PledgeID, d.ID), cmd)
}

type markParcel struct {
	Deed
	Mark pledge.Mark `json:"mark"`
}

func (markParcel) Kind() string { return "mark-parcel" }

type readdress struct {
	Deed
	Revision int            `json:"revision"`
	To       pledge.Address `json:"to"`
	Reason   string         `json:"reason"`
}

func (readdress) Kind() string { return "readdress" }

type note struct {
	Deed
	Text string `json:"text"`
}

func (note) Kind() string { return "note" }

type acts struct {
	PledgeID string `json:"pledgeId"`
}

func (acts) Kind() string { return "acts" }

func runMarkParcel(tx kv.Tx, now time.Time, cmd markParcel) (Done, error) {
	return carryOut(tx, now, cmd.Deed, func(p *pledge.Pledge) (*Act, error) {
		parcel, changed, err := p.Marked(cmd.Mark, now)
		if err != nil || !changed {
			return nil, err
		}
		p.SetParcel(parcel)
		p.Record(parcel.Status.Event(), now)
		return &Act{Type: parcel.Status.Event(), Parcel: &parcel}, nil
	})
}

func runReaddress(tx kv.Tx, now time.Time, cmd readdress) (Done, error) {
	return carryOut(tx, now, cmd.Deed, func(p *pledge.Pledge) (*Act, error) {
		before := p.ShippingAddress
		switch {
		case p.Revision != cmd.Revision:
			return nil, fault.New(fault.Conflict, "The pledge was changed meanwhile")
		case p.Status == pledge.Cancelled || p.Dropped():
			return nil, fault.New(fault.Conflict, "Nothing is sent for the pledge any more")
		case p.Settlement != nil && !p.Charged:
			return nil, fault.New(fault.Conflict, "The pledge is being charged and cannot be changed")
		case before == nil:
			return nil, fault.New(fault.Conflict, "Nothing of the pledge is sent to an address")
		case p.AllSent():
			return nil, fault.New(fault.Conflict, "Everything was sent already")
		case before.Country != cmd.To.Country:
			return nil, fault.New(fault.Invalid, "Shipping and tax were paid for %s: the parcel can't go to another country", before.Country).In("shippingAddress.country")
		case *before == cmd.To:
			return nil, nil
		}
		p.ShippingAddress = &cmd.To
		p.Record(pledge.AddressChanged, now)
		return &Act{Type: pledge.AddressChanged, Text: cmd.Reason, Before: before}, nil
	})
}

func runNote(tx kv.Tx, now time.Time, cmd note) (none, error) {
	_, err := carryOut(tx, now, cmd.Deed, func(*pledge.Pledge) (*Act, error) {
		return &Act{Type: Noted, Text: cmd.Text}, nil
	})
	return none{}, err
}

// carryOut runs an act on a pledge, unless it was carried out before, and adds it to the
// acts where it returns one.
func carryOut(tx kv.Tx, now time.Time, d Deed, do func(p *pledge.Pledge) (*Act, error)) (Done, error) {
	changed := false
	p, err := edit(tx, d.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if p.CampaignSlug != d.CampaignSlug {
			return false, fault.New(fault.NotFound, "The campaign has no such order").In("orderId")
		}
		known, err := loadActs(tx, p.OrderID)
		if err != nil {
			return false, err
		}
		for _, a := range known {
			if a.ID == d.ID {
				changed = true
				return false, nil
			}
		}
		a, err := do(p)
		if err != nil || a == nil {
			return false, err
		}
		if len(known) >= maxActs {
			return false, fault.New(fault.Conflict, "An order has at most %d notes and marks", maxActs).In("orderId")
		}
		changed = true
		a.Number, a.ID, a.By, a.At = len(known)+1, d.ID, d.By, now
		return a.Type != Noted, kv.Keep(tx, actPrefix+p.OrderID+fmt.Sprintf("/%03d", a.Number), a)
	})
	return Done{p, changed}, err
}

func runActs(tx kv.Tx, _ time.Time, q acts) ([]Act, error) { return loadActs(tx, q.PledgeID) }

func loadActs(tx kv.Tx, pledgeID string) ([]Act, error) {
	entries, err := tx.List(actPrefix+pledgeID+"/", "", maxActs)
	if err != nil {
		return nil, err
	}
	all := make([]Act, 0, len(entries))
	for _, e := range entries {
		a, err := kv.Decode[Act](e.Key, e.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}
