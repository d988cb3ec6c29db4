package checkout_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// A supporter pledges: the cart becomes a checkout, the processor's page saves a
// card, and the webhook creates the pledge. Nothing is charged.
func Example() {
	ctx := context.Background()
	now := func() time.Time { return time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC) }
	catalogue, err := campaignfile.Load(fstest.MapFS{"campaigns/film.md": {Data: []byte(filmFile)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	classes := inventory.NewClass()
	vote.Register(classes)
	db := memkv.New(memkv.Options{Now: now, Classes: []*kv.Class{order.NewClass(), classes}})
	processor := sim.New(sim.Options{Now: now, WebhookSecret: webhookSecret})

	store, objects := db.Store("PLEDGES"), db.Coordinator()
	orders, stock := order.Client{Coordinator: objects}, inventory.Client{Coordinator: objects}
	current := func() *campaign.Catalogue { return catalogue }
	s := &checkout.Service{
		Store: store, Orders: orders, Inventory: stock, Votes: vote.Client{Coordinator: objects},
		Projector: projection.New(projection.Deps{
			Store: store, Votes: db.Store("VOTES"), Orders: orders, Inventory: stock,
			Catalogue: current, Zone: time.UTC, Now: now,
		}),
		Processor: processor.Processor(),
		Tax:       taxed{rate: "0.07875"},
		Shipping:  shipping.Rules{FlatRate: 300, OriginCountry: "US"},
		Outbox:    &notify.Outbox{Store: store, Now: now, From: "pledges@site.example"},
		Links: mailtext.Links{SiteBase: "https://site.example",
			Signer: token.Signer{Secret: bytes.Repeat([]byte("m"), 32)}},
		Catalogue: current,
		Settings: checkout.Settings{Zone: time.UTC, SiteBase: "https://site.example", DefaultTip: 5,
			MaxTip: 15, WebhookSecret: webhookSecret},
		Intents: token.Signer{Secret: bytes.Repeat([]byte("c"), 32)},
		Now:     now, Rand: strings.NewReader(strings.Repeat("use crypto/rand here ", 100)),
		Log: slog.New(slog.DiscardHandler),
	}

	started, err := s.Start(ctx, checkout.StartRequest{
		Email: "supporter@example.org",
		Cart:  checkout.Cart{CampaignSlug: "film", Items: []checkout.Item{{ID: "film__seat"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("to be charged if the film is funded:", started.Amount)
	fmt.Println("saved:", processor.Complete(started.SessionID, sim.CardOK) == nil)
	for _, d := range processor.Due() {
		if _, err := s.Webhook(ctx, d.Body, d.Signature); err != nil {
			fmt.Println(err)
		}
	}
	p, err := orders.Pledge(ctx, started.OrderID)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("pledge:", p.Status, p.Subtotal, "+ tax", p.Tax, "+ tip", p.TipAmount)
	fmt.Println("charges:", len(processor.Entries()))
	// Output:
	// to be charged if the film is funded: $28.22
	// saved: true
	// pledge: active $25.00 + tax $1.97 + tip $1.25
	// charges: 0
}
