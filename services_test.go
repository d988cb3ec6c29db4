package pledgeworks_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

type untaxed struct{}

func (untaxed) Quote(context.Context, tax.Request) (tax.Quote, error) {
	return tax.Quote{Status: tax.Quoted}, nil
}

// live is the simulator in live mode.
type live struct{ psp.Processor }

func (live) Mode() psp.Mode { return psp.Live }

func parts(t testing.TB) pledgeworks.Parts {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }
	db := memkv.New(memkv.Options{Now: now, Classes: pledgeworks.Classes()})
	nothing, err := campaign.NewCatalogue(nil, campaign.PlatformAddOns{})
	if err != nil {
		t.Fatal(err)
	}
	return pledgeworks.Parts{
		Store: db.Store("PLEDGES"), Coordinator: db.Coordinator(), Processor: sim.New(sim.Options{Now: now}).Processor(),
		Sender: notify.Held{}, Tax: untaxed{}, Shipping: shipping.Rules{}, Site: "https://site.example",
		Catalogue: func() *campaign.Catalogue { return nothing },
		Secret:    bytes.Repeat([]byte("s"), 32), Now: now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	}
}

func TestNew_NamesEveryMissingPart(t *testing.T) {
	_, err := pledgeworks.New(pledgeworks.Parts{MaxTip: 101})
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{
		"Store", "Coordinator", "Processor", "Sender", "Tax", "Shipping", "Catalogue", "Now",
		"Rand", "Log", "Secret", "Site", "MaxTip",
	} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not in the error\n%v", name, err)
		}
	}
}

func TestNew_RejectsInvalidParts(t *testing.T) {
	for name, change := range map[string]func(*pledgeworks.Parts){
		"Secret":       func(p *pledgeworks.Parts) { p.Secret = p.Secret[1:] },
		"IntentSecret": func(p *pledgeworks.Parts) { p.IntentSecret = []byte("short") },
		"Site":         func(p *pledgeworks.Parts) { p.Site = "site.example" },
		"an origin":    func(p *pledgeworks.Parts) { p.Site = "https://site.example/shop" },
		"Grouping":     func(p *pledgeworks.Parts) { p.Grouping = "address" },
		"DefaultTip":   func(p *pledgeworks.Parts) { p.DefaultTip, p.MaxTip = 5, 4 },
		"From":         func(p *pledgeworks.Parts) { p.Processor, p.Sender = live{p.Processor}, struct{ notify.Sender }{} },
	} {
		p := parts(t)
		change(&p)
		if _, err := pledgeworks.New(p); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNew_SafeDefaults(t *testing.T) {
	p := parts(t)
	p.Processor = live{p.Processor}
	s, err := pledgeworks.New(p)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Settlement.Mute {
		t.Error("real money moves while mails are held")
	}
	if bytes.Equal(s.Checkout.Intents.Secret, p.Secret) || len(s.Checkout.Intents.Secret) < 32 {
		t.Error("checkout tokens and links have the same key")
	}
	if got := s.Checkout.Settings; got.TestMode || got.MaxTip != 0 || got.Zone != time.UTC {
		t.Errorf("settings %+v", got)
	}
	if s.Settlement.EndCheckouts == nil || s.Settlement.Leases == nil || s.Checkout.Retry == nil ||
		s.Checkout.Approved == nil {
		t.Error("checkout and settlement are not connected")
	}
	if _, err := s.Minute(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestNew_PassesPartsToServices(t *testing.T) {
	p := parts(t)
	zone := time.FixedZone("the platform's", 3600)
	p.Hold, p.Zone, p.DefaultTip, p.MaxTip = true, zone, 5, 15
	p.IntentSecret, p.WebhookSecret = bytes.Repeat([]byte("i"), 32), "whsec_1"
	p.BatchSize, p.SweepSize, p.PageSize, p.SegmentSize = 1, 2, 3, 4
	s, err := pledgeworks.New(p)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Settlement.Disabled || s.Settlement.Zone != zone || s.Settlement.BatchSize != 1 || s.Settlement.SweepSize != 2 {
		t.Errorf("settlement: held %t, in %s, by %d and %d", s.Settlement.Disabled, s.Settlement.Zone,
			s.Settlement.BatchSize, s.Settlement.SweepSize)
	}
	if s.Reconcile.PageSize != 3 || s.Projector.SegmentSize != 4 {
		t.Errorf("pages of %d, segments of %d", s.Reconcile.PageSize, s.Projector.SegmentSize)
	}
	c := s.Checkout
	if c.Settings.DefaultTip != 5 || c.Settings.MaxTip != 15 || c.Settings.WebhookSecret != "whsec_1" ||
		c.Settings.Zone != zone || c.Intents.Secret[0] != 'i' {
		t.Errorf("checkout: %+v", c.Settings)
	}
}

// Minute sends mails until none are due, and reports mails that are left when its time is over.
func TestMinute_Mails(t *testing.T) {
	p := parts(t)
	now := p.Now()
	p.Now = func() time.Time { return now }
	sent := 0
	p.Sender = senderFunc(func(notify.Mail) (notify.Receipt, error) {
		now = now.Add(200 * time.Millisecond)
		sent++
		return notify.Receipt{Outcome: notify.Accepted}, nil
	})
	s, err := pledgeworks.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 450 {
		m := notify.Message{Kind: notify.Confirmation, Identity: fmt.Sprint(i), To: "ada@example.org", Lang: "en",
			Subject: "Hello", Text: "Hello\n"}
		if err := s.Outbox.Queue(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Minute(t.Context())
	if err != nil || r.Mails.Sent != 300 || !r.MailsLeft { // 100 mails take 20 seconds
		t.Errorf("the first minute: %+v, %v; want 300 mails sent and more left", r, err)
	}
	r, err = s.Minute(t.Context())
	if err != nil || r.Mails.Sent != 150 || r.MailsLeft || sent != 450 {
		t.Errorf("the second minute: %+v, %v; want the other 150 sent", r, err)
	}
}

type senderFunc func(notify.Mail) (notify.Receipt, error)

func (f senderFunc) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) { return f(m) }
