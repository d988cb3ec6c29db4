package simulation

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// statement is the processor's account statement, by campaign.
type statement struct {
	rows    []sim.BalanceRow
	slugs   map[string]string // payment → campaign
	payouts []psp.Payout
	// shares are what each automatic payout consists of, by payout and campaign; "" is the rest.
	shares map[string]map[string]money.Cents
}

// readStatement reads the processor's statement and divides its payouts by their rows.
func (a *checker) readStatement() statement {
	s := statement{rows: a.w.sim.Statement(), slugs: map[string]string{}, shares: map[string]map[string]money.Cents{}}
	s.payouts = quietly(a.w, a.w.sim.Payouts)
	for _, e := range a.w.sim.Entries() {
		s.slugs[e.PaymentID], _, _ = splitKey(e.Group)
	}
	for _, p := range s.payouts {
		if p.Automatic {
			s.shares[p.ID] = s.divide(p)
		}
	}
	return s
}

// divide returns the shares of an automatic payout. Earlier ones are divided already.
func (s *statement) divide(p psp.Payout) map[string]money.Cents {
	shares := map[string]money.Cents{}
	for _, row := range s.rows {
		returned := s.shares[row.PayoutID]
		switch {
		case row.PaidOut != p.ID || row.ID == p.BalanceTransactionID:
		case row.Net > 0 && returned != nil:
			for slug, amount := range returned {
				shares[slug] += amount
			}
		default:
			shares[s.slugs[row.PaymentID]] += row.Net
		}
	}
	return shares
}

func hasFailed(p psp.Payout) bool { return p.Status == psp.PayoutStatusFailed }

// checkBookedPayout checks S21 when a campaign's share of a payout is recorded: the ledger has the sum of the
// campaign's rows, and its return only if the payout failed.
func (a *checker) checkBookedPayout(op memkv.Op) {
	var cmd struct{ ID string }
	if err := json.Unmarshal(op.Command.Body, &cmd); err != nil {
		panic(err)
	}
	slug, s := op.Object.Name, a.readStatement()
	booked := a.bookedPayout(slug, cmd.ID)
	at := slices.IndexFunc(s.payouts, func(p psp.Payout) bool { return p.ID == cmd.ID })
	switch share := s.shares[cmd.ID][slug]; {
	case op.Reply.Refused != nil:
		a.reportViolation("S21", "the ledger of %s refuses its share of the payout %s", slug, cmd.ID)
	case at < 0 || booked.Share != share:
		a.reportViolation("S21", "the share of %s in the payout %s is %s, but the ledger has %s", slug, cmd.ID, share,
			booked.Share)
	case booked.Returned != 0 && (booked.Returned != share || !hasFailed(s.payouts[at])):
		a.reportViolation("S21", "the payout %s is %s, but the ledger of %s has its return of %s", cmd.ID,
			s.payouts[at].Status, slug, booked.Returned)
	}
}

func (a *checker) bookedPayout(slug, id string) payout.Booked {
	return quietly(a.w, func() (map[string]payout.Booked, error) {
		return a.payoutsOf(slug).Booked(a.w.ctx, []string{id})
	})[id]
}

func (a *checker) payoutsOf(slug string) payout.Campaign {
	return payout.Campaign{Coordinator: a.w.truth.Coordinator(), Object: kv.Object{Class: state.ClassName, Name: slug}}
}

// checkPayoutEntries compares a campaign's entries of payouts with the statement, removes these, and returns
// what they add to the account of the processor. Every payout whose rows are listed has one entry, and one
// for its return if it failed.
func (a *checker) checkPayoutEntries(s statement, slug string, entries map[string]ledger.Entry) (clearing money.Cents) {
	for _, p := range s.payouts {
		share := s.shares[p.ID][slug]
		e, back := entries[ledger.PayoutIdentity(p.ID)], entries[ledger.PayoutFailureIdentity(p.ID)]
		returned := money.Cents(0)
		if hasFailed(p) {
			returned = share
		}
		if e.Balance(ledger.Bank) != share || back.Balance(ledger.Bank) != -returned {
			a.reportViolation("S21", "the share of %s in the payout %s (%s) is %s, but the ledger has %s and %s", slug, p.ID,
				p.Status, share, e.Balance(ledger.Bank), back.Balance(ledger.Bank))
		}
		clearing += e.Balance(ledger.Clearing) + back.Balance(ledger.Clearing)
		delete(entries, ledger.PayoutIdentity(p.ID))
		delete(entries, ledger.PayoutFailureIdentity(p.ID))
	}
	return clearing
}

// checkBalance checks S19: the ledgers and the changes that belong to no campaign add up to the processor's
// balance.
func (a *checker) checkBalance(ledgers money.Cents) {
	if total, _ := a.w.sim.Balance(); total != ledgers {
		a.reportViolation("S19", "the processor's balance is %s, but the ledgers have %s", total, ledgers)
	}
}

// unshared returns the balance of the rows that belong to no campaign: what changed it, without the part of the
// payouts.
func (s *statement) unshared() (balance money.Cents) {
	for _, row := range s.rows {
		if s.slugs[row.PaymentID] == "" && row.PayoutID == "" {
			balance += row.Net
		}
	}
	for _, p := range s.payouts {
		switch {
		case hasFailed(p):
		case p.Automatic:
			balance -= s.shares[p.ID][""]
		default:
			balance -= p.Amount
		}
	}
	return balance
}

// missingRows returns the sum of a campaign's rows that its ledger does not have. It reports those of payments
// whose charge the ledger has.
func (a *checker) missingRows(s statement, slug string, entries map[string]ledger.Entry) (sum money.Cents) {
	for _, row := range s.rows {
		if row.PaymentID == "" || s.slugs[row.PaymentID] != slug {
			continue
		}
		recorded := money.Cents(0)
		for _, id := range identitiesOf(row) {
			e := entries[id]
			recorded += e.Balance(ledger.Clearing)
		}
		_, charged := entries[ledger.ChargeIdentity(row.PaymentID)]
		if recorded != row.Net && charged && a.w.now.Sub(row.At) > refundTime {
			a.reportViolation("S19", "the row %+v of %s is recorded as %s", row, slug, recorded)
		}
		sum += row.Net - recorded
	}
	return sum
}

// identitiesOf returns the identities of the entries that record a row.
func identitiesOf(row sim.BalanceRow) []string {
	switch {
	case row.DisputeID != "":
		return []string{ledger.DisputeIdentity(row.ID)}
	case row.RefundID != "" && row.Net > 0:
		return []string{"refund-failed:" + row.RefundID}
	case row.RefundID != "":
		return []string{"refund:" + row.RefundID}
	}
	return []string{ledger.ChargeIdentity(row.PaymentID), ledger.FeeIdentity(row.ID)}
}

// checkPayouts checks S21: the service has every payout with its status, and the automatic ones are explained.
func (a *checker) checkPayouts() {
	s, mirrored := a.readStatement(), a.mirroredPayouts()
	if len(mirrored) != len(s.payouts) {
		a.reportViolation("S21", "the service has %d of the %d payouts", len(mirrored), len(s.payouts))
		return
	}
	for i, p := range mirrored {
		was := s.payouts[len(s.payouts)-1-i]
		switch {
		case p.ID != was.ID || p.Amount != was.Amount || p.Status != was.Status && !a.becamePaid(p, was):
			a.reportViolation("S21", "the payout %+v is recorded as %+v", was, p)
		case !was.Automatic:
		case p.Difference() != 0 || p.BookedAt == nil || hasFailed(was) != (p.ReversedAt != nil):
			a.reportViolation("S21", "the payout %s is not recorded in the ledgers: %+v", p.ID, p)
		case p.Unmatched() > 0 && !a.mayLackRows(s, p):
			a.reportViolation("S21", "rows of the payout %s are not explained: %+v", p.ID, p.Contents)
		}
	}
}

// mirroredPayouts returns the payouts that the service has recorded, newest first.
func (a *checker) mirroredPayouts() []payout.Payout {
	services := a.w.services()
	page := quietly(a.w, func() (payout.Page, error) { return services.Settlement.Payouts(a.w.ctx, "", kv.MaxPage) })
	return page.Payouts
}

// becamePaid reports whether a payout that is recorded as in transit was paid since its last lookup.
func (a *checker) becamePaid(p payout.Payout, was psp.Payout) bool {
	return was.Status == psp.PayoutStatusPaid && p.Status == psp.PayoutStatusInTransit &&
		a.w.rest.Sub(was.CreatedAt) < 50*time.Hour
}

// mayLackRows reports whether the ledgers may lack rows of a payout: it was read a short time ago, or a payment
// in it waits for an operator or was voided, so that no ledger has its charge.
func (a *checker) mayLackRows(s statement, p payout.Payout) bool {
	if p.ReadAt.After(a.w.rest.Add(-27 * time.Hour)) {
		return true
	}
	return slices.ContainsFunc(s.rows, func(row sim.BalanceRow) bool {
		return row.PaidOut == p.ID && row.PaymentID != "" && !a.hasCharge(s.slugs[row.PaymentID], row.PaymentID)
	})
}

// hasCharge reports whether a campaign's ledger has the charge of a payment.
func (a *checker) hasCharge(slug, payment string) bool {
	found := quietly(a.w, func() ([]payout.Match, error) {
		return a.payoutsOf(slug).Match(a.w.ctx, []payout.Row{{PaymentID: payment}})
	})
	return found[0].Ours
}

// checkPayoutBreaks checks S21 for a reconciliation: the ledger has all shares of payouts, and the rows that it
// lacks are known to the checker.
func (a *checker) checkPayoutBreaks(slug string, breaks []reconcile.Break) {
	for _, b := range breaks {
		switch b.Kind {
		case reconcile.PayoutDiffers:
			a.reportViolation("S21", "%s: %s", slug, b.Message)
		case reconcile.PayoutUnknown:
			all := a.mirroredPayouts()
			at := slices.IndexFunc(all, func(p payout.Payout) bool { return p.ID == b.Subject })
			if !a.mayLackRows(a.readStatement(), all[at]) {
				a.reportViolation("S21", "%s: %s", slug, b.Message)
			}
		default:
		}
	}
}

// checkReimport checks S21: if the records of payouts are lost, the processor's list leads to the same records
// and ledgers.
func (a *checker) checkReimport() {
	db, ok := a.w.truth.(memory)
	if !ok || !a.w.scenario.payouts.reimports {
		return
	}
	before := a.ledgerHeads()
	db.RestoreObject(state.Platform{}.Object(), memkv.Snapshot{})
	services := a.w.services()
	for n, idle := 0, 0; idle < 2 && n < 100; n, idle = n+1, idle+1 {
		r := quietly(a.w, func() (settlement.ImportedPayouts, error) { return services.Settlement.ImportPayouts(a.w.ctx) })
		if r.Rows > 0 || r.Payouts > 0 && !a.hasAllPayouts() {
			idle = -1
		}
	}
	a.checkPayouts()
	after := a.ledgerHeads()
	for _, slug := range slugs {
		if after[slug].Hash != before[slug].Hash {
			a.reportViolation("S21", "another import of all payouts changed the ledger of %s from %+v to %+v", slug,
				before[slug], after[slug])
		}
	}
}

func (a *checker) hasAllPayouts() bool {
	return len(a.mirroredPayouts()) == len(a.readStatement().payouts)
}

func (a *checker) ledgerHeads() map[string]ledger.Head {
	heads := map[string]ledger.Head{}
	for _, slug := range slugs {
		object := state.Client{Coordinator: a.w.truth.Coordinator(), Slug: slug}
		heads[slug] = quietly(a.w, func() (state.LedgerPage, error) { return object.Ledger(a.w.ctx, 0, 1) }).Head
	}
	return heads
}
