package inventory

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Client sends commands to campaign objects. An object's name is a slug or Platform.
type Client struct{ Coordinator kv.Coordinator }

// Hold reserves units for a pledge until they are booked or released. It holds only units beyond
// those that the pledge already has. A hold's ID can be used only once.
//
// If Hold fails, no units are held. It fails with code SoldOut if too few units of an item remain,
// and with Busy if the holder or its network would exceed its share of an item. It fails with Gone
// if the command arrives after the hold's release, and with Conflict if the campaign is closed.
func (c Client) Hold(ctx context.Context, object string, h Hold, wants []Request) error {
	_, err := kv.Send[none](ctx, c.Coordinator, objectOf(object), "hold:"+h.ID, hold{Hold: h, Wants: wants})
	return err
}

// CanHold fails with the error of Hold, if Hold would now be refused. It writes nothing.
func (c Client) CanHold(ctx context.Context, object string, h Hold, wants []Request) error {
	_, err := kv.Ask[none](ctx, c.Coordinator, objectOf(object), canHold{Hold: h, Wants: wants})
	return err
}

// Extend postpones a hold's due time, and reports whether the hold exists. A time before the
// current due time has no effect.
func (c Client) Extend(ctx context.Context, object, holdID string, due time.Time) (bool, error) {
	return kv.Send[bool](ctx, c.Coordinator, objectOf(object), fmt.Sprintf("extend:%s:%d", holdID, due.Unix()),
		extend{ID: holdID, Due: due})
}

// Release releases a hold's units. Releasing an absent hold is not an error.
func (c Client) Release(ctx context.Context, object, holdID string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, objectOf(object), "release:"+holdID, release{ID: holdID})
	return err
}

// Book sets a pledge's account and releases its hold; holdID is "" for none. Booking the same or an
// older revision does not change the account and the sums.
func (c Client) Book(ctx context.Context, object string, a Account, holdID string) (Booked, error) {
	return c.book(ctx, object, book{Account: a, Hold: holdID})
}

// BookIfKnown is like Book, but does not create an account for a pledge without units.
func (c Client) BookIfKnown(ctx context.Context, object string, a Account, holdID string) (Booked, error) {
	return c.book(ctx, object, book{Account: a, Hold: holdID, IfKnown: true})
}

func (c Client) book(ctx context.Context, object string, cmd book) (Booked, error) {
	id := fmt.Sprintf("book:%s:%d:%s", cmd.Account.Pledge, cmd.Account.Revision, cmd.Hold)
	return kv.Send[Booked](ctx, c.Coordinator, objectOf(object), id, cmd)
}

// Close makes the campaign reject new holds, so that no checkout can start and no pledge can be
// modified. It fails with code Conflict while a hold exists, because a checkout may be in progress.
// Closing a closed campaign has no effect.
func (c Client) Close(ctx context.Context, slug string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, objectOf(slug), "close", closeCampaign{})
	return err
}

// Reopen makes a closed campaign accept holds again.
func (c Client) Reopen(ctx context.Context, slug string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, objectOf(slug), "reopen", reopenCampaign{})
	return err
}

// Due returns at most limit holds that were due before a time, oldest first. After them come holds
// that are due more than two days later, because only a server with a wrong clock creates such
// holds.
func (c Client) Due(ctx context.Context, object string, before time.Time, limit int) ([]Hold, error) {
	return kv.Ask[[]Hold](ctx, c.Coordinator, objectOf(object), due{Before: before, Limit: limit})
}

// Snapshot returns an object's current sums and stock.
func (c Client) Snapshot(ctx context.Context, object string) (Snapshot, error) {
	return kv.Ask[Snapshot](ctx, c.Coordinator, objectOf(object), snapshot{})
}

// Totals returns an object's current sums, without the stock. It reads only one record.
func (c Client) Totals(ctx context.Context, object string) (Totals, error) {
	return kv.Ask[Totals](ctx, c.Coordinator, objectOf(object), totals{})
}

// Promises returns the different terms on which the campaign's unpaid pledges may be charged, by
// deadline, with the number of pledges for each.
func (c Client) Promises(ctx context.Context, slug string) ([]Promised, error) {
	return kv.Ask[[]Promised](ctx, c.Coordinator, objectOf(slug), promises{})
}

// Listed returns at most limit pledge IDs (up to 500) in the order of their first
// booking, starting at number from.
func (c Client) Listed(ctx context.Context, object string, from, limit int) ([]string, error) {
	return kv.Ask[[]string](ctx, c.Coordinator, objectOf(object), listed{From: from, Limit: limit})
}

// ListedText returns what Listed returns as JSON.
func (c Client) ListedText(ctx context.Context, object string, from, limit int) (json.RawMessage, error) {
	return kv.Ask[json.RawMessage](ctx, c.Coordinator, objectOf(object), listed{From: from, Limit: limit})
}

// Supporters returns supporters with all their pledges, ordered by hash. after is "" or the Next of
// the previous page. The page ends with the supporter with whom the number of pledges reaches limit
// (1 to 500).
func (c Client) Supporters(ctx context.Context, slug, after string, limit int) (SupporterPage, error) {
	return kv.Ask[SupporterPage](ctx, c.Coordinator, objectOf(slug), supporters{After: after, Limit: limit})
}

// Active is like Supporters, but returns only supporters with an active pledge. If the campaign has
// accounts older than the index of active pledges, it returns all supporters.
func (c Client) Active(ctx context.Context, slug, after string, limit int) (SupporterPage, error) {
	return kv.Ask[SupporterPage](ctx, c.Coordinator, objectOf(slug), supporters{After: after, Limit: limit, Active: true})
}

// Failed is like Supporters, but returns only supporters with a failed payment. A page may be short
// or empty and still have a next one.
func (c Client) Failed(ctx context.Context, slug, after string, limit int) (SupporterPage, error) {
	return kv.Ask[SupporterPage](ctx, c.Coordinator, objectOf(slug), supporters{After: after, Limit: limit, Failed: true})
}

// Supporter returns all pledges of the supporter with a hash, as returned by pledge.EmailHash. An
// unknown supporter has none.
func (c Client) Supporter(ctx context.Context, slug, hash string) (Supporter, error) {
	return kv.Ask[Supporter](ctx, c.Coordinator, objectOf(slug), ofSupporter{Hash: hash})
}

func objectOf(object string) kv.Object { return kv.Object{Class: ClassName, Name: object} }
