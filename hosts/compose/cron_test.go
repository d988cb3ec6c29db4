package compose_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

const game = "tidepool-traders"

func newHost(t *testing.T, o memory.Options) *memory.Host {
	t.Helper()
	o.Campaigns = os.DirFS("../../examples/site")
	h, err := memory.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// bigCart returns a cart large enough to reach the campaign's goal.
func bigCart() checkout.Cart {
	many := 20
	return checkout.Cart{
		CampaignSlug: game, Items: []checkout.Item{{ID: game + "__the-game", Quantity: &many}},
		ShippingAddress: &pledge.Address{Name: "A supporter", Line1: "1 Shore Road", City: "Taos",
			State: "NM", PostalCode: "87571", Country: "US"},
	}
}

func fund(t *testing.T, h *memory.Host, email string) string {
	t.Helper()
	started, err := h.Pledge(context.Background(), checkout.StartRequest{Email: email, Cart: bigCart()}, "")
	if err != nil {
		t.Fatal(err)
	}
	return started.Campaigns[0].OrderID
}

// Proves CRN-01, KVR-20.
func TestCron_RecordsRun(t *testing.T) {
	h := newHost(t, memory.Options{})
	ctx := context.Background()
	if s, err := h.Services.CronStatus(ctx); err != nil || s.LastRun != nil {
		t.Fatalf("before the first run: %+v, %v", s, err)
	}
	for range 2 {
		h.Advance(time.Hour)
		if _, err := h.Services.Cron(ctx); err != nil {
			t.Fatal(err)
		}
		b, err := h.Services.Stores.Pledges.Get(ctx, "cron:lastRun")
		var at time.Time
		if err != nil || json.Unmarshal(b, &at) != nil || !at.Equal(h.Now()) {
			t.Errorf("cron:lastRun = %s (%v), want %s", b, err, h.Now())
		}
		if s, err := h.Services.CronStatus(ctx); err != nil || s.LastRun == nil || !s.LastRun.Equal(h.Now()) {
			t.Errorf("status = %+v, %v", s, err)
		}
	}
}

// Proves CRN-05, SET-05.
func TestCron_SettlesDueCampaignUnderLease(t *testing.T) {
	h := newHost(t, memory.Options{})
	ctx := context.Background()
	fund(t, h, "a@example.com")
	if r, err := h.Services.Cron(ctx); err != nil || len(r.Settling) != 0 {
		t.Fatalf("before the deadline: %+v, %v", r, err)
	}
	h.Advance(48 * time.Hour)

	// While another run has the campaign's lease, Cron skips the campaign.
	held := kv.Object{Class: "settlement", Name: game}
	if _, err := h.Services.Coordinator.Do(ctx, held,
		kv.Envelope{ID: "hold", Kind: "acquire", Body: []byte(`{"owner":"another"}`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Services.Settlement.Settle(ctx, game, false); !fault.Is(err, fault.Busy) {
		t.Fatalf("a second run acquired the lease: %v", err)
	}
	if _, err := h.Services.Cron(ctx); err != nil {
		t.Fatal(err)
	}
	if got := len(h.Sim.Entries()); got != 0 {
		t.Fatalf("Cron made %d charges during another run", got)
	}
	h.Advance(time.Hour) // the other run's lease has expired
	if r, err := h.Services.Cron(ctx); err != nil || len(r.Settling) != 1 || r.Settling[0] != game {
		t.Fatalf("after the deadline: %+v, %v", r, err)
	}
	for range 3 {
		if _, err := h.Services.Cron(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	if got := len(h.Sim.Entries()); got != 1 {
		t.Errorf("the processor has %d charges, want 1", got)
	}
}

func TestCron_SettlementDisabled(t *testing.T) {
	h := newHost(t, memory.Options{Env: map[string]string{"SETTLEMENT_ENABLED": "false"}})
	fund(t, h, "a@example.com")
	h.Advance(48 * time.Hour)
	if r, err := h.Services.Cron(context.Background()); err != nil || len(r.Settling) != 0 || len(h.Sim.Entries()) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCron_RepairsProjections(t *testing.T) {
	h := newHost(t, memory.Options{})
	ctx := context.Background()
	fund(t, h, "a@example.com")
	if _, err := h.Services.Cron(ctx); err != nil {
		t.Fatal(err)
	}
	if err := h.Services.Stores.Pledges.Apply(ctx,
		[]kv.Write{kv.Put("stats:"+game, []byte(`{"pledgedAmount":1}`))}); err != nil {
		t.Fatal(err)
	}
	r, err := h.Services.Cron(ctx)
	if err != nil || len(r.Rebuilt) != 1 || r.Rebuilt[0] != game {
		t.Errorf("rebuilt = %v, %v", r.Rebuilt, err)
	}
	if d, err := h.Services.Projector.Check(ctx, game); err != nil || !d.InSync {
		t.Errorf("after it: %+v, %v", d, err)
	}
}

func TestNew_RejectsInvalidDeps(t *testing.T) {
	h := newHost(t, memory.Options{})
	for name, change := range map[string]func(*compose.Deps){
		"live":          func(d *compose.Deps) { d.Config.Mode.App = "live" },
		"local_tax_api": func(d *compose.Deps) { d.Tax, d.Config.Tax.Provider = nil, "local_tax_api" },
		"TAX_COLLECT": func(d *compose.Deps) {
			d.Tax, d.Config.Tax.Provider, d.Config.Tax.Collect = nil, "offline_rules", "US-QQ"
		},
		"Sender": func(d *compose.Deps) { d.Sender = nil },
	} {
		d := h.Services.Deps
		change(&d)
		if _, err := compose.New(d); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := compose.New(h.Services.Deps); err != nil {
		t.Error(err)
	}
}

// The configured rate changes the quotes of the flat provider only, for every destination.
//
// Proves CFG-20.
func TestNew_SalesTaxRateAppliesToFlatProviderOnly(t *testing.T) {
	d := newHost(t, memory.Options{}).Services.Deps
	quoted := func(provider, rate string) map[pledge.Address]money.Cents {
		t.Helper()
		var err error
		if d.Config.Pricing.SalesTaxRate, err = money.ParseRate(rate); err != nil {
			t.Fatal(err)
		}
		d.Tax, d.TaxLookup, d.Config.Tax.Provider = nil, noAnswer{}, provider
		s, err := compose.New(d)
		if err != nil {
			t.Fatal(err)
		}
		taxes := map[pledge.Address]money.Cents{}
		for _, to := range []pledge.Address{
			{}, {Country: "DE", PostalCode: "10115"}, {Country: "US", PostalCode: "10001"}, {Country: "US", PostalCode: "87501"},
			{Country: "US", PostalCode: "87399", City: "Nowhere", Line1: "1 Main Street"},
		} {
			q, err := s.Tax.Quote(t.Context(), tax.Request{Destination: to, At: d.Now(),
				Lines: []pledge.Line{{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 10_000}}})
			if err != nil {
				t.Fatal(err)
			}
			taxes[to] = q.Tax
		}
		return taxes
	}
	for provider, moves := range map[string]bool{config.TaxFlat: true, config.TaxRules: false,
		config.TaxNMGRT: false, config.TaxLocal: false} {
		low, high := quoted(provider, "0.1"), quoted(provider, "0.2")
		for to := range low {
			if moves && (low[to] != 1000 || high[to] != 2000) || !moves && low[to] != high[to] {
				t.Errorf("%s, to %+v: %s at a rate of 0.1, %s at 0.2", provider, to, low[to], high[to])
			}
		}
	}
}

// noAnswer is a tax rate lookup whose service is down.
type noAnswer struct{}

func (noAnswer) Rates(context.Context, tax.Address) (tax.LocalRates, error) {
	return tax.LocalRates{}, errors.New("it is away")
}

// If reconciliation is enabled, every settled campaign is reconciled once a day, and a difference
// opens a break.
func TestReconcile_Daily(t *testing.T) {
	for _, on := range []string{"true", "false"} {
		h := newHost(t, memory.Options{Env: map[string]string{"PAYMENT_RECONCILIATION_ENABLED": on}})
		ctx := context.Background()
		fund(t, h, "a@example.com")
		h.Advance(48 * time.Hour)
		runs := 0
		for range 50 {
			r, err := h.Services.Cron(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err := h.Settle(ctx); err != nil {
				t.Fatal(err)
			}
			runs += len(r.Reconciled)
			h.Advance(time.Hour)
		}
		report, err := h.Services.Reconcile.Report(ctx, game)
		if want := map[string]int{"true": 3, "false": 0}[on]; err != nil || runs != want ||
			report.Pass != want || report.OpenBreaks != 0 {
			t.Errorf("reconciliation enabled: %s, %d passes in 50 hours, %+v, %v", on, runs, report, err)
		}
	}
}

// A pass recorded while the clock was wrong does not delay the next one.
func TestReconcile_AfterWrongClock(t *testing.T) {
	h := newHost(t, memory.Options{Env: map[string]string{"PAYMENT_RECONCILIATION_ENABLED": "true"}})
	fund(t, h, "a@example.com")
	h.Advance(48 * time.Hour)
	for _, step := range []struct {
		passes time.Duration
		want   []string
	}{{0, nil}, {13 * 24 * time.Hour, []string{game}}, {-10 * 24 * time.Hour, []string{game}}} {
		h.Advance(step.passes)
		r, err := h.Services.Cron(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if step.want != nil && !slices.Equal(r.Reconciled, step.want) {
			t.Errorf("%s: reconciled %v, want %v", step.passes, r.Reconciled, step.want)
		}
	}
}

// inLiveMode returns the host's services on the same stores, with a processor in live mode.
func inLiveMode(t *testing.T, h *memory.Host, reconcile bool) (*compose.Services, *sim.Sim) {
	t.Helper()
	processor := sim.New(sim.Options{Mode: psp.Live, Now: h.Now, NoLimits: true})
	d := h.Services.Deps
	d.Config.Mode.App, d.Config.Settlement.Reconcile = psp.Live, reconcile
	d.Processor, d.Next = processor.Processor(), nil
	s, err := compose.New(d)
	if err != nil {
		t.Fatal(err)
	}
	return s, processor
}

// Proves REC-18, CRN-02.
func TestReconcile_DailyInLiveMode(t *testing.T) {
	for reconcile, want := range map[bool]int{true: 3, false: 0} {
		h := newHost(t, memory.Options{})
		s, processor := inLiveMode(t, h, reconcile)
		ctx := t.Context()
		started, err := s.Checkout.Start(ctx, checkout.StartRequest{Email: "a@example.com", Cart: bigCart()})
		if err != nil {
			t.Fatal(err)
		}
		if err := processor.Complete(started.SessionID, sim.CardOK); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Checkout.Complete(ctx,
			checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID}); err != nil {
			t.Fatal(err)
		}
		h.Advance(48 * time.Hour)
		runs := []time.Time{}
		for range 50 {
			r, err := s.Cron(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Reconciled) > 0 {
				runs = append(runs, h.Now())
			}
			h.Advance(time.Hour)
		}
		if len(runs) != want || want == 3 && (runs[1].Sub(runs[0]) != 24*time.Hour || runs[2].Sub(runs[1]) != 24*time.Hour) {
			t.Errorf("reconciliation enabled: %t, passes at %v", reconcile, runs)
		}
		if len(processor.Entries()) != 1 {
			t.Errorf("%d charges", len(processor.Entries()))
		}
	}
}

// A pledge whose booking was interrupted and completed only after the deadline is charged by the
// first settlement, even if an operator starts it before the scheduled work has run.
func TestSettle_InterruptedBookingIsCharged(t *testing.T) {
	cut := false
	h := newHost(t, memory.Options{Fail: func(op memkv.Op) error {
		if cut && op.Kind == memkv.OpDo && op.Command.Kind == "book" && op.Object.Name == game {
			return errors.New("cut")
		}
		return nil
	}})
	ctx := context.Background()
	fund(t, h, "a@example.com")
	cut = true
	if _, err := h.Pledge(ctx, checkout.StartRequest{Email: "b@example.com", Cart: bigCart()}, ""); err == nil {
		t.Fatal("the booking was not interrupted")
	}
	cut = false
	h.Advance(48 * time.Hour)
	if _, err := h.Services.Settlement.Settle(ctx, game, false); err != nil {
		t.Fatal(err)
	}
	if got := len(h.Sim.Entries()); got != 2 {
		t.Errorf("the processor has %d charges, want 2", got)
	}
}
