package killtest

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/settlement"
)

const (
	atLeast  = 500 // kills in one run
	workers  = 6
	goldLeft = 5 // units of the limited tier, wanted by everybody
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

// world is the program, the processor beside it and the people between.
type world struct {
	*testing.T
	fleet   *fleet
	sim     *sim.Sim
	content string
	links   token.Signer
	admin   string
	settler string

	mu     sync.Mutex
	kills  int
	offset time.Duration
	report json.RawMessage // of the last settlement
	made   []*made
}

// made is a pledge as the supporter knows it.
type made struct {
	email, order, slug string
	cancelled          bool
}

// Proves SET-03, SET-05, SET-17, WHK-21, CHK-35.
func TestKilledAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a real program for a minute")
	}
	w := newWorld(t, pledged(t), nil, 0)
	w.write("film", 10)
	w.write("dream", 900_000)
	w.fleet.start()
	w.chaos(atLeast*3/5, w.supporter)
	w.deliverAll()
	w.everyPledgeExists()

	w.shift(40 * 24 * time.Hour)
	w.chaos(atLeast*2/5, w.operator)
	w.settle()
	w.booksAgree()
	w.reconciles()
	w.everybodyIsTold()
	t.Logf("%d kills, %d pledges, %d requests", w.kills, len(w.made), w.fleet.requests.Load())
}

// newWorld prepares a server for each skew of a clock, with what they are told beside
// the usual.
func newWorld(t *testing.T, launch launcher, env map[string]string, skew ...time.Duration) *world {
	t.Helper()
	w := &world{T: t, content: t.TempDir()}
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
	for k, v := range map[string]string{
		"PSP_PROVIDER": "stripe", "PSP_API_BASE": processor.URL, "PSP_PUBLISHABLE_KEY": "pk_test_killed",
		"SITE_BASE": "http://" + address, "WORKER_BASE": "http://" + address,
		"CONTENT_DIR": w.content, "TRUSTED_PROXY_HEADER": clientHeader,
		"SALES_TAX_RATE": "0.07875", "PATH": os.Getenv("PATH"), "SETTLEMENT_ENABLED": "true",
	} {
		values[k] = v
	}
	maps.Copy(values, env)
	w.links = token.Signer{Secret: []byte(values["MAGIC_LINK_SECRET"])}
	w.admin, w.settler = values["ADMIN_SECRET"], values["ADMIN_SETTLEMENT_SECRET"]
	w.fleet = newFleet(t, launch, values, addresses, skew)
	return w
}

// write puts a campaign into the content folder.
func (w *world) write(slug string, goal int) {
	day := func(d int) string { return time.Now().AddDate(0, 0, d).Format("2006-01-02") }
	file := fmt.Sprintf(campaignFile, slug, slug, day(-30), day(30), goal, goldLeft)
	if err := os.MkdirAll(filepath.Join(w.content, "campaigns"), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.content, "campaigns", slug+".md"), []byte(file), 0o644); err != nil {
		w.Fatal(err)
	}
}

// shift moves the clocks of the program and of the processor.
func (w *world) shift(d time.Duration) {
	w.offset += d
	w.sim.Advance(d)
	w.fleet.turn(w.offset)
}

// chaos lets several people act at once and kills the program under them, each
// time after a random number of requests, until it died n times.
func (w *world) chaos(n int, act func(r *mathrand.Rand, person int)) {
	w.chaosWith(n, act, func(int) {})
}

// chaosWith calls back before each kill.
func (w *world) chaosWith(n int, act func(r *mathrand.Rand, person int), before func(kill int)) {
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
			time.Sleep(time.Duration(r.IntN(400)) * time.Microsecond) // where in the request is chance
		}
		w.fleet.strike(r.IntN(8), func() {
			w.kills++
			w.nobodyTwice()
		})
		if w.Failed() {
			break
		}
	}
	close(done)
	people.Wait()
}

// supporter is one visit: a checkout, a card, sometimes second thoughts.
func (w *world) supporter(r *mathrand.Rand, person int) {
	slug := "film"
	if r.IntN(5) == 0 {
		slug = "dream"
	}
	// A dozen people come back again and again.
	email := fmt.Sprintf("person%d@example.org", person%12+12*r.IntN(2))
	cart := map[string]any{
		"campaignSlug": slug, "email": email, "tipPercent": 5,
		"items": []any{map[string]any{"id": slug + "__gold"}},
	}
	var started struct{ OrderID, SessionID string }
	status, err := w.fleet.call("POST", "/checkout-intent/start", nil, cart, &started)
	if status == http.StatusConflict {
		cart["items"] = []any{map[string]any{"id": slug + "__seat", "quantity": 1 + r.IntN(3)}}
		_, err = w.fleet.call("POST", "/checkout-intent/start", nil, cart, &started)
	}
	if err != nil {
		w.Error(err)
		return
	}
	if r.IntN(8) == 0 {
		return // closes the tab
	}
	card := sim.CardOK
	if person%9 == 0 {
		card = sim.CardChargeDeclined
	}
	if err := w.sim.Complete(started.SessionID, card); err != nil {
		w.Error(err)
		return
	}
	w.finish(r, started.OrderID, started.SessionID)
	m := &made{email: email, order: started.OrderID, slug: slug}
	w.secondThoughts(r, m)
	w.mu.Lock()
	w.made = append(w.made, m)
	w.mu.Unlock()
}

// finish leaves the checkout to the webhook, to the browser, or to both.
func (w *world) finish(r *mathrand.Rand, order, session string) {
	way := r.IntN(3)
	if way != 0 {
		w.deliver()
	}
	if way == 1 {
		return
	}
	body := map[string]any{"orderId": order, "sessionId": session}
	for {
		status, err := w.fleet.call("POST", "/checkout-intent/complete", nil, body, nil)
		if status != http.StatusConflict && status != http.StatusTooManyRequests {
			if err != nil {
				w.Error(err)
			}
			return
		}
	}
}

// secondThoughts changes or cancels a pledge now and then. After a lost answer
// the repeat may find its work done.
func (w *world) secondThoughts(r *mathrand.Rand, m *made) {
	what := r.IntN(6)
	if what > 1 {
		return
	}
	if status, err := w.fleet.call("GET", "/pledge?token="+w.token(m), nil, nil, nil); status == http.StatusNotFound {
		return // its webhook is still under way
	} else if err != nil {
		w.Error(err)
		return
	}
	body := map[string]any{"token": w.token(m)}
	path := "/pledge/cancel"
	if what == 1 {
		path = "/pledge/modify"
		body["items"] = []any{map[string]any{"id": m.slug + "__seat", "quantity": 4}}
	}
	status, err := w.fleet.call("POST", path, nil, body, nil)
	if err != nil && status != http.StatusConflict && status != http.StatusBadRequest {
		w.Error(err)
	}
	m.cancelled = what == 0
}

func (w *world) token(m *made) string {
	tok, err := w.links.Sign(token.Claims{
		Scope: token.Manage, OrderID: m.order, Email: m.email, CampaignSlug: m.slug, Expires: time.Now().Add(token.ManageLife),
	})
	if err != nil {
		w.Fatal(err)
	}
	return tok
}

// deliver has the processor send every webhook that was not acknowledged. One
// that meets a dead program stays due, and callers at the same time deliver
// the same one several times.
func (w *world) deliver() {
	for _, d := range w.sim.Due() {
		header := map[string]string{stripe.SignatureHeader: d.Signature}
		status, err := w.fleet.once("POST", "/webhooks/psp", header, d.Body, nil)
		if status == http.StatusOK {
			w.sim.Done(d, status)
		} else if !errors.Is(err, errGone) && status != http.StatusServiceUnavailable && !(w.fleet.skewed() && status == http.StatusUnauthorized) {
			w.Error(err)
		}
	}
}

// deliverAll goes on until every webhook is acknowledged.
func (w *world) deliverAll() {
	for range 60 {
		if w.deliver(); len(w.sim.Due()) == 0 {
			return
		}
	}
	w.Errorf("%d webhooks are never acknowledged", len(w.sim.Due()))
}

type view struct {
	Status  string `json:"pledgeStatus"`
	Charged bool   `json:"charged"`
	Amount  int64  `json:"amount"`
}

// everyPledgeExists is the promise to whoever saved a card.
func (w *world) everyPledgeExists() {
	gold := map[string]int{}
	for _, m := range w.made {
		var v view
		if _, err := w.fleet.call("GET", "/pledge?token="+w.token(m), nil, nil, &v); err != nil {
			w.Errorf("%s of %s: %v", m.order, m.email, err)
		}
		if m.cancelled != (v.Status == "cancelled") {
			w.Errorf("%s is %s, cancelled by its supporter: %t", m.order, v.Status, m.cancelled)
		}
	}
	for _, slug := range []string{"film", "dream"} {
		var stock struct {
			Tiers map[string]struct{ Claimed, Reserved int }
		}
		if _, err := w.fleet.call("GET", "/inventory/"+slug, nil, nil, &stock); err != nil {
			w.Error(err)
		}
		gold[slug] = stock.Tiers["gold"].Claimed + stock.Tiers["gold"].Reserved
		if gold[slug] > goldLeft {
			w.Errorf("%s: %d of %d gold are taken", slug, gold[slug], goldLeft)
		}
	}
}

// operator settles, while the program dies.
func (w *world) operator(r *mathrand.Rand, _ int) {
	slug, path := "film", "/admin/settle-dispatch/"
	if r.IntN(4) == 0 {
		slug = "dream"
	}
	if r.IntN(3) == 0 {
		path = "/admin/settle/"
	}
	_, _ = w.fleet.call("POST", path+slug, w.asSettler(), nil, nil) // what comes of it is seen in the books
}

func (w *world) asAdmin() map[string]string { return map[string]string{"x-admin-key": w.admin} }

func (w *world) asSettler() map[string]string {
	return map[string]string{"Authorization": "Bearer " + w.settler}
}

// settle goes on until the campaign is settled but for the cards that were
// refused, whose supporters then give another.
func (w *world) settle() {
	w.untilNothingIsPending()
	for _, m := range w.made {
		var v view
		if _, err := w.fleet.call("GET", "/pledge?token="+w.token(m), nil, nil, &v); err != nil || v.Status != "payment_failed" {
			continue
		}
		var started struct{ SessionID string }
		if _, err := w.fleet.call("POST", "/pledge/payment-method/start", nil, map[string]any{"token": w.token(m)}, &started); err != nil {
			w.Error(err)
			continue
		}
		if err := w.sim.Complete(started.SessionID, sim.CardOK); err != nil {
			w.Error(err)
		}
		w.deliver()
	}
	w.deliverAll()
	w.untilNothingIsPending()
}

// untilNothingIsPending settles, and again a little later: what was cut off in
// the middle of a charge is asked after first, and sent again only after a pause.
func (w *world) untilNothingIsPending() {
	for range 10 {
		var report struct{ Pending int }
		w.settleOnce(&report)
		if report.Pending == 0 {
			return
		}
		w.shift(6 * time.Minute)
	}
	w.Errorf("charges stay pending: %s", w.report)
}

func (w *world) settleOnce(into any) {
	for try := range 10_000 {
		if try%200 == 199 { // who holds the lock is dead, and nobody knows it: its term lapses
			w.shift(settlement.TermLength)
		}
		status, err := w.fleet.call("POST", "/admin/settle/film", w.asSettler(), nil, &w.report)
		if status == http.StatusConflict {
			time.Sleep(5 * time.Millisecond)
			continue // a batch is under way
		}
		if err == nil {
			err = json.Unmarshal(w.report, into)
		}
		if err != nil {
			w.Fatal(err)
		}
		return
	}
	w.Fatal("the lock is never free")
}

// booksAgree holds every pledge against the processor: each funded supporter
// has one charge, over exactly the sum of her pledges, and nobody else has any.
func (w *world) booksAgree() {
	if err := w.sim.Check(); err != nil {
		w.Error(err)
	}
	owed := map[string]int64{}
	for _, m := range w.made {
		var v view
		if _, err := w.fleet.call("GET", "/pledge?token="+w.token(m), nil, nil, &v); err != nil {
			w.Error(err)
		}
		switch {
		case m.slug == "film" && v.Status == "charged" && v.Charged:
			owed[m.email] += v.Amount
		case m.slug == "dream" && !v.Charged && (v.Status == "active" || v.Status == "cancelled"), v.Status == "cancelled" && !v.Charged:
		default:
			w.Errorf("%s of %s in %s is %s", m.order, m.email, m.slug, v.Status)
		}
	}
	charges, gross, want := map[string]int{}, int64(0), int64(0)
	for _, e := range w.sim.Books() {
		charges[e.Group]++
		gross += int64(e.Amount)
	}
	for group, n := range charges {
		if n != 1 {
			w.Errorf("group %s was charged %d times", group, n)
		}
	}
	for _, cents := range owed {
		want += cents
	}
	if len(charges) != len(owed) || gross != want {
		w.Errorf("the processor has %d charges over %d cents, the campaign %d supporters over %d cents", len(charges), gross, len(owed), want)
	}
	w.inSync()
	if w.Failed() {
		w.Logf("the last settlement: %s", w.report)
	}
}

// nobodyTwice holds the processor's books, after every kill.
func (w *world) nobodyTwice() {
	groups := map[string]bool{}
	for _, e := range w.sim.Books() {
		who := e.Group[:strings.LastIndexByte(e.Group, ':')]
		if groups[who] {
			w.Errorf("after %d kills %s is charged twice", w.kills, who)
		}
		groups[who] = true
	}
}

// reconciles has the service itself hold its books against the processor's.
func (w *world) reconciles() {
	w.shift(3 * time.Hour)
	for _, slug := range []string{"film", "dream"} {
		var r struct {
			Truncated  bool
			Difference int64
			Critical   int `json:"criticalBreaks"`
			Breaks     []any
		}
		for r.Truncated = true; r.Truncated; {
			if _, err := w.fleet.call("POST", "/admin/reconciliation/"+slug, w.asAdmin(), nil, &r); err != nil {
				w.Fatal(err)
			}
		}
		if r.Difference != 0 || r.Critical > 0 { // that a job was cut off is no more than a warning
			w.Errorf("%s differs from the processor by %d cents: %v", slug, r.Difference, r.Breaks)
		}
	}
}

// everybodyIsTold looks into the database for the confirmation of every pledge.
func (w *world) everybodyIsTold() {
	db, err := sqlitekv.Open(w.Context(), backup(w.T, w.fleet.servers[0].env), sqlitekv.Options{Now: time.Now})
	if err != nil {
		w.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			w.Error(err)
		}
	}()
	outbox := notify.Outbox{Store: db.Store("pledges"), Now: time.Now}
	for _, m := range w.made {
		if d, err := outbox.Delivery(w.Context(), "confirmation:"+m.order); err != nil || d.Status == notify.Failed {
			w.Errorf("the confirmation of %s is %s, %v", m.order, d.Status, err)
		}
	}
}

func (w *world) inSync() {
	for _, slug := range []string{"film", "dream"} {
		var d struct{ InSync bool }
		if _, err := w.fleet.call("POST", "/stats/"+slug+"/check", w.asAdmin(), nil, &d); err != nil || !d.InSync {
			w.Errorf("%s: projections in sync: %t, %v", slug, d.InSync, err)
		}
	}
}
