package state

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// NothingCharged is the Code of an attempt for which two operators established that nothing
// was charged.
const NothingCharged = "nothing_charged"

// Resolution is an operator's statement in the group's record.
type Resolution struct {
	Generation   int        `json:"generation"`
	PaymentID    string     `json:"paymentIntentId,omitempty"` // "" if nothing was charged
	AcceptAmount bool       `json:"acceptAmount,omitempty"`    // the payment's amount is accepted
	StatedBy     string     `json:"statedBy"`
	StatedAt     time.Time  `json:"statedAt"`
	ConfirmedBy  string     `json:"confirmedBy,omitempty"`
	ConfirmedAt  *time.Time `json:"confirmedAt,omitempty"`
}

// resolve records an operator's statement, with the payment found at the processor.
type resolve struct {
	Hash         string `json:"hash"`
	Generation   int    `json:"generation"`
	PaymentID    string `json:"paymentId,omitempty"`
	AcceptAmount bool   `json:"acceptAmount,omitempty"`
	Operator     string `json:"operator"`
	Fact         Result `json:"fact"`
	Nonce        string `json:"nonce"`
}

func (resolve) Kind() string { return "resolve" }

func runResolve(tx kv.Tx, now time.Time, cmd resolve) (Group, error) {
	g, known, err := kv.Load[Group](tx, groupPrefix+cmd.Hash)
	if err != nil {
		return Group{}, err
	}
	if !known {
		return Group{}, NoGroup()
	}
	if g.Status != NeedsAttention || g.Generation != cmd.Generation {
		return Group{}, fault.New(fault.Conflict, "The charge needs no attention: it is %s", g.Status)
	}
	stated := g.pendingStatement(cmd.PaymentID, cmd.AcceptAmount)
	if stated == nil {
		g.Resolutions = append(g.Resolutions, Resolution{Generation: g.Generation, PaymentID: cmd.PaymentID,
			AcceptAmount: cmd.AcceptAmount, StatedBy: cmd.Operator, StatedAt: now})
		return g, saveGroup(tx, g)
	}
	if stated.StatedBy == cmd.Operator {
		return g, nil
	}
	stated.ConfirmedBy, stated.ConfirmedAt = cmd.Operator, &now
	g.resolve(cmd.Fact, cmd.AcceptAmount, now)
	if err := kv.PutValue(tx, wantPrefix+g.Hash, VisitRequest{Supporter: g.Supporter, Nonce: cmd.Nonce}); err != nil {
		return Group{}, err
	}
	return g, saveGroup(tx, g)
}

// pendingStatement returns the last statement if it is the same and not confirmed yet. A
// different statement replaces it.
func (g *Group) pendingStatement(paymentID string, acceptAmount bool) *Resolution {
	if len(g.Resolutions) == 0 {
		return nil
	}
	last := &g.Resolutions[len(g.Resolutions)-1]
	if last.ConfirmedBy != "" || last.Generation != g.Generation || last.PaymentID != paymentID ||
		last.AcceptAmount != acceptAmount {
		return nil
	}
	return last
}

// resolve applies the outcome that two operators established. An attempt that charged nothing
// ends without an email; the next one uses the same card.
func (g *Group) resolve(f Result, acceptAmount bool, now time.Time) {
	g.Reason, g.SettledAt, g.UpdatedAt, g.Confirmable = "", &now, now, false
	if f.Status != psp.Succeeded {
		g.Status, g.Void, g.Booked = Failed, true, true
		g.Code, g.DeclineCode, g.MayPass = NothingCharged, "", false
		return
	}
	g.copyDetails(f)
	if acceptAmount {
		g.setAmount(f.Received)
	}
	g.Status, g.Booked, g.DroppedAt = Succeeded, false, nil
}

// setAmount replaces a group's amount with the charged one, and divides it among the pledges
// in proportion to their amounts.
func (g *Group) setAmount(charged money.Cents) {
	if charged == g.Amount {
		return
	}
	weights := make([]money.Cents, 0, len(g.Orders))
	for _, o := range g.Orders {
		weights = append(weights, o.Amount)
	}
	g.Requested, g.Amount = g.Amount, charged
	g.Orders = slices.Clone(g.Orders)
	for i, share := range money.Split(charged, weights) {
		g.Orders[i].Amount = share
		g.Orders[i].Components = g.Orders[i].Components.Scale(share)
	}
}

// MayArriveUntil returns the time after which no request for the group can have an effect: its
// key is not sent after psp.SafeAge, and requests in flight have arrived by then.
func (g *Group) MayArriveUntil() time.Time {
	sent := g.SubmittedAt
	if g.FirstSubmittedAt != nil {
		sent = *g.FirstSubmittedAt
	}
	return sent.Add(psp.KeyHorizon)
}

// Statement is an operator's statement about a charge that needs attention: the payment that
// was made, or that nothing was charged.
type Statement struct {
	Group          string `json:"group"` // its Hash
	PaymentID      string `json:"paymentIntentId"`
	NothingCharged bool   `json:"nothingCharged"`
	// AcceptAmount books the payment although its amount differs from the request. The pledges then
	// show the charged amount.
	AcceptAmount bool `json:"acceptAmount,omitempty"`
}

// Check fails with code Invalid if the statement is incomplete.
func (st Statement) Check() error {
	switch {
	case st.Group == "":
		return fault.New(fault.Invalid, "Name the charge").In("group")
	case (st.PaymentID == "") != st.NothingCharged:
		return fault.New(fault.Invalid, "Name the payment, or state that nothing was charged").In("paymentIntentId")
	case st.AcceptAmount && st.PaymentID == "":
		return fault.New(fault.Invalid, "Name the payment whose amount is accepted").In("acceptAmount")
	}
	return nil
}

// ResolvedBy reports whether the statement was confirmed and is in effect.
func (g *Group) ResolvedBy(st Statement) bool {
	if len(g.Resolutions) == 0 || g.Status == NeedsAttention {
		return false
	}
	last := g.Resolutions[len(g.Resolutions)-1]
	return last.ConfirmedBy != "" && last.PaymentID == st.PaymentID && last.AcceptAmount == st.AcceptAmount
}
