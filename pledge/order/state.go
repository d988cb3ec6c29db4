package order

import (
	"encoding/json"
	"fmt"
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
	text, err := pledgeText(tx, id)
	if err != nil {
		return nil, err
	}
	return readPledge(text)
}

// pledgeText is a pledge as it is stored.
func pledgeText(tx kv.Tx, id string) (json.RawMessage, error) {
	text, ok, err := kv.Text[pledge.Pledge](tx, pledgePrefix+id)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "Pledge not found")
	}
	return text, err
}

// readPledge decodes a pledge. Left to json.Unmarshal, its text would be read twice more.
func readPledge(text json.RawMessage) (*pledge.Pledge, error) {
	p := &pledge.Pledge{}
	if err := p.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("order: decoding a pledge: %w", err)
	}
	return p, nil
}

func keepPledge(tx kv.Tx, p *pledge.Pledge) error { return kv.Keep(tx, pledgePrefix+p.OrderID, p) }

// stored is an Order whose parts are as they are stored: the object passes them on, and who
// asked decodes them.
type stored struct {
	Order
	Manifest json.RawMessage   `json:"manifest"`
	Pledges  []json.RawMessage `json:"pledges,omitempty"`
}

func load(tx kv.Tx) (stored, error) {
	h, err := loadHead(tx)
	if err != nil {
		return stored{}, err
	}
	s := stored{Order: Order{Hash: h.Hash, State: h.State, SessionID: h.SessionID, ConfirmedAt: h.ConfirmedAt, CardSessions: h.CardSessions}}
	if s.Manifest, _, err = kv.Text[Manifest](tx, manifestKey); err != nil {
		return stored{}, err
	}
	for _, id := range h.Pledges {
		text, err := pledgeText(tx, id)
		if err != nil {
			return stored{}, err
		}
		s.Pledges = append(s.Pledges, text)
	}
	return s, nil
}

func (s stored) order() (Order, error) {
	o := s.Order
	if err := json.Unmarshal(s.Manifest, &o.Manifest); err != nil {
		return Order{}, fmt.Errorf("order: decoding a manifest: %w", err)
	}
	for _, text := range s.Pledges {
		p, err := readPledge(text)
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
