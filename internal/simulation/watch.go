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
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Violation is a promise that was broken.
type Violation struct {
	Promise string `json:"promise"` // S1 to S18, L1 to L7, M1 to M4
	What    string `json:"what"`
}

// watch holds the history against what may never happen. It looks at the
// objects, which are the truth, and at the processor's books.
type watch struct {
	w          *world
	entries    int                         // of the books, looked at
	paid       map[string]string           // campaign and group → payment
	payments   map[string]string           // payment → group and generation
	frozen     map[string]settlement.Group // group and generation → as it was frozen
	firstSent  map[string]time.Time        // key → when it was first sent
	failedAt   map[string]time.Time        // group → its first failure
	failed     map[string]bool             // group and generation known as failed
	claimed    map[string]*pledge.Pledge   // order → as it was when it was claimed last
	sessions   map[string]string           // session → order
	owners     map[string]*person          // pledge → whose it is
	tips       map[string]int              // pledge → percent
	deleted    map[string]bool             // payment methods
	cards      map[string]given            // payment method → what it was given for
	joined     map[string]*person          // pledge → who had it joined with their others
	paidFor    map[string]string           // pledge → payment
	begun      map[string]bool             // campaigns of which somebody is to be charged
	settled    map[string]bool             // key → known to have succeeded
	refusals   map[string]bool             // key → known to have failed, by its own outcome
	refused    map[string]bool             // key → the processor has answered that it charged nobody
	listedAt   map[string]time.Time        // pledge → when its campaign first had it
	termFrom   map[string]time.Time        // campaign → when its lock was last taken
	events     map[string]sim.Delivery
	decided    map[string]bool // completions, by campaign and command
	completed  map[string]bool // campaigns
	broken     []Violation
	silent     map[string]silence          // campaign → charges without an answer
	restored   bool                        // the database, or a part of it, has gone back
	forgotten  bool                        // an order has: sums count it as it was
	restoredAt time.Time                   // when it last did
	lost       map[string]settlement.Group // what was frozen before
	// orders, and groups by campaign and hash, are as they were read when last something
	// happened to their objects.
	orders     map[string]order.Order
	attempts   map[string]map[string]*settlement.Group
	accepted   map[string][]inventory.Promise // campaign → terms that operators have accepted
	manifests  map[string]json.RawMessage     // order → as its supporter accepted it
	givenUp    map[string]bool                // pledges that an operator has tried to cancel
	stopped    time.Time                      // since when charging is stopped, or zero
	tenures    map[string]*tenure             // campaign → its last lease
	tenureOf   map[*proc]*tenure
	closed     map[string]time.Time // when campaigns were closed, by slug
	announced  map[string]bool      // keys of mails about outcomes that were queued
	settles    map[string]string    // payment → the group that it settled
	told       []outcome
	agreements map[string]agreement    // by pledge
	termKeys   map[string]string       // the metadata's key → pledge
	recorded   map[string]string       // pledge → terms that the processor has
	partial    map[string]bool         // payments that were captured in part
	misled     map[*proc]sim.FaultKind // what was false about the last answer about a payment
	reversed   bool                    // payments were refunded or disputed
	post       mailWatch
}

func newWatch(w *world) watch {
	return watch{
		w: w, paid: map[string]string{}, payments: map[string]string{}, frozen: map[string]settlement.Group{},
		firstSent: map[string]time.Time{}, refused: map[string]bool{}, failedAt: map[string]time.Time{}, failed: map[string]bool{},
		claimed: map[string]*pledge.Pledge{}, sessions: map[string]string{}, owners: map[string]*person{},
		tips: map[string]int{}, cards: map[string]given{}, deleted: map[string]bool{}, joined: map[string]*person{}, paidFor: map[string]string{}, begun: map[string]bool{}, settled: map[string]bool{}, refusals: map[string]bool{},
		listedAt: map[string]time.Time{}, termFrom: map[string]time.Time{}, events: map[string]sim.Delivery{},
		decided: map[string]bool{}, completed: map[string]bool{}, lost: map[string]settlement.Group{},
		silent: map[string]silence{}, orders: map[string]order.Order{}, attempts: map[string]map[string]*settlement.Group{},
		accepted: map[string][]inventory.Promise{}, manifests: map[string]json.RawMessage{}, givenUp: map[string]bool{}, tenures: map[string]*tenure{}, tenureOf: map[*proc]*tenure{},
		closed: map[string]time.Time{}, announced: map[string]bool{}, settles: map[string]string{}, agreements: map[string]agreement{}, termKeys: map[string]string{}, recorded: map[string]string{}, partial: map[string]bool{}, misled: map[*proc]sim.FaultKind{},
		post: newMailWatch(),
	}
}

func (a *watch) violated(promise, format string, args ...any) {
	v := Violation{promise, fmt.Sprintf(format, args...)}
	a.w.note("VIOLATED %s: %s", v.Promise, v.What)
	a.broken = append(a.broken, v)
}

// quietly looks at the truth without giving way.
func quietly[R any](w *world, look func() (R, error)) R {
	was := w.current
	w.current = nil
	w.looked.set(w.now)
	defer func() { w.current = was }()
	r, err := look()
	if err != nil && !fault.Is(err, fault.NotFound) {
		panic(err)
	}
	return r
}

// services is the service as the observer has it: its clock is right, and nothing fails.
func (w *world) services() *compose.Services { return quietly(w, w.observer.compose) }

func (w *world) orders() order.Client { return order.Client{Coordinator: w.truth.Coordinator()} }

func (w *world) stock() inventory.Client { return inventory.Client{Coordinator: w.truth.Coordinator()} }

func (a *watch) pledge(id string) *pledge.Pledge {
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

func (a *watch) order(id string) order.Order {
	o, ok := a.orders[id]
	if !ok {
		o = quietly(a.w, func() (order.Order, error) { return a.w.orders().Get(a.w.ctx, id) })
		a.orders[id] = o
	}
	return o
}

// changed has an object read again, to which something has happened.
func (a *watch) changed(o kv.Object) {
	switch o.Class {
	case order.ClassName:
		delete(a.orders, o.Name)
	case settlement.ClassName:
		delete(a.attempts, o.Name)
	}
}

// started notes a checkout, and the tip that was chosen for it.
func (a *watch) started(p *person, o *placed, chosen *int) {
	a.sessions[o.SessionID] = o.OrderID
	a.keepManifest(o.OrderID)
	for _, c := range o.Campaigns {
		a.owners[c.OrderID], a.tips[c.OrderID] = p, tip
		if chosen != nil {
			a.tips[c.OrderID] = *chosen
		}
	}
}

func (a *watch) event(d sim.Delivery) { a.events[d.Event] = d }

// group reads a group as the campaign's object has it.
func (a *watch) group(slug, hash string) (settlement.Group, bool) {
	found, ok := a.attempts[slug][hash]
	if !ok {
		found = a.readGroup(slug, hash)
		if a.attempts[slug] == nil {
			a.attempts[slug] = map[string]*settlement.Group{}
		}
		a.attempts[slug][hash] = found
	}
	if found == nil {
		return settlement.Group{}, false
	}
	return *found, true
}

func (a *watch) readGroup(slug, hash string) *settlement.Group {
	return quietly(a.w, func() (*settlement.Group, error) {
		body, err := json.Marshal(map[string]string{"hash": hash})
		if err != nil {
			return nil, err
		}
		reply, err := a.w.truth.Coordinator().Do(a.w.ctx, kv.Object{Class: settlement.ClassName, Name: slug},
			kv.Envelope{Kind: "get-group", Body: body})
		if err != nil {
			return nil, err
		}
		var r struct{ Group *settlement.Group }
		err = json.Unmarshal(reply.Body, &r)
		return r.Group, err
	})
}

// effect looks at what a command or a write has changed.
func (a *watch) effect(op memkv.Op) {
	switch {
	case op.Kind == memkv.OpDo && op.Object.Class == broadcast.ClassName:
		a.news(op)
	case op.Kind == memkv.OpDo && op.Object.Class == settlement.ClassName && op.Command.Kind == "complete":
		a.nothingLeft(op)
	case op.Kind == memkv.OpDo && op.Object.Class == settlement.ClassName && op.Command.Kind == "submit":
		a.frozenStays(op)
		a.wholeGroup(op)
	case op.Kind == memkv.OpDo && op.Object.Class == settlement.ClassName && (op.Command.Kind == "stop" || op.Command.Kind == "resume"):
		a.noteStopped()
	case op.Kind == memkv.OpDo && op.Object.Class == settlement.ClassName && op.Command.Kind == "accept":
		a.noteAccepted(op)
	case op.Kind == memkv.OpDo && op.Command.Kind == "acquire" && op.Reply.Refused == nil:
		a.termFrom[op.Object.Name] = a.w.now
		a.noteTenure(op)
	case op.Kind == memkv.OpDo && op.Command.Kind == "release" && op.Object.Class == settlement.ClassName:
		a.endTenure(op)
		a.w.tries(op.Object.Name)
		if !a.completed[op.Object.Name] {
			a.w.gaveBack(op.Object.Name)
		}
	case op.Kind == memkv.OpDo && op.Object.Class == settlement.ClassName && op.Command.Kind == "close":
		a.checkClosing(op)
	case op.Kind == memkv.OpDo && op.Object.Class == settlement.ClassName:
		a.frozenStays(op)
		a.paidInFull(op)
		a.failedItself(op)
		a.resolvedByTwo(op)
	case op.Kind == memkv.OpDo && (op.Command.Kind == "modify" || op.Command.Kind == "cancel"):
		a.inTime(op)
	case op.Kind == memkv.OpDo && op.Command.Kind == "claim":
		var p pledge.Pledge
		if op.Reply.Refused == nil && json.Unmarshal(op.Reply.Body, &p) == nil {
			a.claimed[p.OrderID] = &p
			a.w.claims(&p)
		}
	case op.Kind == memkv.OpDo && (op.Command.Kind == "hold" || op.Command.Kind == "book"):
		a.neverOversold(op.Object.Name)
		a.noteListed(op)
	case op.Kind == memkv.OpDo && (op.Command.Kind == "charge" || op.Command.Kind == "fail"):
		a.groupKnowsFirst(op)
		a.chargedForReal(op)
	case op.Kind == memkv.OpPut && strings.HasPrefix(op.Key, "campaign-charged:"):
		if slug := strings.TrimPrefix(op.Key, "campaign-charged:"); !a.completed[slug] {
			a.violated("S5", "%s is marked complete and is not", slug)
		}
	case op.Kind == memkv.OpPut && strings.HasPrefix(op.Key, "email-outbox:v1:"):
		a.checkAnnouncement(op)
	case op.Kind == memkv.OpPut && strings.HasPrefix(op.Key, "psp-event:"):
		a.eventIsDone(strings.TrimPrefix(op.Key, "psp-event:"))
	}
}

// inTime: S3, what was promised at the deadline is what is charged. Both times are
// of the clock of the server that took the change.
func (a *watch) inTime(op memkv.Op) {
	var p pledge.Pledge
	if op.Reply.Refused != nil || json.Unmarshal(op.Reply.Body, &p) != nil || p.CampaignSlug == "album" || len(p.History) == 0 || a.givenUp[p.OrderID] {
		return
	}
	last := p.History[len(p.History)-1]
	if (last.Type == "modified" || last.Type == "cancelled") && last.At.After(a.w.lastEnd(p.CampaignSlug, last.At).Add(time.Second)) {
		a.violated("S3", "the pledge %s is %s at %s, after the deadline", p.OrderID, last.Type, last.At)
	}
}

// noteListed remembers when a campaign first has a pledge.
func (a *watch) noteListed(op memkv.Op) {
	var cmd struct {
		Account inventory.Account
	}
	if json.Unmarshal(op.Command.Body, &cmd) == nil && a.listedAt[cmd.Account.Pledge].IsZero() {
		a.listedAt[cmd.Account.Pledge] = a.w.now
		a.w.overtaken(cmd.Account.Pledge)
	}
}

func (a *watch) neverOversold(object string) {
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, object) })
	// Units that are held for a change of a pledge may be booked with it
	// already, when the one who changed it died before it gave the hold back.
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
		if s := snap.Stock[item]; s.Committed > limit || s.Committed+s.Held-again[item] > limit || s.Committed < 0 || s.Held < 0 {
			a.violated("S6", "of %s %s there are %d and %+v", object, item, limit, s)
		}
	}
	for of, n := range mine {
		if limit := limits[object][of[1]]; of[0] != "" && limit > 0 && n > max(limit/2, 1) {
			a.violated("S6", "without a card somebody holds %d of the %d of %s %s", n, limit, object, of[1])
		}
	}
}

// nothingLeft looks when a completion is decided, not when it is answered again:
// after it, a new card may begin another attempt.
func (a *watch) nothingLeft(op memkv.Op) {
	slug := op.Object.Name
	id := slug + " " + op.Command.ID
	if op.Reply.Refused != nil || a.decided[id] {
		return
	}
	a.decided[id], a.completed[slug] = true, true
	if a.forgotten {
		return
	}
	for _, id := range a.known() {
		for _, p := range a.order(id).Pledges {
			if p.CampaignSlug == slug && p.Status == pledge.Active {
				a.violated("S5", "%s is complete while %s is active", slug, p.OrderID)
			}
		}
	}
	for _, g := range a.groups(slug) {
		if g.Status != settlement.Succeeded && g.Status != settlement.Failed {
			a.violated("S5", "%s is complete while %s is %s", slug, g.Key, g.Status)
		}
	}
}

func (a *watch) groups(slug string) []settlement.Group {
	var all []settlement.Group
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

// known lists the orders that were begun, in the order of their IDs.
func (a *watch) known() []string {
	var ids []string
	for _, p := range a.w.people {
		for _, o := range p.orders {
			ids = append(ids, o.OrderID)
		}
	}
	return ids
}

func (a *watch) eventIsDone(id string) {
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
		a.violated("S9", "the event of %s is marked and the order is %s", orderID, o.State)
		return
	}
	for _, p := range o.Pledges {
		if _, ok, err := quietRecord(a.w, p.OrderID); err != nil || !ok {
			a.violated("S9", "the event of %s is marked and %s has no record", orderID, p.OrderID)
		}
	}
}

func quietRecord(w *world, pledgeID string) (pledge.Pledge, bool, error) {
	b := w.record(pledges, pledge.Key(pledgeID))
	if b == nil {
		return pledge.Pledge{}, false, nil
	}
	var p pledge.Pledge
	return p, true, json.Unmarshal(b, &p)
}
