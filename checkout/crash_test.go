package checkout_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// scenario is an action in a prepared fixture. It is interrupted at each of its
// effects in turn. Then the process restarts, all background work runs
// (deliveries, time, Sweep), the supporter retries, and the final state has to be
// the same as without the interruption.
type scenario struct {
	prepare func(w *fixture) any
	act     func(w *fixture, from any) error
	// retry is the supporter's action after an interruption; nil means act.
	retry func(w *fixture, from any) error
}

// play plays the scenario, interrupted at the effect cut, and returns the final state and whether
// the scenario reached that effect.
func (s scenario) play(t *testing.T, cut int) (end string, wasCut bool) {
	return s.playTwice(t, cut, never)
}

const never = 1 << 30

// playTwice is like play but also interrupts the background work, at the effect next.
func (s scenario) playTwice(t *testing.T, cut, next int) (end string, wasCut bool) {
	w := newFixture(t)
	from := s.prepare(w)
	off := w.cutAt(cut)
	_ = s.act(w, from) // after a crash no caller gets the error
	wasCut = off()
	w.restore()
	if next != never {
		w.cutAt(next)
		_ = w.deliver()
		w.advance(15 * time.Minute)
		_, _ = w.svc.Sweep(w.ctx, 100)
		w.restore()
	}
	runBackground(w)
	again := s.retry
	if again == nil {
		again = s.act
	}
	if wasCut {
		if err := again(w, from); err != nil {
			t.Errorf("cut at %d: retry: %v", cut, err)
		}
		runBackground(w)
	}
	// A hold that remains after all expiry times would never be released.
	w.advance(48 * time.Hour)
	if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100)); got.Seen != 0 {
		t.Errorf("cut at %d: holds remain: %+v", cut, got)
	}
	return w.finalState(), wasCut
}

// runBackground delivers the webhooks, advances the clock and sweeps.
func runBackground(w *fixture) {
	w.t.Helper()
	if err := w.deliver(); err != nil {
		w.t.Errorf("webhook delivery: %v", err)
	}
	w.advance(15 * time.Minute)
	must[checkout.Swept](w.t)(w.svc.Sweep(w.ctx, 100))
}

// cutEverywhere interrupts the scenario at each effect in turn.
func (s scenario) cutEverywhere(t *testing.T) {
	t.Helper()
	want, _ := s.play(t, never)
	for cut := 0; ; cut++ {
		got, wasCut := s.play(t, cut)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("cut at %d:\n%s", cut, diff)
		}
		if !wasCut {
			if cut < 4 {
				t.Errorf("the scenario has only %d effects", cut)
			}
			t.Logf("cut at each of %d effects", cut)
			return
		}
	}
}

// cutTwice interrupts the scenario at a sample of the pairs of effects. All pairs would take too
// long.
func (s scenario) cutTwice(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("interrupting pairs of effects is slow")
	}
	want, _ := s.play(t, never)
	pairs := 0
	for cut := 0; ; cut += 5 {
		for next := cut % 7; next < 40; next += 7 {
			got, wasCut := s.playTwice(t, cut, next)
			if !wasCut {
				t.Logf("cut at %d pairs of effects", pairs)
				return
			}
			pairs++
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("cut at %d and %d:\n%s", cut, next, diff)
			}
		}
	}
}

func bundle() checkout.StartRequest {
	return shipped(request("a@example.org", seats(2), one("game__box"), one("addon__sticker"), one("film__addon__mug")))
}

// Proves WHK-21, WHK-22.
func TestCrash_Confirm(t *testing.T) {
	confirm := scenario{
		prepare: func(w *fixture) any {
			s := w.start(bundle())
			w.save(s.SessionID)
			return s
		},
		act: func(w *fixture, _ any) error { return w.deliver() },
	}
	confirm.cutEverywhere(t)
	confirm.cutTwice(t)
}

func TestCrash_Complete(t *testing.T) {
	scenario{
		prepare: func(w *fixture) any {
			s := w.start(bundle())
			w.save(s.SessionID)
			return s
		},
		act: func(w *fixture, from any) error {
			s := from.(checkout.Started)
			_, err := w.svc.Complete(w.ctx, checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID})
			return err
		},
	}.cutEverywhere(t)
}

// Sweep completes the checkout even if all webhooks are lost and the supporter does not return.
func TestCrash_CompleteWithoutWebhooks(t *testing.T) {
	sweep := func(w *fixture, from any) error {
		w.advance(2 * time.Hour)
		_, err := w.svc.Sweep(w.ctx, 100)
		return err
	}
	lost := scenario{
		prepare: func(w *fixture) any {
			s := w.start(bundle())
			w.save(s.SessionID)
			for _, d := range w.sim.Due() {
				w.sim.RecordResponse(d, 200) // lost
			}
			return s
		},
		act: sweep,
	}
	lost.cutEverywhere(t)
	lost.cutTwice(t)
}

func TestCrash_Abandon(t *testing.T) {
	abandoned := scenario{
		prepare: func(w *fixture) any { return w.start(bundle()) },
		act: func(w *fixture, from any) error {
			s := from.(checkout.Started)
			_, err := w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token})
			return err
		},
	}
	abandoned.cutEverywhere(t)
	abandoned.cutTwice(t)
}

func TestCrash_Cancel(t *testing.T) {
	cancelled := scenario{
		prepare: func(w *fixture) any { return w.pledge(bundle()).OrderID + "-film" },
		act: func(w *fixture, from any) error {
			_, err := w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(from.(string))})
			return err
		},
	}
	cancelled.cutEverywhere(t)
	cancelled.cutTwice(t)
}

func TestCrash_Modify(t *testing.T) {
	for name, change := range map[string][]checkout.Item{
		"more items":  {seats(3), one("addon__sticker"), {ID: "film__support__lens", Amount: new(int64(7))}},
		"fewer items": {one("film__thanks")},
		"platform add-ons": {seats(2), one("film__addon__mug"), {ID: "addon__sticker", Quantity: new(3)},
			one("addon__shirt__variant__s")},
	} {
		for _, from := range []checkout.StartRequest{bundle(),
			shipped(request("a@example.org", seats(2), one("game__print")))} {
			modify := func(w *fixture, id any) error {
				_, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: w.link(id.(string)), Items: &change})
				return err
			}
			modified := scenario{
				prepare: func(w *fixture) any { return w.pledge(from).OrderID + "-film" },
				act:     modify,
				retry: func(w *fixture, id any) error {
					err := modify(w, id)
					if f := fault.Of(err); f != nil && f.Message == "No changes specified" {
						return nil // already changed
					}
					return err
				},
			}
			t.Run(name, modified.cutEverywhere)
			t.Run(name+" twice", modified.cutTwice)
		}
	}
}

func TestCrash_CardUpdate(t *testing.T) {
	scenario{
		prepare: func(w *fixture) any {
			id := w.pledge(request("a@example.org", seats(1))).OrderID
			card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
			w.advance(time.Minute)
			w.save(card.SessionID)
			return id
		},
		act: func(w *fixture, _ any) error { return w.deliver() },
	}.cutEverywhere(t)
}

func TestCrash_Sweep(t *testing.T) {
	scenario{
		prepare: func(w *fixture) any {
			saved := w.start(bundle())
			w.start(request("b@example.org", seats(1)))
			w.save(saved.SessionID)
			w.advance(2 * time.Hour)
			return nil
		},
		act: func(w *fixture, _ any) error {
			_, err := w.svc.Sweep(w.ctx, 100)
			return err
		},
	}.cutEverywhere(t)
}

// An interrupted start does not give the supporter a session. Its units are
// released, and the supporter can start again.
func TestCrash_Start(t *testing.T) {
	for cut := 0; ; cut++ {
		w := newFixture(t)
		off := w.cutAt(cut)
		s, err := w.svc.Start(w.ctx, bundle())
		if off() != (err != nil) {
			t.Fatalf("cut at %d: cut %v, error %v", cut, off(), err)
		}
		if err == nil && s.OrderID != "" {
			t.Logf("cut at each of %d effects", cut)
			return
		}
		w.restore()
		for range 3 {
			w.advance(90 * time.Minute)
			if err := w.deliver(); err != nil {
				t.Errorf("cut at %d: %v", cut, err)
			}
			must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100))
		}
		for _, object := range []string{"film", "game", inventory.Platform} {
			for item, st := range w.snapshot(object).Stock {
				if st != (inventory.Stock{}) {
					t.Errorf("cut at %d: %s %s %+v", cut, object, item, st)
				}
			}
		}
		w.pledge(bundle())
		if st := w.stock("film", "tier/seat"); st != (inventory.Stock{Committed: 2}) {
			t.Errorf("cut at %d: stock %+v", cut, st)
		}
	}
}

// A lost response is the counterpart of a crash: the effect happened, but the
// caller sees an error and continues in the same process.
func TestStart_LostResponses(t *testing.T) {
	for lost := 0; ; lost++ {
		w := newFixture(t)
		done := w.loseAnswer(lost)
		_, err := w.svc.Start(w.ctx, bundle())
		if !done() {
			return
		}
		w.restore()
		if err != nil {
			for range 3 {
				w.advance(90 * time.Minute)
				must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100))
			}
			if st := w.stock("film", "tier/seat"); st != (inventory.Stock{}) {
				t.Errorf("lost response %d: stock %+v", lost, st)
			}
		}
		w.pledge(bundle())
	}
}

// A modification that stalls until its units are released is rejected.
func TestModify_StalledIsRejected(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	items := []checkout.Item{seats(3)}
	tok := w.link(id)
	w.before("modify", func() {
		w.advance(time.Hour)
		must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100))
		w.pledge(request("b@example.org", seats(2)))
	})
	if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Items: &items}); codeOf(err) != fault.Conflict {
		t.Errorf("modified: %v", err)
	}
	if st := w.stock("film", "tier/seat"); st != (inventory.Stock{Committed: 3}) {
		t.Errorf("stock %+v", st)
	}
	if p := w.read(id); p.Revision != 1 || p.Status != pledge.Active {
		t.Errorf("pledge %+v", p)
	}
}

func TestStore_NoSecrets(t *testing.T) {
	w := newFixture(t)
	s := w.pledge(bundle())
	text, err := json.Marshal(w.db.Snapshot().Stores)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{s.ClientSecret, webhookSecret, "4242", strings.Repeat("m", 32)} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the store contains %q", secret)
		}
	}
}

// Confirming a checkout through all entry points, in any order, gives the same result.
func TestConfirm_AllEntryPointsInAllOrders(t *testing.T) {
	entryPoints := []func(w *fixture, s checkout.Started) error{
		func(w *fixture, _ checkout.Started) error { return w.deliver() },
		func(w *fixture, s checkout.Started) error {
			return errOf(w.svc.Complete(w.ctx, checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}))
		},
		func(w *fixture, s checkout.Started) error {
			return errOf(w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: s.SessionID}))
		},
		func(w *fixture, s checkout.Started) error {
			return errOf(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
		},
		func(w *fixture, _ checkout.Started) error {
			w.advance(62 * time.Minute)
			err := errOf(w.svc.Sweep(w.ctx, 100))
			w.advance(-62 * time.Minute)
			return err
		},
	}
	want := ""
	for _, order := range permutations(len(entryPoints)) {
		w := newFixture(t)
		s := w.start(bundle())
		w.save(s.SessionID)
		for _, i := range order {
			if err := entryPoints[i](w, s); err != nil {
				t.Errorf("order %v, entry point %d: %v", order, i, err)
			}
		}
		got := w.finalState()
		if want == "" {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order %v:\n%s", order, diff)
		}
	}
}
