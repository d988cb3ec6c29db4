package simulation

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
)

// stop is the reason why an address gets no more mails, and the time at which the
// service acknowledged it.
type stop struct {
	campaign string // "" for any
	all      bool   // including transactional ones
	by       string
	at       time.Time
}

func (s stop) appliesTo(m mail) bool {
	return s.all || m.kind.Stream() != notify.Transactional && (s.campaign == "" || s.campaign == m.campaign)
}

// mailChecker is the checker's state about mails.
type mailChecker struct {
	stopped      map[string][]stop              // by address
	received     map[string]map[string]int      // key of a broadcast's mail → by address, number of times
	launched     map[string]bool                // broadcasts
	taken        map[string]time.Time           // key → when the provider first accepted it
	reports      map[string][]*report           // by address
	acknowledged map[string]bool                // mail and event → acknowledged by the service
	clean        map[string]bool                // addresses that an operator cleared
	attempts     map[string]map[string]int      // of broadcasts, by ID
	newest       map[string]string              // who made the latest attempt at a unit, by broadcast and unit
	names        map[string]string              // address → its name in records
	lookups      map[*proc]map[string]time.Time // when a piece of work last looked up an address, by its name
}

func newMailChecker() mailChecker {
	return mailChecker{
		stopped: map[string][]stop{}, received: map[string]map[string]int{},
		launched: map[string]bool{}, taken: map[string]time.Time{}, reports: map[string][]*report{},
		acknowledged: map[string]bool{}, clean: map[string]bool{},
		attempts: map[string]map[string]int{}, newest: map[string]string{}, names: map[string]string{},
		lookups: map[*proc]map[string]time.Time{},
	}
}

// recordLookup records that a piece of work looks up whether an address is suppressed. The read
// sees the state of this moment or a later one.
func (a *checker) recordLookup(op memkv.Op) {
	if op.Kind != memkv.OpGet || !strings.Contains(op.Key, "email-suppression:") {
		return
	}
	p := a.w.current
	if a.post.lookups[p] == nil {
		a.post.lookups[p] = map[string]time.Time{}
	}
	a.post.lookups[p][op.Key[strings.LastIndex(op.Key, ":")+1:]] = a.w.now
}

// checkMailRequest checks M2: no mail is sent to an address that was suppressed when the piece of
// work last looked it up or, without a lookup, when it started. It does not check histories with
// stale reads: with different clocks, a write of an hour ago may not be visible yet.
func (a *checker) checkMailRequest(mails []mail) {
	if a.w.scenario.stale > 0 {
		return
	}
	for _, m := range mails {
		looked, ok := a.post.lookups[a.w.current][a.suppressionName(m.to)]
		if !ok && a.w.current != nil {
			looked = a.w.current.created
		}
		for _, s := range a.post.stopped[m.to] {
			if s.appliesTo(m) && looked.After(s.at) {
				a.reportViolation("M2", "a mail %s of %s is sent to %s, who is %s since %s, looked up at %s",
					m.key, m.kind, m.to, s.by, s.at, looked)
			}
		}
	}
}

// suppressionName returns the name under which an address's suppressions are stored.
func (a *checker) suppressionName(email string) string {
	if _, ok := a.post.names[email]; !ok {
		a.post.names[email] = a.w.services().Suppressions.Address(email)
	}
	return a.post.names[email]
}

func (a *checker) addStop(email string, s stop) {
	s.at = a.w.now
	a.post.stopped[email] = append(a.post.stopped[email], s)
}

func (a *checker) addReport(r *report) { a.post.reports[r.of.to] = append(a.post.reports[r.of.to], r) }

// recordReport records a report that the service acknowledged.
func (a *checker) recordReport(r *report) {
	id := r.of.key + " " + r.event
	if a.post.acknowledged[id] {
		return // a duplicate
	}
	a.post.acknowledged[id] = true
	var s stop
	switch r.event {
	case "email.bounced":
		s = stop{all: true, by: "bounced"}
	case "email.complained":
		s = stop{by: "complaining"}
	default:
		return
	}
	_, cleared := a.post.clean[r.of.to]
	// otherwise it is about a mail that the backup lacks, or from before an operator cleared the address
	if a.isSuppressed(r.of.to) || !a.restored && !cleared {
		a.addStop(r.of.to, s)
	}
	a.checkKept(r)
}

// checkKept checks M2: an acknowledged bounce or complaint is in the records,
// even with stale reads.
func (a *checker) checkKept(r *report) {
	if _, cleared := a.post.clean[r.of.to]; a.restored || cleared {
		return
	}
	if !a.isSuppressed(r.of.to) {
		a.reportViolation("M2", "the service acknowledged %s of %s, but still sends to it", r.event, r.of.to)
	}
}

// isSuppressed reports whether the records suppress an address.
func (a *checker) isSuppressed(email string) bool {
	return slices.ContainsFunc(a.w.records(pledges), func(e kv.Entry) bool {
		return strings.HasPrefix(e.Key, "email-suppression:") && strings.HasSuffix(e.Key, ":"+a.suppressionName(email))
	})
}

// allReported reports whether the service acknowledged every bounce of an address
// and no report is in progress.
func (a *checker) allReported(email string) bool {
	return !slices.ContainsFunc(a.post.reports[email], func(r *report) bool {
		return r.event == "email.bounced" && (!a.post.acknowledged[r.of.key+" "+r.event] || r.started && !r.ended)
	})
}

// recordCleared records that an address gets mails again. forGood is set if no unacknowledged
// reports remain. With stale reads this is unknown, because the server may not see the
// suppression yet.
func (a *checker) recordCleared(email string, forGood bool) {
	a.post.stopped[email] = slices.DeleteFunc(a.post.stopped[email], func(s stop) bool { return s.all })
	a.post.clean[email] = forGood && !a.restored && a.w.scenario.stale == 0
}

// checkAppliedOnce checks M4: reports from before an operator cleared an address
// do not suppress it again when they are redelivered.
func (a *checker) checkAppliedOnce() {
	services := a.w.services()
	for _, email := range slices.Sorted(maps.Keys(a.post.clean)) {
		if !a.post.clean[email] || a.restored {
			continue
		}
		why := quietly(a.w, func() ([]suppression.Reason, error) {
			return services.Suppressions.Reasons(a.w.ctx, suppression.Scope{}, email)
		})
		if slices.Contains(why, suppression.Bounced) {
			a.reportViolation("M4", "%s was cleared, but is suppressed by an earlier report", email)
		}
	}
}

// recordAccepted checks M1: a provider with idempotency keys accepts no mail twice, and updates
// are never accepted twice. A restored database may have lost the sent mails. A server whose
// clock is far behind, on a host without a guard, may have the wrong time of sending.
func (a *checker) recordAccepted(m mail) {
	a.recordOutcome(m)
	first, again := a.post.taken[m.key]
	if !again {
		a.post.taken[m.key] = a.w.now
	}
	forgotten := again && a.w.now.Sub(first) > 23*time.Hour
	late := forgotten && a.w.scenario.farBehind
	if id, news := broadcastOf(m.key); news {
		if a.post.received[id] == nil {
			a.post.received[id] = map[string]int{}
		}
		a.post.received[id][m.to]++
		if a.post.received[id][m.to] > 1 && !a.restored && !late {
			a.reportViolation("M1", "the broadcast %s was accepted twice for %s", id, m.to)
		}
	}
	if late || forgotten && m.kind.Stream() == notify.Transactional {
		return // mails about a supporter's own pledge may be duplicated rather than lost
	}
	if n := a.w.mails[mailKey{m.kind, m.to}][m.key]; n > 1 && !a.w.scenario.mails.keyless && !a.restored {
		a.reportViolation("M1", "the mail %s of %s to %s was accepted %d times", m.key, m.kind, m.to, n)
	}
}

func broadcastOf(key string) (id string, ok bool) {
	parts := strings.Split(key, "_")
	if len(parts) != 4 || parts[0] != "b" {
		return "", false
	}
	return parts[1], true
}

// trackBroadcast records launched broadcasts, and their attempts without a known result.
func (a *checker) trackBroadcast(op memkv.Op) {
	if op.Reply.Refused != nil {
		return
	}
	var cmd struct {
		Name     string // of the unit
		By       string
		Receipts []notify.Receipt
	}
	var unit struct{ Items []int }
	switch op.Command.Kind {
	case "seal":
		a.post.launched[op.Object.Name] = true
	case "attempt":
		if json.Unmarshal(op.Command.Body, &cmd) == nil && json.Unmarshal(op.Reply.Body, &unit) == nil {
			a.post.openAttempts(op.Object.Name)[cmd.By] = len(unit.Items)
			a.post.newest[op.Object.Name+cmd.Name] = cmd.By
		}
	case "tell": // for an attempt that was superseded, only accepted mails count
		if json.Unmarshal(op.Command.Body, &cmd) == nil && len(cmd.Receipts) > 0 &&
			(a.post.newest[op.Object.Name+cmd.Name] == cmd.By || allAccepted(cmd.Receipts)) {
			delete(a.post.openAttempts(op.Object.Name), cmd.By)
		}
	}
}

// allAccepted reports whether a provider accepted all mails of an attempt.
func allAccepted(all []notify.Receipt) bool {
	return !slices.ContainsFunc(all, func(r notify.Receipt) bool { return r.Outcome != notify.Accepted })
}

// openAttempts returns a broadcast's attempts without a known result, with their
// number of mails.
func (m *mailChecker) openAttempts(id string) map[string]int {
	if m.attempts[id] == nil {
		m.attempts[id] = map[string]int{}
	}
	return m.attempts[id]
}

// checkBroadcasts checks M3: a broadcast's result is known for every reader.
// Readers recorded as failed did not get it, and readers recorded as sent did.
func (a *checker) checkBroadcasts() {
	if a.restored {
		return
	}
	services := a.w.services()
	held := quietly(a.w,
		func() (*notify.Stopped, error) { return services.Outbox.Switch().Stopped(a.w.ctx, notify.Updates) })
	for _, id := range slices.Sorted(maps.Keys(a.post.launched)) {
		b := quietly(a.w, func() (broadcast.Broadcast, error) { return services.Broadcasts.Get(a.w.ctx, id) })
		if b.Phase == broadcast.Sending && held == nil {
			a.reportViolation("M3", "the broadcast %s has not ended", id)
		}
		members := quietly(a.w, func() (all []broadcast.Member, err error) {
			for m, err := range services.Broadcasts.Members(a.w.ctx, id) {
				if err != nil {
					return nil, err
				}
				all = append(all, m)
			}
			return all, nil
		})
		doubts := 0
		for _, m := range members {
			if m.Email == "" {
				continue // addresses are deleted some weeks after the broadcast
			}
			got := a.post.received[id][m.Email]
			switch m.State {
			case broadcast.Accepted, broadcast.Bounced, broadcast.Complained:
				if got == 0 {
					a.reportViolation("M3", "%s is recorded as recipient of the broadcast %s, but did not get it", m.Email, id)
				}
			case broadcast.Pending:
				if b.Phase == broadcast.Done || got > 0 && held == nil {
					a.reportViolation("M3", "the broadcast %s is pending for %s, who got %d", id, m.Email, got)
				}
			case broadcast.Refused, broadcast.Suppressed:
				if got > 0 {
					a.reportViolation("M3", "%s got the broadcast %s, but is recorded as %s", m.Email, id, m.State)
				}
			case broadcast.Ambiguous:
				doubts++
			}
		}
		pending := 0
		for _, n := range a.post.openAttempts(id) {
			pending += n
		}
		if doubts > pending {
			a.reportViolation("M3",
				"%d readers of the broadcast %s have an unknown result, but only %d mails are in open attempts",
				doubts, id, pending)
		}
	}
}
