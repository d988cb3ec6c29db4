package settlement

import (
	"context"
	"iter"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Ledger returns at most limit entries of a campaign's ledger after a number, in order, and the head
// of the whole ledger. It fails with code Internal if one of them was changed.
func (s *Service) Ledger(ctx context.Context, slug string, after, limit int) (state.LedgerPage, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return state.LedgerPage{}, err
	}
	return s.objectOf(slug).Ledger(ctx, after, min(limit, kv.MaxPage))
}

// LedgerHead returns the head of a campaign's ledger, with its balances, without reading all entries.
func (s *Service) LedgerHead(ctx context.Context, slug string) (ledger.Head, error) {
	page, err := s.Ledger(ctx, slug, 0, 1)
	return page.Head, err
}

// ledgerPages verifies a campaign's ledger and returns its pages, in order. The last one has no entries. It
// ends with the first error: code Internal if an entry was changed, is missing or does not balance, or if a
// balance differs from the sum of its lines.
func (s *Service) ledgerPages(ctx context.Context, slug string) iter.Seq2[state.LedgerPage, error] {
	return func(yield func(state.LedgerPage, error) bool) {
		var v ledger.Verifier
		for after := 0; ; {
			page, err := s.Ledger(ctx, slug, after, kv.MaxPage)
			if err == nil {
				err = verifyPage(&v, page)
			}
			if err != nil {
				yield(state.LedgerPage{}, err)
				return
			}
			if !yield(page, nil) || len(page.Entries) == 0 {
				return
			}
			after = page.Entries[len(page.Entries)-1].Number
		}
	}
}

// verifyPage verifies the entries of the next page. A page without entries is the end of the ledger, at
// which the head has to match.
func verifyPage(v *ledger.Verifier, page state.LedgerPage) error {
	for _, e := range page.Entries {
		if err := v.Next(e); err != nil {
			return err
		}
	}
	if len(page.Entries) == 0 {
		return v.Check(page.Head)
	}
	return nil
}

// LedgerEntries returns all entries of a campaign's ledger, in order, and verifies them. It ends with the
// first error: damage is found only when it is reached. Call VerifyLedger before a use that cannot be undone,
// such as a response that is already on its way.
func (s *Service) LedgerEntries(ctx context.Context, slug string) iter.Seq2[ledger.Entry, error] {
	return func(yield func(ledger.Entry, error) bool) {
		for page, err := range s.ledgerPages(ctx, slug) {
			if err != nil {
				yield(ledger.Entry{}, err)
				return
			}
			for _, e := range page.Entries {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// VerifiedLedger is a ledger whose entries were all verified.
type VerifiedLedger struct {
	ledger.Head
	Charged money.Cents // cents: the total of all charges
}

// VerifyLedger reads all entries of a campaign's ledger. It fails with code Internal if an entry was
// changed, is missing or does not balance, or if a balance differs from the sum of its lines.
func (s *Service) VerifyLedger(ctx context.Context, slug string) (VerifiedLedger, error) {
	var out VerifiedLedger
	for page, err := range s.ledgerPages(ctx, slug) {
		if err != nil {
			return VerifiedLedger{}, err
		}
		for _, e := range page.Entries {
			out.Charged += e.Charged()
		}
		out.Head = page.Head
	}
	return out, nil
}

// RecordEarlierCharges records the charges of a campaign that an earlier release made without a
// ledger, and returns how many it recorded.
func (s *Service) RecordEarlierCharges(ctx context.Context, slug string) (recorded int, err error) {
	object := s.objectOf(slug)
	for after := ""; ; {
		page, err := object.Unrecorded(ctx, after, kv.MaxPage)
		if err != nil {
			return recorded, err
		}
		for _, g := range page.Groups {
			ok, err := s.recordEarlierCharge(ctx, object, g)
			if err != nil {
				return recorded, err
			}
			if ok {
				recorded++
			}
		}
		if after = page.Next; after == "" {
			return recorded, nil
		}
	}
}

// recordEarlierCharge reads the components of a charge from its pledges, and reports whether the
// charge was recorded: not if one of its orders is lost.
func (s *Service) recordEarlierCharge(ctx context.Context, object state.Client, g state.Group) (bool, error) {
	pledges, err := s.readPledges(ctx, g.OrderIDs())
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	components := make([]ledger.Components, 0, len(pledges))
	for _, p := range pledges {
		components = append(components, ledger.ComponentsOf(p.Totals))
	}
	_, err = object.SetComponents(ctx, g, components)
	return err == nil, err
}
