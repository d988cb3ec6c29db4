package simulation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
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

// The history's time. The deadline of the funded campaigns is the last minute
// before the night in which the platform's zone sets its clocks back.
const ends = 23*time.Hour + 59*time.Minute + 59*time.Second // the deadline, from the beginning

var (
	begin    = time.Date(2026, time.October, 31, 6, 0, 0, 0, time.UTC)
	deadline = begin.Add(ends) // 23:59:59 MDT
)

// lastCard is how long before the end supporters stop giving cards: a webhook that is
// told again reaches us after at most seven and a half hours, a card that is worked on
// for three is known after three, and the schedule comes round within one.
const lastCard = 14 * time.Hour

// maxSkew is how far a server's clock is from the truth, but for one that is far behind.
const maxSkew = 10 * time.Minute

// world is one history.
type world struct {
	*scheduler
	chances
	span
	ctx context.Context

	config    config.Config
	catalogue *campaign.Catalogue
	published *campaign.Catalogue // what servers read: catalogue, but for an edit
	// publications are all catalogues that servers have read, in their order.
	publications []publication
	truth        Storage // as the watch has it
	looked       clock   // when it looked last
	sim          *sim.Sim
	servers      []*server
	observer     *server // by which histories are judged
	logs         *bytes.Buffer
	scenario     *scenario
	ids          io.Reader

	mails  map[mailed]map[string]int // by key, how often the provider took one
	mailer *provider
	// returning are the addresses that take no mail; returned have ever been.
	returning, returned []string
	// refused is the address that the provider takes no mail to; "" where there is none.
	refused string
	outage  outage
	people  []*person
	watch   watch
	doomed  *server // whose death was decided in this step
	// away is the server that gets no requests, no batches and no runs of the hour, and does
	// not die; leaving waits for one that gives back the lease of a settlement, unfinished.
	away       *server
	leaving    *proc
	unfinished string
	claiming   *proc  // waits for a pledge to be claimed for another attempt
	claimed    *proc  // waits for one to be claimed at all
	order      string // of that pledge
	trying     *proc  // waits for a lease of that settlement to be given back
	requests   int
	// refusedCards are those whose charges the processor refuses, and why.
	refusedCards map[string]string
}

func newWorld(p Plan, storage Opener) (*world, error) {
	drawn := drawScenario(p)
	w := &world{
		scheduler: newScheduler(p.Seed, begin), span: drawn.span, chances: chances{plan: p, until: drawn.calm},
		ctx: context.Background(), logs: &bytes.Buffer{}, mails: map[mailed]map[string]int{}, scenario: drawn, refusedCards: map[string]string{},
	}
	if drawn.silent {
		w.outage = outage{deadline.Add(20 * time.Hour), 1 + int(p.Seed%2)}
	}
	w.ids = stream{rand.New(rand.NewPCG(p.Seed, 3))}
	w.watch, w.mailer = newWatch(w), newProvider(w)
	files := drawn.contents()
	var err error
	if w.catalogue, err = campaignfile.Load(files); err != nil {
		return nil, err
	}
	w.publish(w.catalogue)
	rate := fmt.Sprintf("0.%05d", drawn.taxRate)
	if w.config, err = config.Demo(w.ids, files, map[string]string{
		"SALES_TAX_RATE": rate, "ADMIN_OPERATORS": operatorKeys(), "ADMIN_BROADCAST_SECRET": strings.Repeat("broadcast-", 7),
		"PLEDGES_EMAIL_FROM": "Pledges <pledges@example.org>", "UPDATES_EMAIL_FROM": "News <news@example.org>",
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

// stream is randomness without system calls.
type stream struct{ r *rand.Rand }

func (s stream) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s.r.Uint64())
	}
	return len(p), nil
}

// clock is the time as the server that works at the moment has it.
func (w *world) clock() time.Time {
	if p := w.current; p != nil && p.server != nil {
		return p.server.now()
	}
	return w.now
}

// crash ends a server at once; it comes back after a while.
func (w *world) crash(s *server) {
	s.down = true
	w.note("%s dies", s.name)
	w.kill(func(p *proc) bool { return p.server == s })
	w.spawn("boot", nil, time.Duration(1+w.rng.IntN(1200))*time.Second, func() {
		w.note("%s comes back", s.name)
		s.boot()
	})
}

// request has a server answer a request, and waits for it. ok is false when
// the server died over it or does not run.
func (w *world) request(s *server, r httpapi.Request) (response httpapi.Response, ok bool) {
	if s.down {
		w.pause(time.Second)
		return response, false
	}
	caller := w.current
	w.requests++
	done := false
	work := s.run(r.Method+" "+r.Path, 0, func(p *program) {
		response = p.api().Serve(w.ctx, r)
		if w.current.dead {
			panic(killed{}) // which the API takes for a defect of ours
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

// line is the way to the processor.
type line struct{ w *world }

func (l line) RoundTrip(r *http.Request) (_ *http.Response, err error) {
	defer died(&err)
	w := l.w
	op := r.Method + " " + r.URL.Path
	w.give("> "+op, w.latency())
	w.approvesBefore(r)
	w.watch.forgetting(r)
	w.watch.checkDetach(r)
	first := w.watch.sending(r)
	struck := w.strikes(w.now, processorFaults)
	if struck {
		f := sim.Fault{Kind: processorKinds[w.draw(2, len(processorKinds))], For: time.Duration(1+w.draw(3, 90)) * time.Second}
		if r.Method == http.MethodPost && r.URL.Path == "/v1/payment_intents" && w.draw(4, 3) == 0 {
			f = sim.Fault{Kind: paymentKinds[w.draw(2, len(paymentKinds))], For: time.Duration(1+w.draw(3, 180)) * time.Minute}
		}
		if strings.HasPrefix(r.URL.Path, "/v1/payment_intents") && w.draw(5, 12) == 0 {
			f = sim.Fault{Kind: sim.Misreport}
		}
		w.note("fault: %s", w.befall("%s at %s", f.Kind, op))
		if err := w.sim.Order(f); err != nil {
			panic(err)
		}
	}
	form, attempt, falsehood := metadataOf(r), chargedAttempt(r), sim.FaultKind("")
	if !struck { // which would leave the answer as it is
		falsehood = w.orderFalsehood(r)
	}
	if f, out := w.outages(r); out {
		if err := w.sim.Order(f); err != nil {
			panic(err)
		}
	}
	res, err := simhttp.NewTransport(w.sim, simhttp.Options{Vendor: "Stripe", Sleep: w.hold}).RoundTrip(r)
	w.sim.ClearFaults()
	w.watch.noteAnswer(falsehood)
	w.watch.books()
	w.watch.silence(r, err == nil)
	if err == nil {
		w.watch.forgot(r, res)
		w.watch.noteImport(r, res)
		w.watch.noteRefusals(attempt, res)
		w.watch.noteTerms(form, res)
	}
	if first && err == nil && slices.Contains([]int{400, 401, 403, 409, 429}, res.StatusCode) {
		delete(w.watch.firstSent, r.Header.Get("Idempotency-Key")) // nothing was begun under it
	}
	if err != nil {
		w.pause(stripe.Timeout) // a caller learns of a loss by waiting
	}
	w.give("< "+op, w.latency())
	return res, err
}

// died has a request fail where its machine dies over it, which ends with its next effect:
// net/http ends what it began for a request that fails, and not for one that is unwound.
func died(err *error) {
	switch r := recover().(type) {
	case nil:
	case killed:
		*err = errInjected
	default:
		panic(r)
	}
}

// outage is a long trouble on the way to the processor.
type outage struct {
	until time.Time
	kind  int // 0: nothing gets through, 1: no charge gets through, 2: no charge is answered
}

// outages tells what an outage does to a request, and may begin one.
func (w *world) outages(r *http.Request) (sim.Fault, bool) {
	charge := r.Method == http.MethodPost && r.URL.Path == "/v1/payment_intents"
	if w.now.After(w.outage.until) && w.strikes(w.now, outageFaults) {
		w.outage = outage{w.now.Add(time.Duration(1+w.draw(2, 30)) * time.Hour), w.draw(3, 3)}
		if w.outage.until.After(w.until) {
			w.outage.until = w.until
		}
		w.note("fault: %s", w.befall("an outage of kind %d until %s", w.outage.kind, w.outage.until.Format("02 15:04")))
	}
	if !w.now.Before(w.outage.until) || w.outage.kind > 0 && !charge {
		return sim.Fault{}, false
	}
	if w.outage.kind == 2 {
		return sim.Fault{Kind: sim.DropAnswer}, true
	}
	return sim.Fault{Kind: sim.DropRequest}, true
}

// hold waits for a late answer, as long as the adapter would.
func (w *world) hold(_ context.Context, d time.Duration) error {
	w.pause(min(d, stripe.Timeout))
	if d >= stripe.Timeout {
		return context.DeadlineExceeded
	}
	return nil
}

func (w *world) latency() time.Duration { return time.Duration(5+w.rng.IntN(400)) * time.Millisecond }

// give is a point at which others run, a server may die or stall.
func (w *world) give(label string, d time.Duration) {
	p := w.current
	if p == nil {
		return
	}
	if p.dead {
		panic(killed{})
	}
	w.note("%s", label)
	if p.server != nil {
		permille, longest := w.scenario.standstill(label)
		switch {
		case p.server != w.away && w.strikes(w.now, w.scenario.deaths(label)):
			w.note("fault: %s", w.befall("%s dies at %s", p.server.name, label))
			w.doomed = p.server
		case w.strikes(w.now, permille):
			d = time.Duration(1+w.draw(2, longest)) * time.Minute
			w.note("fault: %s", w.befall("%s stalls for %s at %s", p.name, d, label))
		}
	}
	w.pause(d)
}

// effect is memkv's hook: what goes wrong at the store and the objects.
func (w *world) effect(op memkv.Op) error {
	if op.After {
		w.watch.changed(op.Object)
	}
	if w.current == nil || w.current.server == nil {
		return nil
	}
	if op.Namespace == rateLimit {
		return nil
	}
	w.watch.looks(op)
	label, permille := string(op.Kind)+" "+op.Namespace+" "+op.Key, storeFaults
	if op.Kind == memkv.OpDo || op.Kind == memkv.OpQuery {
		label, permille = string(op.Kind)+" "+op.Object.Class+"/"+op.Object.Name+" "+op.Command.Kind, commandFaults
	}
	if op.After {
		label = "did " + label
		w.watch.effect(op)
	}
	d := time.Duration(1+w.rng.IntN(20)) * time.Millisecond
	if op.Kind == memkv.OpGet || op.Kind == memkv.OpQuery || op.Kind == memkv.OpList {
		d = 0
	}
	w.give(label, d)
	if w.scenario.silent { // or nobody is charged before it is over
		permille = rareFaults
	}
	if w.strikes(w.now, permille) {
		w.note("fault: %s", w.befall("failed: %s", label))
		return unavailable()
	}
	return nil
}
