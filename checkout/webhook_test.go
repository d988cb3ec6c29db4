package checkout_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// completedDelivery returns the delivery of the session's completed event.
func (w *fixture) completedDelivery() sim.Delivery {
	w.t.Helper()
	for _, d := range w.sim.Due() {
		if d.Type == psp.SessionCompleted {
			return d
		}
	}
	w.t.Fatal("nothing was completed")
	return sim.Delivery{}
}

// deliverEvent delivers an event about an object and fails the test on an error.
func (w *fixture) deliverEvent(kind psp.EventType, object string) checkout.WebhookResult {
	w.t.Helper()
	return must[checkout.WebhookResult](w.t)(w.tryEvent(kind, object))
}

const payloadOnly = "only in the payload"

// tryEvent delivers an event about an object and returns the result.
func (w *fixture) tryEvent(kind psp.EventType, object string) (checkout.WebhookResult, error) {
	w.eventsSent++
	body := fmt.Appendf(nil,
		`{"id":"evt_%d","object":"event","type":%q,"livemode":false,"created":%d,"data":{"object":{"id":%q,"note":%q}}}`,
		w.eventsSent, kind, w.clock().Unix(), object, payloadOnly)
	return w.svc.Webhook(w.ctx, body, sim.Sign(body, webhookSecret, w.clock()))
}

// Proves WHK-03, WHK-08.
func TestWebhook_NoSecret(t *testing.T) {
	w := newFixture(t)
	w.save(w.start(request("a@example.org", seats(1))).SessionID)
	d := w.completedDelivery()
	w.svc.Settings.WebhookSecret = ""
	before := w.dump()
	for body, signature := range map[string]string{"{not json": "nonsense", string(d.Body): d.Signature,
		string(d.Body) + " ": sim.Sign(append(d.Body, ' '), "", w.clock())} {
		got := must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, []byte(body), signature))
		if want := (checkout.WebhookResult{Received: true, Skipped: "webhook secret not configured"}); got != want {
			t.Errorf("got %+v", got)
		}
	}
	if w.dump() != before {
		t.Error("something was written")
	}
}

// Proves WHK-06.
func TestWebhook_InvalidSignature(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(1)))
	w.save(s.SessionID)
	d := w.completedDelivery()
	before := w.dump()
	for name, sig := range map[string]string{
		"none": "", "other secret": sim.Sign(d.Body, "whsec_other", w.clock()),
		"empty secret": sim.Sign(d.Body, "", w.clock()),
		"stale":        sim.Sign(d.Body, webhookSecret, w.clock().Add(-6*time.Minute)),
		"future":       sim.Sign(d.Body, webhookSecret, w.clock().Add(6*time.Minute)),
	} {
		if _, err := w.svc.Webhook(w.ctx, d.Body, sig); codeOf(err) != fault.Unauthorized ||
			fault.Of(err).Message != "Invalid signature" {
			t.Errorf("%s: %v", name, err)
		}
	}
	changed := append([]byte(" "), d.Body...)
	if _, err := w.svc.Webhook(w.ctx, changed, d.Signature); codeOf(err) != fault.Unauthorized {
		t.Errorf("changed body: %v", err)
	}
	if w.dump() != before {
		t.Error("something was written")
	}
}

func TestWebhook_OtherMode(t *testing.T) {
	w := newFixture(t)
	if err := w.sim.InjectHookFaults(sim.HookFault{Kind: sim.WrongModeHook, Type: psp.SessionCompleted}); err != nil {
		t.Fatal(err)
	}
	s := w.start(request("a@example.org", seats(1)))
	w.save(s.SessionID)
	d := w.completedDelivery()
	before := w.dump()
	got := must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, d.Body, d.Signature))
	if want := (checkout.WebhookResult{Received: true, Skipped: "mode mismatch", EventID: got.EventID,
		Type: "checkout.session.completed"}); got != want || got.EventID == "" {
		t.Errorf("got %+v", got)
	}
	if w.dump() != before {
		t.Error("something was written")
	}
}

// Proves WHK-10, WHK-21, WHK-26, KVR-08.
func TestWebhook_Duplicates(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(2)))
	w.save(s.SessionID)
	d := w.completedDelivery()
	must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, d.Body, d.Signature))
	before, asked := w.dump(), w.sim.Received("")
	for range 5 {
		got := must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, d.Body, d.Signature))
		if want := (checkout.WebhookResult{Received: true, Duplicate: true, EventID: got.EventID,
			Type: "checkout.session.completed"}); got != want || got.EventID == "" {
			t.Errorf("got %+v", got)
		}
		if _, marked := w.value("psp-event:" + got.EventID); !marked {
			t.Errorf("%s is not marked", got.EventID)
		}
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Error("a duplicate changed the store")
	}
	if n := w.sim.Received("") - asked; n != 0 {
		t.Errorf("duplicates caused %d requests to the processor", n)
	}
	for kind, object := range map[psp.EventType]string{psp.SessionExpired: s.SessionID, psp.PaymentSucceeded: "pi_1",
		psp.PaymentFailed: "pi_1", "customer.created": "cus_1"} {
		first := w.deliverEvent(kind, object)
		asked := w.sim.Received("")
		w.eventsSent--
		if again := w.deliverEvent(kind, object); first.Duplicate || !again.Duplicate ||
			again.EventID != first.EventID || w.sim.Received("") != asked {
			t.Errorf("redelivered %s: %+v after %+v", kind, again, first)
		}
	}
	w.advance(34 * 24 * time.Hour) // long after the processor's last redelivery
	if got := must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, d.Body,
		sim.Sign(d.Body, webhookSecret, w.clock()))); !got.Duplicate {
		t.Errorf("a month later: %+v", got)
	}
}

// Proves WHK-21.
func TestWebhook_TwoEventsOfOneSession(t *testing.T) {
	w := newFixture(t)
	if err := w.sim.InjectHookFaults(sim.HookFault{Kind: sim.TwinHook, Type: psp.SessionCompleted}); err != nil {
		t.Fatal(err)
	}
	s := w.pledge(request("a@example.org", seats(2)))
	if got := w.stock("film", "tier/seat"); got != (inventory.Stock{Committed: 2}) {
		t.Errorf("stock %+v", got)
	}
	if n := len(w.read(s.OrderID).History); n != 1 {
		t.Errorf("%d history entries", n)
	}
}

// Proves WHK-20, WHK-22, WHK-11.
func TestWebhook_TemporaryFailure(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(1)))
	w.save(s.SessionID)
	d := w.completedDelivery()
	if err := w.sim.InjectFaults(sim.Fault{Kind: sim.DropAnswer}); err != nil {
		t.Fatal(err)
	}
	before := w.dump()
	if _, err := w.svc.Webhook(w.ctx, d.Body, d.Signature); codeOf(err) != fault.Unavailable {
		t.Fatalf("processor unavailable: %v", err)
	}
	if len(keys(w.db.Snapshot().Stores["PLEDGES"], "psp-event:")) != 0 {
		t.Error("the event is marked as processed")
	}
	if w.dump() != before || strings.Contains(w.log.String(), "level=ERROR") {
		t.Error("a temporary failure was treated as a rejected card")
	}
	must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, d.Body, d.Signature))
	if w.read(s.OrderID).Status != pledge.Active {
		t.Error("no pledge")
	}
}

// An event of any kind that cannot be applied, because the processor or the store
// is unavailable, is redelivered.
//
// Proves WHK-22.
func TestWebhook_RetriesEveryEvent(t *testing.T) {
	away := func(w *fixture) (back func()) {
		if err := w.sim.SetStorm(sim.Storm{Calls: 1000, Kinds: []sim.FaultKind{sim.DropRequest}}); err != nil {
			t.Fatal(err)
		}
		return func() {
			w.sim.ClearFaults()
			if err := w.sim.SetStorm(sim.Storm{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	broken := func(w *fixture) (back func()) {
		w.fail = func(op memkv.Op) error {
			if op.Kind == memkv.OpDo && !op.After {
				return errors.New("the disk is full")
			}
			return nil
		}
		return func() { w.fail = nil }
	}
	for name, c := range map[string]struct {
		kind    psp.EventType
		prepare func(w *fixture) (object string)
		done    func(w *fixture) bool
	}{
		"checkout": {psp.SessionCompleted, func(w *fixture) string {
			s := w.start(request("a@example.org", seats(3)))
			w.save(s.SessionID)
			return s.SessionID
		}, func(w *fixture) bool { return w.stock("film", "tier/seat") == (inventory.Stock{Committed: 3}) }},
		"new card": {psp.SessionCompleted, func(w *fixture) string {
			id := w.pledge(request("a@example.org", seats(3))).OrderID
			card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
			w.save(card.SessionID)
			return card.SessionID
		}, func(w *fixture) bool {
			return w.read(must[[]string](t)(w.svc.Inventory.Listed(w.ctx, "film", 0, 1))[0]).Revision == 2
		}},
		"expired checkout": {psp.SessionExpired, func(w *fixture) string {
			s := w.start(request("a@example.org", seats(3)))
			w.advance(checkout.DefaultSessionLife + time.Second)
			return s.SessionID
		}, func(w *fixture) bool { return w.stock("film", "tier/seat") == (inventory.Stock{}) }},
	} {
		for what, fails := range map[string]func(*fixture) func(){"processor unavailable": away,
			"store unavailable": broken} {
			w := newFixture(t)
			object := c.prepare(w)
			before := len(keys(w.db.Snapshot().Stores["PLEDGES"], "psp-event:"))
			back := fails(w)
			_, err := w.tryEvent(c.kind, object)
			back()
			if codeOf(err) != fault.Unavailable ||
				len(keys(w.db.Snapshot().Stores["PLEDGES"], "psp-event:")) != before || c.done(w) {
				t.Errorf("%s, while %s: %v", name, what, err)
			}
			w.advance(time.Minute)
			w.eventsSent-- // redeliver the same event
			if got := w.deliverEvent(c.kind, object); got.Duplicate || got.Skipped != "" || !c.done(w) {
				t.Errorf("%s, after %s: %+v", name, what, got)
			}
		}
	}
}

// Proves WHK-21.
func TestWebhook_AllOrders(t *testing.T) {
	run := func(order []int) string {
		w := newFixture(t)
		a := w.start(request("a@example.org", seats(1)))
		b := w.start(shipped(request("b@example.org", seats(1), one("film__addon__mug"))))
		w.save(a.SessionID)
		w.save(b.SessionID)
		var ds []sim.Delivery
		for _, d := range w.sim.Due() {
			if d.Type == psp.SessionCompleted {
				ds = append(ds, d, d) // each twice
			}
		}
		for _, i := range order {
			must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, ds[i].Body, ds[i].Signature))
		}
		return sorted(w.finalState())
	}
	want := run([]int{0, 2}) // each once
	for _, p := range permutations(4) {
		if diff := cmp.Diff(want, run(p)); diff != "" {
			t.Errorf("order %v:\n%s", p, diff)
		}
	}
}

// Every sequence of up to five events of one checkout and returns of the supporter's browser
// results in the same state after a sweep. Events may be missing or repeated.
//
// Proves WHK-21.
func TestWebhook_AllSequences(t *testing.T) {
	longest := 5
	if testing.Short() {
		longest = 3
	}
	run := func(arrivals []int) string {
		w := newFixture(t)
		s := w.start(shipped(request("a@example.org", seats(1), one("film__addon__mug"))))
		w.save(s.SessionID)
		ds := w.sim.Due()
		if len(ds) != 4 {
			t.Fatalf("a checkout has %d events, not 4", len(ds))
		}
		for _, i := range arrivals {
			if i == len(ds) {
				must[checkout.Completed](t)(w.svc.Complete(w.ctx,
					checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}))
				continue
			}
			must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, ds[i].Body, ds[i].Signature))
		}
		w.advance(checkout.DefaultSessionLife + time.Hour)
		must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100))
		lines := strings.Split(w.finalState(), "\n")
		return strings.Join(slices.DeleteFunc(lines, func(l string) bool {
			return strings.HasPrefix(l, "psp-event:") || strings.HasPrefix(l, "processor-event:")
		}), "\n")
	}
	want, sequences := run(nil), 0
	for n := 1; n <= longest; n++ {
		for code := range pow(5, n) {
			arrivals := make([]int, n)
			for i := range arrivals {
				arrivals[i], code = code%5, code/5
			}
			if diff := cmp.Diff(want, run(arrivals)); diff != "" {
				t.Fatalf("arrivals %v:\n%s", arrivals, diff)
			}
			sequences++
		}
	}
	t.Logf("%d sequences", sequences)
}

func pow(base, n int) int {
	p := 1
	for range n {
		p *= base
	}
	return p
}

func TestWebhook_ExpiredSessionReleasesUnits(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(3)))
	w.advance(checkout.DefaultSessionLife + time.Second)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	if got := w.stock("film", "tier/seat"); got != (inventory.Stock{}) {
		t.Errorf("stock %+v", got)
	}
	if _, ok, _ := kv.Read[checkout.Intent](w.ctx, w.svc.Store, "checkout-intent:"+s.OrderID); !ok {
		t.Error("the intent was deleted")
	}
}

func TestWebhook_ForeignSession(t *testing.T) {
	w := newFixture(t)
	p := w.svc.Processor
	customer := must[string](t)(p.CreateCustomer(w.ctx, psp.NewCustomer{Key: "k1", Email: "x@example.org"}))
	sess := must[psp.Session](t)(p.StartSetup(w.ctx, psp.NewSetup{Key: "k2", CustomerID: customer, UIMode: psp.Custom,
		ReturnURL: "https://other.example/", Expires: w.clock().Add(time.Hour)}))
	w.save(sess.ID)
	d := w.completedDelivery()
	got := must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, d.Body, d.Signature))
	if got.Skipped != "not a checkout of this service" {
		t.Errorf("got %+v", got)
	}
}

// Disputes, refunds and other observed events are recorded as evidence, with their payment, and
// change nothing else.
func TestWebhook_ObservedEvents(t *testing.T) {
	w := newFixture(t)
	w.pledge(request("a@example.org", seats(1)))
	before := strings.Split(w.finalState(), "\n")
	observed := 0
	for i, kind := range psp.Subscriptions() {
		if !kind.Observed() {
			continue
		}
		observed++
		body := fmt.Sprintf(`{"id":"evt_%d","object":"event","type":%q,"livemode":false,"created":%d,`+
			`"data":{"object":{"id":"obj_%d","payment_intent":"pi_%d","amount":2500}}}`,
			i, kind, w.clock().Unix(), i, i)
		got := must[checkout.WebhookResult](t)(w.svc.Webhook(w.ctx, []byte(body),
			sim.Sign([]byte(body), webhookSecret, w.clock())))
		if !got.Received || got.Skipped != "" {
			t.Errorf("%s: %+v", kind, got)
		}
		e, ok, err := kv.Read[evidence.Event](w.ctx, w.svc.Store, evidence.Key(w.clock(), fmt.Sprintf("evt_%d", i)))
		if err != nil || !ok || e.EventType != kind || e.PaymentID != fmt.Sprintf("pi_%d", i) ||
			e.ObjectID != fmt.Sprintf("obj_%d", i) || e.Outcome != "applied" {
			t.Errorf("%s: %+v, %v, %v", kind, e, ok, err)
		}
	}
	if observed < 10 {
		t.Errorf("%d event types observed", observed)
	}
	after := slices.DeleteFunc(strings.Split(w.finalState(), "\n"), func(l string) bool {
		return !slices.Contains(before, l) &&
			(strings.HasPrefix(l, "psp-event:evt_") || strings.HasPrefix(l, "processor-event:"))
	})
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the events changed the store:\n%s", diff)
	}
}

// A webhook about a dispute, a fraud warning or a payout causes a lookup, and is delivered again if that fails.
func TestWebhook_HintCausesLookup(t *testing.T) {
	w := newFixture(t)
	var calls []string
	var fails error
	w.svc.Disputed = func(_ context.Context, paymentID string) error { calls = append(calls, paymentID); return fails }
	w.svc.Warned = func(context.Context) error { calls = append(calls, "warnings"); return fails }
	w.svc.PaidOut = func(_ context.Context, payoutID string) error { calls = append(calls, payoutID); return fails }
	deliver := func(kind psp.EventType, payment string) error {
		w.eventsSent++
		body := fmt.Appendf(nil, `{"id":"evt_%d","object":"event","type":%q,"livemode":false,"created":%d,`+
			`"data":{"object":{"id":"du_1","payment_intent":%q}}}`, w.eventsSent, kind, w.clock().Unix(), payment)
		_, err := w.svc.Webhook(w.ctx, body, sim.Sign(body, webhookSecret, w.clock()))
		return err
	}
	var want []string
	for _, kind := range psp.Subscriptions() {
		switch {
		case kind.IsDispute():
			want = append(want, "pi_1")
		case kind.IsFraudWarning():
			want = append(want, "warnings")
		case kind.IsPayout():
			want = append(want, "du_1") // the object of the event
		case !kind.Observed():
			continue
		}
		if err := deliver(kind, "pi_1"); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if diff := cmp.Diff(want, calls); diff != "" || len(want) != 13 {
		t.Errorf("lookups (-want +got):\n%s", diff)
	}
	fails = fault.New(fault.Unavailable, "The processor does not answer")
	for _, kind := range []psp.EventType{psp.DisputeClosed, psp.FraudWarningUpdated, psp.PayoutPaid} {
		if err := deliver(kind, "pi_1"); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s with a failed lookup: %v", kind, err)
		}
	}
}
