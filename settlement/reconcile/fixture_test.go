package reconcile_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
	"github.com/pledgeworks/pledgeworks/settlement/state"
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

// fixture is a campaign's records and a processor.
type fixture struct {
	*testing.T
	now    time.Time
	db     *memkv.DB
	sim    *sim.Sim
	conn   *connection
	orders int
	drawn  int
	settle *settlement.Service
	rec    *reconcile.Service
	fail   func(memkv.Op) error // called for every operation on the database, if set
}

// connection passes calls to the processor, with the configured faults.
type connection struct {
	psp.Processor
	euros       string                                 // ID of a payment that is reported in euros
	readsFail   bool                                   // reads and lists fail
	lookupsFail bool                                   // lookups of charges fail
	notFound    bool                                   // payments are not found
	replace     func(psp.Payment) (psp.Payment, error) // replaces a payment that is read, if set
	page        int                                    // the page size of the list, if set
	before      func()                                 // called before each charge, if set
	disputes    func([]psp.Dispute)                    // changes disputes that are read, if set
	payouts     func([]psp.Payout)                     // changes payouts that are read, if set
	reads       int                                    // of single payments
	lists       int                                    // of pages
}

func (w *connection) Payments(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	w.lists++
	if w.readsFail {
		return psp.PaymentPage{}, fault.New(fault.Unavailable, "The processor does not answer")
	}
	if w.page > 0 {
		q.Limit = w.page
	}
	return w.Processor.Payments(ctx, q)
}

func (w *connection) Disputes(ctx context.Context, q psp.DisputeQuery) (psp.DisputePage, error) {
	page, err := w.Processor.Disputes(ctx, q)
	if w.disputes != nil {
		w.disputes(page.Disputes)
	}
	return page, err
}

func (w *connection) Payouts(ctx context.Context, q psp.PayoutQuery) (psp.PayoutPage, error) {
	page, err := w.Processor.Payouts(ctx, q)
	if w.payouts != nil {
		w.payouts(page.Payouts)
	}
	return page, err
}

func (w *connection) Reversals(ctx context.Context, paymentID string) (psp.Reversals, error) {
	r, err := w.Processor.Reversals(ctx, paymentID)
	if w.disputes != nil {
		w.disputes(r.Disputes)
	}
	return r, err
}

func (w *connection) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	if w.before != nil {
		w.before()
	}
	return w.Processor.Charge(ctx, c)
}

func (w *connection) FindCharge(ctx context.Context, customer, group string) ([]psp.Payment, error) {
	if w.lookupsFail {
		return nil, fault.New(fault.Unavailable, "The processor does not answer")
	}
	return w.Processor.FindCharge(ctx, customer, group)
}

func (w *connection) Payment(ctx context.Context, id string) (psp.Payment, error) {
	w.reads++
	if w.readsFail {
		return psp.Payment{}, fault.New(fault.Unavailable, "The processor does not answer")
	}
	if w.notFound {
		return psp.Payment{}, fault.New(fault.NotFound, "There is no such payment")
	}
	p, err := w.Processor.Payment(ctx, id)
	if id == w.euros {
		p.Currency = "eur"
	}
	if w.replace != nil && err == nil {
		return w.replace(p)
	}
	return p, err
}

func newFixture(t *testing.T) *fixture {
	c, err := campaignfile.Parse("film.md", []byte(film))
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := campaign.NewCatalogue([]*campaign.Campaign{c}, campaign.PlatformAddOns{})
	if err != nil {
		t.Fatal(err)
	}
	o := &fixture{T: t, now: time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)}
	clock, all := func() time.Time { return o.now }, func() *campaign.Catalogue { return catalogue }
	o.sim = sim.New(sim.Options{Now: clock, NoLimits: true})
	o.conn = &connection{Processor: o.sim.Processor()}
	class := state.NewClass()
	reconcile.Register(class)
	dispute.Register(class)
	refund.Register(class)
	payout.Register(class)
	o.db = memkv.New(memkv.Options{Now: clock, Classes: []*kv.Class{order.NewClass(), inventory.NewClass(), class},
		Fail: func(op memkv.Op) error {
			if o.fail == nil {
				return nil
			}
			return o.fail(op)
		}})
	store, co := o.db.Store("PLEDGES"), o.db.Coordinator()
	orders, stock := order.Client{Coordinator: co}, inventory.Client{Coordinator: co}
	o.settle = &settlement.Service{
		Store: store, Coordinator: co, Orders: orders, Inventory: stock, Processor: o.conn,
		Catalogue: all, Zone: time.UTC, Now: clock, Rand: o,
		Projector: projection.New(projection.Deps{Store: store, Votes: o.db.Store("VOTES"), Orders: orders, Inventory: stock,
			Catalogue: all, Zone: time.UTC, Now: clock}),
		Outbox: &notify.Outbox{Store: store, Now: clock, From: "pledges@example.org"},
		Links:  mailtext.Links{SiteBase: "https://example.org", Signer: token.Signer{Secret: bytes.Repeat([]byte("k"), 32)}},
		Log:    slog.New(slog.DiscardHandler),
	}
	o.rec = &reconcile.Service{Store: store, Coordinator: co, Orders: orders, Inventory: stock, Settlement: o.settle,
		Processor: o.conn, Catalogue: all, Zone: time.UTC, Now: clock}
	return o
}

// Read is a random source that never repeats.
func (o *fixture) Read(b []byte) (int, error) {
	o.drawn++
	sum := sha256.Sum256([]byte(fmt.Sprint(o.drawn)))
	return copy(b, sum[:]), nil
}

func (o *fixture) ok(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// pledge makes a pledge of a supporter, with a card.
func (o *fixture) pledge(name string, amount money.Cents, card string) *pledge.Pledge {
	o.Helper()
	o.orders++
	id, p := fmt.Sprintf("pw-%026d", o.orders), o.sim.Processor()
	customer, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "customer:" + id, Email: name + "@example.org"})
	o.ok(err)
	s, err := p.StartSetup(ctx,
		psp.NewSetup{Key: "setup:" + id, CustomerID: customer, UIMode: psp.Custom, ReturnURL: "https://example.org/"})
	o.ok(err)
	o.ok(o.sim.Complete(s.ID, card))
	s, err = p.Session(ctx, s.ID)
	o.ok(err)
	lines := []pledge.Line{{Kind: pledge.CustomLine, Name: "Gift", Quantity: 1, UnitPrice: amount, Amount: amount}}
	totals, err := pledge.CalculateTotals(lines, 0, 0, pledge.Tip{})
	o.ok(err)
	made, err := o.rec.Orders.Open(ctx,
		order.Manifest{OrderID: id, Email: name + "@example.org", Currency: money.USD, Nonce: id, BookedAt: o.now,
			Amount: amount, Link: "pw-link", Campaigns: []order.Contribution{{PledgeID: id,
				CampaignSlug: "film", Lines: lines, Totals: totals}}})
	o.ok(err)
	o.ok(o.rec.Orders.Attach(ctx, id, s.ID))
	_, _, err = o.rec.Orders.Confirm(ctx, id, s.ID, made.Hash,
		order.Card{CustomerID: s.CustomerID, PaymentMethodID: s.PaymentMethodID,
			SetupIntentID: s.SetupIntentID, SavedAt: o.now}, false)
	o.ok(err)
	got, err := o.rec.Orders.Pledge(ctx, id)
	o.ok(err)
	_, err = o.settle.Projector.Book(ctx, got, "")
	o.ok(err)
	return got
}

// chargedBy marks a pledge as charged by a payment, without a settlement.
func (o *fixture) chargedBy(p *pledge.Pledge, payment string) {
	o.Helper()
	hash := state.GroupHash("film", p.Email)
	_, err := o.rec.Orders.Claim(ctx, p.OrderID, hash, 1)
	o.ok(err)
	charged, err := o.rec.Orders.MarkCharged(ctx, p.OrderID, hash, 1, order.Charged{PaymentIntentID: payment, At: o.now})
	o.ok(err)
	_, err = o.settle.Projector.Book(ctx, charged, "")
	o.ok(err)
}

// pay makes a payment for a supporter's group.
func (o *fixture) pay(p *pledge.Pledge, generation int, amount money.Cents) string {
	o.Helper()
	mark := fmt.Sprintf("settle:film:%s:%d", state.GroupHash("film", p.Email), generation)
	out := o.sim.Processor().Charge(ctx, psp.NewCharge{Key: mark, Group: mark, Amount: amount, CustomerID: p.CustomerID,
		PaymentMethodID: p.PaymentMethodID, Metadata: map[string]string{
			psp.CampaignKey: "film"}, NotAfter: o.now.Add(time.Hour)})
	return out.Payment.ID
}

func (o *fixture) run(retrievals int) reconcile.Report {
	o.Helper()
	r, err := o.rec.Run(ctx, "film", retrievals)
	o.ok(err)
	return r
}

// countByKind counts the open breaks of each kind.
func countByKind(r reconcile.Report) map[reconcile.Kind]int {
	n := map[reconcile.Kind]int{}
	for _, b := range r.Breaks {
		n[b.Kind]++
	}
	return n
}

// allPledges lists the campaign's pledges.
func (o *fixture) allPledges() []*pledge.Pledge {
	o.Helper()
	ids, err := o.rec.Inventory.Listed(ctx, "film", 0, 1000)
	o.ok(err)
	var all []*pledge.Pledge
	for _, id := range ids {
		p, err := o.rec.Orders.Pledge(ctx, id)
		o.ok(err)
		all = append(all, p)
	}
	return all
}
