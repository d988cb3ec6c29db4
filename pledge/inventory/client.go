package inventory

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Client speaks to campaign objects. Object names are slugs, or Platform.
type Client struct{ Coordinator kv.Coordinator }

// Hold keeps units for a pledge until they are booked or released. Only what
// goes beyond the units that the pledge has committed already is held. It
// fails with code SoldOut when an item has too few left, and with Busy when its
// holder would hold more than a share of one, and then holds nothing; and with
// Gone where it arrives after its own release. A hold's ID is
// used once: after it was released, it holds no more.
func (c Client) Hold(ctx context.Context, object string, h Hold, wants []Want) error {
	_, err := kv.Send[none](ctx, c.Coordinator, at(object), "hold:"+h.ID, hold{Hold: h, Wants: wants})
	return err
}

// Extend puts off the time at which a hold is due; an earlier one than it has
// changes nothing. It reports whether the hold still stands.
func (c Client) Extend(ctx context.Context, object, holdID string, due time.Time) (bool, error) {
	return kv.Send[bool](ctx, c.Coordinator, at(object), fmt.Sprintf("extend:%s:%d", holdID, due.Unix()), extend{ID: holdID, Due: due})
}

// Release gives a hold's units back. Releasing what is gone is no error.
func (c Client) Release(ctx context.Context, object, holdID string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, at(object), "release:"+holdID, release{ID: holdID})
	return err
}

// Book sets a pledge's account and drops the hold it came from, if any. Booking
// a revision again, or one older than the account has, changes no sum.
func (c Client) Book(ctx context.Context, object string, a Account, holdID string) (Booked, error) {
	return c.book(ctx, object, book{Account: a, Hold: holdID})
}

// BookIfKnown is Book, but opens no account for a pledge that has no units.
func (c Client) BookIfKnown(ctx context.Context, object string, a Account, holdID string) (Booked, error) {
	return c.book(ctx, object, book{Account: a, Hold: holdID, IfKnown: true})
}

func (c Client) book(ctx context.Context, object string, cmd book) (Booked, error) {
	id := fmt.Sprintf("book:%s:%d:%s", cmd.Account.Pledge, cmd.Account.Revision, cmd.Hold)
	return kv.Send[Booked](ctx, c.Coordinator, at(object), id, cmd)
}

// Close makes the campaign refuse new holds, so that no checkout begins and no pledge changes
// any more. It fails with code Conflict while a hold exists, since a checkout may be under
// way. Closing a closed campaign changes nothing.
func (c Client) Close(ctx context.Context, slug string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, at(slug), "close", closeCampaign{})
	return err
}

// Reopen makes a closed campaign accept holds again.
func (c Client) Reopen(ctx context.Context, slug string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, at(slug), "reopen", reopenCampaign{})
	return err
}

// Due returns holds that were due before the time, at most limit.
func (c Client) Due(ctx context.Context, object string, before time.Time, limit int) ([]Hold, error) {
	return kv.Ask[[]Hold](ctx, c.Coordinator, at(object), due{Before: before, Limit: limit})
}

// Snapshot returns the sums and the stock as they are now.
func (c Client) Snapshot(ctx context.Context, object string) (Snapshot, error) {
	return kv.Ask[Snapshot](ctx, c.Coordinator, at(object), snapshot{})
}

// Promises returns what the supporters of a campaign were promised whose pledges wait to
// be charged.
func (c Client) Promises(ctx context.Context, slug string) ([]Promised, error) {
	return kv.Ask[[]Promised](ctx, c.Coordinator, at(slug), promises{})
}

// Listed returns pledge IDs in the order in which they were first booked,
// beginning with number from, at most limit (500 at the most).
func (c Client) Listed(ctx context.Context, object string, from, limit int) ([]string, error) {
	return kv.Ask[[]string](ctx, c.Coordinator, at(object), listed{From: from, Limit: limit})
}

// Supporters returns supporters with all their pledges, in the order of their
// hashes. It stops after the supporter with whom limit pledges are reached (at
// least 1, 500 at the most).
func (c Client) Supporters(ctx context.Context, slug, after string, limit int) (SupporterPage, error) {
	return kv.Ask[SupporterPage](ctx, c.Coordinator, at(slug), supporters{After: after, Limit: limit})
}

// Active returns those supporters who have an active pledge, with all their pledges, as
// Supporters does. Of a campaign with accounts that are older than its index of active
// pledges it returns everybody.
func (c Client) Active(ctx context.Context, slug, after string, limit int) (SupporterPage, error) {
	return kv.Ask[SupporterPage](ctx, c.Coordinator, at(slug), supporters{After: after, Limit: limit, Active: true})
}

// Failed returns those supporters who have a pledge whose payment failed, with all their
// pledges. It looks at as many pledges as Supporters returns, so a page may be short or empty and
// have a next one.
func (c Client) Failed(ctx context.Context, slug, after string, limit int) (SupporterPage, error) {
	return kv.Ask[SupporterPage](ctx, c.Coordinator, at(slug), supporters{After: after, Limit: limit, Failed: true})
}

// Supporter returns all pledges of the supporter with the email hash.
func (c Client) Supporter(ctx context.Context, slug, hash string) (Supporter, error) {
	return kv.Ask[Supporter](ctx, c.Coordinator, at(slug), ofSupporter{Hash: hash})
}

func at(object string) kv.Object { return kv.Object{Class: ClassName, Name: object} }
