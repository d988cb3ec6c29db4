package checkout_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// abandoned has a bundle that was given up, and whose card can be saved all the same.
func (w *world) abandoned() checkout.Started {
	w.t.Helper()
	s := w.start(shipped(request("a@example.org", seats(1), checkout.Item{ID: "addon__sticker", Quantity: ptr(3)}, one("game__box"))))
	truth := w.svc.Processor
	w.svc.Processor = &liar{Processor: truth}
	must[checkout.Abandoned](w.t)(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
	w.svc.Processor = truth
	return s
}

// beforeNth runs fn in front of the n-th command of the kind.
func (w *world) beforeNth(n int, kind string, fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := 0
	w.fail = func(op memkv.Op) error {
		if !op.After && op.Kind == memkv.OpDo && op.Command.Kind == kind {
			if seen++; seen == n {
				fn()
			}
		}
		return nil
	}
}

// Of a checkout that was given up everything is had again, or nothing.
func TestWhatWasGivenUpIsHadAgainAsAWhole(t *testing.T) {
	for name, c := range map[string]struct {
		others []checkout.Item
		want   fault.Code
	}{
		"all is there":          {nil, ""},
		"a sticker is gone":     {[]checkout.Item{one("film__thanks"), one("addon__sticker")}, fault.SoldOut},
		"all boxes are gone":    {[]checkout.Item{one("game__box")}, fault.SoldOut},
		"enough boxes are left": {[]checkout.Item{one("film__thanks")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.abandoned()
			for _, email := range []string{"b@example.org", "c@example.org"} {
				if c.others != nil {
					w.pledge(shipped(request(email, c.others...)))
				}
			}
			w.save(s.SessionID)
			w.beforeNth(3, "hold", func() { // somebody looks while the first is held
				if err := w.svc.Projector.Refresh(w.ctx, "film"); err != nil {
					t.Error(err)
				}
			})
			err := w.deliver()
			w.fail = nil
			if code(err) != c.want {
				t.Fatalf("confirmed: %v", err)
			}
			_, pledged := w.value("pledge:" + s.OrderID + "-film")
			if pledged != (c.want == "") {
				t.Errorf("there is a pledge: %v", pledged)
			}
			left := 3
			if pledged {
				left = 2
			}
			w.wantShown("afterwards", 0, left)
			if st := w.stock(inventory.Platform, "add-on/sticker"); st.Held != 0 || st.Committed > 3 {
				t.Errorf("stickers: %+v", st)
			}
			if strings.Contains(w.log.String(), "not shown yet") {
				t.Errorf("what is shown of it: %s", w.log)
			}
			w.advance(30 * time.Minute)
			if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100)); got.Seen != 0 {
				t.Errorf("it leaves %+v", got)
			}
		})
	}
}

// The second of two campaigns is sold out, and somebody looked in between.
func TestARefusedBundleIsNotSeenByWhoLooks(t *testing.T) {
	w := newWorld(t)
	for _, email := range []string{"b@example.org", "c@example.org"} {
		w.pledge(shipped(request(email, one("game__box"))))
	}
	w.beforeNth(2, "hold", func() {
		if err := w.svc.Projector.Refresh(w.ctx, "film"); err != nil {
			t.Error(err)
		}
	})
	if _, err := w.svc.Start(w.ctx, shipped(request("a@example.org", seats(2), one("game__box")))); code(err) != fault.SoldOut {
		t.Fatalf("started: %v", err)
	}
	w.fail = nil
	w.wantShown("refused", 0, 3)
	if strings.Contains(w.log.String(), "not yet cleaned up") {
		t.Errorf("what is said of it: %s", w.log)
	}
}

// nameless is a processor that does not show a part of what was saved.
type nameless struct {
	psp.Processor
	hide func(*psp.Session)
}

func (n nameless) Session(ctx context.Context, id string) (psp.Session, error) {
	s, err := n.Processor.Session(ctx, id)
	n.hide(&s)
	return s, err
}

// A session that names no card yet is asked for again.
func TestACardThatIsNotShownYet(t *testing.T) {
	for name, hide := range map[string]func(*psp.Session){
		"no customer": func(s *psp.Session) { s.CustomerID = "" },
		"no card":     func(s *psp.Session) { s.PaymentMethodID = "" },
	} {
		w := newWorld(t)
		s := w.start(request("a@example.org", seats(1)))
		w.save(s.SessionID)
		w.svc.Processor = nameless{w.svc.Processor, hide}
		if err := w.deliver(); code(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
		w.restart()
		if err := w.deliver(); err != nil || stored(w, s.OrderID) != "active1" {
			t.Errorf("%s, and then shown: %v", name, err)
		}
	}
}

// What expires ends its own checkout, and no other.
func TestWhatExpiresEndsItsOwnCheckout(t *testing.T) {
	w := newWorld(t)
	open := w.start(request("a@example.org", seats(1)))
	own := w.start(request("b@example.org", seats(1)))
	pledged := w.pledge(request("c@example.org", one("film__thanks")))
	card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(pledged.OrderID)}))
	named := func(orderID string) string {
		return must[psp.Session](t)(w.svc.Processor.StartSetup(w.ctx, psp.NewSetup{Key: "of " + orderID, CustomerID: w.read(pledged.OrderID).CustomerID, UIMode: psp.Custom, ReturnURL: "https://site.example/",
			Expires: w.clock().Add(time.Hour), Metadata: map[string]string{"orderId": orderID}})).ID
	}
	const foreign = "not a checkout of this service"
	for name, c := range map[string]struct{ session, skipped string }{
		"its own":             {own.SessionID, ""},
		"a card's":            {card.SessionID, ""},
		"another's of it":     {named(open.OrderID), foreign},
		"of an unknown order": {named("pw-01jc0000000000000000000000"), foreign},
		"of something else":   {named("order 7"), foreign},
		"of nothing that is":  {"cs_test_nothing", "session not found"},
	} {
		if _, err := w.svc.Processor.ExpireSession(w.ctx, c.session, "k"+c.session); err != nil && c.session != "cs_test_nothing" {
			t.Fatal(err)
		}
		if got := w.hear(psp.SessionExpired, c.session); got.Skipped != c.skipped {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for id, want := range map[string]order.State{open.OrderID: order.Open, own.OrderID: order.Abandoned, pledged.OrderID: order.Confirmed} {
		if o := must[order.Order](t)(w.svc.Orders.Get(w.ctx, id)); o.State != want {
			t.Errorf("an order is %s, want %s", o.State, want)
		}
	}
	if err := w.sim.Order(sim.Fault{Kind: sim.DropAnswer}); err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"id":"evt_away","object":"event","type":"checkout.session.expired","livemode":false,"created":1,"data":{"object":{"id":"` + own.SessionID + `"}}}`)
	if _, err := w.svc.Webhook(w.ctx, body, sim.Sign(body, webhookSecret, w.clock())); code(err) != fault.Unavailable {
		t.Errorf("while the processor is away: %v", err)
	}
}

// A card whose number the processor does not tell is saved all the same, and is not named.
func TestACardWithoutALabel(t *testing.T) {
	w := newWorld(t)
	s := w.start(request("a@example.org", seats(1)))
	w.save(s.SessionID)
	w.svc.Processor = nameless{w.svc.Processor, func(s *psp.Session) { s.Card = psp.CardLabel{} }}
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	if p := w.read(s.OrderID); p.PaymentMethodID == "" || p.Card != nil {
		t.Errorf("the card %q is named %+v", p.PaymentMethodID, p.Card)
	}
}

// A tier of which there are a few, and which waits for a threshold, is not sold once more for
// a checkout that was given up: its units are counted, however little is pledged by then.
func TestALockedTierIsNotSoldTwice(t *testing.T) {
	for name, c := range map[string]struct {
		left int
		want fault.Code
	}{"a unit is left": {2, ""}, "none is left": {1, fault.SoldOut}} {
		w := newWorld(t)
		w.edit("requires_threshold: 50}", fmt.Sprintf("requires_threshold: 50, limit_total: %d}", c.left))
		w.pledge(request("b@example.org", seats(2)))
		premiere := request("a@example.org", one("film__premiere"))
		s := w.start(premiere)
		w.svc.Processor = &liar{Processor: w.svc.Processor}
		must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
		premiere.Email = "c@example.org"
		w.pledge(premiere)
		w.save(s.SessionID)
		if err := w.deliver(); code(err) != c.want {
			t.Errorf("%s: confirmed: %v", name, err)
		}
		if st := w.stock("film", "tier/premiere"); st.Committed > c.left || st.Held != 0 {
			t.Errorf("%s: of %d %+v", name, c.left, st)
		}
	}
}
