package httpapi

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

func (a *API) refundRoutes() []Route {
	const path = "/admin/refunds/:slug"
	act := func(suffix, action, summary string, run func(context.Context, *exchange, string) (refund.Refund, error)) Route {
		return Route{
			Method: "POST", Pattern: path + suffix, Tag: "refunds", Summary: summary,
			Personal: []Whose{Operators},
			Rules: Rules{Operator: access.Refunds, And: access.Money, Fresh: true,
				Action: "refund." + action},
			In: "RefundRef", Out: "RefundRecord", Errors: []int{404, 409, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				var in RefundRef
				if err := decodeJSON(x.Body, &in); err != nil {
					return nil, err
				}
				r, err := run(ctx, x, in.ID)
				return a.refundRecord(r), err
			},
		}
	}
	service := a.services.Settlement
	return []Route{
		{
			Method: "GET", Pattern: path, Tag: "refunds", Summary: "A campaign's refunds, by ID",
			Personal: []Whose{Operators}, Rules: Rules{Secret: AdminSecret, Operator: access.Money},
			Query: []Param{{"attention", "true for those that wait for a person only", false},
				{"after", "The next value of the page before", false},
				{"limit", "Maximum number of refunds, 1 to 1000, default 100", false}},
			Out: "Refunds", Errors: []int{400, 404, 503}, handle: a.refunds,
		},
		{
			Method: "POST", Pattern: path + "/quote", Tag: "refunds",
			Summary: "What a refund would take; changes nothing",
			Rules:   Rules{Operator: access.Refunds, And: access.Money, Reads: true},
			In:      "RefundRequest", Out: "RefundQuote", Errors: []int{404, 409, 503},
			handle: refundRequest(func(ctx context.Context, x *exchange, in settlement.RefundRequest) (any, error) {
				return service.QuoteRefund(ctx, x.param, in)
			}),
		},
		{
			Method: "POST", Pattern: path, Tag: "refunds",
			Summary:  "Refund a charged pledge, or part of it; above $500 it waits for a second operator",
			Personal: []Whose{Operators},
			Rules: Rules{Operator: access.Refunds, And: access.Money, Fresh: true,
				Action: "refund.grant", Resumed: true},
			In: "RefundRequest", Out: "RefundRecord", Errors: []int{404, 409, 503},
			handle: refundRequest(func(ctx context.Context, x *exchange, in settlement.RefundRequest) (any, error) {
				r, err := service.GrantRefund(ctx, x.param, x.operator, in)
				return a.refundRecord(r), err
			}),
		},
		act("/confirm", "confirm", "Confirm another operator's refund above $500, and send it",
			func(ctx context.Context, x *exchange, id string) (refund.Refund, error) {
				return service.ConfirmRefund(ctx, x.param, x.operator, id)
			}),
		act("/withdraw", "withdraw", "End a refund that the processor does not have",
			func(ctx context.Context, x *exchange, id string) (refund.Refund, error) {
				return service.WithdrawRefund(ctx, x.param, id)
			}),
		act("/repaid", "repaid",
			"State that a refund that came back was paid in another way; takes effect when a second operator states the same",
			func(ctx context.Context, x *exchange, id string) (refund.Refund, error) {
				return service.RepayRefund(ctx, x.param, x.operator, id)
			}),
	}
}

func refundRequest(fn func(context.Context, *exchange, settlement.RefundRequest) (any, error)) handler {
	return func(ctx context.Context, x *exchange) (any, error) {
		var in settlement.RefundRequest
		if err := decodeJSON(x.Body, &in); err != nil {
			return nil, err
		}
		return fn(ctx, x, in)
	}
}

// RefundRef is the request body of the routes that continue a refund.
type RefundRef struct {
	ID string `json:"id"`
}

// RefundPart is what a refund takes of one pledge.
type RefundPart struct {
	OrderID    string            `json:"orderId"`
	Amount     money.Cents       `json:"amount"` // cents
	Components ledger.Components `json:"components"`
}

// RefundRecord is a refund as shown to operators.
type RefundRecord struct {
	ID      string        `json:"id"`
	Status  refund.Status `json:"status"`
	Amount  money.Cents   `json:"amount"` // cents
	Parts   []RefundPart  `json:"parts"`
	Reason  refund.Reason `json:"reason"`
	Message string        `json:"message"`
	// Adopted reports whether the refund was found at the processor.
	Adopted     bool      `json:"adopted"`
	GrantedBy   string    `json:"grantedBy"`
	GrantedAt   time.Time `json:"grantedAt"`
	ConfirmedBy string    `json:"confirmedBy,omitempty"`
	// RepaidBy is the operator who stated first that the refund was paid in another way.
	RepaidBy      string      `json:"repaidBy,omitempty"`
	PaymentID     string      `json:"paymentIntentId"`
	PaymentURL    string      `json:"paymentUrl,omitempty"` // URL at the processor
	RefundID      string      `json:"refundId,omitempty"`   // the processor's
	Refusal       psp.Refusal `json:"refusal,omitempty"`
	Code          string      `json:"errorCode,omitempty"`
	FailureReason string      `json:"failureReason,omitempty"`
	SettledAt     *time.Time  `json:"settledAt,omitempty"` // when the status became known
}

func (a *API) refundRecord(r refund.Refund) RefundRecord {
	out := RefundRecord{ID: r.ID, Status: r.Status, Amount: r.Amount, Parts: []RefundPart{}, Reason: r.Reason,
		Message: r.Message, Adopted: r.Adopted, GrantedBy: r.GrantedBy, GrantedAt: r.GrantedAt,
		ConfirmedBy: r.ConfirmedBy, RepaidBy: r.RepaidBy, PaymentID: r.PaymentID,
		PaymentURL: a.paymentPage(r.PaymentID), RefundID: r.RefundID, Refusal: r.Refusal, Code: r.Code,
		FailureReason: r.FailureReason, SettledAt: r.SettledAt}
	for _, p := range r.Parts {
		out.Parts = append(out.Parts, RefundPart{p.Pledge, p.Sum(), p.Components})
	}
	return out
}

// Refunds is the response of GET /admin/refunds/:slug.
type Refunds struct {
	Refunds []RefundRecord `json:"refunds"`
	Next    string         `json:"next"` // "" on the last page
}

func (a *API) refunds(ctx context.Context, x *exchange) (any, error) {
	limit, err := number(x, "limit", 100)
	if err != nil {
		return nil, err
	}
	if limit < 1 || limit > kv.MaxPage {
		return nil, fault.New(fault.Invalid, "The limit must be from 1 to %d", kv.MaxPage).In("limit")
	}
	after := x.query().Get("after")
	if after != "" && !refund.ValidID(after) {
		return nil, fault.New(fault.Invalid, "Invalid value").In("after")
	}
	page, err := a.services.Settlement.Refunds(ctx, x.param, x.query().Get("attention") == "true", after, limit)
	out := Refunds{Refunds: []RefundRecord{}, Next: page.Next}
	for _, r := range page.Refunds {
		out.Refunds = append(out.Refunds, a.refundRecord(r))
	}
	return out, err
}
