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

// startAndAbandon starts a checkout of a bundle and abandons it. Its session stays open, so that a
// card can still be saved.
func (w *fixture) startAndAbandon() checkout.Started {
	w.t.Helper()
	s := w.start(shipped(request("a@example.org", seats(1), checkout.Item{ID: "addon__sticker", Quantity: new(3)},
		one("game__box"))))
	truth := w.svc.Processor
	w.svc.Processor = &earlyExpiry{Processor: truth}
	must[checkout.Abandoned](w.t)(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
	w.svc.Processor = truth
	return s
}

// beforeNth runs fn before the n-th command of the kind.
func (w *fixture) beforeNth(n int, kind string, fn func()) {
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

// Confirming an abandoned checkout holds all of its units again, or none.
func TestConfirm_AbandonedReholdsAllOrNothing(t *testing.T) {
	for name, c := range map[string]struct {
		others []checkout.Item
		want   fault.Code
	}{
		"all available":    {nil, ""},
		"sticker sold out": {[]checkout.Item{one("film__thanks"), one("addon__sticker")}, fault.SoldOut},
		"boxes sold out":   {[]checkout.Item{one("game__box")}, fault.SoldOut},
		"boxes available":  {[]checkout.Item{one("film__thanks")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			s := w.startAndAbandon()
			for _, email := range []string{"b@example.org", "c@example.org"} {
				if c.others != nil {
					w.pledge(shipped(request(email, c.others...)))
				}
			}
			w.save(s.SessionID)
			w.beforeNth(3, "hold", func() { // refresh the public numbers while some units are held
				if err := w.svc.Projector.Refresh(w.ctx, "film"); err != nil {
					t.Error(err)
				}
			})
			err := w.deliver()
			w.fail = nil
			if codeOf(err) != c.want {
				t.Fatalf("confirmed: %v", err)
			}
			_, pledged := w.value("pledge:" + s.OrderID + "-film")
			if pledged != (c.want == "") {
				t.Errorf("pledge exists: %v", pledged)
			}
			left := 3
			if pledged {
				left = 2
			}
			w.wantPublicStock("afterwards", 0, left)
			if st := w.stock(inventory.Platform, "add-on/sticker"); st.Held != 0 || st.Committed > 3 {
				t.Errorf("stickers: %+v", st)
			}
			if strings.Contains(w.log.String(), "could not refresh the stock") {
				t.Errorf("refresh failed: %s", w.log)
			}
			w.advance(30 * time.Minute)
			if got := must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 100)); got.Seen != 0 {
				t.Errorf("holds remain: %+v", got)
			}
		})
	}
}

// The second of two campaigns is sold out, and the public numbers are refreshed between the two
// holds.
func TestStart_SoldOutBundleAfterRefresh(t *testing.T) {
	w := newFixture(t)
	for _, email := range []string{"b@example.org", "c@example.org"} {
		w.pledge(shipped(request(email, one("game__box"))))
	}
	w.beforeNth(2, "hold", func() {
		if err := w.svc.Projector.Refresh(w.ctx, "film"); err != nil {
			t.Error(err)
		}
	})
	if _, err := w.svc.Start(w.ctx,
		shipped(request("a@example.org", seats(2), one("game__box")))); codeOf(err) != fault.SoldOut {
		t.Fatalf("started: %v", err)
	}
	w.fail = nil
	w.wantPublicStock("refused", 0, 3)
	if strings.Contains(w.log.String(), "could not clean up") {
		t.Errorf("cleanup failed: %s", w.log)
	}
}

// incompleteCards is a processor that changes the sessions that it returns, usually by omitting
// part of the card.
type incompleteCards struct {
	psp.Processor
	hide func(*psp.Session)
}

func (n incompleteCards) Session(ctx context.Context, id string) (psp.Session, error) {
	s, err := n.Processor.Session(ctx, id)
	n.hide(&s)
	return s, err
}

// A complete session without card details is retried.
func TestConfirm_CardNotYetVisible(t *testing.T) {
	for name, hide := range map[string]func(*psp.Session){
		"no customer": func(s *psp.Session) { s.CustomerID = "" },
		"no card":     func(s *psp.Session) { s.PaymentMethodID = "" },
	} {
		w := newFixture(t)
		s := w.start(request("a@example.org", seats(1)))
		w.save(s.SessionID)
		w.svc.Processor = incompleteCards{w.svc.Processor, hide}
		if err := w.deliver(); codeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
		w.restart()
		if err := w.deliver(); err != nil || storedStatus(w, s.OrderID) != "active1" {
			t.Errorf("%s: retried with the card: %v", name, err)
		}
	}
}

// An expired session ends only its own checkout.
func TestWebhook_ExpiredSessionEndsOwnCheckout(t *testing.T) {
	w := newFixture(t)
	open := w.start(request("a@example.org", seats(1)))
	own := w.start(request("b@example.org", seats(1)))
	pledged := w.pledge(request("c@example.org", one("film__thanks")))
	card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(pledged.OrderID)}))
	named := func(orderID string) string {
		return must[psp.Session](t)(w.svc.Processor.StartSetup(w.ctx, psp.NewSetup{Key: "of " + orderID,
			CustomerID: w.read(pledged.OrderID).CustomerID, UIMode: psp.Custom, ReturnURL: "https://site.example/",
			Expires: w.clock().Add(time.Hour), Metadata: map[string]string{"orderId": orderID}})).ID
	}
	const foreign = "not a checkout of this service"
	for name, c := range map[string]struct{ session, skipped string }{
		"own session":        {own.SessionID, ""},
		"card update":        {card.SessionID, ""},
		"another order's":    {named(open.OrderID), foreign},
		"unknown order":      {named("pw-01jc0000000000000000000000"), foreign},
		"malformed order ID": {named("order 7"), foreign},
		"unknown session":    {"cs_test_nothing", "session not found"},
	} {
		if _, err := w.svc.Processor.ExpireSession(w.ctx, c.session, "k"+c.session); err != nil &&
			c.session != "cs_test_nothing" {
			t.Fatal(err)
		}
		if got := w.deliverEvent(psp.SessionExpired, c.session); got.Skipped != c.skipped {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for id, want := range map[string]order.State{open.OrderID: order.Open, own.OrderID: order.Abandoned,
		pledged.OrderID: order.Confirmed} {
		if o := must[order.Order](t)(w.svc.Orders.Get(w.ctx, id)); o.State != want {
			t.Errorf("order %s, want %s", o.State, want)
		}
	}
	if err := w.sim.InjectFaults(sim.Fault{Kind: sim.DropAnswer}); err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"id":"evt_away","object":"event","type":"checkout.session.expired","livemode":false,"created":1,` +
		`"data":{"object":{"id":"` +
		own.SessionID + `"}}}`)
	if _, err := w.svc.Webhook(w.ctx, body,
		sim.Sign(body, webhookSecret, w.clock())); codeOf(err) != fault.Unavailable {
		t.Errorf("processor unavailable: %v", err)
	}
}

// A card is saved without a label if the processor does not report its number.
func TestConfirm_CardWithoutLabel(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(1)))
	w.save(s.SessionID)
	w.svc.Processor = incompleteCards{w.svc.Processor, func(s *psp.Session) { s.Card = psp.CardLabel{} }}
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	if p := w.read(s.OrderID); p.PaymentMethodID == "" || p.Card != nil {
		t.Errorf("card %q with label %+v", p.PaymentMethodID, p.Card)
	}
}

// A limited tier with a threshold is not oversold by confirming an abandoned
// checkout: its units are counted even if the threshold is no longer met.
func TestConfirm_AbandonedTierWithThreshold(t *testing.T) {
	for name, c := range map[string]struct {
		left int
		want fault.Code
	}{"one unit left": {2, ""}, "no units left": {1, fault.SoldOut}} {
		w := newFixture(t)
		w.edit("requires_threshold: 50}", fmt.Sprintf("requires_threshold: 50, limit_total: %d}", c.left))
		w.pledge(request("b@example.org", seats(2)))
		premiere := request("a@example.org", one("film__premiere"))
		s := w.start(premiere)
		w.svc.Processor = &earlyExpiry{Processor: w.svc.Processor}
		must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}))
		premiere.Email = "c@example.org"
		w.pledge(premiere)
		w.save(s.SessionID)
		if err := w.deliver(); codeOf(err) != c.want {
			t.Errorf("%s: confirmed: %v", name, err)
		}
		if st := w.stock("film", "tier/premiere"); st.Committed > c.left || st.Held != 0 {
			t.Errorf("%s: of %d %+v", name, c.left, st)
		}
	}
}
