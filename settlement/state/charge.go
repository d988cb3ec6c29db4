package state

import (
	"cmp"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// runSubmit freezes a group, once per generation. The next generation is frozen only after the last
// one failed and was booked, and only for a newer card or if the same card may be retried.
func runSubmit(tx kv.Tx, now time.Time, cmd submit) (Group, error) {
	if _, err := requireLease(tx, now, cmd.fence); err != nil {
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
	case known && n.Generation <= last.Generation, known && (!last.Recovering() || last.Confirmable):
		return Group{}, fault.New(fault.Conflict, "The supporter's last charge has not ended, or has succeeded")
	case known && !n.CardSavedAt.After(last.CardSavedAt) && !last.MayPass && !last.Void:
		return Group{}, fault.New(fault.Conflict, "The supporter's last charge failed and there is no newer card")
	}
	if known {
		n = last.startNext(n)
	}
	n.Lease, n.Status, n.SubmittedAt, n.UpdatedAt = cmd.Lease, Submitted, now, now
	return n, saveGroup(tx, n)
}

// runAdopt imports the payment of an attempt, and the attempt itself if it is missing from the
// object. After a success it changes nothing.
func runAdopt(tx kv.Tx, now time.Time, cmd adopt) (Group, error) {
	if _, err := requireLease(tx, now, cmd.fence); err != nil {
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
		n.History, n.Resolutions, n.FirstFailedAt = last.History, last.Resolutions,
			cmp.Or(last.FirstFailedAt, n.FirstFailedAt)
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
	return n, saveGroup(tx, n)
}

func runAttempt(tx kv.Tx, now time.Time, cmd attempt) (Group, error) {
	g, err := fencedGroup(tx, now, cmd.fence, cmd.Hash, cmd.Generation)
	if err != nil {
		return Group{}, err
	}
	counted := g.Attempts == cmd.Number && g.Lease == cmd.Lease
	if g.Status != Submitted || g.Attempts != cmd.Number-1 && !counted || g.isKeyOld(now) {
		return Group{}, fault.New(fault.Conflict, "The charge cannot be sent in its current state")
	}
	if counted {
		return g, nil
	}
	if err := admitRequest(tx, now); err != nil {
		return Group{}, err
	}
	if g.FirstSubmittedAt == nil {
		g.FirstSubmittedAt = &now
	}
	g.Lease, g.Attempts, g.LastAttemptAt, g.UpdatedAt = cmd.Lease, cmd.Number, &now, now
	g.NextAttemptAt = now.Add(pause)
	return g, saveGroup(tx, g)
}

// runRecordResult accepts results from any run, with or without the lease.
func runRecordResult(tx kv.Tx, now time.Time, cmd recordResult) (Group, error) {
	g, ok, err := kv.Load[Group](tx, groupPrefix+cmd.Hash)
	if err != nil {
		return Group{}, err
	}
	if !ok {
		return Group{}, NoGroup()
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
	return g, saveGroup(tx, g)
}

func runMarkUnanswered(tx kv.Tx, now time.Time, cmd markUnanswered) (Group, error) {
	g, err := fencedGroup(tx, now, cmd.fence, cmd.Hash, cmd.Generation)
	if err != nil || g.Status != Submitted || !g.isKeyOld(now) {
		return g, err
	}
	g.Status, g.Reason, g.UpdatedAt = NeedsAttention, NoAnswer, now
	return g, saveGroup(tx, g)
}

func runWithdraw(tx kv.Tx, now time.Time, cmd withdraw) (Group, error) {
	g, err := fencedGroup(tx, now, cmd.fence, cmd.Hash, cmd.Generation)
	if err != nil || g.Status != Submitted || g.FirstSubmittedAt != nil || g.PaymentIntentID != "" {
		return g, err
	}
	g.Status, g.Void, g.Booked, g.SettledAt, g.UpdatedAt = Failed, true, true, &now, now
	return g, saveGroup(tx, g)
}

func runMarkBooked(tx kv.Tx, now time.Time, cmd markBooked) (Group, error) {
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
	return g, saveGroup(tx, g)
}

// runDrop drops a failed group and opens it again, so that its pledges are updated and its
// supporter is emailed.
func runDrop(tx kv.Tx, now time.Time, cmd drop) (Group, error) {
	g, err := fencedGroup(tx, now, cmd.fence, cmd.Hash, cmd.Generation)
	if err != nil || g.DroppedAt != nil {
		return g, err
	}
	if !g.Recovering() || g.Confirmable {
		return Group{}, fault.New(fault.Conflict, "The charge may still succeed")
	}
	g.DroppedAt, g.Booked, g.UpdatedAt = &now, false, now
	return g, saveGroup(tx, g)
}

func fencedGroup(tx kv.Tx, now time.Time, f fence, hash string, generation int) (Group, error) {
	if _, err := requireLease(tx, now, f); err != nil {
		return Group{}, err
	}
	g, ok, err := kv.Load[Group](tx, groupPrefix+hash)
	if err == nil && (!ok || g.Generation != generation) {
		err = NoGroup()
	}
	return g, err
}

// NoGroup returns the error, with code NotFound, for an unknown group.
func NoGroup() error { return fault.New(fault.NotFound, "There is no such charge") }

// saveGroup stores the record and its entries in the lists of open, recoverable and unbooked
// groups. A charge that succeeded is recorded in the ledger in the same transaction.
func saveGroup(tx kv.Tx, g Group) error {
	if err := recordPayment(tx, g); err != nil {
		return err
	}
	if err := kv.PutValue(tx, groupPrefix+g.Hash, g); err != nil {
		return err
	}
	if g.FirstFailedAt != nil {
		if err := setListed(tx, failedPrefix, g, g.Recovering()); err != nil {
			return err
		}
	}
	if g.Status == Succeeded && g.Booked {
		if err := setListed(tx, unbookedPrefix, g, g.unbooked()); err != nil {
			return err
		}
	}
	if g.Done() {
		return tx.Delete(openPrefix + g.Hash)
	}
	return tx.Put(openPrefix+g.Hash, []byte(g.Supporter))
}

// setListed adds a group to a list or removes it.
func setListed(tx kv.Tx, list string, g Group, on bool) error {
	if on {
		return tx.Put(list+g.Hash, []byte(g.Supporter))
	}
	return tx.Delete(list + g.Hash)
}
