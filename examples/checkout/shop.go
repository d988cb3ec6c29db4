package main

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"github.com/pledgeworks/pledgeworks"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/embed"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// shop creates and mounts a complete checkout in ten lines.
func shop(p psp.Processor, forSale func() *campaign.Catalogue, mails notify.Sender, taxes tax.Provider,
	secret []byte, now func() time.Time) (*pledgeworks.Services, http.Handler, error) {
	db := memkv.New(memkv.Options{Now: now, Classes: pledgeworks.Classes()})
	s, err := pledgeworks.New(pledgeworks.Parts{
		Store: db.Store("PLEDGES"), Coordinator: db.Coordinator(), Processor: p, WebhookSecret: webhookSecret,
		Catalogue: forSale, Sender: mails, Tax: taxes, Shipping: shipping.Rules{FlatRate: 300, OriginCountry: "US"},
		Site: "http://127.0.0.1:8080", Secret: secret, Now: now, Rand: rand.Reader, Log: slog.Default(),
	})
	if err != nil {
		return nil, nil, err
	}
	return s, embed.Handler(s, embed.Options{Operator: signedIn}), nil
}
