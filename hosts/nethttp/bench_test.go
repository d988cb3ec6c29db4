package nethttp_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/passkey/publickey"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

const clients = 64

const benchCampaign = `---
title: Bench
slug: %s
published: true
start_date: 2020-01-01
goal_deadline: 2099-01-01
goal_amount: 1000
tiers:
  - {id: seat, name: Seat, price: 25, stackable: true}
  - {id: few, name: Few, price: 50, limit_total: 1000000}
---
`

// held keeps mails in the outbox, as in an installation without a mail provider.
type held struct{}

func (held) Send(context.Context, notify.Mail) (notify.Receipt, error) {
	return notify.Receipt{Outcome: notify.RetryLater}, nil
}

// subject contains one or several servers to measure, with their processor.
type subject struct {
	url      string   // of the first server
	urls     []string // of all servers
	sim      *sim.Sim
	secret   string
	others   []string          // campaigns in addition to "bench"
	services *compose.Services // only for our own server
	client   *http.Client
	events   atomic.Int64
	people   atomic.Int64
}

func newSubject(b *testing.B, h func(*subject) http.Handler) *subject {
	b.Helper()
	s := &subject{
		sim: sim.New(sim.Options{Now: time.Now, NoLimits: true}), secret: "whsec_bench",
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients, MaxConnsPerHost: clients}},
	}
	s.serve(b, h(s))
	return s
}

// serve adds a server.
func (s *subject) serve(b *testing.B, h http.Handler) {
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	s.urls = append(s.urls, server.URL)
	s.url = s.urls[0]
}

// newServer returns the service as pledged serves it: SQLite with full sync.
func newServer(b *testing.B) *subject {
	return newSubject(b, func(s *subject) http.Handler {
		db, err := sqlitekv.Open(context.Background(), filepath.Join(b.TempDir(), "bench.db"),
			sqlitekv.Options{Now: time.Now, Classes: compose.Classes()})
		check(b, err)
		b.Cleanup(func() { check(b, db.Close()) })
		return s.service(b, compose.Stores{
			Pledges: db.Store("pledges"), Votes: db.Store("votes"),
			RateLimit: memkv.New(memkv.Options{Now: time.Now}).Store("ratelimit"),
		}, db.Coordinator())
	})
}

// service returns the service on an engine.
func (s *subject) service(b *testing.B, stores compose.Stores, coordinator kv.Coordinator) http.Handler {
	fsys := fstest.MapFS{}
	for _, slug := range append([]string{"bench"}, s.others...) {
		fsys["campaigns/"+slug+".md"] = &fstest.MapFile{Data: fmt.Appendf(nil, benchCampaign, slug)}
	}
	catalogue, err := campaignfile.Load(fsys)
	check(b, err)
	cfg, err := config.Demo(rand.Reader, fsys, map[string]string{
		"PSP_WEBHOOK_SECRET_TEST": s.secret, "SALES_TAX_RATE": "0.07875", "SITE_BASE": "http://site.example",
	})
	check(b, err)
	log := slog.New(slog.DiscardHandler)
	s.services, err = compose.New(compose.Deps{
		VerifyKey: publickey.Verify,
		Stores:    stores, Coordinator: coordinator, Processor: s.sim.Processor(), Sender: held{},
		Campaigns: func() *campaign.Catalogue { return catalogue },
		Config:    cfg, Now: time.Now, Rand: rand.Reader, Log: log,
	})
	check(b, err)
	api, err := httpapi.New(s.services, httpapi.Options{})
	check(b, err)
	return nethttp.Handler(api, nethttp.Options{TrustedHeader: "X-Client"})
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// pledge makes a pledge: a checkout, a saved card and a webhook.
func (s *subject) pledge() error {
	person := s.people.Add(1)
	slug := "bench"
	if n := int64(len(s.others)); n > 0 {
		slug = s.others[person%n]
	}
	cart := fmt.Sprintf(
		`{"campaignSlug":%q,"email":"person%d@example.org","items":[{"id":"%s__seat","quantity":2},{"id":"%s__few"}],"tipPercent":5}`,
		slug, person, slug, slug)
	var started struct{ SessionID string }
	if err := s.post("/checkout-intent/start", "", []byte(cart), person, &started); err != nil {
		return err
	}
	if err := s.sim.Complete(started.SessionID, sim.CardOK); err != nil {
		return err
	}
	now := time.Now()
	event := fmt.Appendf(nil,
		`{"id":"evt_%d","object":"event","type":"checkout.session.completed","livemode":false,"created":%d,"data":{"object":{"id":%q,"object":"checkout.session"}}}`,
		s.events.Add(1), now.Unix(), started.SessionID)
	return s.post("/webhooks/psp", sim.Sign(event, s.secret, now), event, person, nil)
}

func (s *subject) post(path, signature string, body []byte, person int64, into any) error {
	r, err := http.NewRequest(http.MethodPost, s.urls[person%int64(len(s.urls))]+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", "http://site.example")
	r.Header.Set("X-Client", fmt.Sprintf("10.%d.%d.%d", person>>16&255, person>>8&255, person&255))
	if signature != "" {
		r.Header.Set("Psp-Signature", signature)
	}
	res, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d: %s", path, res.StatusCode, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

func (s *subject) measure(b *testing.B) {
	b.SetParallelism(clients / runtime.GOMAXPROCS(0))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := s.pledge(); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pledges/s")
}

// BenchmarkPledge measures durable pledges over HTTP with 64 clients, compared with a naive server
// that commits each write separately.
func BenchmarkPledge(b *testing.B) {
	b.Run("server=pledgeworks", func(b *testing.B) { newServer(b).measure(b) })
	b.Run("server=bare", func(b *testing.B) { bare(b).measure(b) })
}

// BenchmarkPledgeInCampaignOf measures a pledge to a campaign that already has pledges.
func BenchmarkPledgeInCampaignOf(b *testing.B) {
	for _, size := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprintf("pledges=%d", size), func(b *testing.B) {
			s := filled(b, size)
			s.measure(b)
		})
	}
}

// filled returns a server whose campaign has pledges of different supporters, created directly in
// the objects.
func filled(b *testing.B, size int) *subject {
	b.Helper()
	s := newServer(b)
	var next atomic.Int64
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for n := next.Add(1); n <= int64(size); n = next.Add(1) {
				if err := s.fill(n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return s
}

func (s *subject) fill(n int64) error {
	ctx, now, p := context.Background(), time.Now(), s.services.Projector
	id, err := pledge.NewOrderID(now, rand.Reader)
	if err != nil {
		return err
	}
	lines := []pledge.Line{{Kind: pledge.TierLine, ID: "seat", Name: "Seat", Quantity: 1, UnitPrice: 2500, Amount: 2500}}
	totals, err := pledge.CalculateTotals(lines, 197, 0, pledge.Tip{Percent: 5})
	if err != nil {
		return err
	}
	o, err := p.Orders.Open(ctx, order.Manifest{
		OrderID: id, Email: fmt.Sprintf("filler%d@example.org", n), Currency: money.USD, BookedAt: now, Amount: totals.Amount,
		Campaigns: []order.Contribution{{PledgeID: id, CampaignSlug: "bench", Lines: lines, Totals: totals}},
	})
	if err != nil {
		return err
	}
	if err := p.Orders.Attach(ctx, id, "cs_"+id); err != nil {
		return err
	}
	_, _, err = p.Orders.Confirm(ctx, id, "cs_"+id, o.Hash,
		order.Card{CustomerID: "cus", PaymentMethodID: "pm", SavedAt: now}, false)
	if err != nil {
		return err
	}
	if o, err = p.Orders.Get(ctx, id); err != nil {
		return err
	}
	_, err = p.Book(ctx, o.Pledges[0], "")
	return err
}

// BenchmarkRead measures each public read, compared with a handler that writes the same bytes.
func BenchmarkRead(b *testing.B) {
	s := newServer(b)
	for range 20 {
		check(b, s.pledge())
	}
	for _, path := range []string{"/stats/bench", "/live/bench", "/inventory/bench"} {
		body, header := s.get(b, s.url+path)
		plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			maps.Copy(w.Header(), header)
			w.Write(body)
		}))
		b.Cleanup(plain.Close)
		b.Run("path="+path[1:len(path)-len("/bench")]+"/server=pledgeworks", func(b *testing.B) { s.reads(b, s.url+path) })
		b.Run("path="+path[1:len(path)-len("/bench")]+"/server=bare", func(b *testing.B) { s.reads(b, plain.URL+path) })
	}
}

func (s *subject) get(b *testing.B, url string) ([]byte, http.Header) {
	b.Helper()
	res, err := s.client.Get(url)
	check(b, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	check(b, err)
	if res.StatusCode != http.StatusOK {
		b.Fatalf("%s: status %d: %s", url, res.StatusCode, body)
	}
	return body, res.Header
}

func (s *subject) reads(b *testing.B, url string) {
	b.SetParallelism(clients / runtime.GOMAXPROCS(0))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			res, err := s.client.Get(url)
			if err != nil {
				b.Error(err)
				return
			}
			_, err = io.Copy(io.Discard, res.Body)
			if res.Body.Close(); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
