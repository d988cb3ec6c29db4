package httpapi

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

func (a *API) refundRunRoutes() []Route {
	const path = "/admin/refunds/:slug/run"
	service := a.services.Settlement
	act := Rules{Operator: access.Refunds, And: access.Money, Fresh: true}
	start, change := act, act
	start.Action, start.Resumed, change.Action = "refund.run", true, "refund.run_changed"
	change.ActionField, change.Actions = "change", map[string]string{
		string(refund.ConfirmRun): "refund.run_confirmed", string(refund.ContinueRun): "refund.run_continued",
		string(refund.PauseRun): "refund.run_paused", string(refund.EndRun): "refund.run_ended",
	}
	return []Route{
		{
			Method: "GET", Pattern: path, Tag: "refunds", Summary: "The last run that refunds all payments of a campaign",
			Personal: []Whose{Operators}, Rules: Rules{Secret: AdminSecret, Operator: access.Money},
			Out: "RefundRunState", Errors: []int{404, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				r, err := service.RefundRun(ctx, x.param)
				if err != nil || r.ID == "" {
					return RefundRunState{}, err
				}
				return RefundRunState{Run: refundRunRecord(r)}, nil
			},
		},
		{
			Method: "GET", Pattern: path + "/preview", Tag: "refunds", Summary: "What a run would refund",
			Rules:  Rules{Secret: AdminSecret, Operator: access.Money},
			Query:  []Param{{"tip", "true to include tips to the platform", false}},
			Out:    "RefundRunPreview",
			Errors: []int{404, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				return service.PreviewRefundRun(ctx, x.param, x.query().Get("tip") == "true")
			},
		},
		{
			Method: "POST", Pattern: path, Tag: "refunds",
			Summary:  "Refund all payments of a campaign; the run waits for a second operator",
			Personal: []Whose{Operators}, Rules: start,
			In: "RefundRunRequest", Out: "RefundRunRecord", Errors: []int{404, 409, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				var in RefundRunRequest
				if err := decodeJSON(x.Body, &in); err != nil {
					return nil, err
				}
				r, err := service.StartRefundRun(ctx, x.param, x.operator,
					refund.Run{ID: in.ID, Tip: in.Tip, Reason: in.Reason, Message: in.Message})
				return refundRunRecord(r), err
			},
		},
		{
			Method: "POST", Pattern: path + "/change", Tag: "refunds",
			Summary:  "Confirm, continue, pause or end a run that refunds all payments",
			Personal: []Whose{Operators}, Rules: change,
			In: "RefundRunChange", Out: "RefundRunRecord", Errors: []int{404, 409, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) { return changeRefundRun(ctx, x, service) },
		},
	}
}

// RefundRunRequest is the request body of POST /admin/refunds/:slug/run.
type RefundRunRequest struct {
	ID      string        `json:"id"`
	Tip     bool          `json:"tip"`
	Reason  refund.Reason `json:"reason"`
	Message string        `json:"message"`
}

// RefundRunChange is the request body of POST /admin/refunds/:slug/run/change.
type RefundRunChange struct {
	ID     string           `json:"id"`
	Change refund.RunChange `json:"change"`
}

func changeRefundRun(ctx context.Context, x *exchange, service *settlement.Service) (any, error) {
	var in RefundRunChange
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	r, err := service.ChangeRefundRun(ctx, x.param, x.operator, in.ID, in.Change)
	return refundRunRecord(r), err
}

// RefundRunState is the response of GET /admin/refunds/:slug/run.
type RefundRunState struct {
	Run *RefundRunRecord `json:"run"` // nil if there was none
}

// RefundRunRecord is a run as shown to operators.
type RefundRunRecord struct {
	ID          string           `json:"id"`
	Status      refund.RunStatus `json:"status"`
	Tip         bool             `json:"tip"`
	Reason      refund.Reason    `json:"reason"`
	Message     string           `json:"message"`
	StartedBy   string           `json:"startedBy"`
	StartedAt   time.Time        `json:"startedAt"`
	ConfirmedBy string           `json:"confirmedBy,omitempty"`
	Refunded    int              `json:"refunded"` // payments
	Amount      money.Cents      `json:"amount"`   // cents
	Skipped     int              `json:"skipped"`
	// Failures counts the last refunds in a row that the processor did not accept.
	Failures int `json:"failures"`
}

func refundRunRecord(r refund.Run) *RefundRunRecord {
	return &RefundRunRecord{ID: r.ID, Status: r.Status, Tip: r.Tip, Reason: r.Reason, Message: r.Message,
		StartedBy: r.StartedBy, StartedAt: r.StartedAt, ConfirmedBy: r.ConfirmedBy, Refunded: r.Refunded,
		Amount: r.Amount, Skipped: r.Skipped, Failures: r.Failures}
}
