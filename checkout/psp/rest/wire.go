package rest

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// The types below have only those fields of the processor's objects that the adapter uses.

// ref is a field that contains an ID or, if expanded, the object.
type ref[T any] struct {
	ID    string
	Value *T
}

// UnmarshalJSON parses an ID or an object.
func (r *ref[T]) UnmarshalJSON(b []byte) error {
	var id string
	if json.Unmarshal(b, &id) == nil {
		r.ID = id
		return nil
	}
	var named struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(b, &named); err != nil {
		return err
	}
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	r.ID, r.Value = named.ID, &v
	return nil
}

type session struct {
	ID           string            `json:"id"`
	Status       string            `json:"status"`
	Live         bool              `json:"livemode"`
	ClientSecret string            `json:"client_secret"`
	URL          string            `json:"url"`
	ExpiresAt    int64             `json:"expires_at"`
	Metadata     map[string]string `json:"metadata"`
	Customer     ref[customer]     `json:"customer"`
	SetupIntent  ref[setupIntent]  `json:"setup_intent"`
}

type customer struct {
	ID       string            `json:"id"`
	Email    string            `json:"email"`
	Metadata map[string]string `json:"metadata"`
	Created  int64             `json:"created"`
}

type setupIntent struct {
	PaymentMethod ref[paymentMethod] `json:"payment_method"`
}

type paymentMethod struct {
	Created  int64         `json:"created"`
	Customer ref[struct{}] `json:"customer"`
	Card     *struct {
		Brand    string `json:"brand"`
		Last4    string `json:"last4"`
		ExpMonth int    `json:"exp_month"`
		ExpYear  int    `json:"exp_year"`
	} `json:"card"`
}

type intent struct {
	ID           string            `json:"id"`
	Status       string            `json:"status"`
	Amount       int64             `json:"amount"`
	Received     int64             `json:"amount_received"`
	Currency     string            `json:"currency"`
	Live         bool              `json:"livemode"`
	ClientSecret string            `json:"client_secret"`
	Created      int64             `json:"created"`
	Metadata     map[string]string `json:"metadata"`
	Customer     ref[struct{}]     `json:"customer"`
	Method       ref[struct{}]     `json:"payment_method"`
	LatestCharge ref[charge]       `json:"latest_charge"`
	LastError    *errorBody        `json:"last_payment_error"`
}

type charge struct {
	Refunded int64        `json:"amount_refunded"`
	Disputed bool         `json:"disputed"`
	Balance  ref[balance] `json:"balance_transaction"`
}

type balance struct {
	Amount      int64 `json:"amount"`
	Fee         int64 `json:"fee"`
	Net         int64 `json:"net"`
	AvailableOn int64 `json:"available_on"`
}

// errorBody is the processor's error object.
type errorBody struct {
	Type          string             `json:"type"`
	Code          string             `json:"code"`
	DeclineCode   string             `json:"decline_code"`
	Param         string             `json:"param"`
	PaymentIntent *intent            `json:"payment_intent"`
	PaymentMethod ref[paymentMethod] `json:"payment_method"`
}

func decode(body []byte, into any) error { return json.Unmarshal(body, into) }

func (s session) psp() psp.Session {
	out := psp.Session{
		ID: s.ID, Status: psp.SessionStatus(s.Status), Mode: psp.ModeOf(s.Live), ClientSecret: s.ClientSecret,
		URL: s.URL, Expires: time.Unix(s.ExpiresAt, 0).UTC(), Metadata: s.Metadata,
	}
	if out.Status != psp.Complete || s.SetupIntent.ID == "" {
		return out
	}
	out.CustomerID, out.SetupIntentID = s.Customer.ID, s.SetupIntent.ID
	if c := s.Customer.Value; c != nil {
		out.Email = c.Email
	}
	if setup := s.SetupIntent.Value; setup != nil {
		out.PaymentMethodID = setup.PaymentMethod.ID
		if m := setup.PaymentMethod.Value; m != nil && m.Created != 0 {
			out.CompletedAt = time.Unix(m.Created, 0).UTC()
		}
		if m := setup.PaymentMethod.Value; m != nil && m.Card != nil {
			out.Card = psp.CardLabel{Brand: m.Card.Brand, Last4: m.Card.Last4}
		}
	}
	return out
}

func (in intent) payment() psp.Payment {
	out := psp.Payment{
		ID: in.ID, Status: in.status(), Amount: money.Cents(in.Amount), Received: money.Cents(in.Received),
		Currency: in.Currency,
		Mode:     psp.ModeOf(in.Live), CustomerID: in.Customer.ID, PaymentMethodID: in.Method.ID,
		Group: in.Metadata[psp.GroupKey], Campaign: in.Metadata[psp.CampaignKey],
		Pledges: psp.SplitPledges(in.Metadata[psp.PledgesKey]), CreatedAt: time.Unix(in.Created, 0).UTC(),
		ChargeID: in.LatestCharge.ID,
	}
	if e := in.LastError; e != nil && (out.Status == psp.Declined || out.Status == psp.NeedsAction) {
		out.Code, out.DeclineCode, out.MayPass = e.Code, e.DeclineCode, e.isTemporary()
		out.PaymentMethodID = cmp.Or(out.PaymentMethodID, e.PaymentMethod.ID)
	}
	if c := in.LatestCharge.Value; c != nil {
		out.Refunded, out.Disputed = money.Cents(c.Refunded), c.Disputed
	}
	if c := in.LatestCharge.Value; c != nil && c.Balance.Value != nil {
		b := c.Balance.Value
		out.Financials = psp.Financials{
			BalanceTransactionID: c.Balance.ID, Gross: money.Cents(b.Amount), Fee: money.Cents(b.Fee),
			Net: money.Cents(b.Net), AvailableAt: time.Unix(b.AvailableOn, 0).UTC(),
		}
	}
	return out
}

// status returns a payment's status. A payment that requires another payment method has failed; one
// that is only created, or in progress, may still succeed.
func (in intent) status() psp.Status {
	switch in.Status {
	case "succeeded":
		return psp.Succeeded
	case "requires_payment_method":
		if in.LastError != nil && in.LastError.needsAuthentication() {
			return psp.NeedsAction
		}
		return psp.Declined
	case "canceled":
		return psp.Canceled
	}
	return psp.Pending
}

// needsAuthentication reports whether the issuer requires authentication. Either of two fields may
// have that code.
func (e *errorBody) needsAuthentication() bool {
	const wanted = "authentication_required"
	return e.Code == wanted || e.DeclineCode == wanted
}

// isTemporary reports whether the same card may be accepted later, according to
// the processor's documentation of decline codes.
func (e *errorBody) isTemporary() bool {
	switch e.DeclineCode {
	case "insufficient_funds", "processing_error", "issuer_not_available", "try_again_later", "reenter_transaction",
		"card_velocity_exceeded", "withdrawal_count_limit_exceeded":
		return true
	}
	return e.Code == "processing_error"
}

// setIfNotEmpty sets a non-empty form value.
func setIfNotEmpty(form url.Values, name, value string) {
	if value != "" {
		form.Set(name, value)
	}
}

func setMap(form url.Values, name string, values map[string]string) {
	for k, v := range values {
		form.Set(name+"["+k+"]", v)
	}
}

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }
