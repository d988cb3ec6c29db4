package simhttp

import (
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func (h handler) registerControls(mux *http.ServeMux) {
	mux.HandleFunc("POST /_sim/complete", control(func(in struct{ Session, Card string }) (any, error) {
		return done, h.sim.Complete(in.Session, in.Card)
	}))
	mux.HandleFunc("POST /_sim/authenticate", control(func(in struct{ Payment string }) (any, error) {
		return done, h.sim.Authenticate(in.Payment)
	}))
	mux.HandleFunc("POST /_sim/faults", control(func(in []sim.Fault) (any, error) { return done, h.sim.InjectFaults(in...) }))
	mux.HandleFunc("POST /_sim/hooks",
		control(func(in []sim.HookFault) (any, error) { return done, h.sim.InjectHookFaults(in...) }))
	mux.HandleFunc("POST /_sim/detach", control(func(in struct{ PaymentMethod string }) (any, error) {
		return done, h.sim.Detach(in.PaymentMethod)
	}))
	mux.HandleFunc("POST /_sim/delete-customer", control(func(in struct{ Customer string }) (any, error) {
		return done, h.sim.DeleteCustomer(in.Customer)
	}))
	mux.HandleFunc("POST /_sim/refund", control(h.refund))
	mux.HandleFunc("POST /_sim/settle-refund", control(func(in struct {
		Refund   string
		Succeeds bool
	}) (any, error) {
		return done, h.sim.SettleRefund(in.Refund, in.Succeeds)
	}))
	mux.HandleFunc("POST /_sim/dispute", control(h.dispute))
	mux.HandleFunc("POST /_sim/close-dispute", control(func(in struct {
		Dispute string
		Won     bool
	}) (any, error) {
		return done, h.sim.CloseDispute(in.Dispute, in.Won)
	}))
	mux.HandleFunc("POST /_sim/move-dispute", control(func(in struct {
		Dispute string
		Status  psp.DisputeStatus
	}) (any, error) {
		return done, h.sim.MoveDispute(in.Dispute, in.Status)
	}))
	mux.HandleFunc("POST /_sim/fraud-warning", control(h.warnOfFraud))
	mux.HandleFunc("POST /_sim/payout", control(h.payOut))
	mux.HandleFunc("POST /_sim/fail-payout", control(func(in struct{ Payout string }) (any, error) {
		return done, h.sim.FailPayout(in.Payout)
	}))
	mux.HandleFunc("POST /_sim/adjust", control(h.adjust))
	mux.HandleFunc("POST /_sim/storm", control(func(in sim.Storm) (any, error) { return done, h.sim.SetStorm(in) }))
	mux.HandleFunc("POST /_sim/calm", control(func(struct{}) (any, error) {
		h.sim.ClearFaults()
		return done, nil
	}))
	mux.HandleFunc("POST /_sim/advance", control(h.advance))
	mux.HandleFunc("GET /_sim/books", func(w http.ResponseWriter, _ *http.Request) { reply(w, h.books(), nil) })
	mux.HandleFunc("GET /_sim/cards", func(w http.ResponseWriter, _ *http.Request) { reply(w, sim.Cards(), nil) })
	mux.HandleFunc("GET /_sim/snapshot", h.snapshot)
	mux.HandleFunc("PUT /_sim/snapshot", h.restore)
	mux.HandleFunc("GET /_sim/pay/{session}", h.pay)
	mux.HandleFunc("POST /_sim/pay/{session}", h.payDone)
}

var done = struct {
	Done bool `json:"done"`
}{true}

// control returns a handler that decodes a JSON body, calls act and writes the
// result.
func control[In any](act func(In) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&in); err != nil && err != io.EOF {
			reply(w, nil, fault.New(fault.Invalid, "Invalid body: %v", err))
			return
		}
		out, err := act(in)
		reply(w, out, err)
	}
}

func reply(w http.ResponseWriter, out any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		e := fault.Of(err)
		if e == nil {
			e = fault.New(fault.Internal, "Internal error")
		}
		w.WriteHeader(status(e.Code))
		out = e
	}
	_ = json.NewEncoder(w).Encode(out) // the client may have disconnected
}

func status(c fault.Code) int {
	switch c {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Conflict:
		return http.StatusConflict
	case fault.Gone:
		return http.StatusGone
	}
	return http.StatusInternalServerError
}

func (h handler) refund(in struct {
	Payment string
	Amount  money.Cents
}) (any, error) {
	id, err := h.sim.Refund(in.Payment, in.Amount)
	return struct {
		Refund string `json:"refund"`
	}{id}, err
}

func (h handler) dispute(in struct {
	Payment, Reason   string
	NetworkReasonCode string
	Amount            money.Cents
	Status            psp.DisputeStatus
	Refundable        bool
}) (any, error) {
	id, err := h.sim.OpenDispute(sim.NewDispute{PaymentID: in.Payment, Amount: in.Amount, Reason: in.Reason,
		NetworkReasonCode: in.NetworkReasonCode, Status: in.Status, Refundable: in.Refundable})
	return struct {
		Dispute string `json:"dispute"`
	}{id}, err
}

func (h handler) warnOfFraud(in struct{ Payment, Reason string }) (any, error) {
	id, err := h.sim.WarnOfFraud(in.Payment, in.Reason)
	return struct {
		Warning string `json:"warning"`
	}{id}, err
}

// payOut makes a manual payout of an amount, or an automatic one if there is none.
func (h handler) payOut(in struct{ Amount money.Cents }) (any, error) {
	pay := h.sim.AutomaticPayout
	if in.Amount != 0 {
		pay = func() (string, error) { return h.sim.ManualPayout(in.Amount) }
	}
	id, err := pay()
	return struct {
		Payout string `json:"payout"`
	}{id}, err
}

func (h handler) adjust(in struct {
	Category    string
	Amount, Fee money.Cents
}) (any, error) {
	id, err := h.sim.Adjust(in.Category, in.Amount, in.Fee)
	return struct {
		Transaction string `json:"transaction"`
	}{id}, err
}

func (h handler) advance(in struct{ By string }) (any, error) {
	d, err := time.ParseDuration(in.By)
	if err != nil {
		return nil, fault.New(fault.Invalid, "Expected a duration such as 24h or 90m").In("by")
	}
	h.sim.Advance(d)
	return struct {
		Now time.Time `json:"now"`
	}{h.sim.Now()}, nil
}

// books returns the successful charges and the result of the consistency check.
func (h handler) books() any {
	out := struct {
		Charges []sim.Entry `json:"charges"`
		Broken  string      `json:"broken,omitempty"`
	}{Charges: h.sim.Entries()}
	if err := h.sim.Check(); err != nil {
		out.Broken = err.Error()
	}
	return out
}

func (h handler) snapshot(w http.ResponseWriter, _ *http.Request) {
	b, err := h.sim.Snapshot()
	if err != nil {
		reply(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(b)
}

func (h handler) restore(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSnapshot))
	if err != nil {
		reply(w, nil, fault.New(fault.Invalid, "The snapshot is too large or truncated"))
		return
	}
	reply(w, done, h.sim.Restore(b))
}

// maxSnapshot is the maximum size of a snapshot, in bytes.
const maxSnapshot = 256 << 20
