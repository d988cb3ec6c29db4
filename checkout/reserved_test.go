package checkout_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
)

// publicStock returns the public numbers of the film's reserved and remaining seats.
func (w *fixture) publicStock() (reserved, remaining int) {
	w.t.Helper()
	var s projection.Stock
	if err := json.Unmarshal(must[json.RawMessage](w.t)(w.svc.Projector.Stock(w.ctx, "film")), &s); err != nil {
		w.t.Fatal(err)
	}
	return s.Tiers["seat"].Reserved, s.Tiers["seat"].Remaining
}

func (w *fixture) wantPublicStock(when string, reserved, remaining int) {
	w.t.Helper()
	if r, left := w.publicStock(); r != reserved || left != remaining {
		w.t.Errorf("%s: %d reserved, %d remaining, want %d and %d", when, r, left, reserved, remaining)
	}
	for _, d := range must[[]projection.Drift](w.t)(w.svc.Projector.CheckAll(w.ctx)) {
		if !d.InSync {
			w.t.Errorf("%s: %s drifts: %s", when, d.CampaignSlug, d.Differences)
		}
	}
}

// Units held by a checkout are not offered, and the drift check of the public numbers passes
// between any two requests.
func TestPublicNumbers_Reserved(t *testing.T) {
	w := newFixture(t)
	w.wantPublicStock("initially", 0, 3)
	a := w.start(shipped(request("a@example.org", seats(2), one("addon__sticker"), one("game__box"))))
	if !must[checkout.Summary](t)(w.svc.Summary(w.ctx, a.OrderID, a.Token)).ShippingCollected {
		t.Error("the summary has no address")
	}
	w.wantPublicStock("started", 2, 1)
	if _, err := w.svc.Start(w.ctx, request("b@example.org", seats(2))); !fault.Is(err, fault.SoldOut) {
		t.Errorf("b: %v", err)
	}
	w.wantPublicStock("after a rejected start", 2, 1)
	w.save(a.SessionID)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	w.wantPublicStock("confirmed", 0, 1)
	c := w.start(shipped(request("c@example.org", seats(1), one("game__box"))))
	w.wantPublicStock("last unit held", 1, 0)
	must[checkout.Abandoned](t)(w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: c.OrderID, Token: c.Token}))
	w.wantPublicStock("abandoned", 0, 1)
}

// If Abandon fails to refresh the public numbers, Sweep does it later.
func TestAbandon_FailedRefresh(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(2)))
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut && op.Key == "stats:film" {
			return errors.New("no response")
		}
		return nil
	}
	if _, err := w.svc.Abandon(w.ctx, checkout.AbandonRequest{OrderID: s.OrderID, Token: s.Token}); err == nil {
		t.Error("Abandon succeeded")
	}
	w.fail = nil
	w.advance(2 * time.Hour)
	must[checkout.Swept](t)(w.svc.Sweep(w.ctx, 10))
	w.wantPublicStock("swept", 0, 3)
}

// A failed start leaves nothing reserved in the public numbers, even if they were
// refreshed while it held its units.
func TestStart_FailureRestoresPublicNumbers(t *testing.T) {
	w := newFixture(t)
	w.pledge(request("first@example.org", seats(1)))
	w.before("attach", func() {
		if err := w.svc.Projector.Refresh(w.ctx, "film"); err != nil {
			t.Fatal(err)
		}
		w.wantPublicStock("during the start", 2, 0)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.fail = func(op memkv.Op) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.fail = nil
			return errors.New("no response")
		}
	})
	if _, err := w.svc.Start(w.ctx, request("a@example.org", seats(2))); err == nil {
		t.Fatal("Start succeeded")
	}
	w.wantPublicStock("failed", 0, 2)
}

// The second pledge of a bundle may be sold out after the first is held.
func TestStart_SoldOutBundleRestoresPublicNumbers(t *testing.T) {
	w := newFixture(t)
	w.pledge(shipped(request("first@example.org", seats(1), one("game__box"))))
	w.pledge(shipped(request("second@example.org", one("game__box"))))
	if _, err := w.svc.Start(w.ctx,
		shipped(request("a@example.org", seats(2), one("game__box")))); !fault.Is(err, fault.SoldOut) {
		t.Fatalf("Start: %v", err)
	}
	w.wantPublicStock("refused", 0, 2)
}

// A modification holds units while a concurrent cancellation refreshes the public numbers, and is
// then rejected.
func TestModify_RejectionRestoresPublicNumbers(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	w.before("modify", func() {
		must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}))
	})
	r := checkout.ModifyRequest{Token: w.link(id), Items: items(seats(3))}
	if _, err := w.svc.Modify(w.ctx, r); !fault.Is(err, fault.Conflict) {
		t.Errorf("modification of a cancelled pledge: %v", err)
	}
	w.wantPublicStock("refused", 0, 3)
}
