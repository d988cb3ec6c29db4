package checkout_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Proves CAM-13, CHK-19, CHK-23, INV-02, INV-03, INV-05, INV-13.
func TestStart_LastUnit(t *testing.T) {
	w := newFixture(t)
	w.pledge(request("first@example.org", seats(2)))
	var mu sync.Mutex
	var won []checkout.Started
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			s, err := w.svc.Start(w.ctx, request(fmt.Sprintf("s%d@example.org", i), seats(1)))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, s)
			} else if codeOf(err) != fault.SoldOut || fault.Of(err).Remaining == nil || *fault.Of(err).Remaining != 0 ||
				fault.Of(err).Field != "items[0].quantity" {
				t.Errorf("refused with %#v", fault.Of(err))
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		t.Fatalf("%d of 50 got the last unit", len(won))
	}
	if n := w.sim.Received(sim.CreateSession); n != 2 {
		t.Errorf("%d sessions opened, want 2", n)
	}
	w.save(won[0].SessionID)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	if got := w.stock("film", "tier/seat"); got != (inventory.Stock{Committed: 3}) {
		t.Errorf("stock %+v", got)
	}
}

// Proves CHK-19.
func TestStart_SoldOutMessage(t *testing.T) {
	w := newFixture(t)
	_, err := w.svc.Start(w.ctx, request("a@example.org", seats(4)))
	f := fault.Of(err)
	if f == nil || f.Code != fault.SoldOut || *f.Remaining != 3 || f.Message != "Only 3 of Seat remaining" {
		t.Errorf("refused with %#v", f)
	}
	game := shipped(request("b@example.org", one("game__box")))
	w.pledge(game)
	w.start(game)
	if _, err = w.svc.Start(w.ctx, game); codeOf(err) != fault.SoldOut || fault.Of(err).Message != "Box is sold out" {
		t.Errorf("third unit of a tier with two: %v", err)
	}
	if _, err = w.svc.Start(w.ctx,
		request("a@example.org", seats(1), one("addon__shirt__variant__xl"))); codeOf(err) != fault.SoldOut {
		t.Errorf("add-on without stock: %v", err)
	}
	if _, err = w.svc.Start(w.ctx, request("a@example.org", seats(1), checkout.Item{ID: "addon__shirt__variant__s",
		Quantity: new(3)})); codeOf(err) != fault.SoldOut || fault.Of(err).Message != "Only 2 of Shirt, S remaining" {
		t.Errorf("too many of one size: %v", err)
	}
	if got := w.stock("film", "tier/seat"); got != (inventory.Stock{}) {
		t.Errorf("stock after rejected carts: %+v", got)
	}
}

// Proves INV-06, ABN-03.
func TestStart_ProcessorFailure(t *testing.T) {
	for _, op := range []sim.Op{sim.CreateCustomer, sim.CreateSession} {
		w := newFixture(t)
		if err := w.sim.InjectFaults(sim.Fault{Kind: sim.BadGateway, Op: op}); err != nil {
			t.Fatal(err)
		}
		r := request("a@example.org", seats(3), one("addon__sound"))
		r.AbandonedCartConsent = true
		if _, err := w.svc.Start(w.ctx, r); codeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", op, err)
		}
		if reminders := keys(w.db.Snapshot().Stores["PLEDGES"], "abandoned-cart"); len(reminders) != 0 {
			t.Errorf("%s: reminders of a failed start: %v", op, reminders)
		}
		if got := w.stock("film", "tier/seat"); got != (inventory.Stock{}) {
			t.Errorf("%s: stock %+v", op, got)
		}
		w.start(request("b@example.org", seats(3)))
	}
}

func TestStart_TakesUnitsOfExpiredCheckout(t *testing.T) {
	w := newFixture(t)
	w.start(request("a@example.org", seats(3)))
	w.advance(checkout.DefaultSessionLife + time.Hour)
	w.start(request("b@example.org", seats(3)))
	if got := w.stock("film", "tier/seat"); got != (inventory.Stock{Held: 3}) {
		t.Errorf("stock %+v", got)
	}
}

func TestSweep_ConfirmsOrReleases(t *testing.T) {
	w := newFixture(t)
	saved := w.start(shipped(request("a@example.org", seats(1), one("addon__sticker"), one("game__box"))))
	lost := w.start(request("b@example.org", seats(1)))
	w.save(saved.SessionID)
	w.advance(checkout.DefaultSessionLife + time.Hour)
	got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100))
	if want := (checkout.Swept{Seen: 2, Booked: 1, Released: 1}); got != want {
		t.Errorf("swept %+v, want %+v", got, want)
	}
	for _, slug := range []string{"film", "game"} {
		if w.read(saved.OrderID+"-"+slug).Status != pledge.Active {
			t.Errorf("no pledge to %s", slug)
		}
	}
	if o := must[order.Order](t)(w.svc.Orders.Get(w.ctx, lost.OrderID)); o.State != order.Abandoned {
		t.Errorf("lost order is %s", o.State)
	}
	if got := w.stock("film", "tier/seat"); got != (inventory.Stock{Committed: 1}) {
		t.Errorf("stock %+v", got)
	}
	if got := w.stock(inventory.Platform, "add-on/sticker"); got != (inventory.Stock{Committed: 1}) {
		t.Errorf("platform stock %+v", got)
	}
	if got = must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100)); got.Seen != 0 {
		t.Errorf("again: %+v", got)
	}
}

func TestSweep_ProcessorDown(t *testing.T) {
	w := newFixture(t)
	w.start(request("a@example.org", seats(3)))
	w.advance(checkout.DefaultSessionLife + time.Hour)
	if err := w.sim.SetStorm(sim.Storm{Calls: 1000, Kinds: []sim.FaultKind{sim.DropRequest}}); err != nil {
		t.Fatal(err)
	}
	got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100))
	if got != (checkout.Swept{Seen: 2, Left: 2}) { // the hold and the checkout itself
		t.Errorf("swept %+v", got)
	}
	if st := w.stock("film", "tier/seat"); st.Held != 3 {
		t.Errorf("stock %+v", st)
	}
	w.sim.ClearFaults()
	if err := w.sim.SetStorm(sim.Storm{}); err != nil {
		t.Fatal(err)
	}
	w.advance(6 * time.Minute)
	if got = must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100)); got.Released == 0 || got.Left != 0 {
		t.Errorf("later: %+v", got)
	}
}

// earlyExpiry is a processor that once reports an open session as expired.
type earlyExpiry struct {
	psp.Processor
	done bool
}

func (l *earlyExpiry) ExpireSession(ctx context.Context, id, key string) (psp.Session, error) {
	if l.done {
		return l.Processor.ExpireSession(ctx, id, key)
	}
	l.done = true
	s, err := l.Processor.Session(ctx, id)
	s.Status = psp.Expired
	return s, err
}

func TestConfirm_AfterAbandon(t *testing.T) {
	for _, gone := range []bool{false, true} {
		w := newFixture(t)
		s := w.start(request("a@example.org", seats(2)))
		w.svc.Processor = &earlyExpiry{Processor: w.svc.Processor}
		must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
		if gone {
			w.start(request("b@example.org", seats(2)))
		}
		w.save(s.SessionID)
		err := w.deliver()
		_, pledged := w.value("pledge:" + s.OrderID)
		if !gone {
			if err != nil || !pledged || w.stock("film", "tier/seat") != (inventory.Stock{Committed: 2}) {
				t.Errorf("with units left: %v, %v, %+v", err, pledged, w.stock("film", "tier/seat"))
			}
			continue
		}
		if codeOf(err) != fault.SoldOut || pledged || !strings.Contains(w.log.String(), "level=ERROR") {
			t.Errorf("with no units left: %v, %v", err, pledged)
		}
		if st := w.stock("film", "tier/seat"); st != (inventory.Stock{Held: 2}) {
			t.Errorf("stock %+v", st)
		}
		// The other checkout ends without a card, and the processor redelivers
		// the event.
		w.advance(3 * time.Hour)
		must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10))
		if err := w.deliver(); err != nil || w.read(s.OrderID).Status != pledge.Active {
			t.Errorf("once units are back: %v", err)
		}
	}
}

// The order is abandoned just before it is confirmed. Its units are held again.
func TestConfirm_OvertakenByAbandon(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(2)))
	w.save(s.SessionID)
	w.before("confirm", func() {
		if err := w.svc.Orders.Abandon(w.ctx, s.OrderID, s.SessionID); err != nil {
			t.Error(err)
		}
		if err := w.svc.Inventory.Release(w.ctx, "film", s.OrderID+":0"); err != nil {
			t.Error(err)
		}
	})
	if err := w.deliver(); err != nil {
		t.Error(err)
	}
	if w.read(s.OrderID).Status != pledge.Active || w.stock("film", "tier/seat") != (inventory.Stock{Committed: 2}) {
		t.Errorf("stock %+v", w.stock("film", "tier/seat"))
	}
}

// The units of a slow start expire before its session is opened, which happens between two steps
// of a sweep.
func TestStart_OvertakenBySweep(t *testing.T) {
	w := newFixture(t)
	giving, given, got := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var slow, over sync.Once
	w.fail = func(op memkv.Op) error {
		switch {
		case op.After || op.Kind != memkv.OpDo:
		case op.Command.Kind == "attach":
			slow.Do(func() {
				w.advance(checkout.HoldLife + time.Minute)
				go func() {
					defer close(given)
					_, _ = w.svc.Sweep(w.ctx, 10) // the next sweep handles the remaining holds
				}()
				<-giving
			})
		case op.Command.Kind == "abandon":
			over.Do(func() { close(giving); <-got })
		}
		return nil
	}
	s := w.start(request("a@example.org", seats(2)))
	close(got)
	<-given
	if st := w.stock("film", "tier/seat"); st != (inventory.Stock{Held: 2}) {
		t.Errorf("stock %+v during a checkout", st)
	}
	w.save(s.SessionID)
	if err := w.deliver(); err != nil || w.read(s.OrderID).Status != pledge.Active {
		t.Errorf("event of the saved card: %v", err)
	}
	if st := w.stock("film", "tier/seat"); st != (inventory.Stock{Committed: 2}) {
		t.Errorf("stock %+v", st)
	}
}

// A step interrupted at any point keeps its units: nothing is oversold, and every saved card gets
// a pledge.
func TestSweep_InterruptedSteps(t *testing.T) {
	saved := func(w *fixture) any {
		s := w.start(shipped(request("a@example.org", seats(3), checkout.Item{ID: "addon__sticker", Quantity: new(3)})))
		w.save(s.SessionID)
		return s
	}
	for name, s := range map[string]scenario{
		"webhook": {prepare: saved, act: func(w *fixture, _ any) error { return w.deliver() }},
		"abandon": {prepare: saved, act: func(w *fixture, from any) error {
			s := from.(checkout.Started)
			return errOf(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
		}},
		"sweep": {
			prepare: func(w *fixture) any { s := saved(w); w.advance(2 * time.Hour); return s },
			act:     func(w *fixture, _ any) error { return errOf(w.svc.Sweep(w.ctx, 100)) },
		},
		"modify": {
			prepare: func(w *fixture) any { return w.pledge(request("a@example.org", seats(1))) },
			act: func(w *fixture, from any) error {
				tok := w.link(from.(checkout.Started).OrderID)
				return errOf(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, Items: items(seats(3))}))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for cut, wasCut := 0, true; wasCut; cut++ {
				w := newFixture(t)
				a := s.prepare(w)
				off := w.cutAt(cut)
				_ = s.act(w, a)
				wasCut = off()
				w.restore()
				for _, wanted := range []checkout.Item{seats(1), one("addon__sticker")} {
					if b, err := w.svc.Start(w.ctx,
						shipped(request("b@example.org", one("film__thanks"), wanted))); err == nil {
						w.save(b.SessionID)
					}
				}
				runBackground(w)
				runBackground(w)
				if got := w.stock("film", "tier/seat"); got.Committed > 3 {
					t.Errorf("cut at %d: %d of 3 seats sold", cut, got.Committed)
				}
				if got := w.stock(inventory.Platform, "add-on/sticker"); got.Committed > 3 {
					t.Errorf("cut at %d: %d of 3 stickers sold", cut, got.Committed)
				}
				if p := w.read(a.(checkout.Started).OrderID); p.Status != pledge.Active {
					t.Errorf("cut at %d: pledge is %s", cut, p.Status)
				}
			}
		})
	}
}
