package simulation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// ends is the deadline of the funded campaigns, from begin: the last second before the night in
// which daylight saving time ends in the platform's zone.
const ends = 23*time.Hour + 59*time.Minute + 59*time.Second

var (
	begin    = time.Date(2026, time.October, 31, 6, 0, 0, 0, time.UTC)
	deadline = begin.Add(ends) // 23:59:59 MDT
)

// cardCutoff is how long before the end supporters stop saving cards: a
// redelivered webhook arrives after at most seven and a half hours, a payment
// that takes three hours is known after three, and the schedule runs within one.
const cardCutoff = 14 * time.Hour

// maxSkew is the maximum clock error of a server, except for one that is far
// behind.
const maxSkew = 10 * time.Minute

// history is the state of one simulated run of the service.
type history struct {
	*scheduler
	faultInjector
	span
	ctx context.Context

	config    config.Config
	catalogue *campaign.Catalogue
	published *campaign.Catalogue // the catalogue that servers read: catalogue, unless edited
	// publications are all catalogues that servers have read, in order.
	publications []publication
	truth        Storage     // the checker's view
	lastRead     sharedClock // when the checker last read
	sim          *sim.Sim
	servers      []*server
	observer     *server // used by the checker, without faults
	logs         *bytes.Buffer
	scenario     *scenario
	ids          io.Reader

	mails  map[mailKey]map[string]int // by key, how often the provider accepted a mail
	mailer *provider
	// returning are the addresses that bounce; returned includes former ones.
	returning, returned []string
	// refused is the address that the provider rejects, or "".
	refused string
	outage  outage
	people  []*person
	checker checker
	doomed  *server // the server that crashes in this step
	// away is the server that gets no requests, batches or hourly runs, and does
	// not crash; leaving waits for one that releases the lease of an incomplete
	// settlement.
	away       *server
	leaving    *proc
	unfinished string
	claiming   *proc  // waits for a pledge to be claimed for another attempt
	claimed    *proc  // waits for one to be claimed at all
	order      string // of that pledge
	trying     *proc  // waits for a lease of that settlement to be released
	requests   int
	// refusedCards are the cards whose charges the processor rejects, with the
	// code.
	refusedCards map[string]string
}

func newHistory(p Plan, storage Opener) (*history, error) {
	drawn := drawScenario(p)
	w := &history{
		scheduler: newScheduler(p.Seed, begin), span: drawn.span, faultInjector: faultInjector{plan: p, until: drawn.calm},
		ctx: context.Background(), logs: &bytes.Buffer{}, mails: map[mailKey]map[string]int{},
		scenario: drawn, refusedCards: map[string]string{},
	}
	if drawn.silent {
		w.outage = outage{deadline.Add(20 * time.Hour), 1 + int(p.Seed%2)}
	}
	w.ids = stream{rand.New(rand.NewPCG(p.Seed, 3))}
	w.checker, w.mailer = newChecker(w), newProvider(w)
	files := drawn.contents()
	var err error
	if w.catalogue, err = campaignfile.Load(files); err != nil {
		return nil, err
	}
	w.publish(w.catalogue)
	rate := fmt.Sprintf("0.%05d", drawn.taxRate)
	if w.config, err = config.Demo(w.ids, files, map[string]string{
		"DEFAULT_PLATFORM_TIP_PERCENT": strconv.Itoa(tip),
		"SALES_TAX_RATE":               rate, "ADMIN_OPERATORS": operatorKeys(),
		"ADMIN_BROADCAST_SECRET": strings.Repeat("broadcast-", 7),
		"PLEDGES_EMAIL_FROM":     "Pledges <pledges@example.org>", "UPDATES_EMAIL_FROM": "News <news@example.org>",
	}); err != nil {
		return nil, err
	}
	w.sim = sim.New(sim.Options{
		Now: func() time.Time { return w.now }, Seed: p.Seed, BaseURL: "https://pay.example",
		WebhookSecret: w.config.PSPWebhookSecret().Reveal(), WebhookURL: "https://api.example/webhooks/psp",
		AsyncCapture: drawn.oneIn(2), BookLate: drawn.late, PageSize: drawn.listing,
	})
	for i, skew := range drawn.skews {
		w.servers = append(w.servers, &server{w: w, name: fmt.Sprintf("server-%d", i+1), skew: skew})
	}
	if err := w.open(compose.Classes(), drawn.stale, storage); err != nil {
		return nil, err
	}
	w.observer = &server{w: w, db: w.truth, name: "observer"}
	return w, nil
}

// stream is a source of randomness without system calls.
type stream struct{ r *rand.Rand }

func (s stream) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s.r.Uint64())
	}
	return len(p), nil
}

// clock returns the time of the server that is currently running.
func (w *history) clock() time.Time {
	if p := w.current; p != nil && p.server != nil {
		return p.server.now()
	}
	return w.now
}

// crash stops a server immediately and restarts it within twenty minutes.
func (w *history) crash(s *server) {
	s.down = true
	w.note("%s dies", s.name)
	w.kill(func(p *proc) bool { return p.server == s })
	w.spawn("boot", nil, time.Duration(1+w.rng.IntN(1200))*time.Second, func() {
		w.note("%s comes back", s.name)
		s.boot()
	})
}

// request makes a server handle a request and waits for it. ok is false if the
// server crashed or is down.
func (w *history) request(s *server, r httpapi.Request) (response httpapi.Response, ok bool) {
	if s.down {
		w.pause(time.Second)
		return response, false
	}
	caller := w.current
	w.requests++
	done := false
	work := s.spawnProgram(r.Method+" "+r.Path, 0, func(p *program) {
		response = p.api().Serve(w.ctx, r)
		if w.current.dead {
			panic(killed{}) // the API has recovered from the crash's panic
		}
		w.note("%s %s: %d %s", r.Method, r.Path, response.Status, brief(response.Body))
		done = true
		w.wakeAfter(caller, 10*time.Millisecond)
	})
	work.waiter = caller
	for !done && !work.dead {
		w.pause(forever)
	}
	return response, done
}

func brief(b []byte) string {
	if len(b) > 120 {
		b = b[:120]
	}
	return string(b)
}

// transport is the connection to the processor.
type transport struct{ w *history }

func (l transport) RoundTrip(r *http.Request) (_ *http.Response, err error) {
	defer recoverCrash(&err)
	w := l.w
	op := r.Method + " " + r.URL.Path
	w.yieldAt("> "+op, w.latency())
	w.approveDuringCancel(r)
	w.checker.checkCardDeletion(r)
	w.checker.checkDetach(r)
	first := w.checker.checkChargeRequest(r) || w.checker.checkRefundRequest(r)
	struck := w.strikes(w.now, processorFaults)
	if struck {
		f := sim.Fault{Kind: processorKinds[w.draw(2, len(processorKinds))],
			For: time.Duration(1+w.draw(3, 90)) * time.Second}
		if r.Method == http.MethodPost && r.URL.Path == "/v1/payment_intents" && w.draw(4, 3) == 0 {
			f = sim.Fault{Kind: paymentKinds[w.draw(2, len(paymentKinds))], For: time.Duration(1+w.draw(3, 180)) * time.Minute}
		}
		if strings.HasPrefix(r.URL.Path, "/v1/payment_intents") && w.draw(5, 12) == 0 {
			f = sim.Fault{Kind: sim.Misreport}
		}
		w.note("fault: %s", w.recordFault("%s at %s", f.Kind, op))
		if err := w.sim.InjectFaults(f); err != nil {
			panic(err)
		}
	}
	form, attempt, falsehood := metadataOf(r), chargedAttempt(r), sim.FaultKind("")
	if !struck { // otherwise the fault could not affect the response
		falsehood = w.injectBankFault(r)
	}
	if f, out := w.outageFault(r); out {
		if err := w.sim.InjectFaults(f); err != nil {
			panic(err)
		}
	}
	res, err := simhttp.NewTransport(w.sim, simhttp.Options{Vendor: "Stripe", Sleep: w.hold}).RoundTrip(r)
	w.sim.ClearFaults()
	w.checker.recordAnswer(falsehood, res)
	w.checker.checkBooks()
	w.checker.checkSilence(r, err == nil)
	if err == nil {
		w.checker.recordCardDeletion(r, res)
		w.checker.recordImport(r, res)
		w.checker.recordRefusals(attempt, res)
		w.checker.recordTerms(form, res)
	}
	if first && err == nil && slices.Contains([]int{400, 401, 403, 409, 429}, res.StatusCode) {
		delete(w.checker.firstSent, r.Header.Get("Idempotency-Key")) // nothing was started under it
	}
	if err != nil {
		w.pause(stripe.Timeout) // a caller notices a lost response by waiting
	}
	w.yieldAt("< "+op, w.latency())
	return res, err
}

// recoverCrash turns a crash during a request into an error; the crash happens at the next effect
// instead. net/http cleans up after a request that failed, but not after one that panicked.
func recoverCrash(err *error) {
	switch r := recover().(type) {
	case nil:
	case killed:
		*err = errInjected
	default:
		panic(r)
	}
}

// outage is a long failure of the connection to the processor.
type outage struct {
	until time.Time
	kind  int // 0: nothing gets through, 1: no charge gets through, 2: no charge gets a response
}

// outageFault returns the fault of a request during an outage, and may start one.
func (w *history) outageFault(r *http.Request) (sim.Fault, bool) {
	charge := r.Method == http.MethodPost && r.URL.Path == "/v1/payment_intents"
	if w.now.After(w.outage.until) && w.strikes(w.now, outageFaults) {
		w.outage = outage{w.now.Add(time.Duration(1+w.draw(2, 30)) * time.Hour), w.draw(3, 3)}
		if w.outage.until.After(w.until) {
			w.outage.until = w.until
		}
		w.note("fault: %s", w.recordFault("an outage of kind %d until %s", w.outage.kind, w.outage.until.Format("02 15:04")))
	}
	if !w.now.Before(w.outage.until) || w.outage.kind > 0 && !charge {
		return sim.Fault{}, false
	}
	if w.outage.kind == 2 {
		return sim.Fault{Kind: sim.DropAnswer}, true
	}
	return sim.Fault{Kind: sim.DropRequest}, true
}

// hold waits for a late response, as long as the adapter would.
func (w *history) hold(_ context.Context, d time.Duration) error {
	w.pause(min(d, stripe.Timeout))
	if d >= stripe.Timeout {
		return context.DeadlineExceeded
	}
	return nil
}

func (w *history) latency() time.Duration { return time.Duration(5+w.rng.IntN(400)) * time.Millisecond }

// yieldAt lets other procs run. The server may crash or stall.
func (w *history) yieldAt(label string, d time.Duration) {
	p := w.current
	if p == nil {
		return
	}
	if p.dead {
		panic(killed{})
	}
	w.note("%s", label)
	if p.server != nil {
		permille, longest := w.scenario.stallRate(label)
		switch {
		case p.server != w.away && w.strikes(w.now, w.scenario.crashRate(label)):
			w.note("fault: %s", w.recordFault("%s dies at %s", p.server.name, label))
			w.doomed = p.server
		case w.strikes(w.now, permille):
			d = time.Duration(1+w.draw(2, longest)) * time.Minute
			w.note("fault: %s", w.recordFault("%s stalls for %s at %s", p.name, d, label))
		}
	}
	w.pause(d)
}

// effect is called by memkv for each effect and injects faults of the store and the objects.
func (w *history) effect(op memkv.Op) error {
	if op.After {
		w.checker.invalidate(op.Object)
	}
	if w.current == nil || w.current.server == nil {
		return nil
	}
	if op.Namespace == rateLimit {
		return nil
	}
	w.checker.recordLookup(op)
	label, permille := string(op.Kind)+" "+op.Namespace+" "+op.Key, storeFaults
	if op.Kind == memkv.OpDo || op.Kind == memkv.OpQuery {
		label, permille = string(op.Kind)+" "+op.Object.Class+"/"+op.Object.Name+" "+op.Command.Kind, commandFaults
	}
	if op.After {
		label = "did " + label
		w.checker.checkEffect(op)
	}
	d := time.Duration(1+w.rng.IntN(20)) * time.Millisecond
	if op.Kind == memkv.OpGet || op.Kind == memkv.OpQuery || op.Kind == memkv.OpList {
		d = 0
	}
	w.yieldAt(label, d)
	if w.scenario.silent { // otherwise nothing is charged before the silence is over
		permille = rareFaults
	}
	if w.strikes(w.now, permille) {
		w.note("fault: %s", w.recordFault("failed: %s", label))
		return unavailable()
	}
	return nil
}
