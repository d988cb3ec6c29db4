package settlement

import (
	"cmp"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// ClassName is the class of settlement objects, bound as SETTLEMENT_COORDINATOR. There is one
// object per campaign, named by its slug.
const ClassName = "settlement"

// The keys of a settlement object's state.
const (
	leaseKey       = "term"
	jobKey         = "job"
	completeKey    = "complete"  // → time
	groupPrefix    = "group/"    // hash → Group
	openPrefix     = "open/"     // hash → supporter, for groups that are not done
	wantPrefix     = "want/"     // hash → visitRequest
	failedPrefix   = "failed/"   // hash → supporter, for failed groups that can still be retried
	unbookedPrefix = "unbooked/" // hash → supporter, for successes without fees
)

// NewClass returns the commands of settlement objects.
func NewClass() *kv.Class {
	c := kv.NewClass(ClassName)
	kv.On(c, runAcquire)
	kv.OnRepeatable(c, runRenew)
	kv.OnRepeatable(c, runRelease)
	kv.OnRepeatable(c, runSubmit)
	kv.On(c, runAdopt)
	kv.OnRepeatable(c, runAttempt)
	kv.OnRepeatable(c, runRecordResult)
	kv.OnRepeatable(c, runAlarm)
	kv.OnRepeatable(c, runWithdraw)
	kv.OnRepeatable(c, runBooked)
	kv.OnRepeatable(c, runDrop)
	kv.OnRepeatable(c, runResolve)
	kv.On(c, runResetBreaker)
	kv.OnRepeatable(c, runAccept)
	kv.OnRepeatable(c, runBind)
	kv.OnQuery(c, runAccount)
	kv.OnRepeatable(c, runStop)
	kv.OnRepeatable(c, runResume)
	kv.OnQuery(c, runStopped)
	kv.OnQuery(c, runRestored)
	kv.OnRepeatable(c, runNoteUnclosed)
	kv.OnRepeatable(c, runWake)
	kv.OnRepeatable(c, runRest)
	kv.OnQuery(c, runRests)
	kv.On(c, runRequestVisit)
	kv.OnRepeatable(c, runClearVisit)
	kv.OnRepeatable(c, runStart)
	kv.OnRepeatable(c, runCheckpoint)
	kv.OnRepeatable(c, runComplete)
	kv.OnRepeatable(c, runClose)
	kv.OnRepeatable(c, runReopen)
	kv.OnRepeatable(c, runStartDetaching)
	kv.OnRepeatable(c, runNoteDisagreement)
	kv.OnRepeatable(c, runPruneDisagreements)
	kv.OnRepeatable(c, runAcceptTerms)
	kv.OnQuery(c, runListDisagreements)
	kv.OnQuery(c, runListProblems)
	kv.OnQuery(c, runOverview)
	kv.OnQuery(c, runGetGroup)
	kv.OnQuery(c, runGetGroups)
	kv.OnQuery(c, runUnfinished)
	kv.OnQuery(c, runFailures)
	kv.OnQuery(c, runUnbooked)
	kv.OnQuery(c, runMissing)
	return c
}

// runSubmit freezes a group, once per generation. The next generation is frozen only after the
// last one failed and was booked.
func runSubmit(tx kv.Tx, now time.Time, cmd submit) (Group, error) {
	if _, err := underLease(tx, now, cmd.fence); err != nil {
		return Group{}, err
	}
	n := cmd.Group
	last, known, err := kv.Load[Group](tx, groupPrefix+n.Hash)
	if err != nil {
		return Group{}, err
	}
	if known && last.Generation == n.Generation && last.Lease == cmd.Lease {
		return last, nil
	}
	switch {
	case known && n.Generation <= last.Generation, known && (!last.recovering() || last.Confirmable):
		return Group{}, fault.New(fault.Conflict, "The supporter's last charge has not ended, or has succeeded")
	case known && !n.CardSavedAt.After(last.CardSavedAt) && !last.MayPass && !last.Void:
		return Group{}, fault.New(fault.Conflict, "The supporter's last charge failed and there is no newer card")
	}
	if known {
		n = last.startNext(n)
	}
	n.Lease, n.Status, n.SubmittedAt, n.UpdatedAt = cmd.Lease, Submitted, now, now
	return n, keepGroup(tx, n)
}

// runAdopt imports an attempt that the object has lost.
func runAdopt(tx kv.Tx, now time.Time, cmd adopt) (Group, error) {
	if _, err := underLease(tx, now, cmd.fence); err != nil {
		return Group{}, err
	}
	n := cmd.Group
	last, known, err := kv.Load[Group](tx, groupPrefix+n.Hash)
	if err != nil {
		return Group{}, err
	}
	switch {
	case known && last.Status == Succeeded:
		return last, nil
	case known && last.Generation > n.Generation:
		last.applyEarlier(n.Generation, cmd.Fact, now)
		n = last
	case known && last.Generation == n.Generation && last.Status == NeedsAttention && len(last.Orders) < len(n.Orders):
		n.History, n.Resolutions, n.FirstFailedAt = last.History, last.Resolutions, cmp.Or(last.FirstFailedAt, n.FirstFailedAt)
		n.Status, n.SubmittedAt = Submitted, last.SubmittedAt
		n.apply(cmd.Fact, now)
	case known && last.Generation == n.Generation:
		last.FirstFailedAt = cmp.Or(last.FirstFailedAt, n.FirstFailedAt)
		last.apply(cmd.Fact, now)
		n = last
	default:
		if known {
			n = last.startNext(n)
		}
		n.Status, n.SubmittedAt = Submitted, now
		n.apply(cmd.Fact, now)
	}
	if n.Status == Failed && !n.Confirmable && !n.Booked && len(n.Orders) == 0 { // its pledges are lost
		n.void(now)
	}
	return n, keepGroup(tx, n)
}

// runMissing returns the payments that no group records.
func runMissing(tx kv.Tx, _ time.Time, q missing) ([]paid, error) {
	lacks := []paid{}
	for _, p := range q.Payments {
		g, known, err := kv.Load[Group](tx, groupPrefix+p.Hash)
		if err != nil {
			return nil, err
		}
		if !known || !g.hasRecorded(p) {
			lacks = append(lacks, p)
		}
	}
	return lacks, nil
}

func runAttempt(tx kv.Tx, now time.Time, cmd attempt) (Group, error) {
	g, err := fencedGroup(tx, now, cmd.fence, cmd.Hash, cmd.Generation)
	if err != nil {
		return Group{}, err
	}
	counted := g.Attempts == cmd.Number && g.Lease == cmd.Lease
	if g.Status != Submitted || g.Attempts != cmd.Number-1 && !counted || g.isKeyOld(now) {
		return Group{}, fault.New(fault.Conflict, "The charge cannot be sent as it stands")
	}
	if counted {
		return g, nil
	}
	if err := maySend(tx, now); err != nil {
		return Group{}, err
	}
	if g.FirstSubmittedAt == nil {
		g.FirstSubmittedAt = &now
	}
	g.Lease, g.Attempts, g.LastAttemptAt, g.UpdatedAt = cmd.Lease, cmd.Number, &now, now
	g.NextAttemptAt = now.Add(pause)
	return g, keepGroup(tx, g)
}

// runRecordResult accepts results from any run, with or without the lease.
func runRecordResult(tx kv.Tx, now time.Time, cmd recordResult) (Group, error) {
	g, ok, err := kv.Load[Group](tx, groupPrefix+cmd.Hash)
	if err != nil {
		return Group{}, err
	}
	if !ok {
		return Group{}, noGroup()
	}
	was := g.Status
	if cmd.Generation == g.Generation {
		if !g.record(cmd, now) {
			return g, nil
		}
	} else {
		g.applyEarlier(cmd.Generation, cmd.Fact, now)
	}
	if err := watchCharge(tx, now, was, g, cmd.Fact); err != nil {
		return Group{}, err
	}
	return g, keepGroup(tx, g)
}

func runAlarm(tx kv.Tx, now time.Time, cmd alarm) (Group, error) {
	g, err := fencedGroup(tx, now, cmd.fence, cmd.Hash, cmd.Generation)
	if err != nil || g.Status != Submitted || !g.isKeyOld(now) {
		return g, err
	}
	g.Status, g.Reason, g.UpdatedAt = NeedsAttention, NoAnswer, now
	return g, keepGroup(tx, g)
}

func runWithdraw(tx kv.Tx, now time.Time, cmd withdraw) (Group, error) {
	g, err := fencedGroup(tx, now, cmd.fence, cmd.Hash, cmd.Generation)
	if err != nil || g.Status != Submitted || g.FirstSubmittedAt != nil || g.PaymentIntentID != "" {
		return g, err
	}
	g.Status, g.Void, g.Booked, g.SettledAt, g.UpdatedAt = Failed, true, true, &now, now
	return g, keepGroup(tx, g)
}

func runBooked(tx kv.Tx, now time.Time, cmd booked) (Group, error) {
	g, err := fencedGroup(tx, now, cmd.fence, cmd.Hash, cmd.Generation)
	if err != nil || g.Booked {
		return g, err
	}
	if g.outcome() == "" {
		return Group{}, fault.New(fault.Conflict, "The outcome of the charge is not known")
	}
	if g.outcome() != cmd.Outcome {
		return g, nil // it changed while the outcome was being booked: the supporter confirmed the payment
	}
	g.Booked, g.UpdatedAt = true, now
	if err := countBooked(tx, g); err != nil {
		return Group{}, err
	}
	return g, keepGroup(tx, g)
}

// runDrop drops a failed group. Its pledges and supporter are updated again then.
func runDrop(tx kv.Tx, now time.Time, cmd drop) (Group, error) {
	g, err := fencedGroup(tx, now, cmd.fence, cmd.Hash, cmd.Generation)
	if err != nil || g.DroppedAt != nil {
		return g, err
	}
	if !g.recovering() || g.Confirmable {
		return Group{}, fault.New(fault.Conflict, "The charge may still succeed")
	}
	g.DroppedAt, g.Booked, g.UpdatedAt = &now, false, now
	return g, keepGroup(tx, g)
}

func fencedGroup(tx kv.Tx, now time.Time, f fence, hash string, generation int) (Group, error) {
	if _, err := underLease(tx, now, f); err != nil {
		return Group{}, err
	}
	g, ok, err := kv.Load[Group](tx, groupPrefix+hash)
	if err == nil && (!ok || g.Generation != generation) {
		err = noGroup()
	}
	return g, err
}

func noGroup() error { return fault.New(fault.NotFound, "There is no such charge") }

// keepGroup stores the record and its entries in the lists of open, recoverable and unbooked
// groups.
func keepGroup(tx kv.Tx, g Group) error {
	if err := kv.Keep(tx, groupPrefix+g.Hash, g); err != nil {
		return err
	}
	if g.FirstFailedAt != nil {
		if err := mark(tx, failedPrefix, g, g.recovering()); err != nil {
			return err
		}
	}
	if g.Status == Succeeded && g.Booked {
		if err := mark(tx, unbookedPrefix, g, g.unbooked()); err != nil {
			return err
		}
	}
	if g.done() {
		return tx.Delete(openPrefix + g.Hash)
	}
	return tx.Put(openPrefix+g.Hash, []byte(g.Supporter))
}

// mark adds a group to a list or removes it.
func mark(tx kv.Tx, list string, g Group, on bool) error {
	if on {
		return tx.Put(list+g.Hash, []byte(g.Supporter))
	}
	return tx.Delete(list + g.Hash)
}

// groupPage is a page of a list of groups; Next is "" on the last page.
type groupPage struct {
	Groups []Group `json:"groups"`
	Next   string  `json:"next"`
}

func runFailures(tx kv.Tx, _ time.Time, q failures) (groupPage, error) {
	return listed(tx, failedPrefix, q.After, q.Limit)
}

func runUnbooked(tx kv.Tx, _ time.Time, q unbooked) (groupPage, error) {
	return listed(tx, unbookedPrefix, q.After, q.Limit)
}

func listed(tx kv.Tx, list, after string, limit int) (groupPage, error) {
	page := groupPage{Groups: []Group{}}
	entries, err := tx.List(list, after, limit)
	if err != nil {
		return groupPage{}, err
	}
	for _, e := range entries {
		g, _, err := kv.Load[Group](tx, groupPrefix+strings.TrimPrefix(e.Key, list))
		if err != nil {
			return groupPage{}, err
		}
		page.Groups, page.Next = append(page.Groups, g), e.Key
	}
	return page, nil
}

// visitRequest is a visit request for a supporter. The nonce distinguishes it from a later one.
type visitRequest struct {
	Supporter string `json:"supporter"`
	Nonce     string `json:"nonce" kv:"id"`
}

type none struct{}

func runRequestVisit(tx kv.Tx, _ time.Time, cmd requestVisit) (none, error) {
	return none{}, kv.Keep(tx, wantPrefix+cmd.Hash, visitRequest{Supporter: cmd.Supporter, Nonce: cmd.Nonce})
}

func runClearVisit(tx kv.Tx, now time.Time, cmd clearVisit) (none, error) {
	if _, err := underLease(tx, now, cmd.fence); err != nil {
		return none{}, err
	}
	n, _, err := kv.Load[visitRequest](tx, wantPrefix+cmd.Hash)
	if err != nil || n.Nonce != cmd.Nonce {
		return none{}, err
	}
	return none{}, tx.Delete(wantPrefix + cmd.Hash)
}

// groupRecords is what the object has about some groups, by their hashes.
type groupRecords struct {
	Records map[string]record `json:"records"`
	Held    *Held             `json:"held,omitempty"` // by the circuit breaker
}

// record is a group, if there is one, with the supporter's visit request and, if the group is the
// own group of a pledge, whatever blocks charging that pledge.
type record struct {
	Group        *Group        `json:"group"`
	Nonce        string        `json:"nonce,omitempty"`
	Disagreement *Disagreement `json:"disagreement,omitempty"`
}

func runGetGroup(tx kv.Tx, _ time.Time, q getGroup) (record, error) {
	g, ok, err := kv.Load[Group](tx, groupPrefix+q.Hash)
	if err != nil {
		return record{}, err
	}
	n, _, err := kv.Load[visitRequest](tx, wantPrefix+q.Hash)
	if !ok {
		return record{Nonce: n.Nonce}, err
	}
	return record{Group: &g, Nonce: n.Nonce}, err
}

func runGetGroups(tx kv.Tx, now time.Time, q getGroups) (groupRecords, error) {
	b, _, err := kv.Load[breaker](tx, breakerKey)
	if err != nil {
		return groupRecords{}, err
	}
	f := groupRecords{map[string]record{}, b.Held}
	held, err := tx.List(disagreementPrefix, "", 1)
	if err != nil {
		return groupRecords{}, err
	}
	for _, hash := range q.Hashes {
		rec, err := runGetGroup(tx, now, getGroup{Hash: hash})
		if err != nil {
			return groupRecords{}, err
		}
		if len(held) > 0 {
			if rec.Disagreement, err = loadIfAny[Disagreement](tx, disagreementKey(hash)); err != nil {
				return groupRecords{}, err
			}
		}
		if rec.Group != nil || rec.Nonce != "" || rec.Disagreement != nil {
			f.Records[hash] = rec
		}
	}
	return f, nil
}

// openPage lists supporters with open groups or visit requests; Next is "" on the last page.
type openPage struct {
	Supporters []string `json:"supporters"`
	Next       string   `json:"next"`
}

// runUnfinished pages through the open groups and then the visit requests.
func runUnfinished(tx kv.Tx, _ time.Time, q unfinished) (openPage, error) {
	page := openPage{Supporters: []string{}}
	if !strings.HasPrefix(q.After, wantPrefix) {
		entries, err := tx.List(openPrefix, q.After, q.Limit)
		if err != nil {
			return openPage{}, err
		}
		for _, e := range entries {
			page.Supporters = append(page.Supporters, string(e.Value))
			page.Next = e.Key
		}
		if len(entries) == 0 {
			q.After = ""
		}
	}
	if len(page.Supporters) > 0 {
		return page, nil
	}
	entries, err := tx.List(wantPrefix, q.After, q.Limit)
	if err != nil {
		return openPage{}, err
	}
	for _, e := range entries {
		n, _, err := kv.Load[visitRequest](tx, e.Key)
		if err != nil {
			return openPage{}, err
		}
		page.Supporters = append(page.Supporters, n.Supporter)
		page.Next = e.Key
	}
	return page, nil
}
