package crashtest

import (
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

var kills = flag.Int("kills", 100, "number of kills at random points; 500 if PLEDGEWORKS_SOAK is set")

func killCount() int {
	if os.Getenv("PLEDGEWORKS_SOAK") != "" {
		return 500
	}
	return *kills
}

const (
	workers  = 6
	goldLeft = 5 // units of the limited tier
)

const campaignFile = `---
title: %[1]s
slug: %[2]s
published: true
start_date: %[3]s
goal_deadline: %[4]s
goal_amount: %[5]d
tiers:
  - {id: gold, name: Gold, price: 100, limit_total: %[6]d}
  - {id: seat, name: Seat, price: 25, stackable: true}
---
A campaign.
`

// fixture is a fleet of servers with a simulated processor and the pledges of simulated
// supporters.
type fixture struct {
	*testing.T
	fleet   *fleet
	sim     *sim.Sim
	content string
	links   token.Signer
	admin   string
	settler string

	mu      sync.Mutex
	kills   int
	offset  time.Duration
	report  json.RawMessage // of the last settlement
	pledges []*placedPledge
}

// placedPledge is a pledge as seen by its supporter.
type placedPledge struct {
	email, order, slug string
	cancelled          bool
	confirmed          bool // its link works
}

// Proves SET-03, SET-17, WHK-21, CHK-35.
func TestKill_RandomPoints(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a real program for a minute")
	}
	t.Parallel()
	n := killCount()
	w := newFixture(t, launchServer(t), nil, 0)
	w.write("film", 10)
	w.write("dream", 900_000)
	w.fleet.start()
	w.chaos(n*3/5, w.actAsSupporter)
	w.deliverAll()
	w.checkPledgesExist()

	w.shift(40 * 24 * time.Hour)
	w.chaos(n*2/5, w.actAsOperator)
	w.settle()
	w.checkBooks()
	w.checkReconciliation()
	w.checkConfirmations()
	t.Logf("%d kills, %d pledges, %d requests", w.kills, len(w.pledges), w.fleet.requests.Load())
}

// newFixture prepares a fleet with one server for each clock error in skew, and with
// additional environment variables. It starts no server.
func newFixture(t *testing.T, launch launcher, env map[string]string, skew ...time.Duration) *fixture {
	t.Helper()
	w := &fixture{T: t, content: t.TempDir()}
	var addresses []string
	for range skew {
		addresses = append(addresses, freeAddress(t))
	}
	address := addresses[0]
	values, err := config.DemoValues(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w.sim = sim.New(sim.Options{
		Now: time.Now, NoLimits: true, APIKey: values["PSP_SECRET_KEY_TEST"],
		WebhookSecret: values["PSP_WEBHOOK_SECRET_TEST"], WebhookURL: "http://" + address + "/webhooks/psp",
	})
	processor := httptest.NewServer(simhttp.NewHandler(w.sim, simhttp.Options{Vendor: "Stripe"}))
	t.Cleanup(processor.Close)
	maps.Copy(values, map[string]string{
		"PSP_PROVIDER": "stripe", "PSP_API_BASE": processor.URL, "PSP_PUBLISHABLE_KEY": "pk_test_killed",
		"SITE_BASE": "http://" + address, "WORKER_BASE": "http://" + address,
		"CONTENT_DIR": w.content, "TRUSTED_PROXY_HEADER": clientHeader,
		"SALES_TAX_RATE": "0.07875", "PATH": os.Getenv("PATH"), "SETTLEMENT_ENABLED": "true",
		"GOGC": os.Getenv("GOGC"), // the hundreds of starts collect garbage as rarely as the test itself
	})
	maps.Copy(values, env)
	w.links = token.Signer{Secret: []byte(values["MAGIC_LINK_SECRET"])}
	w.admin, w.settler = values["ADMIN_SECRET"], values["ADMIN_SETTLEMENT_SECRET"]
	w.fleet = newFleet(t, launch, values, addresses, skew)
	return w
}

// write writes a campaign to the content folder.
func (w *fixture) write(slug string, goal int) {
	day := func(d int) string { return time.Now().AddDate(0, 0, d).Format("2006-01-02") }
	file := fmt.Sprintf(campaignFile, slug, slug, day(-30), day(30), goal, goldLeft)
	if err := os.MkdirAll(filepath.Join(w.content, "campaigns"), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.content, "campaigns", slug+".md"), []byte(file), 0o644); err != nil {
		w.Fatal(err)
	}
}

// shift moves the clocks of the processor and of all servers forward by d, and restarts them.
func (w *fixture) shift(d time.Duration) {
	w.offset += d
	w.sim.Advance(d)
	w.fleet.restartAll(w.offset)
}

// chaos runs several simulated people in parallel and kills one of the servers n times, each
// time after a random number of requests.
func (w *fixture) chaos(n int, act func(r *mathrand.Rand, person int)) {
	w.chaosWith(n, act, func(int) {})
}

// chaosWith is like chaos and calls before ahead of each kill, with the kill's number from 0.
func (w *fixture) chaosWith(n int, act func(r *mathrand.Rand, person int), before func(kill int)) {
	done := make(chan struct{})
	var people sync.WaitGroup
	for i := range workers {
		people.Go(func() {
			r := mathrand.New(mathrand.NewPCG(uint64(i), 7))
			for person := i; ; person += workers {
				select {
				case <-done:
					return
				default:
					act(r, person)
				}
				if w.Failed() {
					return
				}
			}
		})
	}
	r := mathrand.New(mathrand.NewPCG(11, 7))
	for i := range n {
		before(i)
		target := w.fleet.requests.Load() + 1 + r.Int64N(25)
		for w.fleet.requests.Load() < target && !w.Failed() {
			time.Sleep(time.Duration(r.IntN(400)) * time.Microsecond) // a random point of the request
		}
		w.fleet.killOne(r.IntN(8), func() {
			w.kills++
			w.checkNoDoubleCharges()
		})
		if w.Failed() {
			break
		}
	}
	close(done)
	people.Wait()
}
