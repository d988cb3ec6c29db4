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

// stop is why an address gets no more mails, and since when the service has said that it
// knows.
type stop struct {
	campaign string // "" is any
	all      bool   // transactional ones too
	by       string
	at       time.Time
}

func (s stop) holds(m mail) bool {
	return s.all || m.kind.Stream() != notify.Transactional && (s.campaign == "" || s.campaign == m.campaign)
}

// mailWatch is what the watch knows of mails.
type mailWatch struct {
	stopped  map[string][]stop              // by address
	received map[string]map[string]int      // key of a broadcast's mail → by address, how often
	launched map[string]bool                // broadcasts
	taken    map[string]time.Time           // key → when the provider took it first
	reports  map[string][]*report           // by address
	heard    map[string]bool                // mail and event → the service has answered that it knows
	clean    map[string]bool                // addresses that an operator lets have mails again
	attempts map[string]map[string]int      // of broadcasts, by ID
	newest   map[string]string              // who made the newest attempt at a unit, by broadcast and unit
	names    map[string]string              // address → its name in records
	looked   map[*proc]map[string]time.Time // when a piece of work last asked for an address, by its name
}

func newMailWatch() mailWatch {
	return mailWatch{
		stopped: map[string][]stop{}, received: map[string]map[string]int{},
		launched: map[string]bool{}, taken: map[string]time.Time{}, reports: map[string][]*report{}, heard: map[string]bool{}, clean: map[string]bool{},
		attempts: map[string]map[string]int{}, newest: map[string]string{}, names: map[string]string{}, looked: map[*proc]map[string]time.Time{},
	}
}

// looks remembers that a piece of work asks whether an address is suppressed. What it reads
// is as of now or later.
func (a *watch) looks(op memkv.Op) {
	if op.Kind != memkv.OpGet || !strings.Contains(op.Key, "email-suppression:") {
		return
	}
	p := a.w.current
	if a.post.looked[p] == nil {
		a.post.looked[p] = map[string]time.Time{}
	}
	a.post.looked[p][op.Key[strings.LastIndex(op.Key, ":")+1:]] = a.w.now
}

// asked: M2, no mail is asked for whose reader had said no when it was last looked up: in
// the piece of work that sends it, or else before that began. Where reads are old nobody
// can tell: by clocks that differ, what was written an hour ago may not be there yet.
func (a *watch) asked(mails []mail) {
	if a.w.scenario.stale > 0 {
		return
	}
	for _, m := range mails {
		looked, ok := a.post.looked[a.w.current][a.nameOf(m.to)]
		if !ok && a.w.current != nil {
			looked = a.w.current.born
		}
		for _, s := range a.post.stopped[m.to] {
			if s.holds(m) && looked.After(s.at) {
				a.violated("M2", "a mail %s of %s is sent to %s, who is %s since %s, looked up at %s", m.key, m.kind, m.to, s.by, s.at, looked)
			}
		}
	}
}

// nameOf is the name of an address in the records of the suppressed.
func (a *watch) nameOf(email string) string {
	if _, ok := a.post.names[email]; !ok {
		a.post.names[email] = a.w.services().Suppressions.Address(email)
	}
	return a.post.names[email]
}

func (a *watch) stops(email string, s stop) {
	s.at = a.w.now
	a.post.stopped[email] = append(a.post.stopped[email], s)
}

func (a *watch) reports(r *report) { a.post.reports[r.of.to] = append(a.post.reports[r.of.to], r) }

// reported is what the service has taken over of a report.
func (a *watch) reported(r *report) {
	id := r.of.key + " " + r.event
	if a.post.heard[id] {
		return // and has done so before
	}
	a.post.heard[id] = true
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
	if a.suppresses(r.of.to) || !a.restored && !cleared { // else it is about a mail that the backup does not know, or from before an operator cleared the address
		a.stops(r.of.to, s)
	}
	a.kept(r)
}

// kept: M2, a bounce or a complaint that the service has taken over is in its records by
// then, however old its reads are.
func (a *watch) kept(r *report) {
	if _, cleared := a.post.clean[r.of.to]; a.restored || cleared {
		return
	}
	if !a.suppresses(r.of.to) {
		a.violated("M2", "the service has taken over %s of %s, and sends to it", r.event, r.of.to)
	}
}

// suppresses reports whether the records say that an address gets no mails, or no news.
func (a *watch) suppresses(email string) bool {
	return slices.ContainsFunc(a.w.records(pledges), func(e kv.Entry) bool {
		return strings.HasPrefix(e.Key, "email-suppression:") && strings.HasSuffix(e.Key, ":"+a.nameOf(email))
	})
}

// allReported reports whether the service has heard of every bounce of an address, and is
// told of none at the moment.
func (a *watch) allReported(email string) bool {
	return !slices.ContainsFunc(a.post.reports[email], func(r *report) bool {
		return r.event == "email.bounced" && (!a.post.heard[r.of.key+" "+r.event] || r.begun && !r.over)
	})
}

// cleared notes that an address gets mails again. For good says that nothing is to come
// that the service has not heard. Where reads are old nobody can tell: the server may not
// have seen yet what it is to clear.
func (a *watch) cleared(email string, forGood bool) {
	a.post.stopped[email] = slices.DeleteFunc(a.post.stopped[email], func(s stop) bool { return s.all })
	a.post.clean[email] = forGood && !a.restored && a.w.scenario.stale == 0
}

// appliedOnce: M4, what was heard before an operator let an address have mails again is not
// held against it when it is heard again.
func (a *watch) appliedOnce() {
	services := a.w.services()
	for _, email := range slices.Sorted(maps.Keys(a.post.clean)) {
		if !a.post.clean[email] || a.restored {
			continue
		}
		why := quietly(a.w, func() ([]suppression.Reason, error) {
			return services.Suppressions.Reasons(a.w.ctx, suppression.Scope{}, email)
		})
		if slices.Contains(why, suppression.Bounced) {
			a.violated("M4", "%s takes mails again, and is suppressed by what was heard before", email)
		}
	}
}

// taken: M1, by a provider that knows keys no mail is taken twice, and news never is. A
// database that went back may have forgotten what it has sent, and a server whose clock is far
// behind, on a host without a guard, how long ago it did.
func (a *watch) taken(m mail) {
	a.noteOutcome(m)
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
			a.violated("M1", "the news %s are taken for %s twice", id, m.to)
		}
	}
	if late || forgotten && m.kind.Stream() == notify.Transactional {
		return // what is about somebody's own pledge rather comes twice than never
	}
	if n := a.w.mails[mailed{m.kind, m.to}][m.key]; n > 1 && !a.w.scenario.mails.keyless && !a.restored {
		a.violated("M1", "the mail %s of %s to %s is taken %d times", m.key, m.kind, m.to, n)
	}
}

func broadcastOf(key string) (id string, ok bool) {
	parts := strings.Split(key, "_")
	if len(parts) != 4 || parts[0] != "b" {
		return "", false
	}
	return parts[1], true
}

// news follows the commands of broadcasts.
func (a *watch) news(op memkv.Op) {
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
			a.post.untold(op.Object.Name)[cmd.By] = len(unit.Items)
			a.post.newest[op.Object.Name+cmd.Name] = cmd.By
		}
	case "tell": // of an attempt that was given up meanwhile, only what was taken is heard
		if json.Unmarshal(op.Command.Body, &cmd) == nil && len(cmd.Receipts) > 0 && (a.post.newest[op.Object.Name+cmd.Name] == cmd.By || taken(cmd.Receipts)) {
			delete(a.post.untold(op.Object.Name), cmd.By)
		}
	}
}

// taken reports whether a provider has all mails of an attempt.
func taken(all []notify.Receipt) bool {
	return !slices.ContainsFunc(all, func(r notify.Receipt) bool { return r.Outcome != notify.Accepted })
}

// untold are a broadcast's attempts of which nobody has said how they ended, with how many
// mails each had.
func (m *mailWatch) untold(id string) map[string]int {
	if m.attempts[id] == nil {
		m.attempts[id] = map[string]int{}
	}
	return m.attempts[id]
}

// newsEnded: M3, what became of the news is known for everybody: who has it is not said to
// have none, and who is said to have it has it.
func (a *watch) newsEnded() {
	if a.restored {
		return
	}
	services := a.w.services()
	held := quietly(a.w, func() (*notify.Stopped, error) { return services.Outbox.Switch().Stopped(a.w.ctx, notify.Updates) })
	for _, id := range slices.Sorted(maps.Keys(a.post.launched)) {
		b := quietly(a.w, func() (broadcast.Broadcast, error) { return services.Broadcasts.Get(a.w.ctx, id) })
		if b.Phase == broadcast.Sending && held == nil {
			a.violated("M3", "the news %s are not over", id)
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
				continue // addresses are deleted some weeks after the news
			}
			got := a.post.received[id][m.Email]
			switch m.State {
			case broadcast.Accepted, broadcast.Bounced, broadcast.Complained:
				if got == 0 {
					a.violated("M3", "%s has the news %s, it is said, and got none", m.Email, id)
				}
			case broadcast.Pending:
				if b.Phase == broadcast.Done || got > 0 && held == nil {
					a.violated("M3", "the news %s wait for %s, who got %d", id, m.Email, got)
				}
			case broadcast.Refused, broadcast.Suppressed:
				if got > 0 {
					a.violated("M3", "%s has the news %s, and it is said: %s", m.Email, id, m.State)
				}
			case broadcast.Ambiguous:
				doubts++
			}
		}
		untold := 0
		for _, n := range a.post.untold(id) {
			untold += n
		}
		if doubts > untold {
			a.violated("M3", "of %d readers it is not known whether they have the news %s, and of %d nobody said", doubts, id, untold)
		}
	}
}
