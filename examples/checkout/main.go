// Checkout mounts two services of Pledgeworks, checkout and settlement, under
// routes of somebody's own server. Everything else of it stays out: no
// configuration, no route table, no command line. It runs on the simulated
// processor and in memory; for real money, hand it stripe.New and sqlitekv.
//
//	go run ./examples/checkout
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax/flat"
)

const webhookSecret = "whsec_example"

func main() {
	if err := run(); err != nil {
		slog.Error("the shop cannot open", "error", err)
		os.Exit(1)
	}
}

func run() error {
	catalogue, err := campaignfile.Load(os.DirFS("examples/site"))
	if err != nil {
		return err
	}
	s, err := newShop(catalogue, time.Now)
	if err != nil {
		return err
	}
	slog.Info("listening on http://127.0.0.1:8080")
	server := http.Server{Addr: "127.0.0.1:8080", Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}

// shop is the part of somebody's program that takes pledges.
type shop struct {
	checkout   *checkout.Service
	settlement *settlement.Service
	processor  *sim.Sim
}

func newShop(catalogue *campaign.Catalogue, now func() time.Time) (*shop, error) {
	campaigns := inventory.NewClass()
	vote.Register(campaigns)
	db := memkv.New(memkv.Options{Now: now, Classes: []*kv.Class{order.NewClass(), campaigns, settlement.NewClass()}})
	processor := sim.New(sim.Options{Now: now, NoLimits: true, WebhookSecret: webhookSecret})
	rate, err := money.ParseRate("0.07875")
	if err != nil {
		return nil, err
	}
	secret := make([]byte, token.MinSecret)
	if _, err := io.ReadFull(rand.Reader, secret); err != nil {
		return nil, err
	}

	store, objects := db.Store("PLEDGES"), db.Coordinator()
	orders, stock := order.Client{Coordinator: objects}, inventory.Client{Coordinator: objects}
	current := func() *campaign.Catalogue { return catalogue }
	projector := projection.New(projection.Deps{
		Store: store, Votes: db.Store("VOTES"), Orders: orders, Inventory: stock,
		Catalogue: current, Zone: time.UTC, Now: now,
	})
	outbox := &notify.Outbox{Store: store, Sender: printer{}, Now: now, From: "pledges@example.org"}
	links := notify.Links{SiteBase: "http://127.0.0.1:8080", Signer: token.Signer{Secret: secret}}
	logger := slog.Default()

	s := &shop{processor: processor}
	s.settlement = &settlement.Service{
		Store: store, Coordinator: objects, Orders: orders, Inventory: stock, Projector: projector,
		Processor: processor.Processor(), Outbox: outbox, Links: links,
		Catalogue: current, Zone: time.UTC, Now: now, Rand: rand.Reader, Log: logger,
	}
	s.checkout = &checkout.Service{
		Store: store, Orders: orders, Inventory: stock, Votes: vote.Client{Coordinator: objects},
		Projector: projector, Processor: processor.Processor(), Outbox: outbox, Links: links,
		Tax: flat.Provider{Rate: rate}, Shipping: shipping.Rules{FlatRate: 300, OriginCountry: "US"},
		Catalogue: current, Intents: token.Signer{Secret: secret}, Retry: s.settlement.RetryCard,
		Settings: checkout.Settings{
			Zone: time.UTC, SiteBase: links.SiteBase, DefaultTip: 0, MaxTip: 15,
			PublishableKey: "pk_test_example", WebhookSecret: webhookSecret, TestMode: true,
		},
		Now: now, Rand: rand.Reader, Log: logger,
	}
	return s, nil
}

// routes are the program's own. What guards them (origin, limits, sign-in) is
// its business too; hosts/httpapi has all of it for those who want it.
func (s *shop) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /shop/pledge", func(w http.ResponseWriter, r *http.Request) {
		var in checkout.StartRequest
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&in); err != nil {
			answer(w, nil, fault.New(fault.Invalid, "Invalid JSON"))
			return
		}
		out, err := s.checkout.Start(r.Context(), in)
		answer(w, out, err)
	})
	mux.HandleFunc("POST /shop/webhook", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 256<<10))
		if err != nil {
			return
		}
		out, err := s.checkout.Webhook(r.Context(), body, r.Header.Get("Psp-Signature"))
		answer(w, out, err)
	})
	mux.HandleFunc("POST /back-office/settle/{slug}", func(w http.ResponseWriter, r *http.Request) {
		out, err := s.settlement.Settle(r.Context(), r.PathValue("slug"), r.URL.Query().Has("dryRun"))
		answer(w, out, err)
	})
	return mux
}

// answer writes a result, or a failure with a status of this program's choice.
func answer(w http.ResponseWriter, v any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		status := http.StatusInternalServerError
		switch fault.CodeOf(err) {
		case fault.Invalid:
			status = http.StatusBadRequest
		case fault.Unauthorized:
			status = http.StatusUnauthorized
		case fault.NotFound:
			status = http.StatusNotFound
		case fault.Conflict, fault.SoldOut, fault.Busy:
			status = http.StatusConflict
		case fault.Unavailable:
			status = http.StatusServiceUnavailable
		}
		w.WriteHeader(status)
		if v = any(fault.Of(err)); fault.Of(err) == nil {
			slog.Error("a request failed", "error", err)
			v = map[string]string{"error": "Internal error"}
		}
	}
	_ = json.NewEncoder(w).Encode(v) // a client that has gone wants no answer
}

// printer sends mails to the log.
type printer struct{}

func (printer) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	slog.Info("mail", "to", m.To, "subject", m.Subject)
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}, nil
}
