package reconcile_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

var ctx = context.Background()

const film = `---
title: Film
slug: film
published: true
start_date: 2026-01-02
goal_deadline: 2026-03-01
goal_amount: 20
---
`

// office is a campaign's books and the processor's.
type office struct {
	*testing.T
	now    time.Time
	db     *memkv.DB
	sim    *sim.Sim
	wire   *wire
	orders int
	drawn  int
	settle *settlement.Service
	rec    *reconcile.Service
}

// wire is the way to the processor.
type wire struct {
	psp.Processor
	euros  string // a payment that is said to be in euros
	silent bool   // nobody answers
	reads  int
}

func (w *wire) Payment(ctx context.Context, id string) (psp.Payment, error) {
	w.reads++
	if w.silent {
		return psp.Payment{}, fault.New(fault.Unavailable, "Nobody answers")
	}
	p, err := w.Processor.Payment(ctx, id)
	if id == w.euros {
		p.Currency = "eur"
	}
	return p, err
}

func newOffice(t *testing.T, fail func(memkv.Op) error) *office {
	c, err := campaign.Parse("film.md", []byte(film))
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := campaign.NewCatalogue([]*campaign.Campaign{c}, campaign.PlatformAddOns{})
	if err != nil {
		t.Fatal(err)
	}
	o := &office{T: t, now: time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)}
	clock, all := func() time.Time { return o.now }, func() *campaign.Catalogue { return catalogue }
	o.sim = sim.New(sim.Options{Now: clock, NoLimits: true})
	o.wire = &wire{Processor: o.sim.Processor()}
	class := settlement.NewClass()
	reconcile.Register(class)
	o.db = memkv.New(memkv.Options{Now: clock, Classes: []*kv.Class{order.NewClass(), inventory.NewClass(), class}, Fail: fail})
	store, co := o.db.Store("PLEDGES"), o.db.Coordinator()
	orders, stock := order.Client{Coordinator: co}, inventory.Client{Coordinator: co}
	o.settle = &settlement.Service{
		Store: store, Coordinator: co, Orders: orders, Inventory: stock, Processor: o.wire, Catalogue: all, Zone: time.UTC, Now: clock, Rand: o,
		Projector: projection.New(projection.Deps{Store: store, Votes: o.db.Store("VOTES"), Orders: orders, Inventory: stock,
			Catalogue: all, Zone: time.UTC, Now: clock}),
		Outbox: &notify.Outbox{Store: store, Now: clock, From: "pledges@example.org"},
		Links:  notify.Links{SiteBase: "https://example.org", Signer: token.Signer{Secret: bytes.Repeat([]byte("k"), 32)}},
		Log:    slog.New(slog.DiscardHandler),
	}
	o.rec = &reconcile.Service{Store: store, Coordinator: co, Orders: orders, Inventory: stock, Settlement: o.settle,
		Processor: o.wire, Catalogue: all, Zone: time.UTC, Now: clock}
	return o
}

// Read is randomness that never repeats.
func (o *office) Read(b []byte) (int, error) {
	o.drawn++
	sum := sha256.Sum256([]byte(fmt.Sprint(o.drawn)))
	return copy(b, sum[:]), nil
}

func (o *office) ok(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// pledge makes a pledge of a supporter, with a card.
func (o *office) pledge(name string, amount money.Cents, card string) *pledge.Pledge {
	o.Helper()
	o.orders++
	id, p := fmt.Sprintf("pw-%026d", o.orders), o.sim.Processor()
	customer, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "customer:" + id, Email: name + "@example.org"})
	o.ok(err)
	s, err := p.StartSetup(ctx, psp.NewSetup{Key: "setup:" + id, CustomerID: customer, UIMode: psp.Custom, ReturnURL: "https://example.org/"})
	o.ok(err)
	o.ok(o.sim.Complete(s.ID, card))
	s, err = p.Session(ctx, s.ID)
	o.ok(err)
	lines := []pledge.Line{{Kind: pledge.CustomLine, Name: "Gift", Quantity: 1, UnitPrice: amount, Amount: amount}}
	totals, err := pledge.Add(lines, 0, 0, 0)
	o.ok(err)
	made, err := o.rec.Orders.Open(ctx, order.Manifest{OrderID: id, Email: name + "@example.org", Currency: money.USD, Nonce: id, BookedAt: o.now,
		Amount: amount, Campaigns: []order.Contribution{{PledgeID: id, CampaignSlug: "film", Lines: lines, Totals: totals}}})
	o.ok(err)
	o.ok(o.rec.Orders.Attach(ctx, id, s.ID))
	o.ok(o.rec.Orders.Confirm(ctx, id, s.ID, made.Hash, order.Card{CustomerID: s.CustomerID, PaymentMethodID: s.PaymentMethodID,
		SetupIntentID: s.SetupIntentID, SavedAt: o.now}, false))
	got, err := o.rec.Orders.Pledge(ctx, id)
	o.ok(err)
	_, err = o.settle.Projector.Book(ctx, got, "")
	o.ok(err)
	return got
}

// chargedBy marks a pledge charged by a payment, behind settlement's back.
func (o *office) chargedBy(p *pledge.Pledge, payment string) {
	o.Helper()
	hash := settlement.GroupHash("film", p.Email)
	_, err := o.rec.Orders.Claim(ctx, p.OrderID, hash, 1)
	o.ok(err)
	charged, err := o.rec.Orders.Charge(ctx, p.OrderID, hash, 1, order.Charged{PaymentIntentID: payment, At: o.now})
	o.ok(err)
	_, err = o.settle.Projector.Book(ctx, charged, "")
	o.ok(err)
}

// pay has the processor make a payment that carries the mark of a supporter's group.
func (o *office) pay(p *pledge.Pledge, generation int, amount money.Cents) string {
	o.Helper()
	mark := fmt.Sprintf("settle:film:%s:%d", settlement.GroupHash("film", p.Email), generation)
	out := o.sim.Processor().Charge(ctx, psp.NewCharge{Key: "planted:" + mark, Group: mark, Amount: amount, CustomerID: p.CustomerID,
		PaymentMethodID: p.PaymentMethodID, NotAfter: o.now.Add(time.Hour)})
	return out.Payment.ID
}

func (o *office) run(retrievals int) reconcile.Report {
	o.Helper()
	r, err := o.rec.Run(ctx, "film", retrievals)
	o.ok(err)
	return r
}

// kinds counts the open breaks of each kind.
func kinds(r reconcile.Report) map[reconcile.Kind]int {
	n := map[reconcile.Kind]int{}
	for _, b := range r.Breaks {
		n[b.Kind]++
	}
	return n
}

// planted is an office with one difference of each kind, three times, among
// supporters with whom everything is in order.
func planted(t *testing.T) *office {
	o := newOffice(t, nil)
	var settled []*pledge.Pledge
	for i := range 30 {
		settled = append(settled, o.pledge(fmt.Sprintf("fan%d", i), 1000+money.Cents(i), []string{sim.CardOK, sim.CardOK, sim.CardChargeDeclined}[i%3]))
	}
	o.now = time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	for i := range 3 {
		late := func(name string, card string) *pledge.Pledge {
			return o.pledge(fmt.Sprintf("%s%d", name, i), 2500, card)
		}
		o.chargedBy(late("nameless", sim.CardOK), "")
		refused := late("refused", sim.CardChargeDeclined)
		o.chargedBy(refused, o.pay(refused, 1, 2500))
		o.chargedBy(late("unknown", sim.CardOK), fmt.Sprintf("pi_gone%d", i))
		uneven := late("uneven", sim.CardOK)
		o.chargedBy(uneven, o.pay(uneven, 1, []money.Cents{2499, 2501, 5000}[i]))
		o.pay(late("unbooked", sim.CardOK), 1, 2500)
		o.pay(settled[3*i], 2, 1000)
	}
	return o
}

// Everything that was planted is found in one run, and said in words. What is
// put right is resolved by the next whole pass, with its counts kept.
//
// Proves REC-10, REC-11, REC-12, REC-13, REC-14, REC-15, REC-16, REC-19, REC-20,
// REC-21, KVR-14 and KVR-15.
func TestPlantedDifferences(t *testing.T) {
	o := planted(t)
	o.now = o.now.Add(3 * time.Hour)
	for _, b := range o.sim.Books() {
		if strings.HasSuffix(b.Group, ":1") && b.Amount == 1001 {
			o.wire.euros = b.PaymentID
		}
	}
	r := o.run(reconcile.MaxRetrievals)
	want := map[reconcile.Kind]int{reconcile.WithoutPayment: 3, reconcile.NotSucceeded: 3, reconcile.Unavailable: 3, reconcile.AmountDiffers: 3,
		reconcile.NotBooked: 3 + 3, reconcile.ChargedTwice: 3, reconcile.Currency: 1}
	if diff := gocmp.Diff(want, kinds(r)); diff != "" || r.Truncated || r.ReconciledAt == nil {
		t.Fatalf("the first run (-want +got):\n%s%+v", diff, r.Breaks)
	}
	if want := r.Processor - r.Booked; r.Difference != want || want == 0 || r.Critical != len(r.Breaks) {
		t.Errorf("the sums are %+v, the difference %s, %d of %d critical", r.Sums, r.Difference, r.Critical, r.OpenBreaks)
	}
	for _, b := range r.Breaks {
		stored, ok, err := kv.Read[reconcile.Break](ctx, o.rec.Store, b.Key())
		if diff := gocmp.Diff(b, stored); err != nil || !ok || diff != "" || b.Message == "" || b.Occurrences != 1 {
			t.Errorf("the record of %s: %v %s", b.Key(), err, diff)
		}
		if !strings.HasPrefix(b.Key(), "reconciliation-break:v1:film:"+string(b.Kind)+":") {
			t.Errorf("the key is %s", b.Key())
		}
	}
	first, euros := o.now, o.wire.euros
	o.wire.euros = ""
	o.now = o.now.Add(24 * time.Hour)
	delete(want, reconcile.Currency)
	again := o.run(0)
	if diff := gocmp.Diff(want, kinds(again)); diff != "" {
		t.Errorf("a day later (-want +got):\n%s", diff)
	}
	for _, b := range again.Breaks {
		if b.Occurrences != 2 || !b.FirstSeenAt.Equal(first) || !b.LastSeenAt.Equal(o.now) {
			t.Errorf("seen twice: %+v", b)
		}
	}
	i := slices.IndexFunc(r.Breaks, func(b reconcile.Break) bool { return b.PaymentID == euros && b.Kind == reconcile.Currency })
	resolved, _, err := kv.Read[reconcile.Break](ctx, o.rec.Store, r.Breaks[i].Key())
	if err != nil || resolved.Status != reconcile.Resolved || resolved.Occurrences != 1 || !resolved.FirstSeenAt.Equal(first) ||
		!resolved.LastSeenAt.Equal(first) || resolved.ResolvedAt == nil {
		t.Errorf("resolved: %+v, %v", resolved, err)
	}
	if n := len(o.sim.Books()); n != 20+9 {
		t.Errorf("%d payments: reconciling has charged somebody", n)
	}
	o.now = resolved.LastSeenAt.Add(reconcile.Retention + time.Minute)
	if _, ok, _ := kv.Read[reconcile.Break](ctx, o.rec.Store, r.Breaks[i].Key()); ok {
		t.Error("the record is kept for longer than 400 days")
	}
}

// A settlement that stopped, and a charge that nobody knows about, are seen.
//
// Proves REC-17 and REC-22.
func TestWarnings(t *testing.T) {
	o := newOffice(t, nil)
	for i := range 40 {
		o.pledge(fmt.Sprintf("fan%d", i), 1000, sim.CardOK)
	}
	o.now = time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)
	for range 40 {
		o.ok(o.sim.Order(sim.Fault{Kind: sim.DropRequest, Op: sim.CreateIntent}))
	}
	if _, err := o.settle.Dispatch(ctx, "film"); err != nil {
		t.Fatal(err)
	}
	if r := o.run(0); len(r.Breaks) != 0 {
		t.Errorf("on the way: %+v", r.Breaks)
	}
	o.now = o.now.Add(31 * time.Minute)
	if diff := gocmp.Diff(map[reconcile.Kind]int{reconcile.StaleJob: 1}, kinds(o.run(0))); diff != "" {
		t.Errorf("half an hour later (-want +got):\n%s", diff)
	}
	o.now = o.now.Add(24 * time.Hour)
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	r := o.run(0)
	if got := kinds(r)[reconcile.Ambiguous]; got == 0 || r.Critical != 0 {
		t.Errorf("a day later: %v, %d critical", kinds(r), r.Critical)
	}
	before := len(o.sim.Books())
	o.run(0)
	if len(o.sim.Books()) != before {
		t.Error("reconciling has charged somebody")
	}
}

// A pass over a large campaign is done in bounded parts, and ends as one.
//
// Proves REC-10.
func TestBounds(t *testing.T) {
	o := planted(t)
	o.now = o.now.Add(3 * time.Hour)
	runs := 0
	var r reconcile.Report
	for r.Truncated = true; r.Truncated; runs++ {
		before := o.wire.reads
		r = o.run(4)
		if got := o.wire.reads - before; got > 4 {
			t.Fatalf("a run of 4 reads %d payments", got)
		}
	}
	whole := planted(t)
	whole.now = whole.now.Add(3 * time.Hour)
	one := whole.run(0)
	if diff := gocmp.Diff(kinds(one), kinds(r)); diff != "" || runs < 5 || r.Sums != one.Sums && r.Retrieved < one.Retrieved {
		t.Errorf("%d runs come to another end than one (-one +many):\n%s%+v %+v", runs, diff, one.Sums, r.Sums)
	}
}

// Where the processor does not answer nothing is known, and so nothing is
// resolved and nothing opened.
func TestSilence(t *testing.T) {
	o := planted(t)
	o.now = o.now.Add(3 * time.Hour)
	before := o.run(0)
	o.wire.silent = true
	if _, err := o.rec.Run(ctx, "film", 0); !fault.Is(err, fault.Unavailable) {
		t.Errorf("unanswered: %v", err)
	}
	after, err := o.rec.Report(ctx, "film")
	if diff := gocmp.Diff(kinds(before), kinds(after)); err != nil || diff != "" || after.Attempted {
		t.Errorf("after that (-before +after): %v\n%s", err, diff)
	}
	if _, err := o.rec.Run(ctx, "album", 0); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown campaign: %v", err)
	}
}

// A run dies at every effect of its own, and the next one comes to the same.
func TestCrash(t *testing.T) {
	effects, cut := 0, 0
	fail := func(op memkv.Op) error {
		if cut < 0 || op.Kind != memkv.OpDo && op.Kind != memkv.OpPut || !strings.HasPrefix(cmp.Or(op.Command.Kind, op.Key), "reconcil") {
			return nil
		}
		if effects++; effects >= cut && cut > 0 {
			return fault.New(fault.Unavailable, "The machine is gone")
		}
		return nil
	}
	end := func(at int) map[reconcile.Kind]int {
		effects, cut = 0, -1
		o := newOffice(t, fail)
		o.pledge("good", 2500, sim.CardOK)
		o.now = time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)
		_, err := o.settle.Settle(ctx, "film", false)
		o.ok(err)
		o.chargedBy(o.pledge("nameless", 2500, sim.CardOK), "")
		o.pay(o.pledge("unbooked", 2500, sim.CardOK), 1, 2500)
		o.now = o.now.Add(3 * time.Hour)
		effects, cut = 0, at
		_, err = o.rec.Run(ctx, "film", 0)
		if (err != nil) != (at > 0) {
			t.Fatalf("cut at %d: %v", at, err)
		}
		cut = -1
		o.now = o.now.Add(time.Hour)
		r := o.run(0)
		for _, b := range r.Breaks {
			stored, ok, err := kv.Read[reconcile.Break](ctx, o.rec.Store, b.Key())
			if diff := gocmp.Diff(b, stored); err != nil || !ok || diff != "" || b.Occurrences > 2 {
				t.Errorf("cut at %d, the record: %v %s", at, err, diff)
			}
		}
		return kinds(r)
	}
	want := end(0)
	n := effects
	for at := 1; at <= n; at++ {
		if diff := gocmp.Diff(want, end(at)); diff != "" {
			t.Errorf("cut at effect %d of %d:\n%s", at, n, diff)
		}
	}
	if n == 0 || len(want) != 2 {
		t.Errorf("%d crash points, %v", n, want)
	}
	t.Logf("%d crash points", n)
}

// Ten thousand supporters with all kinds of cards and an unreliable wire, settled
// to the end: nothing differs.
func TestCleanHistories(t *testing.T) {
	supporters := 10_000
	if testing.Short() {
		supporters = 300
	}
	o := newOffice(t, nil)
	cards := []string{sim.CardOK, sim.CardOK, sim.CardOK, sim.CardOK, sim.CardOK, sim.CardChargeDeclined, sim.CardAuthAlways, sim.CardAuthInsufficient,
		sim.CardProcessing + ":30m", sim.CardRollsForward + ":1h", sim.CardProcessFails + ":1h"}
	for i := range supporters {
		o.pledge(fmt.Sprintf("fan%d", i), 1000+money.Cents(i), cards[i%len(cards)])
	}
	o.now = time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)
	for range supporters / 20 {
		o.ok(o.sim.Order(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent}, sim.Fault{Kind: sim.ServerErrorAfter, Op: sim.CreateIntent}))
	}
	for range 4 {
		_, err := o.settle.Settle(ctx, "film", false)
		o.ok(err)
		o.now = o.now.Add(time.Hour)
	}
	o.now = o.now.Add(3 * time.Hour)
	r := o.run(0)
	for r.Truncated {
		r = o.run(0)
	}
	if len(r.Breaks) > 0 || r.Difference != 0 || r.Checked != supporters || r.Listed != len(o.sim.Books()) {
		t.Errorf("%d breaks, difference %s: %+v\n%+v", r.OpenBreaks, r.Difference, r.Sums, r.Breaks[:min(len(r.Breaks), 3)])
	}
	t.Logf("%d supporters, %d payments, %s: %d breaks", r.Checked, r.Listed, r.Processor, r.OpenBreaks)
}
