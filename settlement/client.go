package settlement

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// client sends commands to one campaign's settlement object. The identity of a command under a
// lease includes the lease's owner, so that a cached refusal ends with the lease and the cached
// answers of another history are not replayed.
type client struct {
	coordinator kv.Coordinator
	slug        string
}

func (c client) object() kv.Object { return kv.Object{Class: ClassName, Name: c.slug} }

func (c client) acquire(ctx context.Context, cmd acquire) (Lease, error) {
	return kv.Send[Lease](ctx, c.coordinator, c.object(), "acquire:"+cmd.Owner, cmd)
}

func (c client) renew(ctx context.Context, t Lease, nth int) (Lease, error) {
	return kv.Send[Lease](ctx, c.coordinator, c.object(), fmt.Sprintf("renew:%s:%d", t.Owner, nth), renew{t.fence()})
}

func (c client) release(ctx context.Context, t Lease, importedAfter *time.Time) ([]visitRequest, error) {
	r, err := kv.Send[released](ctx, c.coordinator, c.object(), "release:"+t.Owner, release{t.fence(), importedAfter})
	return r.Notes, err
}

func (c client) submit(ctx context.Context, t Lease, g Group) (Group, error) {
	return c.group(ctx, identity("submit", t, g.Hash, g.Generation), submit{fence: t.fence(), Group: g})
}

func (c client) adopt(ctx context.Context, t Lease, g Group, f result) (Group, error) {
	return c.group(ctx, identity("adopt", t, g.Hash, g.Generation), adopt{fence: t.fence(), Group: g, Fact: f})
}

func (c client) attempt(ctx context.Context, t Lease, g Group) (Group, error) {
	n := g.Attempts + 1
	id := fmt.Sprintf("%s:%d", identity("attempt", t, g.Hash, g.Generation), n)
	return c.group(ctx, id, attempt{fence: t.fence(), Hash: g.Hash, Generation: g.Generation, Number: n})
}

// recordResult identifies its command by the state in which the result was received (the number of
// requests and lookups) and by the content, since two servers may ask at once and get different
// answers.
func (c client) recordResult(ctx context.Context, t Lease, g Group, f result) (Group, error) {
	cmd := resultCommand(g, f)
	return c.group(ctx, identity("tell", t, g.Hash, g.Generation)+":"+cmd.fingerprint(), cmd)
}

func (c client) alarm(ctx context.Context, t Lease, g Group) (Group, error) {
	return c.group(ctx, identity("alarm", t, g.Hash, g.Generation), alarm{fence: t.fence(), Hash: g.Hash, Generation: g.Generation})
}

func (c client) withdraw(ctx context.Context, t Lease, g Group) (Group, error) {
	return c.group(ctx, identity("withdraw", t, g.Hash, g.Generation), withdraw{fence: t.fence(), Hash: g.Hash, Generation: g.Generation})
}

func (c client) booked(ctx context.Context, t Lease, g Group) (Group, error) {
	id := identity("booked", t, g.Hash, g.Generation) + ":" + g.outcome()
	return c.group(ctx, id, booked{fence: t.fence(), Hash: g.Hash, Generation: g.Generation, Outcome: g.outcome()})
}

func (c client) drop(ctx context.Context, t Lease, g Group) (Group, error) {
	return c.group(ctx, identity("drop", t, g.Hash, g.Generation), drop{fence: t.fence(), Hash: g.Hash, Generation: g.Generation})
}

func (c client) group(ctx context.Context, id string, cmd kv.Command) (Group, error) {
	return kv.Send[Group](ctx, c.coordinator, c.object(), id, cmd)
}

func (c client) requestVisit(ctx context.Context, w requestVisit) error {
	_, err := kv.Send[none](ctx, c.coordinator, c.object(), "want:"+w.Nonce, w)
	return err
}

func (c client) clearVisit(ctx context.Context, t Lease, hash, nonce string) error {
	cmd := clearVisit{fence: t.fence(), Hash: hash, Nonce: nonce}
	_, err := kv.Send[none](ctx, c.coordinator, c.object(), fmt.Sprintf("met:%s:%s", t.Owner, nonce), cmd)
	return err
}

func (c client) start(ctx context.Context, t Lease, fresh bool, total int) (Job, error) {
	cmd := start{fence: t.fence(), Fresh: fresh, Slug: c.slug, Total: total}
	return kv.Send[Job](ctx, c.coordinator, c.object(), fmt.Sprintf("start:%s:%t", t.Owner, fresh), cmd)
}

func (c client) checkpoint(ctx context.Context, t Lease, cmd checkpoint) (Job, error) {
	cmd.fence = t.fence()
	return kv.Send[Job](ctx, c.coordinator, c.object(), fmt.Sprintf("checkpoint:%s:%d", t.Owner, cmd.Batch), cmd)
}

func (c client) complete(ctx context.Context, t Lease) (time.Time, error) {
	return kv.Send[time.Time](ctx, c.coordinator, c.object(), "complete:"+t.Owner, complete{t.fence()})
}

func (c client) closeMissed(ctx context.Context, t Lease) (closed bool, err error) {
	return kv.Send[bool](ctx, c.coordinator, c.object(), "close:"+t.Owner, closeMissed{t.fence()})
}

func (c client) startDetaching(ctx context.Context, t Lease) error {
	_, err := kv.Send[none](ctx, c.coordinator, c.object(), "start-detaching:"+t.Owner, startDetaching{t.fence()})
	return err
}

func (c client) noteUnclosed(ctx context.Context, reason, nonce string) error {
	_, err := kv.Send[none](ctx, c.coordinator, c.object(), "unclosed:"+nonce, noteUnclosed{reason})
	return err
}

func (c client) reopen(ctx context.Context, operator, reason, nonce string) (Reopened, error) {
	return kv.Send[Reopened](ctx, c.coordinator, c.object(), "reopen:"+nonce, reopen{Operator: operator, Reason: reason})
}

func (c client) accept(ctx context.Context, p inventory.Promise, reason string) error {
	_, err := kv.Send[none](ctx, c.coordinator, c.object(), "accept", accept{p, reason})
	return err
}

func (c client) resolve(ctx context.Context, g Group, operator string, st Statement, f result, nonce string) (Group, error) {
	return c.group(ctx, "resolve:"+nonce, resolve{Hash: g.Hash, Generation: g.Generation, PaymentID: st.PaymentID,
		AcceptAmount: st.AcceptAmount, Operator: operator, Fact: f, Nonce: nonce})
}

func (c client) noteDisagreement(ctx context.Context, t Lease, d Disagreement) error {
	cmd := noteDisagreement{t.fence(), hashOf(c.slug, d.PledgeID), d}
	_, err := kv.Send[none](ctx, c.coordinator, c.object(), "disagreement:"+t.Owner+":"+d.PledgeID, cmd)
	return err
}

func (c client) pruneDisagreements(ctx context.Context, t Lease) error {
	_, err := kv.Send[none](ctx, c.coordinator, c.object(), "prune-disagreements:"+t.Owner, pruneDisagreements{t.fence()})
	return err
}

func (c client) disagreements(ctx context.Context) ([]Disagreement, error) {
	return kv.Ask[[]Disagreement](ctx, c.coordinator, c.object(), listDisagreements{})
}

func (c client) acceptTerms(ctx context.Context, about Disagreement, operator, reason, nonce string) (Disagreement, error) {
	cmd := acceptTerms{Hash: hashOf(c.slug, about.PledgeID), Operator: operator, Reason: reason, About: about}
	d, err := kv.Send[Disagreement](ctx, c.coordinator, c.object(), "accept-terms:"+nonce, cmd)
	d.SeenBy = ""
	return d, err
}

func (c client) problems(ctx context.Context) (Problems, error) {
	return kv.Ask[Problems](ctx, c.coordinator, c.object(), listProblems{})
}

// resetBreaker closes the circuit breaker. The nonce distinguishes it from an earlier reset.
func (c client) resetBreaker(ctx context.Context, nonce string) error {
	_, err := kv.Send[none](ctx, c.coordinator, c.object(), "release-brake:"+nonce, resetBreaker{})
	return err
}

func (c client) overview(ctx context.Context) (state, error) {
	return kv.Ask[state](ctx, c.coordinator, c.object(), overview{})
}

func (c client) get(ctx context.Context, hash string) (record, error) {
	return kv.Ask[record](ctx, c.coordinator, c.object(), getGroup{Hash: hash})
}

func (c client) groups(ctx context.Context, hashes []string) (groupRecords, error) {
	return kv.Ask[groupRecords](ctx, c.coordinator, c.object(), getGroups{Hashes: hashes})
}

func (c client) missing(ctx context.Context, p []paid) ([]paid, error) {
	return kv.Ask[[]paid](ctx, c.coordinator, c.object(), missing{Payments: p})
}

func (c client) unbooked(ctx context.Context, after string, limit int) (groupPage, error) {
	return kv.Ask[groupPage](ctx, c.coordinator, c.object(), unbooked{After: after, Limit: limit})
}

func (c client) failures(ctx context.Context, after string, limit int) (groupPage, error) {
	return kv.Ask[groupPage](ctx, c.coordinator, c.object(), failures{After: after, Limit: limit})
}

func (c client) unfinished(ctx context.Context, after string, limit int) (openPage, error) {
	return kv.Ask[openPage](ctx, c.coordinator, c.object(), unfinished{After: after, Limit: limit})
}

func identity(what string, t Lease, hash string, generation int) string {
	return fmt.Sprintf("%s:%s:%s:%d", what, t.Owner, hash, generation)
}
