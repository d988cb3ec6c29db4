package simulation

import (
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// checkLedger checks S19: at the end, the ledger of every campaign is unbroken, has one charge for
// each group that succeeded, with its pledges and its fee, and nothing else.
func (a *checker) checkLedger() {
	for _, slug := range []string{"film", "game", "album"} {
		entries := map[string]ledger.Entry{}
		head := a.readLedger(slug, entries)
		clearing := money.Cents(0)
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
		}
		for id := range entries {
			a.reportViolation("S19", "the ledger of %s has %s, which belongs to no group", slug, id)
		}
		if head.Balances[ledger.Clearing] != clearing {
			a.reportViolation("S19", "the processor owes %s to %s, but the ledger says %s", clearing, slug,
				head.Balances[ledger.Clearing])
		}
	}
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
