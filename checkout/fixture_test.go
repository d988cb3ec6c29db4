package checkout_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/notify/reminder"
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
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

const webhookSecret = "whsec_test"

// fixture is a complete installation in memory with one clock.
type fixture struct {
	t   *testing.T
	ctx context.Context
	db  *memkv.DB
	sim *sim.Sim
	svc *checkout.Service
	log *strings.Builder

	mu         sync.Mutex
	now        time.Time
	files      fstest.MapFS
	cat        *campaign.Catalogue
	drawn      uint64
	eventsSent int // events created by the test
	fail       func(memkv.Op) error
}

func newFixture(t *testing.T) *fixture { return newStaleFixture(t, 0) }

// newStaleFixture returns a fixture whose store may return reads that are out of date by up to
// stale.
func newStaleFixture(t *testing.T, stale time.Duration) *fixture {
	t.Helper()
	w := &fixture{t: t, ctx: context.Background(), now: time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC),
		files: files(), log: &strings.Builder{}}
	w.reload()
	class := inventory.NewClass()
	vote.Register(class)
	orders := order.NewClass()
	kv.On(orders, alter)
	w.db = memkv.New(memkv.Options{
		Now:     w.clock,
		Stale:   stale,
		Classes: []*kv.Class{orders, class},
		Fail: func(op memkv.Op) error {
			w.mu.Lock()
			fail := w.fail
			w.mu.Unlock()
			if fail == nil {
				return nil
			}
			return fail(op)
		},
	})
	w.sim = sim.New(sim.Options{Now: w.clock, Seed: 1, WebhookSecret: webhookSecret, NoLimits: true})
	w.restart()
	return w
}

func (w *fixture) reload() {
	w.t.Helper()
	cat, err := campaignfile.Load(w.files)
	if err != nil {
		w.t.Fatal(err)
	}
	w.cat = cat
}

// restart starts a new process on the durable state.
func (w *fixture) restart() {
	store, votes, co := w.db.Store("PLEDGES"), w.db.Store("VOTES"), w.db.Coordinator()
	orders, inv := order.Client{Coordinator: co}, inventory.Client{Coordinator: co}
	catalogue := func() *campaign.Catalogue { return w.cat }
	links := mailtext.Links{SiteBase: "https://site.example",
		Signer: token.Signer{Secret: []byte(strings.Repeat("m", 32))}}
	w.svc = &checkout.Service{
		Store: store, Orders: orders, Inventory: inv, Votes: vote.Client{Coordinator: co},
		Projector: projection.New(projection.Deps{
			Store: store, Votes: votes, Orders: orders, Inventory: inv, Catalogue: catalogue, Zone: time.UTC,
			Now: w.clock,
		}),
		Processor: w.sim.Processor(),
		Tax:       taxed{rate: "0.10"},
		Shipping:  shipping.Rules{FlatRate: 300, OriginCountry: "US"},
		Outbox:    &notify.Outbox{Store: store, Now: w.clock, From: "Pledges <pledges@site.example>"},
		Links:     links,
		Catalogue: catalogue,
		Settings: checkout.Settings{
			Zone: time.UTC, SiteBase: "https://site.example", DefaultTip: 5, MaxTip: 15,
			PublishableKey: "pk_test_1", WebhookSecret: webhookSecret,
		},
		Intents: token.Signer{Secret: []byte(strings.Repeat("c", 32))},
		Carts:   &reminder.Carts{Store: store, Now: w.clock, Delay: reminder.DefaultDelay},
		Now:     w.clock, Rand: (*random)(w),
		Log: slog.New(slog.NewTextHandler((*logged)(w), nil)),
	}
}

// taxed is a tax provider with one rate. An address in Canada needs a postal code, and for one in
// Antarctica the tax is unavailable.
type taxed struct{ rate string }

func (x taxed) Quote(_ context.Context, r tax.Request) (tax.Quote, error) {
	rate, err := money.ParseRate(x.rate)
	if err != nil {
		return tax.Quote{}, err
	}
	if r.Destination.Country == "CA" && r.Destination.PostalCode == "" {
		return tax.Quote{Status: tax.NeedsInput, Missing: []string{"postalCode"}, Provider: "test"}, nil
	}
	if r.Destination.Country == "AQ" {
		return tax.Quote{Status: tax.Unavailable, Provider: "test"}, nil
	}
	var base money.Cents
	for _, l := range r.Lines {
		if l.Kind != pledge.ShippingLine {
			base += l.Amount
		}
	}
	due := rate.Of(base)
	return tax.Quote{
		Status: tax.Quoted, Tax: due, Base: base, Provider: "test", Source: "a test", AsOf: "2026-01-01",
		Breakdown: []tax.Part{{Label: "Tax", Rate: rate, Base: base, Tax: due}},
	}, nil
}

// logged writes to the fixture's log.
type logged fixture

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(b)
}

func (w *fixture) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *fixture) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// random is a source of random bytes that are the same in every run.
type random fixture

func (r *random) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for n < len(b) {
		var in [8]byte
		binary.BigEndian.PutUint64(in[:], r.drawn)
		r.drawn++
		sum := sha256.Sum256(in[:])
		n += copy(b[n:], sum[:])
	}
	return n, nil
}

var _ io.Reader = (*random)(nil)

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		return v
	}
}

func request(email string, items ...checkout.Item) checkout.StartRequest {
	return checkout.StartRequest{Email: email, Cart: checkout.Cart{CampaignSlug: "film", Items: items}}
}

func seats(n int) checkout.Item { return checkout.Item{ID: "film__seat", Quantity: &n} }

func one(id string) checkout.Item { return checkout.Item{ID: id} }

func (w *fixture) start(r checkout.StartRequest) checkout.Started {
	w.t.Helper()
	return must[checkout.Started](w.t)(w.svc.Start(w.ctx, r))
}

// save enters a valid card into a session.
func (w *fixture) save(sessionID string) {
	w.t.Helper()
	if err := w.sim.Complete(sessionID, sim.CardOK); err != nil {
		w.t.Fatal(err)
	}
}

// deliver delivers the processor's pending events once and returns the last
// error.
func (w *fixture) deliver() error {
	var last error
	for _, d := range w.sim.Due() {
		if d.Type == "customer.updated" { // caused by each write of the terms; no endpoint subscribes to it
			w.sim.RecordResponse(d, 200)
			continue
		}
		_, err := w.svc.Webhook(w.ctx, d.Body, d.Signature)
		if err != nil {
			last = err
			continue
		}
		w.sim.RecordResponse(d, 200)
	}
	return last
}

// pledge starts a checkout, saves the card and delivers the webhooks.
func (w *fixture) pledge(r checkout.StartRequest) checkout.Started {
	w.t.Helper()
	s := w.start(r)
	w.save(s.SessionID)
	if err := w.deliver(); err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *fixture) read(pledgeID string) *pledge.Pledge {
	w.t.Helper()
	return must[*pledge.Pledge](w.t)(w.svc.Orders.Pledge(w.ctx, pledgeID))
}

// link returns the token of the pledge's manage link.
func (w *fixture) link(pledgeID string) string {
	w.t.Helper()
	p := w.read(pledgeID)
	return must[string](w.t)(w.svc.Links.Signer.Sign(token.Claims{
		Scope: token.Manage, OrderID: p.OrderID, Email: p.Email, CampaignSlug: p.CampaignSlug,
		Expires: w.clock().Add(token.ManageLife),
	}))
}

func (w *fixture) snapshot(object string) inventory.Snapshot {
	w.t.Helper()
	return must[inventory.Snapshot](w.t)(w.svc.Inventory.Snapshot(w.ctx, object))
}

func (w *fixture) stock(object, item string) inventory.Stock { return w.snapshot(object).Stock[item] }

// dump returns the complete content of the database.
func (w *fixture) dump() string {
	w.t.Helper()
	return fmt.Sprint(w.db.Snapshot())
}

// value returns a record of the primary store, and whether it exists.
func (w *fixture) value(key string) (string, bool) {
	w.t.Helper()
	b, err := w.svc.Store.Get(w.ctx, key)
	if fault.Is(err, fault.NotFound) {
		return "", false
	}
	return string(must[[]byte](w.t)(b, err)), true
}

// evidenceTime matches the time of an event, which depends on when a change
// completed.
var evidenceTime = regexp.MustCompile(`^(processor-event:v1:)[0-9TZ]+:`)

// finalState returns the installation's state without times, versions and other data that depends
// on the order of the steps.
func (w *fixture) finalState() string {
	w.t.Helper()
	var b strings.Builder
	for _, object := range []string{"film", "game", inventory.Platform} {
		s := w.snapshot(object)
		s.Totals.Version, s.Totals.NewestAt = 0, time.Time{}
		for item, stock := range s.Stock {
			if stock == (inventory.Stock{}) {
				delete(s.Stock, item)
			}
		}
		for item, given := range s.Support {
			if given == 0 {
				delete(s.Support, item)
			}
		}
		for status, n := range s.Totals.Statuses {
			if n == 0 {
				delete(s.Totals.Statuses, status)
			}
		}
		text, _ := json.Marshal(s)
		fmt.Fprintf(&b, "%s %s\n", object, text)
		for _, id := range must[[]string](w.t)(w.svc.Inventory.Listed(w.ctx, object, 0, 100)) {
			if object != inventory.Platform {
				p := w.read(id)
				fmt.Fprintf(&b, "%s %s %d %v %s %v %s\n", id, p.Status, p.Revision, p.Totals,
					p.PaymentMethodID, p.Lines, storedStatus(w, id))
			}
		}
	}
	var keys []string
	for _, e := range w.db.Snapshot().Stores["PLEDGES"] {
		if !strings.HasPrefix(e.Key, "add-on-inventory") &&
			!strings.HasPrefix(e.Key, "email-queue:") { // contains a time
			keys = append(keys, evidenceTime.ReplaceAllString(e.Key, "$1"))
		}
	}
	slices.Sort(keys)
	fmt.Fprintln(&b, strings.Join(keys, "\n"))
	for _, slug := range []string{"film", "game"} {
		for _, d := range must[projection.Drift](w.t)(w.svc.Projector.Check(w.ctx, slug)).Differences {
			fmt.Fprintln(&b, "drift", d.Key)
		}
	}
	return b.String()
}

// storedStatus returns the status in the pledge's stored record.
func storedStatus(w *fixture, id string) string {
	p, ok, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
	if err != nil || !ok {
		return "no record"
	}
	return fmt.Sprint(p.Status, p.Revision)
}

func codeOf(err error) fault.Code { return fault.CodeOf(err) }

func keys(entries []kv.Entry, prefix string) []string {
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Key, prefix) {
			out = append(out, e.Key)
		}
	}
	slices.Sort(out)
	return out
}

// shipped returns the request with a shipping address.
func shipped(r checkout.StartRequest) checkout.StartRequest {
	r.ShippingAddress = homeAddress()
	return r
}

// sorted sorts the lines of a text.
func sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// permutations returns all permutations of n items.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, p := range permutations(n - 1) {
		for i := range n {
			all = append(all, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return all
}
