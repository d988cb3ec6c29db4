package order

import (
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The keys of an order object's state. The manifest, which is long and never
// changes, and each pledge have keys of their own: most commands need one.
const (
	headKey      = "order"
	manifestKey  = "manifest"
	pledgePrefix = "pledge/"
)

// head is what an order is beside its manifest and its pledges.
type head struct {
	Hash         string        `json:"hash"`
	State        State         `json:"state"`
	SessionID    string        `json:"sessionId,omitempty"`
	ConfirmedAt  *time.Time    `json:"confirmedAt,omitempty"`
	Pledges      []string      `json:"pledges,omitempty"` // IDs, in the manifest's order
	CardSessions []CardSession `json:"cardSessions,omitempty"`
}

func loadHead(tx kv.Tx) (head, error) {
	h, ok, err := kv.Load[head](tx, headKey)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "Order not found")
	}
	return h, err
}

func loadPledge(tx kv.Tx, id string) (*pledge.Pledge, error) {
	p, ok, err := kv.Load[*pledge.Pledge](tx, pledgePrefix+id)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "Pledge not found")
	}
	return p, err
}

func keepPledge(tx kv.Tx, p *pledge.Pledge) error { return kv.Keep(tx, pledgePrefix+p.OrderID, p) }

func load(tx kv.Tx) (Order, error) {
	h, err := loadHead(tx)
	if err != nil {
		return Order{}, err
	}
	o := Order{Hash: h.Hash, State: h.State, SessionID: h.SessionID, ConfirmedAt: h.ConfirmedAt, CardSessions: h.CardSessions}
	if o.Manifest, _, err = kv.Load[Manifest](tx, manifestKey); err != nil {
		return Order{}, err
	}
	for _, id := range h.Pledges {
		p, err := loadPledge(tx, id)
		if err != nil {
			return Order{}, err
		}
		o.Pledges = append(o.Pledges, p)
	}
	return o, nil
}

// edit loads a pledge, lets fn change it and keeps it when it did.
func edit(tx kv.Tx, pledgeID string, fn func(p *pledge.Pledge) (changed bool, err error)) (*pledge.Pledge, error) {
	if _, err := loadHead(tx); err != nil {
		return nil, err
	}
	p, err := loadPledge(tx, pledgeID)
	if err != nil {
		return nil, err
	}
	changed, err := fn(p)
	if err != nil || !changed {
		return p, err
	}
	return p, keepPledge(tx, p)
}
