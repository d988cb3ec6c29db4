package settlement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

const (
	// payoutPage and payoutPages limit what one run reads of the list of payouts. The next run continues.
	payoutPage, payoutPages = 100, 4
	// payoutsRecorded is how many payouts are recorded in one transaction.
	payoutsRecorded = 20
	// payoutOverlap is how far a pass reaches back before the start of the previous one. Payouts that may
	// still change are looked up anyway.
	payoutOverlap = 3 * day
	// payoutsAtOnce is how many payouts one run processes.
	payoutsAtOnce = 100
	// rowPage is how many rows of a payout are read at once, and rowRequests how many requests to the
	// processor one run makes for rows.
	rowPage, rowRequests = 100, 500
)

// ImportedPayouts is the result of ImportPayouts.
type ImportedPayouts struct {
	Payouts int `json:"payouts"` // observed, whether changed or not
	Rows    int `json:"rows"`    // read
}

// ImportPayouts lists the processor's new payouts, looks up those that may have changed, reads the rows of
// automatic ones, and appends each campaign's share to its ledger. A run does a part of the work, and the
// next one continues. Runs may overlap.
func (s *Service) ImportPayouts(ctx context.Context) (ImportedPayouts, error) {
	run := payoutRun{Service: s, requests: rowRequests}
	known, err := s.payouts().Import(ctx, payoutsAtOnce)
	if err != nil {
		return run.result, err
	}
	errs := []error{run.list(ctx, known.Progress)}
	if run.result.Payouts > 0 || !known.Progress.Done {
		if known, err = s.payouts().Import(ctx, payoutsAtOnce); err != nil {
			return run.result, errors.Join(append(errs, err)...)
		}
	}
	run.listed = known.Progress.Done
	for _, p := range known.Due {
		if err := run.process(ctx, p); err != nil {
			errs = append(errs, fmt.Errorf("importing the payout %s: %w", p.ID, err))
		}
	}
	return run.result, errors.Join(errs...)
}

// ImportPayout looks up a payout, because of a webhook. Its rows are read by ImportPayouts.
func (s *Service) ImportPayout(ctx context.Context, payoutID string) error {
	run := payoutRun{Service: s}
	p, err := s.payouts().Get(ctx, payoutID)
	if fault.Is(err, fault.NotFound) {
		return run.listNext(ctx)
	}
	if err != nil {
		return err
	}
	_, err = run.lookUp(ctx, p)
	return err
}

// payoutRun is one run of an import.
type payoutRun struct {
	*Service
	requests int  // that may still be made for rows
	listed   bool // all payouts are known
	result   ImportedPayouts
}

func (r *payoutRun) listNext(ctx context.Context) error {
	known, err := r.payouts().Import(ctx, 1)
	if err != nil {
		return err
	}
	return r.list(ctx, known.Progress)
}

// list reads the next pages of the pass, or of a new pass.
func (r *payoutRun) list(ctx context.Context, last payout.Progress) error {
	now, p := r.Now().UTC(), last
	switch {
	case p.StartedAt.IsZero(), p.StartedAt.After(now): // the first pass, or a clock was wrong
		p = payout.Progress{StartedAt: now, From: now.Add(-psp.EvidenceLife)}
	case p.Done:
		p = payout.Progress{StartedAt: now, From: p.StartedAt.Add(-payoutOverlap)}
	}
	for range payoutPages {
		page, err := r.Processor.Payouts(ctx, psp.PayoutQuery{From: p.From, After: p.After, Limit: payoutPage})
		if err != nil {
			return fmt.Errorf("listing payouts: %w", err)
		}
		if _, err := r.observe(ctx, page.Payouts); err != nil {
			return err
		}
		p.After, p.Done = page.Next, page.Next == ""
		if len(page.Payouts) == 0 && last.Done && now.Sub(last.StartedAt) < day {
			return nil // the next pass reads the same range, which saves a write per hour
		}
		if err := r.payouts().SetProgress(ctx, p); err != nil || p.Done {
			return err
		}
	}
	return nil
}

func (r *payoutRun) observe(ctx context.Context, found []psp.Payout) (recorded []payout.Payout, err error) {
	all := make([]payout.Payout, 0, len(found))
	for _, po := range found {
		all = append(all, payout.Observed(po))
	}
	for part := range slices.Chunk(all, payoutsRecorded) {
		more, err := r.payouts().Observe(ctx, part)
		if err != nil {
			return nil, err
		}
		recorded = append(recorded, more...)
	}
	r.result.Payouts += len(recorded)
	return recorded, nil
}

// process makes the steps of a payout that are due.
func (r *payoutRun) process(ctx context.Context, p payout.Payout) (err error) {
	for more := true; more && err == nil; {
		switch step := p.NextStep(r.Now()); step {
		case payout.LookUp:
			p, err = r.lookUp(ctx, p)
		case payout.Read:
			p, more, err = r.read(ctx, p)
		case payout.Book, payout.Reverse:
			p, err = r.book(ctx, p, step == payout.Reverse)
		case payout.None:
			return nil
		}
	}
	return err
}

// lookUp observes a payout. The processor has no list by ID, but one by the time of creation.
func (r *payoutRun) lookUp(ctx context.Context, p payout.Payout) (payout.Payout, error) {
	for q := (psp.PayoutQuery{From: p.CreatedAt, To: p.CreatedAt.Add(time.Second), Limit: payoutPage}); ; {
		page, err := r.Processor.Payouts(ctx, q)
		if err != nil {
			return p, err
		}
		at := slices.IndexFunc(page.Payouts, func(po psp.Payout) bool { return po.ID == p.ID })
		if at >= 0 {
			recorded, err := r.observe(ctx, page.Payouts[at:at+1])
			if err != nil {
				return p, err
			}
			return recorded[0], nil
		}
		if q.After = page.Next; q.After == "" {
			return p, fault.New(fault.NotFound, "The processor does not have the payout %s", p.ID)
		}
	}
}

// book appends the shares of all campaigns to their ledgers, or their return. A campaign whose ledger is
// damaged does not stop the others.
func (r *payoutRun) book(ctx context.Context, p payout.Payout, reverse bool) (payout.Payout, error) {
	if err := r.bookShares(ctx, p); err != nil {
		return p, err
	}
	return r.payouts().MarkBooked(ctx, p.ID, reverse)
}

func (s *Service) bookShares(ctx context.Context, p payout.Payout) error {
	var errs []error
	for _, share := range p.Contents.Shares {
		err := s.Wake(ctx, share.Slug)
		if err == nil {
			err = s.payoutsOf(share.Slug).Book(ctx, p, share)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("in the ledger of %s: %w", share.Slug, err))
		}
	}
	return errors.Join(errs...)
}

// Payouts returns at most limit of the account's payouts after an ID, newest first. It fails with code
// NotFound if there is no payout with that ID.
func (s *Service) Payouts(ctx context.Context, after string, limit int) (payout.Page, error) {
	return s.payouts().List(ctx, after, min(limit, kv.MaxPage))
}

// BookPayout appends the shares of a payout to the ledgers that lack them, and returns what the campaign's
// ledger has then. A restore can lose an entry although the payout is recorded as booked.
func (s *Service) BookPayout(ctx context.Context, slug string, p payout.Payout) (payout.Booked, error) {
	err := s.bookShares(ctx, p)
	if err != nil && fault.Of(err) == nil {
		return payout.Booked{}, err
	}
	booked, err := s.BookedPayouts(ctx, slug, []string{p.ID})
	return booked[p.ID], err
}

// BookedPayouts returns what a campaign's ledger has of payouts, by ID.
func (s *Service) BookedPayouts(ctx context.Context, slug string, ids []string) (map[string]payout.Booked, error) {
	return s.payoutsOf(slug).Booked(ctx, ids)
}

func (s *Service) payouts() payout.Platform {
	return payout.Platform{Coordinator: s.Coordinator, Object: s.platform().Object()}
}

func (s *Service) payoutsOf(slug string) payout.Campaign {
	return payout.Campaign{Coordinator: s.Coordinator, Object: kv.Object{Class: state.ClassName, Name: slug}}
}
