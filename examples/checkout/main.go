// Checkout mounts a complete checkout in an existing net/http server: see shop.go. It keeps
// everything in memory and uses the simulated payment processor. For production, replace memkv with
// sqlitekv.Open or your own store (examples/ownstore), the simulator with stripe.New, and the
// printer with a mail sender (examples/ownmail).
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
		slog.Error("cannot open the shop", "error", err)
		os.Exit(1)
	}
}

func run() error {
	catalogue, err := campaignfile.Load(os.DirFS("examples/site"))
	if err != nil {
		return err
	}
	secret := make([]byte, token.MinSecret) // signs links; a real program stores its secret
	if _, err := rand.Read(secret); err != nil {
		return err
	}
	processor := sim.New(sim.Options{Now: time.Now, NoLimits: true, WebhookSecret: webhookSecret})
	s, handler, err := shop(processor.Processor(), func() *campaign.Catalogue { return catalogue },
		printer{}, nexus{}, secret, time.Now)
	if err != nil {
		return err
	}
	go func() {
		for range time.Tick(time.Minute) {
			if _, err := s.Minute(context.Background()); err != nil {
				slog.Error("periodic work failed", "error", err)
			}
		}
	}()
	slog.Info("listening on http://127.0.0.1:8080")
	server := http.Server{Addr: "127.0.0.1:8080", Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}

// signedIn reports whether a request has the operator key as its Basic password. A real program
// checks its own sessions here.
func signedIn(r *http.Request) bool {
	key := os.Getenv("OPERATOR_KEY")
	_, given, _ := r.BasicAuth()
	return key != "" && subtle.ConstantTimeCompare([]byte(key), []byte(given)) == 1
}

// nexus implements tax.Provider: five percent of the items, but not of shipping, in New Mexico,
// where the seller has an office.
type nexus struct{}

func (nexus) Quote(_ context.Context, r tax.Request) (tax.Quote, error) {
	q := tax.Quote{Status: tax.Quoted, Provider: "nexus", Source: "own rates"}
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

// printer implements notify.Sender. It logs each mail's recipient and subject.
type printer struct{}

func (printer) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	slog.Info("mail", "to", m.To, "subject", m.Subject)
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}, nil
}
