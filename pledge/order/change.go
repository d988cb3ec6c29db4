package order

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func runModify(tx kv.Tx, now time.Time, cmd modify) (json.RawMessage, error) {
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if err := checkOpen(p, "modified"); err != nil {
			return false, err
		}
		if err := checkInTime(now, cmd.Change.NotAfter); err != nil {
			return false, err
		}
		if p.Revision != cmd.Revision {
			return false, fault.New(fault.Conflict, "The pledge has been changed in the meantime")
		}
		if len(p.History) >= maxHistory {
			return false, fault.New(fault.Conflict, "A pledge can be changed at most %d times", maxHistory)
		}
		if err := checkTotals(cmd.Change.Totals, cmd.Change.Lines); err != nil {
			return false, err
		}
		ch := cmd.Change
		p.Lines, p.Totals, p.Explanation = ch.Lines, ch.Totals, ch.Explanation
		p.ShippingOption, p.ShippingAddress = ch.ShippingOption, ch.ShippingAddress
		p.FulfillmentType, p.Promise = ch.FulfillmentType, ch.Promise
		p.Record("modified", now)
		return true, nil
	})
}

// runCancel keeps the pledge's amounts. Its status excludes it from all sums.
func runCancel(tx kv.Tx, now time.Time, cmd cancel) (json.RawMessage, error) {
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if p.Status == pledge.Cancelled {
			return false, nil
		}
		if claimedBy(p, cmd.Group, cmd.Generation) {
			p.Settlement = nil
		}
		if err := checkOpen(p, "cancelled"); err != nil {
			return false, err
		}
		if err := checkInTime(now, cmd.NotAfter); err != nil {
			return false, err
		}
		p.Status = pledge.Cancelled
		p.Record("cancelled", now)
		p.History[len(p.History)-1].Reason = cmd.Reason
		return true, nil
	})
}

// runJoin marks a pledge to be charged together with the other joined pledges of its address. It is
// rejected after the campaign's end, when the charge groups are final.
func runJoin(tx kv.Tx, now time.Time, cmd join) (json.RawMessage, error) {
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if p.JoinedAt != nil {
			return false, nil
		}
		if err := checkOpen(p, "joined with others"); err != nil {
			return false, err
		}
		if err := checkInTime(now, cmd.NotAfter); err != nil {
			return false, err
		}
		p.JoinedAt = &now
		if cmd.Session != "" && cmd.Session == p.Session {
			p.CardByLink = true // the link holder saved the card in this browser
		}
		p.Record("joined", now)
		return true, nil
	})
}

// checkInTime fails with code Conflict if now is after the time limit of a command, if it has one.
func checkInTime(now, notAfter time.Time) error {
	if notAfter.IsZero() || !now.After(notAfter) {
		return nil
	}
	return fault.New(fault.Conflict, "The campaign has ended in the meantime")
}

// checkOpen fails with code Conflict, and a message with the reason, if the pledge is not open.
// changed is the rejected change, such as "modified".
func checkOpen(p *pledge.Pledge, changed string) error {
	switch {
	case p.Open():
		return nil
	case p.Charged:
		return fault.New(fault.Conflict, "A charged pledge cannot be %s", changed)
	case p.Status == pledge.Cancelled:
		return fault.New(fault.Conflict, "The pledge is cancelled")
	case p.Settlement != nil:
		return fault.New(fault.Conflict, "The pledge is being charged and cannot be %s", changed)
	default:
		return fault.New(fault.Conflict, "The campaign has ended and the pledge cannot be %s", changed)
	}
}

func runStartCard(tx kv.Tx, now time.Time, cmd startCard) (json.RawMessage, error) {
	h, err := loadHead(tx)
	if err != nil {
		return nil, err
	}
	text, err := pledgeText(tx, cmd.PledgeID)
	if err != nil {
		return nil, err
	}
	p, err := readPledge(text)
	if err != nil {
		return nil, err
	}
	if !p.Unpaid() {
		return nil, fault.New(fault.Conflict, "The pledge has nothing left to pay")
	}
	h.CardSessions = append(h.CardSessions, CardSession{SessionID: cmd.SessionID, PledgeID: p.OrderID, StartedAt: now})
	h.CardSessions = h.CardSessions[max(len(h.CardSessions)-maxCardSessions, 0):]
	return text, kv.PutValue(tx, headKey, h)
}

func runReplaceCard(tx kv.Tx, now time.Time, cmd replaceCard) (json.RawMessage, error) {
	h, err := loadHead(tx)
	if err != nil {
		return nil, err
	}
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		s := h.cardSession(cmd.SessionID, p.OrderID)
		if s == nil {
			return false, fault.New(fault.Conflict, "The session does not belong to this pledge").In("sessionId")
		}
		if s.Done || cmd.Card.SavedAt.Before(p.CardSavedAt.Truncate(time.Second)) {
			return false, nil
		}
		// Stripe's timestamps have whole seconds. Of two cards saved in the same second, the one
		// that arrives later counts as newer.
		if !cmd.Card.SavedAt.After(p.CardSavedAt) {
			cmd.Card.SavedAt = p.CardSavedAt.Add(time.Millisecond)
		}
		if !p.Unpaid() {
			return false, fault.New(fault.Conflict, "The pledge has nothing left to pay")
		}
		s.Done = true
		setCard(p, cmd.Card)
		p.CardByLink = true // such sessions are only started through the link
		p.CardForGroup = failedBy(p, s.StartedAt)
		p.Record(pledge.CardUpdated, now)
		return true, kv.PutValue(tx, headKey, h)
	})
}

// runFillCard sets the card of an unpaid pledge without a customer. It keeps a card with a
// customer.
func runFillCard(tx kv.Tx, now time.Time, cmd fillCard) (json.RawMessage, error) {
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if p.CustomerID != "" || !p.Unpaid() {
			return false, nil
		}
		setCard(p, cmd.Card)
		p.Record(pledge.CardUpdated, now)
		return true, nil
	})
}

// runForgetCard marks the card for deletion. It fails while the pledge may still be charged.
func runForgetCard(tx kv.Tx, now time.Time, cmd forgetCard) (json.RawMessage, error) {
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if p.CardForgottenAt != nil {
			return false, nil
		}
		if p.Unpaid() && (!cmd.Missed || p.Claimed()) {
			return false, fault.New(fault.Conflict, "The pledge may still be charged")
		}
		p.CardForgottenAt = &now
		if !p.Charged { // the label identifies the charge to its supporter
			p.Card = nil
		}
		p.Record("card_forgotten", now)
		return true, nil
	})
}

func runCardsDetached(tx kv.Tx, now time.Time, _ cardsDetached) (none, error) {
	h, err := loadHead(tx)
	if err != nil || h.CardsDetachedAt != nil {
		return none{}, err
	}
	for _, id := range h.Pledges {
		p, err := loadPledge(tx, id)
		if err != nil {
			return none{}, err
		}
		if p.Unpaid() {
			return none{}, fault.New(fault.Conflict, "A pledge of the order may still be charged")
		}
	}
	h.CardsDetachedAt = &now
	return none{}, kv.PutValue(tx, headKey, h)
}

func (h *head) cardSession(sessionID, pledgeID string) *CardSession {
	for i := range h.CardSessions {
		if s := &h.CardSessions[i]; s.SessionID == sessionID && s.PledgeID == pledgeID {
			return s
		}
	}
	return nil
}

// failedBy reports whether a charge of the pledge had failed by a given time.
func failedBy(p *pledge.Pledge, at time.Time) bool {
	return slices.ContainsFunc(p.History,
		func(e pledge.Entry) bool { return e.Type == "payment_failed" && !e.At.After(at) })
}

func setCard(p *pledge.Pledge, c Card) {
	p.CustomerID, p.PaymentMethodID = c.CustomerID, c.PaymentMethodID
	p.SetupIntentID, p.CardSavedAt, p.Card = c.SetupIntentID, c.SavedAt, c.Label
}
