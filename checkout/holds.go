package checkout

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// A hold's ID says which step took it. IDs are short, since identities of
// commands, which are bounded, are made from them.
//
//	{order}:{i}               the start, for the order's i-th pledge
//	{order}:again-{nonce}:{i} a confirmation after the order was given up
//	{order}:modify-{nonce}    a modification
//	{order}:cancel-{nonce}    a cancellation

// holdMargin is how long after its session's end a checkout's hold falls due,
// so that whoever looks after it finds the session ended.
const holdMargin = 2 * time.Minute

// changeLife is how long a step that needs no supporter may take.
const changeLife = 10 * time.Minute

func holdID(stem string, i int) string { return stem + ":" + strconv.Itoa(i) }

func againStem(orderID, nonce string) string { return orderID + ":again-" + nonce }

func modifyHold(orderID, nonce string) string { return orderID + ":modify-" + nonce }

func cancelHold(orderID, nonce string) string { return orderID + ":cancel-" + nonce }

// stemOf returns the stem of a hold that was taken to confirm an order again,
// and "" for any other.
func stemOf(h inventory.Hold) string {
	if !strings.HasPrefix(h.ID, againStem(h.Order, "")) {
		return ""
	}
	return h.ID[:strings.LastIndexByte(h.ID, ':')]
}

// endChange sees to it that a modification which was broken off, and whose
// units are about to be given back, can no longer happen: it sends a change
// that is always refused under the modification's identity, and whichever
// comes first is the answer to both.
func (s *Service) endChange(ctx context.Context, h inventory.Hold) error {
	nonce, ok := strings.CutPrefix(h.ID, modifyHold(h.Order, ""))
	if !ok {
		return nil
	}
	_, err := s.Orders.Modify(ctx, h.Pledge, neverRevision, nonce, order.Change{})
	if err != nil && transient(err) {
		return err
	}
	return nil
}

// neverRevision is no pledge's revision.
const neverRevision = -1

// transient reports whether it is not known what became of something, or that
// it may work later. What was refused will be refused again.
func transient(err error) bool {
	switch fault.CodeOf(err) {
	case "", fault.Invalid, fault.Unauthorized, fault.Forbidden, fault.NotFound, fault.Conflict, fault.Gone, fault.SoldOut:
		return false
	}
	return true
}
