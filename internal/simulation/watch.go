package simulation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Violation is a promise that was broken.
type Violation struct {
	Promise string `json:"promise"` // S1 to S11, L1 to L5
	What    string `json:"what"`
}

// watch holds the history against what may never happen. It looks at the
// objects, which are the truth, and at the processor's books.
type watch struct {
	w         *world
	entries   int                         // of the books, looked at
	paid      map[string]string           // campaign and group → payment
	frozen    map[string]settlement.Group // group and generation → as it was frozen
	firstSent map[string]time.Time        // key → when it was first sent
	failedAt  map[string]time.Time        // group → its first failure
	failed    map[string]bool             // group and generation known as failed
	claimed   map[string]*pledge.Pledge   // order → as it was when it was claimed last
	sessions  map[string]string           // session → order
	events    map[string]sim.Delivery
	decided   map[string]bool // completions, by campaign and command
	completed map[string]bool // campaigns
	broken    []Violation
}

func newWatch(w *world) watch {
	return watch{w: w, paid: map[string]string{}, frozen: map[string]settlement.Group{}, failed: map[string]bool{}, failedAt: map[string]time.Time{}, firstSent: map[string]time.Time{},
		claimed: map[string]*pledge.Pledge{}, sessions: map[string]string{}, events: map[string]sim.Delivery{},
		decided: map[string]bool{}, completed: map[string]bool{}}
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

func (w *world) orders() order.Client { return order.Client{Coordinator: w.truth.Coordinator()} }

func (w *world) stock() inventory.Client { return inventory.Client{Coordinator: w.truth.Coordinator()} }

func (a *watch) pledge(id string) *pledge.Pledge {
	return quietly(a.w, func() (*pledge.Pledge, error) { return a.w.orders().Pledge(a.w.ctx, id) })
}

func (a *watch) order(id string) order.Order {
	return quietly(a.w, func() (order.Order, error) { return a.w.orders().Get(a.w.ctx, id) })
}

func (a *watch) session(id, orderID string) { a.sessions[id] = orderID }

func (a *watch) event(d sim.Delivery) { a.events[d.Event] = d }

// group reads a group as the campaign's object has it.
func (a *watch) group(slug, hash string) (settlement.Group, bool) {
	found := quietly(a.w, func() (*settlement.Group, error) {
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
	if found == nil {
		return settlement.Group{}, false
	}
	return *found, true
}

// books looks at what the processor has booked since.
func (a *watch) books() {
	all := quietly(a.w, func() ([]sim.Entry, error) { return a.w.sim.Books(), nil })
	for _, e := range all[a.entries:] {
		slug, hash, generation := splitKey(e.Group)
		who := slug + " " + hash
		if first, twice := a.paid[who]; twice {
			a.violated("S1", "%s was charged by %s and again by %s", who, first, e.PaymentID)
		}
		a.paid[who] = e.PaymentID
		g, ok := a.group(slug, hash)
		if !ok || fmt.Sprint(g.Generation) != generation && !older(g, generation) {
			a.violated("S2", "the payment %s of %s belongs to no attempt", e.PaymentID, e.Group)
			continue
		}
		if fmt.Sprint(g.Generation) == generation && g.Amount != e.Amount {
			a.violated("S2", "%s was charged %s and its group is frozen with %s", who, e.Amount, g.Amount)
		}
		a.w.note("booked: %s of %s", e.Amount, e.Group)
	}
	a.entries = len(all)
}

func older(g settlement.Group, generation string) bool {
	for _, h := range g.History {
		if fmt.Sprint(h.Generation) == generation {
			return true
		}
	}
	return false
}

func splitKey(key string) (slug, hash, generation string) {
	parts := strings.Split(key, ":")
	if len(parts) != 4 {
		return key, "", ""
	}
	return parts[1], parts[2], parts[3]
}

// sending looks at a request for a charge at the moment at which it leaves.
func (a *watch) sending(r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/payment_intents" {
		return
	}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	form, err := url.ParseQuery(string(b))
	if err != nil {
		panic(err)
	}
	slug, hash, generation := splitKey(form.Get("metadata[" + psp.GroupKey + "]"))
	g, ok := a.group(slug, hash)
	if !ok || fmt.Sprint(g.Generation) != generation {
		if !ok || !older(g, generation) {
			a.violated("S2", "a charge of %s %s #%s is sent and is not frozen", slug, hash, generation)
		}
		return // what an earlier attempt sends late, its key keeps from happening twice
	}
	if g.Key != r.Header.Get("Idempotency-Key") || form.Get("amount") != fmt.Sprint(int64(g.Amount)) || form.Get("payment_method") != g.PaymentMethodID {
		a.violated("S7", "the charge of %s #%s is not sent as it is frozen", slug, generation)
	}
	first, sent := a.firstSent[g.Key]
	if !sent {
		first = a.w.now
		a.firstSent[g.Key] = first
	}
	if g.FirstSubmittedAt == nil || a.w.now.Sub(first) > psp.KeyHorizon {
		a.violated("S8", "the key of %s #%s may be forgotten when it is sent", slug, generation)
	}
	// What is sent late, after another has learned of the outcome, is answered from
	// the processor's memory of the key.
	if g.Status == settlement.Submitted || g.Status == settlement.NeedsAttention {
		a.entitled(slug, g)
	}
}

// entitled holds a charge against the campaign and the pledges it is for.
func (a *watch) entitled(slug string, g settlement.Group) {
	if a.w.now.Before(deadline) {
		a.violated("S3", "%s is charged before its deadline", slug)
	}
	c, err := a.w.catalogue.Campaign(slug)
	if err != nil {
		panic(err)
	}
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, slug) })
	if !c.Funded(snap.Totals.Counted) {
		a.violated("S3", "%s is charged and not funded", slug)
	}
	var sum money.Cents
	for _, part := range g.Orders {
		p := a.pledge(part.ID)
		if p == nil || p.Status == pledge.Cancelled || p.Dropped() {
			a.violated("S3", "the pledge %s is cancelled, given up or unknown, and charged", part.ID)
			continue
		}
		if p.Amount != part.Amount {
			a.violated("S2", "the pledge %s is of %s and charged as %s", part.ID, p.Amount, part.Amount)
		}
		sum += part.Amount
	}
	if sum != g.Amount {
		a.violated("S2", "the parts of %s come to %s and its amount is %s", g.Key, sum, g.Amount)
	}
}

// effect looks at what a command or a write has changed.
func (a *watch) effect(op memkv.Op) {
	switch {
	case op.Kind == memkv.OpDo && op.Object.Class == settlement.ClassName && op.Command.Kind == "complete":
		a.nothingLeft(op)
	case op.Kind == memkv.OpDo && op.Object.Class == settlement.ClassName && op.Command.Kind == "submit":
		a.frozenStays(op)
		a.wholeGroup(op)
	case op.Kind == memkv.OpDo && op.Object.Class == settlement.ClassName:
		a.frozenStays(op)
	case op.Kind == memkv.OpDo && (op.Command.Kind == "modify" || op.Command.Kind == "cancel"):
		a.inTime(op)
	case op.Kind == memkv.OpDo && op.Command.Kind == "claim":
		var p pledge.Pledge
		if op.Reply.Refused == nil && json.Unmarshal(op.Reply.Body, &p) == nil {
			a.claimed[p.OrderID] = &p
		}
	case op.Kind == memkv.OpDo && (op.Command.Kind == "hold" || op.Command.Kind == "book"):
		a.neverOversold(op.Object.Name)
	case op.Kind == memkv.OpDo && (op.Command.Kind == "charge" || op.Command.Kind == "fail"):
		a.groupKnowsFirst(op)
		a.chargedForReal(op)
	case op.Kind == memkv.OpPut && strings.HasPrefix(op.Key, "campaign-charged:"):
		if slug := strings.TrimPrefix(op.Key, "campaign-charged:"); !a.completed[slug] {
			a.violated("S5", "%s is marked complete and is not", slug)
		}
	case op.Kind == memkv.OpPut && strings.HasPrefix(op.Key, "psp-event:"):
		a.eventIsDone(strings.TrimPrefix(op.Key, "psp-event:"))
	}
}

// inTime: S3, what was promised at the deadline is what is charged. Both times are
// of the clock of the server that took the change.
func (a *watch) inTime(op memkv.Op) {
	var p pledge.Pledge
	if op.Reply.Refused != nil || json.Unmarshal(op.Reply.Body, &p) != nil || p.CampaignSlug == "album" || len(p.History) == 0 {
		return
	}
	last := p.History[len(p.History)-1]
	if (last.Type == "modified" || last.Type == "cancelled") && last.At.After(deadline.Add(time.Second)) {
		a.violated("S3", "the pledge %s is %s at %s, after the deadline", p.OrderID, last.Type, last.At)
	}
}

func (a *watch) frozenStays(op memkv.Op) {
	var cmd struct {
		Hash  string
		Group struct{ Hash string }
	}
	if json.Unmarshal(op.Command.Body, &cmd) != nil || cmd.Hash+cmd.Group.Hash == "" {
		return
	}
	g, ok := a.group(op.Object.Name, cmd.Hash+cmd.Group.Hash)
	if !ok {
		return
	}
	id := fmt.Sprintf("%s %d", g.Hash, g.Generation)
	if g.FirstFailedAt != nil {
		a.failedAt[g.Hash] = *g.FirstFailedAt
	}
	if g.Status == settlement.Failed {
		a.failed[id] = true
	}
	was, known := a.frozen[id]
	if !known {
		a.frozen[id] = g
		if g.Generation > 1 && !a.failed[fmt.Sprintf("%s %d", g.Hash, g.Generation-1)] {
			a.violated("S7", "the attempt %s follows one that is not known as failed", g.Key)
		}
		return
	}
	if was.Key != g.Key || was.Amount != g.Amount || was.PaymentMethodID != g.PaymentMethodID || was.CustomerID != g.CustomerID ||
		fmt.Sprint(was.Orders) != fmt.Sprint(g.Orders) {
		a.violated("S7", "the frozen request of %s has changed", g.Key)
	}
}

func (a *watch) neverOversold(object string) {
	snap := quietly(a.w, func() (inventory.Snapshot, error) { return a.w.stock().Snapshot(a.w.ctx, object) })
	// Units that are held for a change of a pledge may be booked with it
	// already, when the one who changed it died before it gave the hold back.
	again := map[string]int{}
	holds := quietly(a.w, func() ([]inventory.Hold, error) {
		return a.w.stock().Due(a.w.ctx, object, rest.AddDate(1, 0, 0), kv.MaxPage)
	})
	for _, h := range holds {
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
}

// groupKnowsFirst: what a pledge is told of its charge, the group's record has
// already.
func (a *watch) groupKnowsFirst(op memkv.Op) {
	var cmd struct {
		PledgeID, Group string
		Generation      int
	}
	if err := json.Unmarshal(op.Command.Body, &cmd); err != nil {
		panic(err)
	}
	p := a.pledge(cmd.PledgeID)
	if p == nil {
		return
	}
	g, ok := a.group(p.CampaignSlug, cmd.Group)
	switch {
	case !ok:
		a.violated("S4", "the pledge %s is told of an attempt that no record has", cmd.PledgeID)
	case g.Generation > cmd.Generation:
	case op.Command.Kind == "charge" && g.Status != settlement.Succeeded && p.Charged,
		op.Command.Kind == "fail" && g.FirstFailedAt == nil && p.Status == pledge.PaymentFailed:
		a.violated("S4", "the pledge %s is %s and its group is %s", p.OrderID, p.Status, g.Status)
	}
}

func (a *watch) chargedForReal(op memkv.Op) {
	o := a.order(op.Object.Name)
	for _, p := range o.Pledges {
		if !p.Charged {
			continue
		}
		found := false
		for _, id := range a.paid {
			found = found || id == p.PaymentIntentID
		}
		if !found {
			a.violated("S4", "the pledge %s is charged and its payment %q is not in the books", p.OrderID, p.PaymentIntentID)
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
