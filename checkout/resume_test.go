package checkout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

func openRequest(s checkout.Started) checkout.OpenRequest {
	return checkout.OpenRequest{OrderID: s.OrderID, Token: s.Token}
}

func (w *fixture) sweep() checkout.Swept {
	w.t.Helper()
	return must[checkout.Swept](w.t)(w.svc.Sweep(w.ctx, 100))
}

// Scarce units are held for minutes at a time while the page reports that it is
// open, up to MaxHoldLife. Then they are released even if the page is open.
func TestExtend_OpenPage(t *testing.T) {
	w := newFixture(t)
	s := w.start(shipped(request("a@example.org", seats(2), one("addon__sticker"))))
	if want := w.clock().Add(checkout.HoldLife); !s.HeldUntil.Equal(want) {
		t.Errorf("held until %s, want %s", s.HeldUntil, want)
	}
	last := w.clock().Add(checkout.MaxHoldLife)
	if !last.Before(s.ExpiresAt) {
		t.Fatalf("session ends at %s", s.ExpiresAt)
	}
	for w.clock().Before(last) {
		if got := w.sweep(); got != (checkout.Swept{}) {
			t.Fatalf("swept %+v at %s", got, w.clock())
		}
		kept := must[checkout.Extended](t)(w.svc.Extend(w.ctx, openRequest(s)))
		want := w.clock().Add(checkout.HoldLife)
		if want.After(last) {
			want = last
		}
		if kept.OrderID != s.OrderID || !kept.HeldUntil.Equal(want) {
			t.Errorf("kept %+v, want until %s", kept, want)
		}
		w.advance(checkout.HoldLife - 30*time.Second)
	}
	w.advance(2 * time.Minute)
	w.sweep()
	w.wantPublicStock("after MaxHoldLife", 0, 3)
	if st := w.stock(inventory.Platform, "add-on/sticker"); st != (inventory.Stock{}) {
		t.Errorf("stickers %+v", st)
	}
}

// After HoldLife, the scarce units of a closed page are released.
func TestSweep_ClosedPage(t *testing.T) {
	w := newFixture(t)
	gone := w.start(request("a@example.org", seats(3)))
	w.advance(checkout.HoldLife + time.Second)
	w.wantPublicStock("before the sweep", 3, 0)
	w.sweep()
	w.wantPublicStock("afterwards", 0, 3)
	if err := w.sim.Complete(gone.SessionID, "ok"); err == nil {
		t.Error("a card was saved after the units were released")
	}
	for name, err := range map[string]error{
		"extending": errOf(w.svc.Extend(w.ctx, openRequest(gone))),
		"resuming":  errOf(w.svc.Resume(w.ctx, openRequest(gone))),
	} {
		if codeOf(err) != fault.Gone {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A card saved at the last moment keeps its units, even if its webhook is late.
func TestConfirm_LateWebhook(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(3)))
	w.advance(checkout.HoldLife - time.Second)
	w.save(s.SessionID)
	w.advance(time.Hour)
	if _, err := w.svc.Start(w.ctx, request("b@example.org", seats(1))); codeOf(err) != fault.SoldOut {
		t.Errorf("another supporter: %v", err)
	}
	if w.read(s.OrderID).Status != pledge.Active {
		t.Error("the pledge is not active")
	}
}

// The processor's hosted page does not report that it is open, so units are held until its
// session ends.
func TestStart_HostedPageKeepsUnits(t *testing.T) {
	w := newFixture(t)
	w.svc.Settings.PublishableKey = ""
	s := w.start(request("a@example.org", seats(1)))
	if s.UIMode != psp.Hosted || s.HeldUntil.Before(s.ExpiresAt) {
		t.Errorf("mode %s, held until %s, session until %s", s.UIMode, s.HeldUntil, s.ExpiresAt)
	}
	w.advance(checkout.DefaultSessionLife - time.Minute)
	if got := w.sweep(); got != (checkout.Swept{}) {
		t.Errorf("swept %+v", got)
	}
	if again := must[checkout.Started](t)(w.svc.Resume(w.ctx, openRequest(s))); again.URL != s.URL || again.URL == "" {
		t.Errorf("resumed at %q, started at %q", again.URL, s.URL)
	}
}

// Resume returns the unchanged checkout and extends its holds.
func TestResume(t *testing.T) {
	w := newFixture(t)
	s := w.start(shipped(request("a@example.org", seats(3), one("game__box"))))
	w.advance(checkout.HoldLife - time.Minute)
	again := must[checkout.Started](t)(w.svc.Resume(w.ctx, openRequest(s)))
	want := s
	want.HeldUntil = w.clock().Add(checkout.HoldLife)
	if diff := cmp.Diff(want, again); diff != "" || again.ClientSecret == "" ||
		again.Email != "a@example.org" || again.ShippingAddress == nil {
		t.Errorf("resumed (-started +now):\n%s", diff)
	}
	w.advance(checkout.HoldLife - time.Minute)
	w.sweep()
	w.save(again.SessionID)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	if got := w.stock("film", "tier/seat"); got != (inventory.Stock{Committed: 3}) {
		t.Errorf("stock %+v", got)
	}
}

// Resume confirms a checkout whose card is already saved.
func TestResume_SavedCard(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(1)))
	w.save(s.SessionID)
	for range 2 {
		if _, err := w.svc.Resume(w.ctx, openRequest(s)); codeOf(err) != fault.Conflict {
			t.Errorf("resumed: %v", err)
		}
		if storedStatus(w, s.OrderID) != "active1" {
			t.Error("the pledge is not active")
		}
	}
	if _, err := w.svc.Extend(w.ctx, openRequest(s)); codeOf(err) != fault.Conflict {
		t.Errorf("extended: %v", err)
	}
}

func TestResume_ExpiredSession(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(1)))
	must[psp.Session](t)(w.svc.Processor.ExpireSession(w.ctx, s.SessionID, "k"))
	if _, err := w.svc.Resume(w.ctx, openRequest(s)); codeOf(err) != fault.Gone {
		t.Errorf("resumed: %v", err)
	}
}

// Only the browser that started a checkout can extend or resume it.
func TestResume_InvalidToken(t *testing.T) {
	w := newFixture(t)
	mine := w.start(request("a@example.org", seats(1)))
	theirs := w.start(request("b@example.org", seats(1)))
	before := w.dump()
	for name, r := range map[string]checkout.OpenRequest{
		"no token":        {OrderID: mine.OrderID},
		"another order's": {OrderID: mine.OrderID, Token: theirs.Token},
		"no order":        {Token: mine.Token},
		"another order":   {OrderID: theirs.OrderID, Token: mine.Token},
		"manage token": {OrderID: mine.OrderID, Token: must[string](t)(w.svc.Links.Signer.Sign(token.Claims{
			Scope: token.Manage, OrderID: mine.OrderID, Expires: w.clock().Add(time.Hour)}))},
	} {
		if err := errOf(w.svc.Extend(w.ctx, r)); codeOf(err) != fault.Unauthorized {
			t.Errorf("%s extends: %v", name, err)
		}
		if err := errOf(w.svc.Resume(w.ctx, r)); codeOf(err) != fault.Unauthorized {
			t.Errorf("%s resumes: %v", name, err)
		}
	}
	if w.dump() != before {
		t.Error("something was written")
	}
}

// Extend does not confirm units that are released concurrently.
func TestExtend_ConcurrentRelease(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(1)))
	w.advance(checkout.HoldLife + time.Second)
	w.beforeNth(1, "extend", func() { w.sweep() })
	if got, err := w.svc.Extend(w.ctx, openRequest(s)); codeOf(err) != fault.Gone {
		t.Errorf("extended: %+v, %v", got, err)
	}
	w.wantPublicStock("afterwards", 0, 3)
}

// An unavailable order or inventory is not reported as an ended checkout.
func TestExtend_Failures(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(1)))
	for nth, kind := range []string{"get", "extend"} {
		w.fail = func(op memkv.Op) error {
			if op.Command.Kind == kind && !op.After {
				return fault.Wrap(errors.New("cut"), fault.Unavailable, "away")
			}
			return nil
		}
		if _, err := w.svc.Extend(w.ctx, openRequest(s)); codeOf(err) != fault.Unavailable {
			t.Errorf("%d: %v", nth, err)
		}
	}
	w.fail = nil
	must[checkout.Extended](t)(w.svc.Extend(w.ctx, openRequest(s)))
}

// If the response to a start was lost, a repeated start with the same attempt secret gets the units
// of the first. Starts with another secret do not.
func TestStart_RepeatedAttempt(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", seats(3))
	r.Attempt, r.Client = strings.Repeat("s", 16), ""
	lost := w.start(r)
	other := request("b@example.org", seats(1))
	for _, attempt := range []string{"", strings.Repeat("t", 16)} {
		other.Attempt = attempt
		if _, err := w.svc.Start(w.ctx, other); codeOf(err) != fault.SoldOut {
			t.Errorf("attempt %q: %v", attempt, err)
		}
	}
	if strings.Contains(w.log.String(), "earlier attempt") {
		t.Errorf("a first attempt logged an earlier attempt: %s", w.log)
	}
	again := w.start(r)
	if again.OrderID == lost.OrderID || w.stock("film", "tier/seat") != (inventory.Stock{Held: 3}) {
		t.Errorf("order %s after %s, stock %+v", again.OrderID, lost.OrderID, w.stock("film", "tier/seat"))
	}
	if o := must[order.Order](t)(w.svc.Orders.Get(w.ctx, lost.OrderID)); o.State != order.Abandoned {
		t.Errorf("first order is %s", o.State)
	}
	w.save(again.SessionID)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.Start(w.ctx, r); codeOf(err) != fault.SoldOut {
		t.Errorf("repeated start after the card was saved: %v", err)
	}
	if strings.Contains(fmt.Sprintf("%s", w.db.Snapshot()), r.Attempt) {
		t.Error("the secret is stored")
	}
}

func TestStart_InvalidAttempt(t *testing.T) {
	w := newFixture(t)
	r := request("a@example.org", seats(1))
	for _, attempt := range []string{"short", strings.Repeat("x", 65), strings.Repeat("x", 20) + "/",
		"käse" + strings.Repeat("x", 16)} {
		r.Attempt = attempt
		if _, err := w.svc.Start(w.ctx, r); codeOf(err) != fault.Invalid || fault.Of(err).Field != "attempt" {
			t.Errorf("%q: %v", attempt, err)
		}
	}
	for _, n := range []int{16, 64} {
		r.Attempt = strings.Repeat("x", n)
		w.start(r)
	}
}

// One client can hold only a share of scarce units until a card is saved.
func TestStart_ClientShare(t *testing.T) {
	w := newFixture(t)
	w.files["campaigns/film.md"].Data = []byte(strings.Replace(filmFile, "limit_total: 3", "limit_total: 50", 1))
	w.reload()
	from := func(client string, n int) checkout.StartRequest {
		r := request(fmt.Sprintf("%s@example.org", client), seats(n))
		r.Client = client
		return r
	}
	if _, err := w.svc.Start(w.ctx, from("x", 50)); codeOf(err) != fault.Busy || *fault.Of(err).Remaining != 5 {
		t.Fatalf("all of them: %v", err)
	}
	first := w.start(from("x", 3))
	w.start(from("x", 2))
	if _, err := w.svc.Start(w.ctx, from("x", 1)); codeOf(err) != fault.Busy || *fault.Of(err).Remaining != 0 {
		t.Errorf("one more: %v", err)
	}
	w.wantPublicStock("after a rejected start", 5, 45)
	w.start(from("y", 5))
	w.save(first.SessionID)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	w.start(from("x", 3))
	if dump := fmt.Sprintf("%s", w.db.Snapshot()); strings.Contains(dump, `"holder":"x"`) ||
		!strings.Contains(dump, `"holder":"`) {
		t.Error("the hold contains the client or no holder")
	}
	w.advance(checkout.HoldLife + time.Second)
	w.start(from("x", 5)) // the holds of its closed pages have expired
}
