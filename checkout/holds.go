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

// A hold's ID identifies the step that created it. IDs are short, because command
// identities, whose length is limited, are derived from them.
//
// 	{order}:{i}               the start, for the order's i-th pledge
// 	{order}:again-{nonce}:{i} a confirmation after the order was abandoned
// 	{order}:modify-{nonce}    the units of a modification
// 	{order}:change-{nonce}    a hold without units that marks a change in progress

// holdMargin is how long a checkout's hold lasts beyond the end of its session, so that the session
// has ended when Sweep processes the hold.
const holdMargin = 2 * time.Minute

// HoldLife is how long scarce units are held after the page last reported that it
// is open.
const HoldLife = 5 * time.Minute

// MaxHoldLife is how long scarce units are held in total without a saved card,
// even if the page stays open.
const MaxHoldLife = 25 * time.Minute

// changeLife is how long the holds of a step last that does not wait for the supporter: a change of
// a pledge or the confirmation of an abandoned order.
const changeLife = 10 * time.Minute

func holdID(stem string, i int) string { return stem + ":" + strconv.Itoa(i) }

func reholdStem(orderID, nonce string) string { return orderID + ":again-" + nonce }

func modifyHoldID(orderID, nonce string) string { return orderID + ":modify-" + nonce }

func changeHoldID(orderID, nonce string) string { return orderID + ":change-" + nonce }

// stemOf returns the stem of a hold that was created to confirm an abandoned
// order, and "" for any other hold.
func stemOf(h inventory.Hold) string {
	if !strings.HasPrefix(h.ID, reholdStem(h.Order, "")) {
		return ""
	}
	return h.ID[:strings.LastIndexByte(h.ID, ':')]
}

// isIntentHold reports whether a hold only marks a change in progress. It is
// released after the change's effects are applied.
func isIntentHold(h inventory.Hold) bool { return strings.HasPrefix(h.ID, changeHoldID(h.Order, "")) }

// cancelChange ensures that an interrupted modification, whose units are about to
// be released, can no longer be applied. It sends a change that is always
// rejected under the modification's identity; the command that arrives first
// determines the reply to both.
func (s *Service) cancelChange(ctx context.Context, h inventory.Hold) error {
	nonce, ok := strings.CutPrefix(h.ID, modifyHoldID(h.Order, ""))
	if !ok && !isIntentHold(h) {
		return nil
	}
	if !ok {
		nonce = strings.TrimPrefix(h.ID, changeHoldID(h.Order, ""))
	}
	_, err := s.Orders.Modify(ctx, h.Pledge, impossibleRevision, nonce, order.Change{})
	if err != nil && transient(err) {
		return err
	}
	return nil
}

// runChange runs a change of a pledge and applies its effects. It creates a hold
// without units first and releases it last: if the process crashes, or the
// processor does not respond, the hold remains and Sweep completes the change.
func (s *Service) runChange(ctx context.Context, p *pledge.Pledge,
	change func(orderID, nonce string) (changed *pledge.Pledge, hold string, err error)) (*pledge.Pledge, error) {
	orderID, err := pledge.OrderOf(p.OrderID)
	if err != nil {
		return nil, err
	}
	nonce, err := s.nonce()
	if err != nil {
		return nil, err
	}
	intent := s.newHold(p, orderID, changeHoldID(orderID, nonce))
	intent.Due = intent.Due.Add(time.Minute) // swept after all other holds
	if err := s.Inventory.Hold(ctx, p.CampaignSlug, intent, nil); err != nil {
		return nil, err
	}
	changed, hold, err := change(orderID, nonce)
	if err != nil {
		if !transient(err) {
			s.releaseClaims(ctx, []claim{{object: p.CampaignSlug, hold: intent}})
		}
		return nil, err
	}
	booked, err := s.Projector.Book(ctx, changed, hold)
	if err != nil {
		return nil, err
	}
	if err := s.recordChange(ctx, booked); err != nil {
		s.Log.WarnContext(ctx, "could not record a pledge change, the sweep will retry it", "order", p.OrderID, "error", err.Error())
		return changed, nil
	}
	return changed, s.Inventory.Release(ctx, p.CampaignSlug, intent.ID)
}

func (s *Service) newHold(p *pledge.Pledge, orderID, id string) inventory.Hold {
	return inventory.Hold{ID: id, Pledge: p.OrderID, Order: orderID, Due: s.Now().Add(changeLife)}
}

// impossibleRevision matches no pledge's revision.
const impossibleRevision = -1

// transient reports whether the result of an operation is unknown or a retry may
// succeed. Rejections are final, except Gone: an order that was abandoned during
// its confirmation is revived by the next attempt.
func transient(err error) bool {
	switch fault.CodeOf(err) {
	case "", fault.Invalid, fault.Unauthorized, fault.Forbidden, fault.NotFound, fault.Conflict, fault.SoldOut:
		return false
	}
	return true
}
