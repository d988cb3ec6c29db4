package checkout

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// A hold's ID says which step took it. IDs are short, since identities of
// commands, which are bounded, are made from them.
//
//	{order}:{i}               the start, for the order's i-th pledge
//	{order}:again-{nonce}:{i} a confirmation after the order was given up
//	{order}:modify-{nonce}    a modification, for its units
//	{order}:change-{nonce}    a change, without units: that it has consequences

// holdMargin is how long after its session's end a checkout's hold falls due,
// so that whoever looks after it finds the session ended.
const holdMargin = 2 * time.Minute

// HoldLife is how long scarce units are held for a page that does not say that
// it is still open.
const HoldLife = 5 * time.Minute

// MaxHoldLife is how long scarce units are held in all without a saved card, however long the
// page stays open: keeping a page open is not progress.
const MaxHoldLife = 25 * time.Minute

// changeLife is how long a step that needs no supporter may take.
const changeLife = 10 * time.Minute

func holdID(stem string, i int) string { return stem + ":" + strconv.Itoa(i) }

func againStem(orderID, nonce string) string { return orderID + ":again-" + nonce }

func modifyHold(orderID, nonce string) string { return orderID + ":modify-" + nonce }

func changeHold(orderID, nonce string) string { return orderID + ":change-" + nonce }

// stemOf returns the stem of a hold that was taken to confirm an order again,
// and "" for any other.
func stemOf(h inventory.Hold) string {
	if !strings.HasPrefix(h.ID, againStem(h.Order, "")) {
		return ""
	}
	return h.ID[:strings.LastIndexByte(h.ID, ':')]
}

// isIntent reports whether a hold only says that a change has consequences. It
// is released once they are drawn.
func isIntent(h inventory.Hold) bool { return strings.HasPrefix(h.ID, changeHold(h.Order, "")) }

// endChange sees to it that a modification which was broken off, and whose
// units are about to be given back, can no longer happen: it sends a change
// that is always refused under the modification's identity, and whichever
// comes first is the answer to both.
func (s *Service) endChange(ctx context.Context, h inventory.Hold) error {
	nonce, ok := strings.CutPrefix(h.ID, modifyHold(h.Order, ""))
	if !ok && !isIntent(h) {
		return nil
	}
	if !ok {
		nonce = strings.TrimPrefix(h.ID, changeHold(h.Order, ""))
	}
	_, err := s.Orders.Modify(ctx, h.Pledge, neverRevision, nonce, order.Change{})
	if err != nil && transient(err) {
		return err
	}
	return nil
}

// changing runs a change of a pledge and what follows from it. A hold without units goes before
// and is released at the very end: if the process dies, or the processor does not answer, the
// hold is left and Sweep completes the change.
func (s *Service) changing(ctx context.Context, p *pledge.Pledge, change func(orderID, nonce string) (changed *pledge.Pledge, hold string, err error)) (*pledge.Pledge, error) {
	orderID, err := pledge.OrderOf(p.OrderID)
	if err != nil {
		return nil, err
	}
	nonce, err := s.nonce()
	if err != nil {
		return nil, err
	}
	intent := s.holdFor(p, orderID, changeHold(orderID, nonce))
	intent.Due = intent.Due.Add(time.Minute) // looked after last
	if err := s.Inventory.Hold(ctx, p.CampaignSlug, intent, nil); err != nil {
		return nil, err
	}
	changed, hold, err := change(orderID, nonce)
	if err != nil {
		if !transient(err) {
			s.dropClaims(ctx, []claim{{object: p.CampaignSlug, hold: intent}})
		}
		return nil, err
	}
	booked, err := s.Projector.Book(ctx, changed, hold)
	if err != nil {
		return nil, err
	}
	if err := s.recordChange(ctx, booked); err != nil {
		s.Log.WarnContext(ctx, "a change of a pledge will be completed by the sweep", "order", p.OrderID, "error", err.Error())
		return changed, nil
	}
	return changed, s.Inventory.Release(ctx, p.CampaignSlug, intent.ID)
}

func (s *Service) holdFor(p *pledge.Pledge, orderID, id string) inventory.Hold {
	return inventory.Hold{ID: id, Pledge: p.OrderID, Order: orderID, Due: s.Now().Add(changeLife)}
}

// neverRevision is no pledge's revision.
const neverRevision = -1

// transient reports whether it is not known what became of something, or that
// it may work later. What was refused will be refused again; not so what is
// Gone: an order that was given up while it was confirmed is revived the next time.
func transient(err error) bool {
	switch fault.CodeOf(err) {
	case "", fault.Invalid, fault.Unauthorized, fault.Forbidden, fault.NotFound, fault.Conflict, fault.SoldOut:
		return false
	}
	return true
}
