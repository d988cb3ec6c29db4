package order

import (
	"encoding/json"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// runClaim locks the pledge against changes until the attempt has failed. A charged pledge keeps
// its claim.
func runClaim(tx kv.Tx, now time.Time, cmd claim) (json.RawMessage, error) {
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if claimedBy(p, cmd.Group, cmd.Generation) {
			return false, nil
		}
		if !p.Unpaid() {
			return false, fault.New(fault.Conflict, "The pledge has nothing left to pay")
		}
		if c := p.Settlement; c != nil && !(cmd.Found && c.Group == cmd.Group && c.Generation < cmd.Generation) {
			return false, fault.New(fault.Conflict, "The pledge is claimed for another attempt")
		}
		if p.Group != "" && p.Group != cmd.Group {
			return false, fault.New(fault.Conflict, "The pledge belongs to another group")
		}
		if f := p.LastFailure; f != nil && f.Generation >= cmd.Generation {
			return false, fault.New(fault.Conflict, "The attempt has ended")
		}
		if !p.Claimed() {
			p.Group = cmd.Group
		}
		p.Settlement = &pledge.Claim{Group: cmd.Group, Generation: cmd.Generation, At: now}
		return true, nil
	})
}

func runCharge(tx kv.Tx, now time.Time, cmd charge) (json.RawMessage, error) {
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if p.Charged && p.PaymentIntentID == cmd.Charged.PaymentIntentID {
			filled := fillFinancials(p, cmd.Charged)
			if filled {
				p.Revision++ // inventory.Book ignores known revisions
			}
			return filled, nil
		}
		claimed := claimedBy(p, cmd.Group, cmd.Generation)
		if p.Charged || !claimed && !failedLast(p, cmd.Generation) {
			return false, fault.New(fault.Conflict, "The pledge was not claimed for this attempt")
		}
		if !claimed {
			p.Settlement = nil // possibly a claim for a later attempt, which was not sent
		}
		p.Status, p.Charged, p.LastFailure, p.Recovery = pledge.Charged, true, nil, nil
		p.PaymentIntentID, p.ChargeID = cmd.Charged.PaymentIntentID, cmd.Charged.ChargeID
		p.ChargedAt = &cmd.Charged.At
		if gross := cmd.Charged.Financials.Gross; gross != p.Amount {
			p.ChargedAmount = gross
		}
		fillFinancials(p, cmd.Charged)
		p.Record("charged", now)
		return true, nil
	})
}

// fillFinancials stores Stripe's figures, which Stripe may book later than the charge, and reports
// whether it changed the pledge.
func fillFinancials(p *pledge.Pledge, c Charged) bool {
	if p.BalanceTransactionID != "" || p.Financials != nil && c.BalanceTransactionID == "" {
		return false
	}
	p.Financials, p.BalanceTransactionID, p.ProcessorAvailableAt = &c.Financials, c.BalanceTransactionID, c.AvailableAt
	return true
}

func runFail(tx kv.Tx, now time.Time, cmd fail) (json.RawMessage, error) {
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if f := p.LastFailure; f != nil && f.Generation >= cmd.Generation {
			return false, nil
		}
		if !claimedBy(p, cmd.Group, cmd.Generation) {
			return false, fault.New(fault.Conflict, "The pledge was not claimed for this attempt")
		}
		cmd.Failure.Generation = cmd.Generation
		p.Status, p.LastFailure, p.Settlement = pledge.PaymentFailed, &cmd.Failure, nil
		p.Recovery = &cmd.Recovery
		p.Record("payment_failed", now)
		return true, nil
	})
}

func runDrop(tx kv.Tx, now time.Time, cmd drop) (json.RawMessage, error) {
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if p.Dropped() || !failedLast(p, cmd.Generation) {
			return false, nil
		}
		p.Settlement = nil // see runCharge
		p.Recovery = &pledge.Recovery{Lane: pledge.Dropped, Until: cmd.At}
		p.Record("dropped", now)
		return true, nil
	})
}

// runNoteRefund shows a refund in its pledge. It changes no amount.
func runNoteRefund(tx kv.Tx, now time.Time, cmd noteRefund) (json.RawMessage, error) {
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if !p.Charged {
			return false, fault.New(fault.Conflict, "The pledge was not charged")
		}
		if !p.SetRefund(cmd.Refund) {
			return false, nil
		}
		p.Record("refund_"+string(cmd.Refund.Status), now)
		return true, nil
	})
}

// runNoteDispute shows a dispute in its pledge. It changes no amount.
func runNoteDispute(tx kv.Tx, now time.Time, cmd noteDispute) (json.RawMessage, error) {
	return edit(tx, cmd.PledgeID, func(p *pledge.Pledge) (bool, error) {
		if !p.Charged {
			return false, fault.New(fault.Conflict, "The pledge was not charged")
		}
		changed, newStatus := p.SetDispute(cmd.Dispute)
		switch {
		case newStatus:
			p.Record("dispute_"+string(cmd.Dispute.Status), now)
		case changed:
			p.Revision++ // inventory.Book ignores known revisions
		}
		return changed, nil
	})
}

// failedLast reports whether the pledge's last charge failed in the attempt with the generation.
func failedLast(p *pledge.Pledge, generation int) bool {
	return p.Status == pledge.PaymentFailed && p.LastFailure != nil && p.LastFailure.Generation == generation
}

func claimedBy(p *pledge.Pledge, group string, generation int) bool {
	return p.Settlement != nil && p.Settlement.Group == group && p.Settlement.Generation == generation
}
