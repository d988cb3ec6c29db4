package crashtest

import (
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// actAsSupporter simulates one visit: a checkout, a card, and sometimes a change.
func (w *fixture) actAsSupporter(r *mathrand.Rand, person int) {
	slug := "film"
	if r.IntN(5) == 0 {
		slug = "dream"
	}
	// Two dozen people return repeatedly.
	email := fmt.Sprintf("person%d@example.org", person%12+12*r.IntN(2))
	cart := map[string]any{
		"campaignSlug": slug, "email": email, "tipPercent": 5,
		"items": []any{map[string]any{"id": slug + "__gold"}},
	}
	if link := w.earlier(email, slug); link != "" {
		cart["manageToken"] = link
	}
	var started struct{ OrderID, SessionID string }
	status, err := w.fleet.call("POST", "/checkout-intent/start", nil, cart, &started)
	if status == http.StatusConflict {
		cart["items"] = []any{map[string]any{"id": slug + "__seat", "quantity": 1 + r.IntN(3)}}
		_, err = w.fleet.call("POST", "/checkout-intent/start", nil, cart, &started)
	}
	if err != nil {
		w.Error(err)
		return
	}
	if r.IntN(8) == 0 {
		return // closes the tab
	}
	card := sim.CardOK
	if person%9 == 0 {
		card = sim.CardChargeDeclined
	}
	err = w.sim.Complete(started.SessionID, card)
	if fault.Is(err, fault.Gone) && w.fleet.skewed() {
		return // expired according to another server's clock
	}
	if err != nil {
		w.Error(err)
		return
	}
	w.finish(r, started.OrderID, started.SessionID)
	m := &placedPledge{email: email, order: started.OrderID, slug: slug}
	w.maybeChange(r, m)
	status, _ = w.fleet.call("GET", "/pledge?token="+w.token(m), nil, nil, nil)
	w.mu.Lock()
	m.confirmed = status == http.StatusOK
	w.pledges = append(w.pledges, m)
	w.mu.Unlock()
}

// earlier returns the link of a confirmed pledge of the address, preferably to the campaign,
// or "" if there is none. A checkout with the link joins its pledge with the earlier ones.
func (w *fixture) earlier(email, slug string) (link string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.pledges {
		if m.email == email && m.confirmed && (link == "" || m.slug == slug) {
			link = w.token(m)
			if m.slug == slug {
				return link
			}
		}
	}
	return link
}

// finish completes the checkout by webhook, by browser, or both.
func (w *fixture) finish(r *mathrand.Rand, order, session string) {
	way := r.IntN(3)
	if way != 0 {
		w.deliver()
	}
	if way == 1 {
		return
	}
	body := map[string]any{"orderId": order, "sessionId": session}
	for until := time.Now().Add(patience); ; {
		status, err := w.fleet.call("POST", "/checkout-intent/complete", nil, body, nil)
		again := status == http.StatusConflict || status == http.StatusTooManyRequests
		if !again || time.Now().After(until) {
			if err != nil {
				w.Error(err)
			}
			return
		}
	}
}

// maybeChange occasionally changes or cancels a pledge. After a lost response, the retry may find
// that the change was already made.
func (w *fixture) maybeChange(r *mathrand.Rand, m *placedPledge) {
	what := r.IntN(6)
	if what > 1 {
		return
	}
	if status, err := w.fleet.call("GET", "/pledge?token="+w.token(m), nil, nil, nil); status == http.StatusNotFound {
		return // its webhook is still in progress
	} else if err != nil {
		w.Error(err)
		return
	}
	body := map[string]any{"token": w.token(m)}
	path := "/pledge/cancel"
	if what == 1 {
		path = "/pledge/modify"
		body["items"] = []any{map[string]any{"id": m.slug + "__seat", "quantity": 4}}
	}
	status, err := w.fleet.call("POST", path, nil, body, nil)
	if err != nil && status != http.StatusConflict && status != http.StatusBadRequest {
		w.Error(err)
	}
	m.cancelled = what == 0
}

func (w *fixture) token(m *placedPledge) string {
	tok, err := w.links.Sign(token.Claims{
		Scope: token.Manage, OrderID: m.order, Email: m.email, CampaignSlug: m.slug,
		Expires: time.Now().Add(token.ManageLife),
	})
	if err != nil {
		w.Fatal(err)
	}
	return tok
}

// deliver sends every unacknowledged webhook once. Those that fail stay due, and concurrent
// callers can send the same one.
func (w *fixture) deliver() { w.deliverTo(w.fleet) }

// endpoint is one server or a fleet.
type endpoint interface {
	once(method, path string, header map[string]string, body, into any) (int, error)
}

func (w *fixture) deliverTo(at endpoint) {
	for _, d := range w.sim.Due() {
		header := map[string]string{stripe.SignatureHeader: d.Signature}
		status, err := at.once("POST", "/webhooks/psp", header, d.Body, nil)
		if status == http.StatusOK {
			w.sim.RecordResponse(d, status)
		} else if !errors.Is(err, errGone) && status != http.StatusServiceUnavailable &&
			!(w.fleet.skewed() && status == http.StatusUnauthorized) {
			w.Error(err)
		}
	}
}

// deliverAll delivers webhooks until all of them are acknowledged. It fails the test after
// sixty attempts.
func (w *fixture) deliverAll() {
	for range 60 {
		if w.deliver(); len(w.sim.Due()) == 0 {
			return
		}
	}
	w.Errorf("%d webhooks were not acknowledged", len(w.sim.Due()))
}

// view is a supporter's view of a pledge.
type view struct {
	Status  string `json:"pledgeStatus"`
	Charged bool   `json:"charged"`
	Amount  int64  `json:"amount"`
	Joined  bool   `json:"joined"`
}

// actAsOperator sends one settlement request for one of the campaigns. The server may be killed
// meanwhile.
func (w *fixture) actAsOperator(r *mathrand.Rand, _ int) {
	slug, path := "film", "/admin/settle-dispatch/"
	if r.IntN(4) == 0 {
		slug = "dream"
	}
	if r.IntN(3) == 0 {
		path = "/admin/settle/"
	}
	_, _ = w.fleet.call("POST", path+slug, w.asSettler(), nil, nil) // the books show the result
}

func (w *fixture) asAdmin() map[string]string { return map[string]string{"x-admin-key": w.admin} }

func (w *fixture) asSettler() map[string]string {
	return map[string]string{"Authorization": "Bearer " + w.settler}
}

// settle settles the film campaign, saves a new card for every pledge whose charge was
// declined, and settles the campaign again.
func (w *fixture) settle() {
	w.settleAll()
	for _, m := range w.pledges {
		var v view
		if _, err := w.fleet.call("GET", "/pledge?token="+w.token(m), nil, nil, &v); err != nil ||
			v.Status != "payment_failed" {
			continue
		}
		var started struct{ SessionID string }
		if _, err := w.fleet.call("POST", "/pledge/payment-method/start", nil,
			map[string]any{"token": w.token(m)}, &started); err != nil {
			w.Error(err)
			continue
		}
		if err := w.sim.Complete(started.SessionID, sim.CardOK); err != nil {
			w.Error(err)
		}
		w.deliver()
	}
	w.deliverAll()
	w.settleAll()
}

// settleAll settles the film campaign until no charge is pending. It moves the clocks in
// between, because an interrupted charge is sent again only after a pause.
func (w *fixture) settleAll() {
	for range 10 {
		var report struct{ Pending int }
		w.settleOnce(&report)
		if report.Pending == 0 {
			return
		}
		w.shift(6 * time.Minute)
	}
	w.Errorf("charges stay pending: %s", w.report)
}

func (w *fixture) settleOnce(into any) {
	for try := range 10_000 {
		if try%200 == 199 { // the lock's holder was killed, so its lease has to expire
			w.shift(state.LeaseDuration)
		}
		status, err := w.fleet.call("POST", "/admin/settle/film", w.asSettler(), nil, &w.report)
		if status == http.StatusConflict {
			time.Sleep(5 * time.Millisecond)
			continue // a batch is in progress
		}
		if err == nil {
			err = json.Unmarshal(w.report, into)
		}
		if err != nil {
			w.Fatal(err)
		}
		return
	}
	w.Fatal("the lock was not released")
}
