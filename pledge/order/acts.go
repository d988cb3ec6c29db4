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

// Noted is the Act.Type of a note.
const Noted = "note"

// Act is an operator's action on a pledge. Acts are never changed or removed.
type Act struct {
	Number int `json:"number"` // starts at 1 for each pledge
	// ID identifies the operator's command, which runs only once.
	ID   string    `json:"id" kv:"id"`
	Type string    `json:"type"` // Noted, or the type of the act's entry in the pledge's history
	By   string    `json:"by"`   // the operator's address; "" for API clients
	At   time.Time `json:"at"`
	// Parcel is the parcel after the act; nil for other acts.
	Parcel *pledge.Parcel `json:"parcel,omitempty"`
	// Text is the text of a note, or the reason for a changed address, a hold or a release. Before is the previous
	// address.
	Text   string          `json:"text,omitempty"`
	Before *pledge.Address `json:"addressBefore,omitempty"`
}

// OperatorAct identifies an act by its pledge, operator and command.
type OperatorAct struct {
	CampaignSlug string `json:"campaignSlug"` // must be the pledge's campaign
	PledgeID     string `json:"pledgeId"`
	ID           string `json:"id"` // of the command; a repeat has the same ID
	By           string `json:"by"` // the operator's address; "" for API clients
}

// ActResult is the result of an act: the pledge after it, and whether the act changed anything.
// Changed is also true for a repeat of an act that changed something.
type ActResult struct {
	Pledge  *pledge.Pledge `json:"pledge"`
	Changed bool           `json:"changed"`
}

// MarkParcel changes the status of a parcel, once per d.ID. It fails with the errors of
// pledge.Pledge.Marked, with code NotFound if the campaign has no such pledge, and with Conflict if
// the pledge has the maximum number of acts.
func (c Client) MarkParcel(ctx context.Context, d OperatorAct, m pledge.Mark) (ActResult, error) {
	return sendAct[ActResult](ctx, c, d, markParcel{d, m})
}

// Readdress changes the shipping address of a pledge within the same country, once per d.ID. The
// amounts do not change.
//
// It fails with code Conflict if the pledge has another revision or no shipping address, or is
// cancelled, dropped or being charged. It also fails with Conflict if all its parcels were sent, or
// if it has the maximum number of acts. It fails with Invalid for another country, and with
// NotFound if the campaign has no such pledge.
func (c Client) Readdress(ctx context.Context, d OperatorAct, revision int, to pledge.Address,
	reason string) (ActResult, error) {
	return sendAct[ActResult](ctx, c, d, readdress{d, revision, to, reason})
}

// ChooseHold holds or releases the parcels of a disputed pledge, once per d.ID. It fails with the errors of
// pledge.Pledge.ChooseHold, with code NotFound if the campaign has no such pledge, and with Conflict if the
// pledge has the maximum number of acts.
func (c Client) ChooseHold(ctx context.Context, d OperatorAct, choice pledge.HoldChoice, reason string) (ActResult, error) {
	return sendAct[ActResult](ctx, c, d, chooseHold{d, choice, reason})
}

// AddNote adds a note to a pledge, once per d.ID. It fails with code NotFound if the campaign has
// no such pledge, and with Conflict if the pledge has the maximum number of acts.
func (c Client) AddNote(ctx context.Context, d OperatorAct, text string) error {
	_, err := sendAct[none](ctx, c, d, note{d, text})
	return err
}

// Acts returns the acts on a pledge, oldest first.
func (c Client) Acts(ctx context.Context, pledgeID string) ([]Act, error) {
	orderID, err := pledge.OrderOf(pledgeID)
	if err != nil {
		return nil, err
	}
	return kv.Ask[[]Act](ctx, c.Coordinator, objectOf(orderID), acts{pledgeID})
}

func sendAct[R any](ctx context.Context, c Client, d OperatorAct, cmd kv.Command) (r R, err error) {
	orderID, err := pledge.OrderOf(d.PledgeID)
	if err != nil {
		return r, err
	}
	return kv.Send[R](ctx, c.Coordinator, objectOf(orderID), commandID("act", d.PledgeID, d.ID), cmd)
}

type markParcel struct {
	OperatorAct
	Mark pledge.Mark `json:"mark"`
}

func (markParcel) Kind() string { return "mark-parcel" }

type readdress struct {
	OperatorAct
	Revision int            `json:"revision"`
	To       pledge.Address `json:"to"`
	Reason   string         `json:"reason"`
}

func (readdress) Kind() string { return "readdress" }

type chooseHold struct {
	OperatorAct
	Choice pledge.HoldChoice `json:"choice"`
	Reason string            `json:"reason"`
}

func (chooseHold) Kind() string { return "choose-hold" }

type note struct {
	OperatorAct
	Text string `json:"text"`
}

func (note) Kind() string { return "note" }

type acts struct {
	PledgeID string `json:"pledgeId"`
}

func (acts) Kind() string { return "acts" }

func runMarkParcel(tx kv.Tx, now time.Time, cmd markParcel) (ActResult, error) {
	return runAct(tx, now, cmd.OperatorAct, func(p *pledge.Pledge) (*Act, error) {
		parcel, changed, err := p.Marked(cmd.Mark, now)
		if err != nil || !changed {
			return nil, err
		}
		p.SetParcel(parcel)
		p.Record(parcel.Status.Event(), now)
		return &Act{Type: parcel.Status.Event(), Parcel: &parcel}, nil
	})
}

func runReaddress(tx kv.Tx, now time.Time, cmd readdress) (ActResult, error) {
	return runAct(tx, now, cmd.OperatorAct, func(p *pledge.Pledge) (*Act, error) {
		before := p.ShippingAddress
		switch {
		case p.Revision != cmd.Revision:
			return nil, fault.New(fault.Conflict, "The pledge has been changed in the meantime")
		case p.Status == pledge.Cancelled || p.Dropped():
			return nil, fault.New(fault.Conflict, "Nothing will be shipped for this pledge")
		case p.Settlement != nil && !p.Charged:
			return nil, fault.New(fault.Conflict, "The pledge is being charged and cannot be changed")
		case before == nil:
			return nil, fault.New(fault.Conflict, "The pledge has no shipping address")
		case p.AllSent():
			return nil, fault.New(fault.Conflict, "Everything has already been sent")
		case before.Country != cmd.To.Country:
			return nil, fault.New(fault.Invalid, "Shipping and tax were paid for %s: the address must be in the same country",
				before.Country).In("shippingAddress.country")
		case *before == cmd.To:
			return nil, nil
		}
		p.ShippingAddress = &cmd.To
		p.Record(pledge.AddressChanged, now)
		return &Act{Type: pledge.AddressChanged, Text: cmd.Reason, Before: before}, nil
	})
}

func runChooseHold(tx kv.Tx, now time.Time, cmd chooseHold) (ActResult, error) {
	return runAct(tx, now, cmd.OperatorAct, func(p *pledge.Pledge) (*Act, error) {
		changed, err := p.ChooseHold(cmd.Choice)
		if err != nil || !changed {
			return nil, err
		}
		p.Record(cmd.Choice.Event(), now)
		return &Act{Type: cmd.Choice.Event(), Text: cmd.Reason}, nil
	})
}

func runNote(tx kv.Tx, now time.Time, cmd note) (none, error) {
	_, err := runAct(tx, now, cmd.OperatorAct, func(*pledge.Pledge) (*Act, error) {
		return &Act{Type: Noted, Text: cmd.Text}, nil
	})
	return none{}, err
}

// runAct calls do for the pledge unless the act was already run, and stores the act that do
// returns. If do returns nil, nothing changes.
func runAct(tx kv.Tx, now time.Time, d OperatorAct, do func(p *pledge.Pledge) (*Act, error)) (ActResult, error) {
	changed := false
	text, err := edit(tx, d.PledgeID, func(p *pledge.Pledge) (bool, error) {
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
			return false, fault.New(fault.Conflict, "An order can have at most %d notes and parcel updates",
				maxActs).In("orderId")
		}
		changed = true
		a.Number, a.ID, a.By, a.At = len(known)+1, d.ID, d.By, now
		return a.Type != Noted, kv.PutValue(tx, actPrefix+p.OrderID+fmt.Sprintf("/%03d", a.Number), a)
	})
	if err != nil {
		return ActResult{}, err
	}
	p, err := readPledge(text)
	return ActResult{p, changed}, err
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
