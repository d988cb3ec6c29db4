package settlement

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
	"github.com/pledgeworks/pledgeworks/pledge/vote"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// fixture is a service with all its dependencies in memory, under one clock.
type fixture struct {
	t          testing.TB
	ctx        context.Context
	now        time.Time
	zone       *time.Location
	db         *memkv.DB
	backup     memkv.Snapshot
	underLease memkv.Snapshot // before a lease was released
	sim        *sim.Sim
	conn       *connection
	staleReads bool // reads are a minute old
	svc        *Service
	mail       sync.Mutex // guards sent
	sent       []notify.Mail

	catalogue   *campaign.Catalogue
	orders      int
	randomReads atomic.Int64
	names       []string            // in the order of their first pledges
	pledgesOf   map[string][]string // supporter → pledge IDs
	session     string              // browser session of new pledges
}

// checkpoint is the state of a fixture from which a test continues several times.
type checkpoint struct {
	db      memkv.Snapshot
	sim     []byte
	now     time.Time
	sent    []notify.Mail
	charges []psp.NewCharge
	reads   int64
}

func (w *fixture) checkpoint() checkpoint {
	w.t.Helper()
	processor, err := w.sim.Snapshot()
	w.ok(err)
	return checkpoint{db: w.db.Snapshot(), sim: processor, now: w.now, sent: slices.Clone(w.sent),
		charges: slices.Clone(w.conn.charges), reads: w.randomReads.Load()}
}

// rewind returns the fixture to a checkpoint, with a new connection and a new process.
func (w *fixture) rewind(c checkpoint) {
	w.t.Helper()
	w.ok(w.sim.Restore(c.sim))
	w.db.Restore(c.db)
	w.now, w.sent = c.now, slices.Clone(c.sent)
	w.randomReads.Store(c.reads)
	w.conn.effects, w.conn.charges = 0, slices.Clone(c.charges)
	w.restart()
	w.svc = w.service()
}

// connection passes calls to the processor and the database. From a chosen effect on, every call
// fails, as after a crash.
type connection struct {
	psp.Processor
	mu            sync.Mutex
	effects       int // so far
	failAt        int // 0 for never
	down          bool
	lookupsLost   int  // how many of the next lookups get no answer
	listCalls     int  // complete lists of payments
	listBreaksOff bool // the list fails after its first page
	chargesLost   bool // charge requests do not arrive and get no answer
	listEmpty     bool // the list does not contain any payment yet
	omitPledges   bool // charges do not name their pledges, as in release 0.1.0
	charges       []psp.NewCharge
	watch         func(op memkv.Op) error // called for every operation on the database
}

var errDisconnected = errors.New("connection lost")

func (l *connection) effect() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return errDisconnected
	}
	l.effects++
	if l.effects == l.failAt {
		l.down = true
		return errDisconnected
	}
	return nil
}

func (l *connection) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	if l.effect() != nil {
		return psp.Outcome{Status: psp.Unknown}
	}
	l.mu.Lock()
	if l.omitPledges {
		delete(c.Metadata, psp.PledgesKey)
	}
	l.charges = append(l.charges, c)
	lost := l.chargesLost
	l.mu.Unlock()
	if lost {
		return psp.Outcome{Status: psp.Unknown}
	}
	out := l.Processor.Charge(ctx, c)
	if l.effect() != nil {
		return psp.Outcome{Status: psp.Unknown}
	}
	return out
}

func (l *connection) FindCharge(ctx context.Context, customer, group string) ([]psp.Payment, error) {
	if err := l.effect(); err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The processor does not answer")
	}
	if l.lookupsLost > 0 {
		l.lookupsLost--
		return nil, fault.New(fault.Unavailable, "The processor did not answer")
	}
	return l.Processor.FindCharge(ctx, customer, group)
}

func (l *connection) Payments(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	if q.After == "" {
		l.listCalls++
	}
	if err := l.effect(); err != nil || l.listBreaksOff && q.After != "" {
		return psp.PaymentPage{}, fault.Wrap(err, fault.Unavailable, "The processor does not answer")
	}
	if q.Limit = 1; l.listEmpty {
		return psp.PaymentPage{}, nil
	}
	return l.Processor.Payments(ctx, q)
}

func (l *connection) Payment(ctx context.Context, id string) (psp.Payment, error) {
	if err := l.effect(); err != nil {
		return psp.Payment{}, fault.Wrap(err, fault.Unavailable, "The processor does not answer")
	}
	return l.Processor.Payment(ctx, id)
}

func (l *connection) DetachCard(ctx context.Context, id, key string) error {
	down := func(err error) error { return fault.Wrap(err, fault.Unavailable, "The processor does not answer") }
	if err := l.effect(); err != nil {
		return down(err)
	}
	err := l.Processor.DetachCard(ctx, id, key)
	if lost := l.effect(); lost != nil {
		return down(lost)
	}
	return err
}

func (l *connection) CancelPayment(ctx context.Context, id, key string) (psp.Payment, error) {
	down := func(err error) error { return fault.Wrap(err, fault.Unavailable, "The processor does not answer") }
	if err := l.effect(); err != nil {
		return psp.Payment{}, down(err)
	}
	p, err := l.Processor.CancelPayment(ctx, id, key)
	if lost := l.effect(); lost != nil {
		return psp.Payment{}, down(lost)
	}
	return p, err
}

// fail counts an effect before and after every write to the database. Reads fail only while the
// connection is down.
func (l *connection) fail(op memkv.Op) error {
	if l.watch != nil {
		if err := l.watch(op); err != nil {
			return err
		}
	}
	reads := op.Kind == memkv.OpGet || op.Kind == memkv.OpList || op.Kind == memkv.OpQuery
	if reads && !l.down {
		return nil
	}
	return l.effect()
}

const films = `---
title: %s
slug: %s
start_date: 2026-01-02
goal_deadline: 2026-03-01
goal_amount: %d
---
`

func newFixture(t testing.TB) *fixture {
	t.Helper()
	zone, err := time.LoadLocation("America/Denver")
	if err != nil {
		t.Fatal(err)
	}
	w := &fixture{t: t, ctx: context.Background(), zone: zone, conn: &connection{}, pledgesOf: map[string][]string{}}
	w.now = time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return w.now }
	w.sim = sim.New(sim.Options{Now: clock, NoLimits: true})
	w.conn.Processor = w.sim.Processor()
	campaigns := order.NewClass()
	inventories := inventory.NewClass()
	vote.Register(inventories)
	settlements := state.NewClass()
	dispute.Register(settlements)
	refund.Register(settlements)
	payout.Register(settlements)
	w.db = memkv.New(memkv.Options{Now: clock, Classes: []*kv.Class{campaigns, inventories, settlements},
		Fail:  w.conn.fail,
		Stale: time.Minute, Newest: func() bool { return !w.staleReads }})
	w.catalogue = newCatalogue(t, "film", 20, "album", 20)
	w.svc = w.service()
	_, err = w.svc.Bind(w.ctx)
	w.ok(err)
	return w
}

func newCatalogue(t testing.TB, slugsAndGoals ...any) *campaign.Catalogue {
	t.Helper()
	var all []*campaign.Campaign
	for i := 0; i < len(slugsAndGoals); i += 2 {
		slug := slugsAndGoals[i].(string)
		src := fmt.Sprintf(films, strings.ToUpper(slug[:1])+slug[1:], slug, slugsAndGoals[i+1])
		c, err := campaignfile.Parse("campaigns/"+slug+".md", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	cat, err := campaign.NewCatalogue(all, campaign.PlatformAddOns{})
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

// service returns a Service that shares the fixture's database, like another server.
func (w *fixture) service() *Service {
	clock := func() time.Time { return w.now }
	catalogue := func() *campaign.Catalogue { return w.catalogue }
	store, co := w.db.Store("PLEDGES"), w.db.Coordinator()
	orders, accounts := order.Client{Coordinator: co}, inventory.Client{Coordinator: co}
	s := &Service{
		Store: store, Coordinator: co, Orders: orders, Inventory: accounts,
		Projector: projection.New(projection.Deps{Store: store, Votes: w.db.Store("VOTES"), Orders: orders,
			Inventory: accounts, Catalogue: catalogue, Zone: w.zone, Now: clock}),
		Processor: w.conn,
		Outbox:    &notify.Outbox{Store: store, Sender: w, Now: clock, From: "pledges@example.org"},
		Links: mailtext.Links{SiteBase: "https://example.org",
			Signer: token.Signer{Secret: bytes.Repeat([]byte("k"), 32)}},
		Catalogue: catalogue, Zone: w.zone, Now: clock, Rand: counter{&w.randomReads},
		Log: slog.New(slog.DiscardHandler), Leases: &Leases{},
	}
	s.Outbox.Verifier = s
	return s
}

// counter is a random source that never repeats, not even across services.
type counter struct{ drawn *atomic.Int64 }

func (c counter) Read(b []byte) (int, error) {
	sum := sha256.Sum256([]byte(fmt.Sprint(c.drawn.Add(1))))
	return copy(b, sum[:]), nil
}

// Send records a mail as sent, once for each key.
func (w *fixture) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	w.mail.Lock()
	defer w.mail.Unlock()
	if !slices.ContainsFunc(w.sent, func(s notify.Mail) bool { return s.Key == m.Key }) {
		w.sent = append(w.sent, m)
	}
	return notify.Receipt{Outcome: notify.Accepted}, nil
}

func (w *fixture) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *fixture) release(object state.Client, l state.Lease) {
	w.t.Helper()
	_, err := object.Release(w.ctx, l, nil)
	w.ok(err)
}

func email(name string) string { return name + "@example.org" }

// saveCard saves a supporter's card at the processor.
func (w *fixture) saveCard(name, card string) order.Card {
	w.t.Helper()
	w.orders++
	key := fmt.Sprintf("%s:%d", name, w.orders)
	customer, err := w.sim.Processor().CreateCustomer(w.ctx, psp.NewCustomer{Key: "cus:" + key, Email: email(name)})
	w.ok(err)
	s,
		err := w.sim.Processor().StartSetup(w.ctx, psp.NewSetup{Key: "setup:" + key, CustomerID: customer, UIMode: psp.Custom,
		ReturnURL: "https://example.org/done", Metadata: map[string]string{}})
	w.ok(err)
	w.ok(w.sim.Complete(s.ID, card))
	s, err = w.sim.Processor().Session(w.ctx, s.ID)
	w.ok(err)
	return order.Card{CustomerID: s.CustomerID, PaymentMethodID: s.PaymentMethodID, SetupIntentID: s.SetupIntentID,
		SavedAt: w.now, Label: &pledge.CardLabel{Brand: "visa", Last4: "4242"}}
}

// pledge confirms and books a pledge made from an emailed link, so that it is joined with the
// supporter's others. With card "none" the pledge refers to a card that does not exist.
func (w *fixture) pledge(name, slug string, amount money.Cents, card string) string {
	w.t.Helper()
	return w.pledgeFrom("pw-link", name, slug, amount, card)
}

// pledgeTyped confirms and books a pledge whose email address was typed, not taken from an emailed link.
func (w *fixture) pledgeTyped(name, slug string, amount money.Cents, card string) string {
	w.t.Helper()
	return w.pledgeFrom("", name, slug, amount, card)
}

func (w *fixture) pledgeFrom(link, name, slug string, amount money.Cents, card string) string {
	w.t.Helper()
	if _, known := w.pledgesOf[name]; !known {
		w.names = append(w.names, name)
	}
	saved := order.Card{PaymentMethodID: "pm_lost", SavedAt: w.now}
	if card != "none" {
		saved = w.saveCard(name, card)
	}
	w.orders++
	id := fmt.Sprintf("pw-%026d", w.orders)
	lines := []pledge.Line{{Kind: pledge.CustomLine, Name: "Gift", Quantity: 1, UnitPrice: amount, Amount: amount}}
	totals, err := pledge.CalculateTotals(lines, 0, 0, pledge.Tip{})
	w.ok(err)
	c, err := w.svc.Catalogue().Campaign(slug)
	w.ok(err)
	o, err := w.svc.Orders.Open(w.ctx,
		order.Manifest{OrderID: id, Email: email(name), Currency: money.USD, Nonce: id, BookedAt: w.now,
			Amount: amount, Link: link, Session: w.session,
			Campaigns: []order.Contribution{{PledgeID: id, CampaignSlug: slug, Lines: lines, Totals: totals,
				EndsAt: c.EndsAt(w.svc.Zone).UTC(), Goal: c.Goal}}})
	w.ok(err)
	w.ok(w.svc.Orders.Attach(w.ctx, id, "cs_"+id))
	_, _, err = w.svc.Orders.Confirm(w.ctx, id, "cs_"+id, o.Hash, saved, false)
	w.ok(err)
	o, err = w.svc.Orders.Get(w.ctx, id)
	w.ok(err)
	_, err = w.svc.Projector.Book(w.ctx, o.Pledges[0], "")
	w.ok(err)
	w.pledgesOf[name] = append(w.pledgesOf[name], id)
	w.now = w.now.Add(time.Second)
	return id
}

func (w *fixture) cancel(name string, nth int) {
	w.t.Helper()
	p, err := w.svc.Orders.Cancel(w.ctx, w.pledgesOf[name][nth], "test", time.Time{})
	w.ok(err)
	_, err = w.svc.Projector.Book(w.ctx, p, "")
	w.ok(err)
}

// newCard replaces the card of a supporter's pledge without a retry.
func (w *fixture) newCard(name, card string, nth int) {
	w.t.Helper()
	id := w.pledgesOf[name][nth]
	w.now = w.now.Add(time.Second)
	session := fmt.Sprintf("cs_new_%s_%d", id, w.orders)
	w.ok(w.svc.Orders.StartCard(w.ctx, id, session))
	p, err := w.svc.Orders.ReplaceCard(w.ctx, id, session, w.saveCard(name, card))
	w.ok(err)
	_, err = w.svc.Projector.Book(w.ctx, p, "")
	w.ok(err)
}

// approved handles the return of a supporter from the payment page.
func (w *fixture) approved(name string) error {
	return w.svc.Approved(w.ctx, w.pledgeByID(w.pledgesOf[name][0]))
}

func (w *fixture) deadline() {
	c, err := w.catalogue.Campaign("film")
	w.ok(err)
	w.now = c.EndsAt(w.zone).UTC().Add(Margin)
}

func (w *fixture) group(name, slug string) *state.Group {
	w.t.Helper()
	rec, err := state.Client{Coordinator: w.db.Coordinator(), Slug: slug}.Group(w.ctx, state.GroupHash(slug, email(name)))
	w.ok(err)
	return rec.Group
}

func (w *fixture) pledgeByID(id string) *pledge.Pledge {
	w.t.Helper()
	p, err := w.svc.Orders.Pledge(w.ctx, id)
	w.ok(err)
	return p
}

func (w *fixture) completedAt(slug string) (time.Time, bool) {
	w.t.Helper()
	at, ok, err := kv.Read[time.Time](w.ctx, w.svc.Store, "campaign-charged:"+slug)
	w.ok(err)
	return at, ok
}

// mails sends the mails in the outbox, and lists all mails sent so far as "kind name", sorted.
func (w *fixture) mails() []string {
	w.t.Helper()
	_, err := w.svc.Outbox.Drain(w.ctx, 1000)
	w.ok(err)
	out := []string{}
	for _, m := range w.sent {
		if m.Kind == notify.UpdateCard && !strings.Contains(m.Text, w.svc.Links.SiteBase+"/manage/#t=") {
			w.t.Errorf("the mail to %s has no link to another card:\n%s", m.To, m.Text)
		}
		out = append(out, fmt.Sprintf("%s %s", m.Kind, strings.TrimSuffix(m.To, "@example.org")))
	}
	slices.Sort(out)
	return out
}

// sendMails delivers the outbox to the email provider.
func (w *fixture) sendMails() {
	w.t.Helper()
	_, err := w.svc.Outbox.Drain(w.ctx, 1000)
	w.ok(err)
}
