package state

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// Client sends commands to one campaign's settlement object. The identity of a command under a
// lease includes the lease's owner, so that a cached refusal ends with the lease and the cached
// answers of another history are not replayed.
type Client struct {
	Coordinator kv.Coordinator
	Slug        string
}

func (c Client) object() kv.Object { return kv.Object{Class: ClassName, Name: c.Slug} }

// Acquire acquires the campaign's lease. It fails with code Busy while another run holds it, and
// with Conflict if the campaign is closed, unless the request is for a closed one.
func (c Client) Acquire(ctx context.Context, cmd LeaseRequest) (Lease, error) {
	return kv.Send[Lease](ctx, c.Coordinator, c.object(), "acquire:"+cmd.Owner, cmd)
}

// Renew extends a lease by LeaseDuration. nth numbers the renewals of the lease. It fails with code
// Busy if the lease has ended.
func (c Client) Renew(ctx context.Context, l Lease, nth int) (Lease, error) {
	return kv.Send[Lease](ctx, c.Coordinator, c.object(), fmt.Sprintf("renew:%s:%d", l.Owner, nth), renew{l.fence()})
}

// Release ends a lease and returns the visit requests that are still open. importedAfter is
// the time of the last restore if all payments were imported under the lease, otherwise nil.
func (c Client) Release(ctx context.Context, l Lease, importedAfter *time.Time) ([]VisitRequest, error) {
	r, err := kv.Send[released](ctx, c.Coordinator, c.object(), "release:"+l.Owner, release{l.fence(), importedAfter})
	return r.Notes, err
}

// Submit freezes a group, and returns it as stored. It fails with code Conflict unless the group is
// the first generation or follows a booked failure with a newer card or a retry.
func (c Client) Submit(ctx context.Context, l Lease, g Group) (Group, error) {
	return c.send(ctx, commandID("submit", l, g.Hash, g.Generation), submit{fence: l.fence(), Group: g})
}

// Adopt stores the group of an attempt that only the processor knows, with the result of its
// payment. If the object has the attempt, only the result is recorded.
func (c Client) Adopt(ctx context.Context, l Lease, g Group, f Result) (Group, error) {
	return c.send(ctx, commandID("adopt", l, g.Hash, g.Generation), adopt{fence: l.fence(), Group: g, Fact: f})
}

// Attempt counts the next charge request of a group before it is sent. It fails with code Conflict
// if the request must not be sent now.
func (c Client) Attempt(ctx context.Context, l Lease, g Group) (Group, error) {
	n := g.Attempts + 1
	id := fmt.Sprintf("%s:%d", commandID("attempt", l, g.Hash, g.Generation), n)
	return c.send(ctx, id, attempt{fence: l.fence(), Hash: g.Hash, Generation: g.Generation, Number: n})
}

// RecordResult records a result of a group's current or earlier generation; a duplicate changes
// nothing. The lease may have ended. Two servers may look up a charge at the same time and get
// different results. So the command's identity contains the result and the number of requests and
// lookups before it.
func (c Client) RecordResult(ctx context.Context, l Lease, g Group, f Result) (Group, error) {
	cmd := resultCommand(g, f)
	return c.send(ctx, commandID("tell", l, g.Hash, g.Generation)+":"+cmd.fingerprint(), cmd)
}

// MarkUnanswered moves a submitted group whose idempotency key is too old to NeedsAttention with
// reason NoAnswer, so that its request is never sent again. Other groups are returned unchanged.
func (c Client) MarkUnanswered(ctx context.Context, l Lease, g Group) (Group, error) {
	return c.send(ctx, commandID("alarm", l, g.Hash, g.Generation),
		markUnanswered{fence: l.fence(), Hash: g.Hash, Generation: g.Generation})
}

// Withdraw ends a group's attempt without a charge if no request was sent for it.
func (c Client) Withdraw(ctx context.Context, l Lease, g Group) (Group, error) {
	return c.send(ctx, commandID("withdraw", l, g.Hash, g.Generation),
		withdraw{fence: l.fence(), Hash: g.Hash, Generation: g.Generation})
}

// MarkBooked closes a group after its outcome was recorded in its pledges and emailed to its
// supporter.
func (c Client) MarkBooked(ctx context.Context, l Lease, g Group) (Group, error) {
	id := commandID("booked", l, g.Hash, g.Generation) + ":" + g.outcome()
	return c.send(ctx, id, markBooked{fence: l.fence(), Hash: g.Hash, Generation: g.Generation, Outcome: g.outcome()})
}

// Drop drops a failed group at the end of its recovery period.
func (c Client) Drop(ctx context.Context, l Lease, g Group) (Group, error) {
	return c.send(ctx, commandID("drop", l, g.Hash, g.Generation),
		drop{fence: l.fence(), Hash: g.Hash, Generation: g.Generation})
}

func (c Client) send(ctx context.Context, id string, cmd kv.Command) (Group, error) {
	return kv.Send[Group](ctx, c.Coordinator, c.object(), id, cmd)
}

// RequestVisit asks the next run to process a supporter's charge groups. The nonce distinguishes
// the request from earlier ones.
func (c Client) RequestVisit(ctx context.Context, supporter, nonce string) error {
	cmd := requestVisit{Hash: HashOf(c.Slug, supporter), Supporter: supporter, Nonce: nonce}
	_, err := kv.Send[none](ctx, c.Coordinator, c.object(), "want:"+nonce, cmd)
	return err
}

// ClearVisit removes the visit request of a supporter unless a newer one, with another nonce,
// replaced it.
func (c Client) ClearVisit(ctx context.Context, l Lease, hash, nonce string) error {
	cmd := clearVisit{fence: l.fence(), Hash: hash, Nonce: nonce}
	_, err := kv.Send[none](ctx, c.Coordinator, c.object(), fmt.Sprintf("met:%s:%s", l.Owner, nonce), cmd)
	return err
}

// Start starts a batch of the running job or, if fresh is set, of a new one. total is the number of
// pledges in the campaign. It fails with code Conflict if there is no job.
func (c Client) Start(ctx context.Context, l Lease, fresh bool, total int) (Job, error) {
	cmd := start{fence: l.fence(), Fresh: fresh, Slug: c.Slug, Total: total}
	return kv.Send[Job](ctx, c.Coordinator, c.object(), fmt.Sprintf("start:%s:%t", l.Owner, fresh), cmd)
}

// Checkpoint ends a batch and returns the job after it.
func (c Client) Checkpoint(ctx context.Context, l Lease, cmd Checkpoint) (Job, error) {
	cmd.fence = l.fence()
	return kv.Send[Job](ctx, c.Coordinator, c.object(), fmt.Sprintf("checkpoint:%s:%d", l.Owner, cmd.Batch), cmd)
}

// Complete records that nothing is left to settle, and returns when that was first recorded.
// It fails with code Conflict while a group or a visit request is open.
func (c Client) Complete(ctx context.Context, l Lease) (time.Time, error) {
	return kv.Send[time.Time](ctx, c.Coordinator, c.object(), "complete:"+l.Owner, complete{l.fence()})
}

// CloseMissed closes a campaign that missed its goal, and reports whether it is closed. A
// campaign with groups stays open.
func (c Client) CloseMissed(ctx context.Context, l Lease) (closed bool, err error) {
	return kv.Send[bool](ctx, c.Coordinator, c.object(), "close:"+l.Owner, closeMissed{l.fence()})
}

// StartDetaching records that the deletion of a closed campaign's cards has started. It fails
// with code Conflict if the campaign was reopened.
func (c Client) StartDetaching(ctx context.Context, l Lease) error {
	_, err := kv.Send[none](ctx, c.Coordinator, c.object(), "start-detaching:"+l.Owner, startDetaching{l.fence()})
	return err
}

// NoteUnclosed records why a campaign that missed its goal was not closed.
func (c Client) NoteUnclosed(ctx context.Context, reason, nonce string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, c.object(), "unclosed:"+nonce, noteUnclosed{reason})
	return err
}

// Reopen records an operator's decision to reopen a closed campaign. It fails as MayReopen does.
func (c Client) Reopen(ctx context.Context, operator, reason, nonce string) (Reopened, error) {
	return kv.Send[Reopened](ctx, c.Coordinator, c.object(), "reopen:"+nonce, reopen{Operator: operator, Reason: reason})
}

// Accept records that pledges may be charged under a promise that differs from the one they
// were made under.
func (c Client) Accept(ctx context.Context, p inventory.Promise, reason string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, c.object(), "accept", accept{p, reason})
	return err
}

// Resolve records an operator's statement about a group that needs attention, with the payment
// found at the processor. It takes effect when another operator states the same.
func (c Client) Resolve(ctx context.Context, g Group, operator string, st Statement,
	f Result, nonce string) (Group, error) {
	return c.send(ctx, "resolve:"+nonce, resolve{Hash: g.Hash, Generation: g.Generation, PaymentID: st.PaymentID,
		AcceptAmount: st.AcceptAmount, Operator: operator, Fact: f, Nonce: nonce})
}

// NoteDisagreement records a pledge whose terms at the processor differ.
func (c Client) NoteDisagreement(ctx context.Context, l Lease, d Disagreement) error {
	cmd := noteDisagreement{l.fence(), HashOf(c.Slug, d.PledgeID), d}
	_, err := kv.Send[none](ctx, c.Coordinator, c.object(), "disagreement:"+l.Owner+":"+d.PledgeID, cmd)
	return err
}

// PruneDisagreements removes the disagreements that were not noted under this lease.
func (c Client) PruneDisagreements(ctx context.Context, l Lease) error {
	_, err := kv.Send[none](ctx, c.Coordinator, c.object(), "prune-disagreements:"+l.Owner, pruneDisagreements{l.fence()})
	return err
}

// Disagreements returns all of the campaign's disagreements.
func (c Client) Disagreements(ctx context.Context) ([]Disagreement, error) {
	return kv.Ask[[]Disagreement](ctx, c.Coordinator, c.object(), listDisagreements{})
}

// AcceptTerms records an operator's decision to charge a pledge despite a disagreement. It takes
// effect when another operator decides the same, and fails with code Conflict if the terms changed.
func (c Client) AcceptTerms(ctx context.Context, about Disagreement, operator, reason,
	nonce string) (Disagreement, error) {
	cmd := acceptTerms{Hash: HashOf(c.Slug, about.PledgeID), Operator: operator, Reason: reason, About: about}
	d, err := kv.Send[Disagreement](ctx, c.Coordinator, c.object(), "accept-terms:"+nonce, cmd)
	d.SeenBy = ""
	return d, err
}

// Problems returns the problems that operators need to resolve.
func (c Client) Problems(ctx context.Context) (Problems, error) {
	return kv.Ask[Problems](ctx, c.Coordinator, c.object(), listProblems{})
}

// Pause holds the campaign's charges until ResetBreaker, and returns the hold in force. The nonce
// distinguishes it from an earlier pause.
func (c Client) Pause(ctx context.Context, nonce, reason string) (Held, error) {
	return kv.Send[Held](ctx, c.Coordinator, c.object(), "pause:"+nonce, pauseCharges{Reason: reason})
}

// ResetBreaker closes the circuit breaker. The nonce distinguishes it from an earlier reset.
func (c Client) ResetBreaker(ctx context.Context, nonce string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, c.object(), "release-brake:"+nonce, resetBreaker{})
	return err
}

// Overview returns the state of the settlement without its groups.
func (c Client) Overview(ctx context.Context) (Overview, error) {
	return kv.Ask[Overview](ctx, c.Coordinator, c.object(), getOverview{})
}

// Group returns one group and its supporter's visit request, without disagreements.
func (c Client) Group(ctx context.Context, hash string) (GroupRecord, error) {
	return kv.Ask[GroupRecord](ctx, c.Coordinator, c.object(), getGroup{Hash: hash})
}

// Groups returns the object's records of some groups, including disagreements, and the state of the
// circuit breaker. Groups without a record are left out.
func (c Client) Groups(ctx context.Context, hashes []string) (GroupRecords, error) {
	return kv.Ask[GroupRecords](ctx, c.Coordinator, c.object(), getGroups{Hashes: hashes})
}

// Missing returns the payments that their groups do not record completely.
func (c Client) Missing(ctx context.Context, p []ListedPayment) ([]ListedPayment, error) {
	return kv.Ask[[]ListedPayment](ctx, c.Coordinator, c.object(), missing{Payments: p})
}

// Unbooked returns a page of the booked successes without fees, after a cursor, "" for the first.
func (c Client) Unbooked(ctx context.Context, after string, limit int) (GroupPage, error) {
	return kv.Ask[GroupPage](ctx, c.Coordinator, c.object(), unbooked{After: after, Limit: limit})
}

// Failures returns a page of the failed groups that can still be retried, after a cursor, "" for the
// first.
func (c Client) Failures(ctx context.Context, after string, limit int) (GroupPage, error) {
	return kv.Ask[GroupPage](ctx, c.Coordinator, c.object(), failures{After: after, Limit: limit})
}

// Unfinished returns a page of the supporters with open groups or visit requests, after a cursor, ""
// for the first.
func (c Client) Unfinished(ctx context.Context, after string, limit int) (SupporterPage, error) {
	return kv.Ask[SupporterPage](ctx, c.Coordinator, c.object(), unfinished{After: after, Limit: limit})
}

func commandID(what string, l Lease, hash string, generation int) string {
	return fmt.Sprintf("%s:%s:%s:%d", what, l.Owner, hash, generation)
}
