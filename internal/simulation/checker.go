package simulation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Violation is a violated property.
type Violation struct {
	Promise string `json:"promise"` // S1 to S21, L1 to L7, M1 to M5
	What    string `json:"what"`
}

// checker checks the history for violations. It reads the objects, which are
// authoritative, and the processor's books.
type checker struct {
	w          *history
	entries    int                       // entries of the books already checked
	paid       map[string]string         // campaign and group → payment
	payments   map[string]string         // payment → group and generation
	frozen     map[string]state.Group    // group and generation → as it was frozen
	firstSent  map[string]time.Time      // key → when it was first sent
	failedAt   map[string]time.Time      // group → its first failure
	failed     map[string]bool           // group and generation known as failed
	claimed    map[string]*pledge.Pledge // order → its state at its last claim
	sessions   map[string]string         // session → order
	owners     map[string]*person        // pledge → its supporter
	tips       map[string]int            // pledge → percent
	deleted    map[string]bool           // payment methods
	cards      map[string]cardConsent    // payment method → its holder's consent
	joined     map[string]*person        // pledge → who joined it with their others
	paidFor    map[string]string         // pledge → payment
	started    map[string]bool           // campaigns with at least one started charge
	settled    map[string]bool           // key → its success was checked
	refusals   map[string]bool           // key → known to have failed, from its own outcome
	refused    map[string]bool           // key → the processor reported that nothing was charged
	listedAt   map[string]time.Time      // pledge → when its campaign first listed it
	termFrom   map[string]time.Time      // campaign → when its lock was last acquired
	events     map[string]sim.Delivery
	decided    map[string]bool // completions, by campaign and command
	completed  map[string]bool // campaigns
	broken     []Violation
	silent     map[string]silence     // campaign → charges without a response
	restored   bool                   // the database, or a part of it, was restored
	forgotten  bool                   // an order was restored: sums still include its former state
	restoredAt time.Time              // time of the last restore
	lost       map[string]state.Group // frozen before the restore
	// orders, and attempts by campaign and hash, cache the objects as of their
	// last change.
	orders       map[string]order.Order
	attempts     map[string]map[string]*state.Group
	accepted     map[string][]inventory.Promise // campaign → terms that operators accepted
	manifests    map[string]json.RawMessage     // order → as its supporter accepted it
	givenUp      map[string]bool                // pledges that an operator tried to cancel
	stopped      time.Time                      // since when charging is stopped, or zero
	leaseTerms   map[string]*leaseTerm          // campaign → its last lease
	termOf       map[*proc]*leaseTerm
	closed       map[string]time.Time // when campaigns were closed, by slug
	announced    map[string]bool      // keys of queued mails about outcomes
	settles      map[string]string    // payment → the group that it settled
	sentOutcomes []outcome
	agreements   map[string]agreement  // by pledge
	termKeys     map[string]string     // metadata key → pledge
	recorded     map[string]string     // pledge → the processor's terms
	partial      map[string]bool       // partially captured payments
	falseAnswers map[*proc]falseAnswer // the last response about payments, if it was false
	reversed     bool                  // payments were refunded or disputed
	refundForms  map[string]string     // key of a refund → its first request
	post         mailChecker
}

func newChecker(w *history) checker {
	return checker{
		w: w, paid: map[string]string{}, payments: map[string]string{}, frozen: map[string]state.Group{},
		firstSent: map[string]time.Time{}, refused: map[string]bool{}, failedAt: map[string]time.Time{},
		failed:  map[string]bool{},
		claimed: map[string]*pledge.Pledge{}, sessions: map[string]string{}, owners: map[string]*person{},
		tips: map[string]int{}, cards: map[string]cardConsent{}, deleted: map[string]bool{}, joined: map[string]*person{},
		paidFor: map[string]string{}, started: map[string]bool{}, settled: map[string]bool{}, refusals: map[string]bool{},
		listedAt: map[string]time.Time{}, termFrom: map[string]time.Time{}, events: map[string]sim.Delivery{},
		decided: map[string]bool{}, completed: map[string]bool{}, lost: map[string]state.Group{},
		silent: map[string]silence{}, orders: map[string]order.Order{}, attempts: map[string]map[string]*state.Group{},
		accepted: map[string][]inventory.Promise{}, manifests: map[string]json.RawMessage{}, givenUp: map[string]bool{},
		leaseTerms: map[string]*leaseTerm{}, termOf: map[*proc]*leaseTerm{},
		closed: map[string]time.Time{}, announced: map[string]bool{}, settles: map[string]string{},
		agreements: map[string]agreement{}, termKeys: map[string]string{}, recorded: map[string]string{},
		partial: map[string]bool{}, falseAnswers: map[*proc]falseAnswer{},
		refundForms: map[string]string{},
		post:        newMailChecker(),
	}
}

func (a *checker) reportViolation(promise, format string, args ...any) {
	v := Violation{promise, fmt.Sprintf(format, args...)}
	a.w.note("VIOLATED %s: %s", v.Promise, v.What)
	a.broken = append(a.broken, v)
}

// quietly calls a function outside of any proc: it does not yield, and no faults occur. It panics
// for errors other than fault.NotFound.
func quietly[R any](w *history, call func() (R, error)) R {
	was := w.current
	w.current = nil
	w.lastRead.set(w.now)
	defer func() { w.current = was }()
	r, err := call()
	if err != nil && !fault.Is(err, fault.NotFound) {
		panic(err)
	}
	return r
}

// services returns the observer's service, with a correct clock and no faults.
func (w *history) services() *compose.Services { return quietly(w, w.observer.compose) }

func (w *history) orders() order.Client { return order.Client{Coordinator: w.truth.Coordinator()} }

func (w *history) stock() inventory.Client {
	return inventory.Client{Coordinator: w.truth.Coordinator()}
}

func (a *checker) pledge(id string) *pledge.Pledge {
	orderID, err := pledge.OrderOf(id)
	if err != nil {
		panic(err)
	}
	for _, p := range a.order(orderID).Pledges {
		if p.OrderID == id {
			return p
		}
	}
	return nil
}

func (a *checker) order(id string) order.Order {
	o, ok := a.orders[id]
	if !ok {
		o = quietly(a.w, func() (order.Order, error) { return a.w.orders().Get(a.w.ctx, id) })
		a.orders[id] = o
	}
	return o
}

// invalidate discards the cached state of an object.
func (a *checker) invalidate(o kv.Object) {
	switch o.Class {
	case order.ClassName:
		delete(a.orders, o.Name)
	case state.ClassName:
		delete(a.attempts, o.Name)
	}
}

// recordStarted records a checkout and its tip.
func (a *checker) recordStarted(p *person, o *placedOrder, chosen *int) {
	a.sessions[o.SessionID] = o.OrderID
	a.recordManifest(o.OrderID)
	for _, c := range o.Campaigns {
		a.owners[c.OrderID], a.tips[c.OrderID] = p, tip
		if chosen != nil {
			a.tips[c.OrderID] = *chosen
		}
	}
}

func (a *checker) recordEvent(d sim.Delivery) { a.events[d.Event] = d }

// group returns a group from the campaign's object.
func (a *checker) group(slug, hash string) (state.Group, bool) {
	found, ok := a.attempts[slug][hash]
	if !ok {
		found = a.readGroup(slug, hash)
		if a.attempts[slug] == nil {
			a.attempts[slug] = map[string]*state.Group{}
		}
		a.attempts[slug][hash] = found
	}
	if found == nil {
		return state.Group{}, false
	}
	return *found, true
}

func (a *checker) readGroup(slug, hash string) *state.Group {
	return quietly(a.w, func() (*state.Group, error) {
		body, err := json.Marshal(map[string]string{"hash": hash})
		if err != nil {
			return nil, err
		}
		reply, err := a.w.truth.Coordinator().Do(a.w.ctx, kv.Object{Class: state.ClassName, Name: slug},
			kv.Envelope{Kind: "get-group", Body: body})
		if err != nil {
			return nil, err
		}
		var r struct{ Group *state.Group }
		err = json.Unmarshal(reply.Body, &r)
		return r.Group, err
	})
}

// checkEffect checks the changes of a command or write.
func (a *checker) checkEffect(op memkv.Op) {
	switch {
	case op.Kind == memkv.OpDo && op.Object.Class == broadcast.ClassName:
		a.trackBroadcast(op)
	case op.Kind == memkv.OpDo && op.Object.Class == state.ClassName && op.Command.Kind == "complete":
		a.checkComplete(op)
	case op.Kind == memkv.OpDo && op.Object.Class == state.ClassName && op.Command.Kind == "submit":
		a.checkFrozen(op)
		a.checkGroup(op)
	case op.Kind == memkv.OpDo && op.Object.Class == state.ClassName &&
		(op.Command.Kind == "stop" || op.Command.Kind == "resume"):
		a.recordStopped()
	case op.Kind == memkv.OpDo && op.Object.Class == state.ClassName && op.Command.Kind == "accept":
		a.recordAcceptedTerms(op)
	case op.Kind == memkv.OpDo && op.Command.Kind == "acquire" && op.Reply.Refused == nil:
		a.termFrom[op.Object.Name] = a.w.now
		a.recordLease(op)
	case op.Kind == memkv.OpDo && op.Command.Kind == "release" && op.Object.Class == state.ClassName:
		a.endLease(op)
		a.w.leaseReleased(op.Object.Name)
		if !a.completed[op.Object.Name] {
			a.w.leaseAbandoned(op.Object.Name)
		}
	case op.Kind == memkv.OpDo && op.Object.Class == state.ClassName && op.Command.Kind == "payout-book":
		a.checkBookedPayout(op)
	case op.Kind == memkv.OpDo && op.Object.Class == state.ClassName && op.Command.Kind == "close":
		a.checkClosing(op)
	case op.Kind == memkv.OpDo && op.Object.Class == state.ClassName:
		a.checkFrozen(op)
		a.checkPaidInFull(op)
		a.checkFailedItself(op)
		a.checkResolvedByTwo(op)
	case op.Kind == memkv.OpDo && (op.Command.Kind == "modify" || op.Command.Kind == "cancel"):
		a.checkInTime(op)
	case op.Kind == memkv.OpDo && op.Command.Kind == "claim":
		var p pledge.Pledge
		if op.Reply.Refused == nil && json.Unmarshal(op.Reply.Body, &p) == nil {
			a.claimed[p.OrderID] = &p
			a.w.pledgeClaimed(&p)
		}
	case op.Kind == memkv.OpDo && (op.Command.Kind == "hold" || op.Command.Kind == "book"):
		a.checkStock(op.Object.Name)
		a.recordListed(op)
	case op.Kind == memkv.OpDo && (op.Command.Kind == "charge" || op.Command.Kind == "fail"):
		a.checkGroupFirst(op)
		a.checkCharged(op)
	case op.Kind == memkv.OpPut && strings.HasPrefix(op.Key, "campaign-charged:"):
		if slug := strings.TrimPrefix(op.Key, "campaign-charged:"); !a.completed[slug] {
			a.reportViolation("S5", "%s is marked complete, but is not", slug)
		}
	case op.Kind == memkv.OpPut && strings.HasPrefix(op.Key, "email-outbox:v1:"):
		a.checkAnnouncement(op)
	case op.Kind == memkv.OpPut && strings.HasPrefix(op.Key, "psp-event:"):
		a.checkEvent(strings.TrimPrefix(op.Key, "psp-event:"))
	}
}

// checkInTime checks S3: supporters change and cancel their pledges only until the deadline, by
// the clock of the server that makes the change.
func (a *checker) checkInTime(op memkv.Op) {
	var p pledge.Pledge
	if op.Reply.Refused != nil || json.Unmarshal(op.Reply.Body, &p) != nil || p.CampaignSlug == "album" ||
		len(p.History) == 0 || a.givenUp[p.OrderID] {
		return
	}
	last := p.History[len(p.History)-1]
	if (last.Type == "modified" || last.Type == "cancelled") &&
		last.At.After(a.w.latestEnd(p.CampaignSlug, last.At).Add(time.Second)) {
		a.reportViolation("S3", "the pledge %s is %s at %s, after the deadline", p.OrderID, last.Type, last.At)
	}
}

// recordListed records when a campaign first lists a pledge. It may start a late claim of the
// pledge.
func (a *checker) recordListed(op memkv.Op) {
	var cmd struct {
		Account inventory.Account
	}
	if json.Unmarshal(op.Command.Body, &cmd) == nil && a.listedAt[cmd.Account.Pledge].IsZero() {
		a.listedAt[cmd.Account.Pledge] = a.w.now
		a.w.claimLate(cmd.Account.Pledge)
	}
}

// checkStock checks S6: a campaign's committed and held units are within its limits, and a client
// without a saved card holds at most half of an item's units, or one.
func (a *checker) checkStock(object string) {
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, object) })
	// Units held for a change of a pledge may already be booked with it if the
	// server crashed before it released the hold.
	again, mine := map[string]int{}, map[[2]string]int{}
	holds := quietly(a.w, func() ([]inventory.Hold, error) {
		return a.w.stock().Due(a.w.ctx, object, a.w.rest.AddDate(1, 0, 0), kv.MaxPage)
	})
	for _, h := range holds {
		for item, n := range h.Units {
			mine[[2]string{h.Holder, item}] += n
		}
		if a.pledge(h.Pledge) == nil {
			continue
		}
		for item, n := range h.Units {
			again[item] += n
		}
	}
	for item, limit := range limits[object] {
		if s := snap.Stock[item]; s.Committed > limit || s.Committed+s.Held-again[item] > limit ||
			s.Committed < 0 || s.Held < 0 {
			a.reportViolation("S6", "%s %s has a limit of %d, but %+v", object, item, limit, s)
		}
	}
	for of, n := range mine {
		if limit := limits[object][of[1]]; of[0] != "" && limit > 0 && n > max(limit/2, 1) {
			a.reportViolation("S6", "one client without a saved card holds %d of the %d units of %s %s", n, limit, object, of[1])
		}
	}
}

// checkComplete checks S5: when a settlement is complete, no pledge is active and no charge is
// open. It is checked at the decision, because another card may start an attempt before a reply
// is replayed.
func (a *checker) checkComplete(op memkv.Op) {
	slug := op.Object.Name
	id := slug + " " + op.Command.ID
	if op.Reply.Refused != nil || a.decided[id] {
		return
	}
	a.decided[id], a.completed[slug] = true, true
	if a.forgotten {
		return
	}
	for _, id := range a.orderIDs() {
		for _, p := range a.order(id).Pledges {
			if p.CampaignSlug == slug && p.Status == pledge.Active {
				a.reportViolation("S5", "%s is complete while %s is active", slug, p.OrderID)
			}
		}
	}
	for _, g := range a.groups(slug) {
		if g.Status != state.Succeeded && g.Status != state.Failed {
			a.reportViolation("S5", "%s is complete while %s is %s", slug, g.Key, g.Status)
		}
	}
}

func (a *checker) groups(slug string) []state.Group {
	var all []state.Group
	seen := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(a.frozen)) {
		if g := a.frozen[id]; g.CampaignSlug == slug && !seen[g.Hash] {
			seen[g.Hash] = true
			now, _ := a.group(slug, g.Hash)
			all = append(all, now)
		}
	}
	return all
}

// orderIDs returns the IDs of all started orders, by person.
func (a *checker) orderIDs() []string {
	var ids []string
	for _, p := range a.w.people {
		for _, o := range p.orders {
			ids = append(ids, o.OrderID)
		}
	}
	return ids
}

// checkEvent checks S9: the event of a completed session is marked as processed only after its
// order was confirmed and its pledges have records.
func (a *checker) checkEvent(id string) {
	d := a.events[id]
	if d.Type != psp.SessionCompleted {
		return
	}
	var event struct {
		Data struct {
			Object struct{ ID string }
		}
	}
	if err := json.Unmarshal(d.Body, &event); err != nil {
		panic(err)
	}
	orderID, ours := a.sessions[event.Data.Object.ID]
	if !ours {
		return // of a card that was replaced
	}
	o := a.order(orderID)
	if o.State != order.Confirmed {
		a.reportViolation("S9", "the event of %s is marked, but the order is %s", orderID, o.State)
		return
	}
	for _, p := range o.Pledges {
		if _, ok, err := storedPledge(a.w, p.OrderID); err != nil || !ok {
			a.reportViolation("S9", "the event of %s is marked, but %s has no record", orderID, p.OrderID)
		}
	}
}

// storedPledge returns a pledge's stored record. The second result is false if there is none.
func storedPledge(w *history, pledgeID string) (pledge.Pledge, bool, error) {
	b := w.record(pledges, pledge.Key(pledgeID))
	if b == nil {
		return pledge.Pledge{}, false, nil
	}
	var p pledge.Pledge
	err := json.Unmarshal(b, &p)
	return p, true, err
}
