// Checkout mounts all of a checkout in somebody's own net/http server: shop.go is all that
// it takes. It runs in memory on the simulated processor, and what it is given can be
// replaced part by part: sqlitekv.Open or a store of one's own (examples/ownstore) for
// memkv, stripe.New for the simulator, a sender (examples/ownmail) for the printer.
//
//	go run ./examples/checkout
package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/tax"
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
	secret := make([]byte, token.MinSecret) // a real shop keeps its own: links are signed with it
	if _, err := rand.Read(secret); err != nil {
		return err
	}
	processor := sim.New(sim.Options{Now: time.Now, NoLimits: true, WebhookSecret: webhookSecret})
	s, handler, err := shop(processor.Processor(), func() *campaign.Catalogue { return catalogue }, printer{}, nexus{}, secret, time.Now)
	if err != nil {
		return err
	}
	go func() {
		for range time.Tick(time.Minute) {
			if err := s.Minute(context.Background()); err != nil {
				slog.Error("the minute's work", "error", err)
			}
		}
	}()
	slog.Info("listening on http://127.0.0.1:8080")
	server := http.Server{Addr: "127.0.0.1:8080", Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}

// signedIn is how this program knows its operators.
func signedIn(r *http.Request) bool {
	key := os.Getenv("OPERATOR_KEY")
	_, given, _ := r.BasicAuth()
	return key != "" && subtle.ConstantTimeCompare([]byte(key), []byte(given)) == 1
}

// nexus is tax by this program's own function: five percent where it has an office.
type nexus struct{}

func (nexus) Quote(_ context.Context, r tax.Request) (tax.Quote, error) {
	q := tax.Quote{Status: tax.Quoted, Provider: "nexus", Source: "the shop's own"}
	if r.Destination.Country != "US" || r.Destination.State != "NM" {
		return q, nil
	}
	rate, err := money.ParseRate("0.05")
	if err != nil {
		return tax.Quote{}, err
	}
	for _, l := range r.Lines {
		if l.Kind != pledge.ShippingLine {
			q.Base += l.Amount
		}
	}
	q.Tax = rate.Of(q.Base)
	q.Breakdown = []tax.Part{{Label: "New Mexico", Rate: rate, Base: q.Base, Tax: q.Tax}}
	return q, nil
}

// printer sends mails to the log.
type printer struct{}

func (printer) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	slog.Info("mail", "to", m.To, "subject", m.Subject)
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}, nil
}
