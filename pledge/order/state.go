package order

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Keys of an order object's state. The manifest, which is large and never changes, and each pledge
// have separate keys, because most commands need only one of them.
const (
	headKey      = "order"
	manifestKey  = "manifest"
	pledgePrefix = "pledge/"
)

// head is the order without its manifest and pledges.
type head struct {
	Hash            string        `json:"hash"`
	State           State         `json:"state"`
	SessionID       string        `json:"sessionId,omitempty"`
	ConfirmedAt     *time.Time    `json:"confirmedAt,omitempty"`
	Pledges         []string      `json:"pledges,omitempty"` // IDs, in the manifest's order
	CardSessions    []CardSession `json:"cardSessions,omitempty"`
	CardsDetachedAt *time.Time    `json:"cardsDetachedAt,omitempty"`
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

// pledgeText returns the stored JSON of a pledge.
func pledgeText(tx kv.Tx, id string) (json.RawMessage, error) {
	text, ok, err := kv.LoadText[pledge.Pledge](tx, pledgePrefix+id)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "Pledge not found")
	}
	return text, err
}

// readPledge decodes a pledge. It calls UnmarshalJSON directly, because json.Unmarshal
// would scan the text twice more.
func readPledge(text json.RawMessage) (*pledge.Pledge, error) {
	p := &pledge.Pledge{}
	if err := p.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("order: decoding a pledge: %w", err)
	}
	return p, nil
}

// parts is the reply with all records of an order.
type parts struct {
	Made     bool             `json:"made"` // whether this command created the pledges
	Head     head             `json:"order"`
	Manifest Manifest         `json:"manifest"`
	Pledges  []*pledge.Pledge `json:"pledges"`
}

func (p parts) order() Order {
	return Order{
		Manifest: p.Manifest, Hash: p.Head.Hash, State: p.Head.State, SessionID: p.Head.SessionID,
		ConfirmedAt: p.Head.ConfirmedAt,
		Pledges:     p.Pledges, CardSessions: p.Head.CardSessions, CardsDetachedAt: p.Head.CardsDetachedAt,
	}
}

// partsText returns the JSON of parts. The records are forwarded as stored, and the
// client decodes them.
func partsText(tx kv.Tx, pledges []string, made bool) (json.RawMessage, error) {
	order, _, err := kv.LoadText[head](tx, headKey)
	if err != nil {
		return nil, err
	}
	manifest, _, err := kv.LoadText[Manifest](tx, manifestKey)
	if err != nil {
		return nil, err
	}
	b := fmt.Appendf(nil, `{"made":%t,"order":%s,"manifest":%s,"pledges":[`, made, order, manifest)
	for i, id := range pledges {
		text, err := pledgeText(tx, id)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, text...)
	}
	return append(b, "]}"...), nil
}

// edit loads a pledge, calls fn, stores the pledge if fn changed it, and returns its stored JSON.
func edit(tx kv.Tx, pledgeID string, fn func(p *pledge.Pledge) (changed bool, err error)) (json.RawMessage, error) {
	if _, err := loadHead(tx); err != nil {
		return nil, err
	}
	text, err := pledgeText(tx, pledgeID)
	if err != nil {
		return nil, err
	}
	p, err := readPledge(text)
	if err != nil {
		return nil, err
	}
	changed, err := fn(p)
	if err != nil || !changed {
		return text, err
	}
	return kv.PutText(tx, pledgePrefix+p.OrderID, p)
}
