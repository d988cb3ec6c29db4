package payout

import (
	"context"
	"fmt"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Platform gives access to the payouts, in the settlement object of all campaigns.
type Platform struct {
	Coordinator kv.Coordinator
	Object      kv.Object
}

// Page is a page of payouts, newest first. Next is the last ID, "" on the last page.
type Page struct {
	Payouts []Payout `json:"payouts"`
	Next    string   `json:"next"`
}

// Observe records observations of payouts, in any order and any number of times. It returns the payouts as
// recorded.
func (p Platform) Observe(ctx context.Context, payouts []Payout) ([]Payout, error) {
	if len(payouts) == 0 {
		return nil, nil
	}
	id := fmt.Sprintf("payout-observe:%s:%d", payouts[0].ID, len(payouts))
	return kv.Send[[]Payout](ctx, p.Coordinator, p.Object, id, observe{Payouts: payouts})
}

// AddRows adds the totals of the page of rows that follows of.Reading, or of the first page of a new reading
// if that is nil. A page that was added before is ignored. It returns the payout as recorded.
func (p Platform) AddRows(ctx context.Context, of Payout, page Contents) (Payout, error) {
	cmd := addRows{ID: of.ID, Reading: of.Readings + 1, Page: page}
	if of.Reading != nil {
		cmd.Reading, cmd.After = of.Readings, of.Reading.After
	}
	id := fmt.Sprintf("payout-add-rows:%s:%d:%s", of.ID, cmd.Reading, cmd.After)
	return kv.Send[Payout](ctx, p.Coordinator, p.Object, id, cmd)
}

// MarkBooked records that the ledgers of all campaigns have their shares of a payout, or that they have
// the shares' return.
func (p Platform) MarkBooked(ctx context.Context, payoutID string, reversed bool) (Payout, error) {
	id := fmt.Sprintf("payout-mark-booked:%s:%v", payoutID, reversed)
	return kv.Send[Payout](ctx, p.Coordinator, p.Object, id, markBooked{ID: payoutID, Reversed: reversed})
}

// SetProgress records the progress of the import.
func (p Platform) SetProgress(ctx context.Context, to Progress) error {
	id := fmt.Sprintf("payout-set-progress:%d:%s", to.StartedAt.Unix(), to.After)
	_, err := kv.Send[Progress](ctx, p.Coordinator, p.Object, id, setProgress{Progress: to})
	return err
}

// Import returns the state of the import, with at most limit payouts that have a step due.
func (p Platform) Import(ctx context.Context, limit int) (Import, error) {
	return kv.Ask[Import](ctx, p.Coordinator, p.Object, getImport{Limit: limit})
}

// Get returns a payout. It fails with code NotFound if there is none.
func (p Platform) Get(ctx context.Context, id string) (Payout, error) {
	return kv.Ask[Payout](ctx, p.Coordinator, p.Object, get{ID: id})
}

// List returns at most limit payouts after an ID, newest first. It fails with code NotFound if there is no
// payout with that ID.
func (p Platform) List(ctx context.Context, after string, limit int) (Page, error) {
	return kv.Ask[Page](ctx, p.Coordinator, p.Object, list{After: after, Limit: limit})
}

// Campaign gives access to the ledger in a campaign's settlement object.
type Campaign struct {
	Coordinator kv.Coordinator
	Object      kv.Object
}

// Book appends a campaign's share of a payout to its ledger, and the share's return if the payout has
// failed. It can be repeated. It fails with code Conflict if the ledger has another amount.
func (c Campaign) Book(ctx context.Context, p Payout, s Share) error {
	cmd := book{ID: p.ID, Share: s.Amount, At: p.CreatedAt, FailedAt: p.FailedAt}
	_, err := kv.Send[none](ctx, c.Coordinator, c.Object, fmt.Sprintf("payout-book:%s:%v", p.ID, p.FailedAt != nil), cmd)
	return err
}

// Match returns what the ledger has of each row.
func (c Campaign) Match(ctx context.Context, rows []Row) ([]Match, error) {
	return kv.Ask[[]Match](ctx, c.Coordinator, c.Object, match{Rows: rows})
}

// Booked returns what the ledger has of payouts, by ID.
func (c Campaign) Booked(ctx context.Context, ids []string) (map[string]Booked, error) {
	return kv.Ask[map[string]Booked](ctx, c.Coordinator, c.Object, getBooked{IDs: ids})
}
