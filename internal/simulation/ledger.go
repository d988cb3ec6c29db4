package simulation

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// refundTime is how long the service may take to find a refund that was made at the processor: the
// hourly search may fail once.
const refundTime = 3 * time.Hour

// checkLedger checks S19: at the end, the ledger of every campaign is unbroken, has one charge for
// each group that succeeded, with its pledges, its fee and its refunds, and nothing else.
func (a *checker) checkLedger() {
	books := a.readStatement()
	balance := books.unshared()
	for _, slug := range slugs {
		entries := map[string]ledger.Entry{}
		head := a.readLedger(slug, entries)
		balance += head.Balances[ledger.Clearing] + a.missingRows(books, slug, entries)
		clearing := a.checkPayoutEntries(books, slug, entries)
		for _, g := range a.groups(slug) {
			if g.Status != state.Succeeded {
				continue
			}
			id := ledger.ChargeIdentity(g.PaymentIntentID)
			e, ok := entries[id]
			if !ok || e.Charged() != g.Amount || len(e.PledgesOf()) != len(g.Orders) {
				a.reportViolation("S19", "the ledger of %s has %s for %s of %s", slug, e.Charged(), g.Key, g.Amount)
			}
			delete(entries, id)
			delete(entries, ledger.FeeIdentity(g.BalanceTransactionID))
			clearing += g.Amount - g.Fee
			if ok {
				clearing += a.checkRefunds(g, entries)
			}
		}
		for _, payment := range paymentsOf(entries) { // disputed, although no group succeeded with it
			clearing += a.checkDisputes(payment, entries)
		}
		for id := range entries {
			a.reportViolation("S19", "the ledger of %s has %s, which belongs to no group", slug, id)
		}
		if head.Balances[ledger.Clearing] != clearing {
			a.reportViolation("S19", "the processor owes %s to %s, but the ledger says %s", clearing, slug,
				head.Balances[ledger.Clearing])
		}
		if sums := head.Sums(); sums.Net > sums.Collected {
			a.reportViolation("S19", "%s has %s left of the %s that was collected", slug, sums.Net, sums.Collected)
		}
	}
	a.checkBalance(balance)
}

// checkRefunds compares the refunds of a group's payment with the ledger's entries, removes these, and
// returns what they add to the account of the processor.
func (a *checker) checkRefunds(g state.Group, entries map[string]ledger.Entry) (clearing money.Cents) {
	at, err := a.w.sim.Reversals(g.PaymentIntentID)
	if err != nil {
		panic(err)
	}
	for _, f := range at.Refunds {
		e, recorded := entries["refund:"+f.ID]
		back, failed := entries["refund-failed:"+f.ID]
		moved := f.BalanceTransactionID != "" && f.Status != psp.RefundStatusFailed
		switch {
		case recorded && (f.BalanceTransactionID == "" || e.Balance(ledger.Clearing) != -f.Amount):
			a.reportViolation("S19", "the refund %s of %s is recorded as %s", f.ID, f.Amount, e.Balance(ledger.Clearing))
		case failed && (f.Status != psp.RefundStatusFailed || !recorded || back.Balance(ledger.Clearing) != f.Amount):
			a.reportViolation("S19", "the refund %s is %s and recorded as failed", f.ID, f.Status)
		case moved && !recorded && a.w.now.Sub(f.CreatedAt) > refundTime:
			a.reportViolation("S19", "the refund %s of %s for %s, made %s, is not recorded", f.ID, f.Amount, g.PaymentIntentID, f.CreatedAt)
		}
		clearing += e.Balance(ledger.Clearing) + back.Balance(ledger.Clearing)
		delete(entries, "refund:"+f.ID)
		delete(entries, "refund-failed:"+f.ID)
		if repaid, ok := entries["repayment:"+f.ID]; ok && repaid.Balance(ledger.Owed)+back.Balance(ledger.Owed) == 0 {
			delete(entries, "repayment:"+f.ID)
		}
	}
	return clearing + a.checkDisputes(g.PaymentIntentID, entries)
}

// paymentsOf lists the payments of entries.
func paymentsOf(entries map[string]ledger.Entry) []string {
	var all []string
	for _, e := range entries {
		if e.PaymentID != "" && !slices.Contains(all, e.PaymentID) {
			all = append(all, e.PaymentID)
		}
	}
	slices.Sort(all)
	return all
}

// checkDisputes compares the disputes of a payment with the ledger's entries, removes these, and returns
// what they add to the account of the processor.
func (a *checker) checkDisputes(payment string, entries map[string]ledger.Entry) (clearing money.Cents) {
	at, err := a.w.sim.Reversals(payment)
	if err != nil {
		panic(err)
	}
	for _, d := range at.Disputes {
		clearing += a.checkDispute(d, entries)
	}
	return clearing
}

// checkDispute compares a dispute with the ledger's entries, removes these, and returns what they add
// to the account of the processor.
func (a *checker) checkDispute(d psp.Dispute, entries map[string]ledger.Entry) (clearing money.Cents) {
	for _, m := range d.Movements {
		e, recorded := entries[ledger.DisputeIdentity(m.ID)]
		if recorded && e.Balance(ledger.Clearing) != m.Amount-m.Fee {
			a.reportViolation("S19", "%s of the dispute %s is recorded as %s", m.Amount-m.Fee, d.ID,
				e.Balance(ledger.Clearing))
		}
		clearing += e.Balance(ledger.Clearing)
		delete(entries, ledger.DisputeIdentity(m.ID))
	}
	lost := money.Cents(0)
	for id, e := range entries {
		if e.DisputeID == d.ID {
			lost += e.Balance(ledger.Losses)
			delete(entries, id)
		}
	}
	if lost != 0 && (d.Status != psp.DisputeStatusLost || lost != d.Amount) {
		a.reportViolation("S19", "the dispute %s of %s is %s, and %s are recorded as lost", d.ID, d.Amount, d.Status, lost)
	}
	return clearing
}

// readLedger verifies a campaign's ledger and adds its entries by their identities.
func (a *checker) readLedger(slug string, entries map[string]ledger.Entry) ledger.Head {
	object := state.Client{Coordinator: a.w.truth.Coordinator(), Slug: slug}
	var v ledger.Verifier
	for after := 0; ; {
		page := quietly(a.w, func() (state.LedgerPage, error) { return object.Ledger(a.w.ctx, after, kv.MaxPage) })
		for _, e := range page.Entries {
			if err := v.Next(e); err != nil {
				a.reportViolation("S19", "%s: %v", slug, err)
			}
			if _, twice := entries[e.Identity]; twice {
				a.reportViolation("S19", "the ledger of %s has %s twice", slug, e.Identity)
			}
			entries[e.Identity], after = e, e.Number
		}
		if len(page.Entries) == 0 {
			if err := v.Check(page.Head); err != nil {
				a.reportViolation("S19", "%s: %v", slug, err)
			}
			return page.Head
		}
	}
}
