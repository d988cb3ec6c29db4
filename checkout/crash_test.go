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

// story is something that happens to a world that was prepared for it. It is
// cut at each of its effects in turn; then the process starts anew, whatever
// comes by itself comes (deliveries, time, Sweep), the supporter tries again,
// and in the end everything has to be as if nothing had been cut.
type story struct {
	prepare func(w *world) any
	act     func(w *world, from any) error
	// again is what the supporter does afterwards; nil is act.
	again func(w *world, from any) error
}

func (s story) play(t *testing.T, cut int) (end string, wasCut bool) {
	return s.playTwice(t, cut, never)
}

const never = 1 << 30

// playTwice cuts once more, at an effect of what comes by itself.
func (s story) playTwice(t *testing.T, cut, next int) (end string, wasCut bool) {
	w := newWorld(t)
	from := s.prepare(w)
	off := w.cutAt(cut)
	_ = s.act(w, from) // whoever was to be told has gone with the power
	wasCut = off()
	w.restore()
	if next != never {
		w.cutAt(next)
		_ = w.deliver()
		w.advance(15 * time.Minute)
		_, _ = w.svc.Sweep(w.ctx, 100)
		w.restore()
	}
	settle(w)
	again := s.again
	if again == nil {
		again = s.act
	}
	if wasCut {
		if err := again(w, from); err != nil {
			t.Errorf("cut at %d: the second try: %v", cut, err)
		}
		settle(w)
	}
	// A hold that hangs beyond every due time was forgotten.
	w.advance(48 * time.Hour)
	if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100)); got.Seen != 0 {
		t.Errorf("cut at %d: holds are left: %+v", cut, got)
	}
	return w.end(), wasCut
}

// settle lets what comes by itself come.
func settle(w *world) {
	w.t.Helper()
	if err := w.deliver(); err != nil {
		w.t.Errorf("a delivery: %v", err)
	}
	w.advance(15 * time.Minute)
	must[checkout.Swept](w.t)(w.svc.Sweep(w.ctx, 100))
}

func (s story) cutEverywhere(t *testing.T) {
	t.Helper()
	want, _ := s.play(t, never)
	for cut := 0; ; cut++ {
		got, wasCut := s.play(t, cut)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("cut at %d:\n%s", cut, diff)
		}
		if !wasCut {
			if cut < 4 {
				t.Errorf("the story has only %d effects", cut)
			}
			t.Logf("cut at each of %d effects", cut)
			return
		}
	}
}

// cutTwice cuts at pairs of effects, as many as a quick test can afford.
func (s story) cutTwice(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("pairs of cuts take long")
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
func TestCrashInConfirm(t *testing.T) {
	confirm := story{
		prepare: func(w *world) any {
			s := w.start(bundle())
			w.save(s.SessionID)
			return s
		},
		act: func(w *world, _ any) error { return w.deliver() },
	}
	confirm.cutEverywhere(t)
	confirm.cutTwice(t)
}

func TestCrashInComplete(t *testing.T) {
	story{
		prepare: func(w *world) any {
			s := w.start(bundle())
			w.save(s.SessionID)
			return s
		},
		act: func(w *world, from any) error {
			s := from.(checkout.Started)
			_, err := w.svc.Complete(w.ctx, checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID})
			return err
		},
	}.cutEverywhere(t)
}

// When every webhook is lost and nobody comes back, Sweep alone gets there.
func TestCrashInCompleteWithoutWebhooks(t *testing.T) {
	alone := func(w *world, from any) error {
		w.advance(2 * time.Hour)
		_, err := w.svc.Sweep(w.ctx, 100)
		return err
	}
	lost := story{
		prepare: func(w *world) any {
			s := w.start(bundle())
			w.save(s.SessionID)
			for _, d := range w.sim.Due() {
				w.sim.Done(d, 200) // lost
			}
			return s
		},
		act: alone,
	}
	lost.cutEverywhere(t)
	lost.cutTwice(t)
}

func TestCrashInAbandon(t *testing.T) {
	abandoned := story{
		prepare: func(w *world) any { return w.start(bundle()) },
		act: func(w *world, from any) error {
			s := from.(checkout.Started)
			_, err := w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token})
			return err
		},
	}
	abandoned.cutEverywhere(t)
	abandoned.cutTwice(t)
}

func TestCrashInCancel(t *testing.T) {
	cancelled := story{
		prepare: func(w *world) any { return w.pledge(bundle()).OrderID + "-film" },
		act: func(w *world, from any) error {
			_, err := w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(from.(string))})
			return err
		},
	}
	cancelled.cutEverywhere(t)
	cancelled.cutTwice(t)
}

func TestCrashInModify(t *testing.T) {
	for name, change := range map[string][]checkout.Item{
		"more of it":          {seats(3), one("addon__sticker"), {ID: "film__support__lens", Amount: ptr(int64(7))}},
		"less of it":          {one("film__thanks")},
		"of the platform too": {seats(2), one("film__addon__mug"), {ID: "addon__sticker", Quantity: ptr(3)}, one("addon__shirt__variant__s")},
	} {
		for _, from := range []checkout.StartRequest{bundle(), shipped(request("a@example.org", seats(2), one("game__print")))} {
			modify := func(w *world, id any) error {
				_, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: w.link(id.(string)), Items: &change})
				return err
			}
			modified := story{
				prepare: func(w *world) any { return w.pledge(from).OrderID + "-film" },
				act:     modify,
				again: func(w *world, id any) error {
					err := modify(w, id)
					if f := fault.Of(err); f != nil && f.Message == "No changes specified" {
						return nil // it had been changed already
					}
					return err
				},
			}
			t.Run(name, modified.cutEverywhere)
			t.Run(name+" twice", modified.cutTwice)
		}
	}
}

func TestCrashInCardUpdate(t *testing.T) {
	story{
		prepare: func(w *world) any {
			id := w.pledge(request("a@example.org", seats(1))).OrderID
			card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
			w.advance(time.Minute)
			w.save(card.SessionID)
			return id
		},
		act: func(w *world, _ any) error { return w.deliver() },
	}.cutEverywhere(t)
}

func TestCrashInTend(t *testing.T) {
	story{
		prepare: func(w *world) any {
			saved := w.start(bundle())
			w.start(request("b@example.org", seats(1)))
			w.save(saved.SessionID)
			w.advance(2 * time.Hour)
			return nil
		},
		act: func(w *world, _ any) error {
			_, err := w.svc.Sweep(w.ctx, 100)
			return err
		},
	}.cutEverywhere(t)
}

// A start that is cut gives the supporter nothing to pay with; what it held
// comes back, and she can start again.
func TestCrashInStart(t *testing.T) {
	for cut := 0; ; cut++ {
		w := newWorld(t)
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

// An answer that is lost after its effect is the other half of a crash: the
// caller is told that it failed, and goes on in the same process.
func TestLostAnswersInStart(t *testing.T) {
	for lost := 0; ; lost++ {
		w := newWorld(t)
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
				t.Errorf("lost answer %d: stock %+v", lost, st)
			}
		}
		w.pledge(bundle())
	}
}

// A modification that slept while its units were given back can no longer happen.
func TestAModificationThatComesTooLateIsRefused(t *testing.T) {
	w := newWorld(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	items := []checkout.Item{seats(3)}
	tok := w.link(id)
	w.before("modify", func() {
		w.advance(time.Hour)
		must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100))
		w.pledge(request("b@example.org", seats(2)))
	})
	if _, err := w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Items: &items}); code(err) != fault.Conflict {
		t.Errorf("modified: %v", err)
	}
	if st := w.stock("film", "tier/seat"); st != (inventory.Stock{Committed: 3}) {
		t.Errorf("stock %+v", st)
	}
	if p := w.read(id); p.Revision != 1 || p.Status != pledge.Active {
		t.Errorf("pledge %+v", p)
	}
}

func TestNoRecordHoldsASecret(t *testing.T) {
	w := newWorld(t)
	s := w.pledge(bundle())
	text, err := json.Marshal(w.db.Snapshot().Stores)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{s.ClientSecret, webhookSecret, "4242", strings.Repeat("m", 32)} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the store holds %q", secret)
		}
	}
}

// Every door to a checkout whose card is saved, in every order.
func TestAllDoorsInAllOrders(t *testing.T) {
	doors := []func(w *world, s checkout.Started) error{
		func(w *world, _ checkout.Started) error { return w.deliver() },
		func(w *world, s checkout.Started) error {
			return second(w.svc.Complete(w.ctx, checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}))
		},
		func(w *world, s checkout.Started) error {
			return second(w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: s.SessionID}))
		},
		func(w *world, s checkout.Started) error {
			return second(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
		},
		func(w *world, _ checkout.Started) error {
			w.advance(62 * time.Minute)
			err := second(w.svc.Sweep(w.ctx, 100))
			w.advance(-62 * time.Minute)
			return err
		},
	}
	want := ""
	for _, order := range permutations(len(doors)) {
		w := newWorld(t)
		s := w.start(bundle())
		w.save(s.SessionID)
		for _, i := range order {
			if err := doors[i](w, s); err != nil {
				t.Errorf("order %v, door %d: %v", order, i, err)
			}
		}
		got := w.end()
		if want == "" {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order %v:\n%s", order, diff)
		}
	}
}
