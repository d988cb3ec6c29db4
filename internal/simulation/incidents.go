package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// incidents are the interventions of operators.
type incidents struct {
	stops   bool          // an operator stops charging for a while
	stopAt  time.Duration // relative to the deadline
	stopFor time.Duration
	cancels bool // an operator tries to cancel pledges after the deadline
	// holds stops charging in a restored database, as the restore command does,
	// until an operator resumes it.
	holds bool
}

func (s *scenario) drawIncidents() incidents {
	i := incidents{stops: s.oneIn(6), stopAt: time.Duration(s.Int64N(int64(26 * time.Hour))),
		cancels: s.oneIn(6), holds: s.oneIn(2)}
	i.stopFor = time.Duration(1+s.IntN(24)) * time.Hour
	return i
}

// spawnOperators starts the operators who handle incidents.
func (w *history) spawnOperators() {
	i := w.scenario.incidents
	if i.stops {
		w.spawn("the manager", nil, ends+i.stopAt, w.stopCharging)
	}
	if i.cancels {
		w.spawn("the clerk", nil, ends+settlement.Margin, w.cancelPledges)
	}
	if w.scenario.restoring.happens {
		w.spawn("the recovery team", nil, w.calm.Sub(begin), w.endRestore)
	}
}

// stopCharging stops all charging for a while.
func (w *history) stopCharging() {
	if !w.strikes(w.now, 1000) {
		return
	}
	w.note("fault: %s", w.recordFault("an operator stops charging"))
	w.asSettler("/admin/settle-stop", map[string]any{"reason": "Supporters ask what they are charged for."})
	w.pause(min(w.scenario.stopFor, w.calm.Sub(w.now)))
	w.resumeCharging()
}

// maxRejections is how often an operator tries to resume charging before forcing
// it with a reason.
const maxRejections = 6

// resumeCharging tries to resume charging until that succeeds, and resolves lost
// orders in between.
func (w *history) resumeCharging() {
	for refused := 0; w.now.Before(w.rest.Add(-operatorCutoff)); refused++ {
		body := map[string]any{}
		if refused >= maxRejections {
			body["anyway"] = "Every difference was checked."
		}
		if w.asSettler("/admin/settle-resume", body) {
			return
		}
		w.endLostOrders()
		w.pause(time.Duration(10+w.rng.IntN(60)) * time.Minute)
	}
}

// endLostOrders adopts most of the lost orders whose manifests are known, and asks the
// supporters of the others to pledge again.
func (w *history) endLostOrders() {
	var lost httpapi.LostOrders
	if !w.asAdmin("GET", "/admin/orders/lost", nil, &lost) {
		return
	}
	for _, o := range lost.Orders {
		m := w.checker.manifests[o.OrderID]
		if m != nil && w.rng.IntN(3) > 0 {
			w.asAdmin("POST", "/admin/orders/adopt", map[string]any{"sessionId": o.SessionID, "manifest": m}, nil)
			continue
		}
		w.asAdmin("POST", "/admin/orders/ask", map[string]any{"sessionId": o.SessionID}, nil)
	}
}

// endRestore does an operator's work after a restore: it cancels pledges whose terms differ
// from the processor's record, and has two operators accept payments whose amounts differ. If
// charging was stopped for a reason other than the restore, it resumes charging.
func (w *history) endRestore() {
	for w.now.Before(w.rest.Add(-operatorCutoff)) {
		services := w.services()
		for _, slug := range slugs {
			for _, d := range quietly(w,
				func() ([]state.Disagreement, error) { return services.Settlement.Disagreements(w.ctx, slug) }) {
				w.checker.givenUp[d.PledgeID] = true
				w.asAdmin("POST", "/admin/pledges/cancel", map[string]any{"orderId": d.PledgeID}, nil)
			}
			w.acceptAmounts(slug)
		}
		if stop := quietly(w, func() (*state.Stopped,
			error) {
			return services.Settlement.Switch().Stopped(w.ctx)
		}); stop != nil && !stop.Restored {
			w.asSettler("/admin/settle-resume", map[string]any{})
		}
		w.pause(2 * time.Hour)
	}
}

// acceptAmounts has two operators accept payments whose amount differs from the requested one.
func (w *history) acceptAmounts(slug string) {
	var listed httpapi.Attention
	if !w.asOperator(staff[0], "GET", slug, nil, &listed) {
		return
	}
	for _, c := range listed.Charges {
		if c.Reason != state.AmountDiffers || c.PaymentID == "" {
			continue
		}
		st := state.Statement{Group: c.Group, PaymentID: c.PaymentID, AcceptAmount: true}
		for _, name := range staff {
			w.asOperator(name, "POST", slug, st, nil)
		}
	}
}

// cancelPledges tries to cancel the pledges of some random orders after the deadline.
func (w *history) cancelPledges() {
	for range 8 {
		w.pause(w.slow(time.Duration(20+w.rng.IntN(200)) * time.Minute))
		orders := w.checker.orderIDs()
		if len(orders) == 0 || !w.now.Before(w.rest.Add(-operatorCutoff)) {
			return
		}
		for _, p := range w.checker.order(orders[w.rng.IntN(len(orders))]).Pledges {
			w.checker.givenUp[p.OrderID] = true
			w.asAdmin("POST", "/admin/pledges/cancel", map[string]any{"orderId": p.OrderID}, nil)
		}
	}
}

func (w *history) asAdmin(method, path string, body, into any) bool {
	address := fmt.Sprintf("10.4.%d.%d", w.requests/250%250, w.requests%250)
	return w.call(address, method, path, body, into, 1, "Authorization", "Bearer "+w.config.Secrets.Admin.Reveal())
}

// recordManifest stores an order's manifest for endLostOrders.
func (a *checker) recordManifest(orderID string) {
	a.manifests[orderID] = quietly(a.w, func() (json.RawMessage, error) {
		body, err := json.Marshal(struct{}{})
		if err != nil {
			return nil, err
		}
		reply, err := a.w.truth.Coordinator().Do(a.w.ctx, kv.Object{Class: order.ClassName, Name: orderID},
			kv.Envelope{Kind: "get-accepted", Body: body})
		if err != nil {
			return nil, err
		}
		var text json.RawMessage
		err = json.Unmarshal(reply.Body, &text)
		return text, err
	})
}

// recordStopped records since when charging is stopped.
func (a *checker) recordStopped() {
	services := a.w.services()
	stopped := quietly(a.w,
		func() (*state.Stopped, error) { return services.Settlement.Switch().Stopped(context.Background()) })
	switch {
	case stopped == nil:
		a.stopped = time.Time{}
	case a.stopped.IsZero():
		a.stopped = a.w.now
	}
}

// checkNotStopped checks S14: no attempt starts while charging is stopped, except
// in a run in progress.
func (a *checker) checkNotStopped(g state.Group) {
	if began := a.termFrom[g.CampaignSlug]; !a.stopped.IsZero() && began.After(a.stopped.Add(maxStall)) {
		a.reportViolation("S14", "%s is charged by a run that began at %s, and charging has been stopped since %s",
			g.Key, began, a.stopped)
	}
}
