package sim

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// ref is a reference that may be expanded.
type ref[T interface{ id() string }] struct {
	id   string
	full *T
}

// UnmarshalJSON parses an ID, an object or null.
func (r *ref[T]) UnmarshalJSON(b []byte) error {
	if !bytes.HasPrefix(b, []byte("{")) {
		return json.Unmarshal(b, &r.id)
	}
	r.full = new(T)
	if err := json.Unmarshal(b, r.full); err != nil {
		return err
	}
	r.id = (*r.full).id()
	return nil
}

// listed is an object that has an ID. In a list, the ID is the cursor of the page that starts after
// the object.
type listed struct {
	ID string `json:"id"`
}

func (l listed) id() string { return l.ID }

type wireSession struct {
	listed
	Status       psp.SessionStatus `json:"status"`
	Live         bool              `json:"livemode"`
	ClientSecret string            `json:"client_secret"`
	URL          string            `json:"url"`
	Expires      int64             `json:"expires_at"`
	Metadata     map[string]string `json:"metadata"`
	Customer     ref[struct {
		listed
		Email string `json:"email"`
	}] `json:"customer"`
	SetupIntent ref[struct {
		listed
		PaymentMethod ref[struct {
			listed
			Created int64 `json:"created"`
			Card    struct {
				Brand string `json:"brand"`
				Last4 string `json:"last4"`
			} `json:"card"`
		}] `json:"payment_method"`
	}] `json:"setup_intent"`
}

func (w wireSession) session() psp.Session {
	ses := psp.Session{ID: w.ID, Status: w.Status, Mode: psp.Test, ClientSecret: w.ClientSecret, URL: w.URL,
		Expires: time.Unix(w.Expires, 0).UTC(), Metadata: w.Metadata}
	if w.Live {
		ses.Mode = psp.Live
	}
	if w.Status != psp.Complete || w.SetupIntent.full == nil {
		return ses
	}
	pm := w.SetupIntent.full.PaymentMethod
	ses.CustomerID, ses.SetupIntentID, ses.PaymentMethodID = w.Customer.id, w.SetupIntent.id, pm.id
	if c := w.Customer.full; c != nil {
		ses.Email = c.Email
	}
	if pm.full != nil {
		ses.CompletedAt = time.Unix(pm.full.Created, 0).UTC()
		ses.Card = psp.CardLabel(pm.full.Card)
	}
	return ses
}

type wireIntent struct {
	listed
	Status    string            `json:"status"`
	Amount    money.Cents       `json:"amount"`
	Received  money.Cents       `json:"amount_received"`
	Currency  string            `json:"currency"`
	Live      bool              `json:"livemode"`
	Customer  string            `json:"customer"`
	Method    string            `json:"payment_method"`
	Metadata  map[string]string `json:"metadata"`
	Created   int64             `json:"created"`
	Secret    string            `json:"client_secret"`
	LastError *wireError        `json:"last_payment_error"`
	Charge    ref[struct {
		listed
		Refunded money.Cents `json:"amount_refunded"`
		Disputed bool        `json:"disputed"`
		Balance  ref[struct {
			listed
			Amount    money.Cents `json:"amount"`
			Fee       money.Cents `json:"fee"`
			Net       money.Cents `json:"net"`
			Available int64       `json:"available_on"`
		}] `json:"balance_transaction"`
	}] `json:"latest_charge"`
}

func (w wireIntent) payment() psp.Payment {
	p := psp.Payment{ID: w.ID, Status: w.status(), Amount: w.Amount, Received: w.Received, Currency: w.Currency,
		Mode: psp.ModeOf(w.Live), CustomerID: w.Customer, PaymentMethodID: w.Method,
		Group: w.Metadata[psp.GroupKey], Campaign: w.Metadata[psp.CampaignKey], Pledges: psp.SplitPledges(
			w.Metadata[psp.PledgesKey]), ChargeID: w.Charge.id, CreatedAt: time.Unix(w.Created, 0).UTC()}
	if e := w.LastError; e != nil && (p.Status == psp.Declined || p.Status == psp.NeedsAction) {
		p.Code, p.DeclineCode, p.MayPass = e.Code, e.DeclineCode, e.mayPass()
		p.PaymentMethodID = cmp.Or(p.PaymentMethodID, e.Method.ID)
	}
	if w.Charge.full == nil {
		return p
	}
	p.Refunded, p.Disputed = w.Charge.full.Refunded, w.Charge.full.Disputed
	b := w.Charge.full.Balance.full
	if b == nil {
		return p
	}
	p.Financials = psp.Financials{BalanceTransactionID: b.ID, Gross: b.Amount, Fee: b.Fee, Net: b.Net,
		AvailableAt: time.Unix(b.Available, 0).UTC()}
	return p
}

// status returns a payment's status. A payment that requires another payment method has failed; one
// that is only created, or in progress, may still succeed.
func (w wireIntent) status() psp.Status {
	switch {
	case w.Status == succeeded:
		return psp.Succeeded
	case w.Status == needsMethod && w.LastError != nil && w.LastError.needsAction():
		return psp.NeedsAction
	case w.Status == needsMethod:
		return psp.Declined
	case w.Status == canceled:
		return psp.Canceled
	}
	return psp.Pending
}

type wireCustomer struct {
	listed
	Metadata map[string]string `json:"metadata"`
	Created  int64             `json:"created"`
}

func (w wireCustomer) customer() psp.Customer {
	return psp.Customer{ID: w.ID, Metadata: w.Metadata, CreatedAt: time.Unix(w.Created, 0).UTC()}
}

type wireRefund struct {
	listed
	Payment        string            `json:"payment_intent"`
	Charge         string            `json:"charge"`
	Amount         money.Cents       `json:"amount"`
	Currency       string            `json:"currency"`
	Status         psp.RefundStatus  `json:"status"`
	Reason         string            `json:"reason"`
	FailureReason  string            `json:"failure_reason"`
	Balance        string            `json:"balance_transaction"`
	FailureBalance string            `json:"failure_balance_transaction"`
	Metadata       map[string]string `json:"metadata"`
	Created        int64             `json:"created"`
}

func (w wireRefund) refund() psp.Refund {
	return psp.Refund{ID: w.ID, PaymentID: w.Payment, ChargeID: w.Charge, OurID: w.Metadata[psp.RefundKey],
		Parts:  w.Metadata[psp.RefundPartsKey],
		Amount: w.Amount, Currency: w.Currency, Status: w.Status, Reason: w.Reason, FailureReason: w.FailureReason,
		BalanceTransactionID: w.Balance, FailureBalanceTransactionID: w.FailureBalance,
		CreatedAt: time.Unix(w.Created, 0).UTC()}
}

type wireDispute struct {
	listed
	Payment     string            `json:"payment_intent"`
	Charge      string            `json:"charge"`
	Amount      money.Cents       `json:"amount"`
	Currency    string            `json:"currency"`
	Status      psp.DisputeStatus `json:"status"`
	Reason      string            `json:"reason"`
	NetworkCode string            `json:"network_reason_code"`
	Refundable  bool              `json:"is_charge_refundable"`
	Created     int64             `json:"created"`
	Evidence    struct {
		DueBy int64 `json:"due_by"`
	} `json:"evidence_details"`
	Movements []wireBalanceTxn `json:"balance_transactions"`
}

func (w wireDispute) dispute() psp.Dispute {
	d := psp.Dispute{ID: w.ID, PaymentID: w.Payment, ChargeID: w.Charge, Amount: w.Amount, Currency: w.Currency,
		Status: w.Status, Reason: w.Reason, NetworkReasonCode: w.NetworkCode, Refundable: w.Refundable,
		CreatedAt: time.Unix(w.Created, 0).UTC()}
	if w.Evidence.DueBy != 0 {
		d.EvidenceDueBy = time.Unix(w.Evidence.DueBy, 0).UTC()
	}
	for _, b := range w.Movements {
		d.Movements = append(d.Movements, b.transaction())
	}
	d.Movements = d.Of(d.Movements)
	return d
}

type wireError struct {
	Kind        string      `json:"type"`
	Code        string      `json:"code"`
	DeclineCode string      `json:"decline_code"`
	Param       string      `json:"param"`
	Intent      *wireIntent `json:"payment_intent"`
	Method      struct {
		ID string `json:"id"`
	} `json:"payment_method"`
}

// mayPass reports whether the same card may be accepted later.
func (e wireError) mayPass() bool {
	return slices.Contains([]string{"insufficient_funds", "processing_error", "issuer_not_available", "try_again_later",
		"reenter_transaction", "card_velocity_exceeded", "withdrawal_count_limit_exceeded"}, e.DeclineCode) ||
		e.Code == "processing_error"
}

func (e wireError) needsAction() bool {
	return e.Code == authRequired || e.DeclineCode == authRequired
}

func readError(a Answer) wireError {
	var body struct {
		Error wireError `json:"error"`
	}
	if err := json.Unmarshal(a.Body, &body); err != nil {
		return wireError{}
	}
	return body.Error
}

// convertError converts an error response to the error that psp.Processor documents.
func convertError(a Answer) error {
	e := readError(a)
	switch {
	case a.Status == 404 || e.Code == "resource_missing":
		return fault.New(fault.NotFound, "Not found at the processor").In(e.Param)
	case a.Status == 400:
		return fault.New(fault.Invalid, "The processor rejected the request (%s %s)", e.Code, a.RequestID).In(e.Param)
	}
	return fault.New(fault.Unavailable, "The processor responded with status %d", a.Status)
}

// retryAfter is the delay after a charge that was rejected with 409 or 429.
const retryAfter = time.Second

// outcome classifies the response to a charge. arrived is false if the response was lost or
// truncated.
func outcome(a Answer, arrived bool) psp.Outcome {
	if arrived && a.Status == 200 {
		var in wireIntent
		if err := json.Unmarshal(a.Body, &in); err != nil {
			return psp.Outcome{Status: psp.Unknown, RequestID: a.RequestID}
		}
		p := in.payment()
		return psp.Outcome{Status: p.Status, Payment: p, RequestID: a.RequestID}
	}
	o, e := onceOutcome(a, arrived)
	o.DeclineCode = e.DeclineCode
	if e.Intent != nil {
		o.Payment = e.Intent.payment()
	}
	switch {
	case a.Status == 402 && e.needsAction():
		o.Status, o.Code = psp.NeedsAction, e.Code
	case a.Status == 402:
		o.Status, o.Code, o.MayPass = psp.Declined, e.Code, e.mayPass()
	case a.Status == 400 && e.cardUnusable():
		o.Status, o.Code = psp.Declined, cmp.Or(e.Code, "payment_method_unusable")
	}
	return o
}

// cardUnusable reports whether the card can never be charged again.
func (e wireError) cardUnusable() bool {
	return e.Param == "payment_method" && e.Code != "parameter_missing" ||
		e.Param == "customer" && e.Code == "resource_missing"
}

// refundOutcome classifies the response to a refund.
func refundOutcome(a Answer, arrived bool) psp.RefundOutcome {
	if arrived && a.Status == 200 {
		var w wireRefund
		if err := json.Unmarshal(a.Body, &w); err != nil {
			return psp.RefundOutcome{Status: psp.Unknown, RequestID: a.RequestID}
		}
		return psp.RefundOutcome{Status: psp.Accepted, Refund: w.refund(), RequestID: a.RequestID}
	}
	o, e := onceOutcome(a, arrived)
	out := psp.RefundOutcome{Status: o.Status, Code: o.Code, RequestID: o.RequestID, RetryAfter: o.RetryAfter,
		Barred: o.Barred}
	if out.Status == psp.Refused {
		out.Refusal = psp.RefusalOf(e.Code, e.Param)
	}
	return out
}

// onceOutcome classifies the error response to a request that is sent once: Unknown if the request
// may have been executed, NotStarted, Mismatch or Refused if it was not. The error is zero unless it
// is the processor's.
func onceOutcome(a Answer, arrived bool) (psp.Outcome, wireError) {
	if !arrived {
		return psp.Outcome{Status: psp.Unknown}, wireError{}
	}
	e := readError(a)
	if e.Kind == "" { // not from the processor but from a proxy
		return psp.Outcome{Status: psp.Unknown, RequestID: a.RequestID}, wireError{}
	}
	o := psp.Outcome{Status: psp.Unknown, Code: e.Code, RequestID: a.RequestID}
	switch {
	case a.Status == 400 && e.Kind == "idempotency_error":
		o.Status, o.Code = psp.Mismatch, e.Kind
	case a.Status == 401 || a.Status == 403:
		o.Status, o.Code, o.Barred = psp.NotStarted, cmp.Or(e.Code, "key_refused"), true
	case a.Status == 409 || a.Status == 429:
		o.Status, o.RetryAfter = psp.NotStarted, retryAfter
	case a.Status >= 400 && a.Status < 500:
		o.Status, o.Code = psp.Refused, cmp.Or(e.Code, "request_refused")
	}
	return o, e
}
