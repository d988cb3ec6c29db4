package httpapi

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/fulfilment"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (a *API) disputesRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/disputes/:slug", Tag: "settlement",
			Summary: "A campaign's disputes at the payment processor, with the deadline for an answer",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Money},
			Query: []Param{{"open", "true for the disputes that are not decided", false},
				{"cursor", "The next value of the previous page", false}},
			Out: "Disputes", Errors: []int{400, 404, 503},
			handle: a.listDisputes,
		},
		{
			// The audit log records who took a copy of a supporter's data, so this is a POST.
			Method: "POST", Pattern: "/admin/disputes/:slug/evidence", Tag: "settlement",
			Personal: []Whose{Supporters},
			Summary:  "Everything that is known about a disputed payment, as a zip file: terms, promises, emails, address and parcels",
			Rules:    Rules{Secret: AdminSecret, Operator: access.Supporters, And: access.Money, Fresh: true, Action: "dispute.evidence"},
			In:       "EvidenceRequest", Type: zipType, Errors: []int{404, 503},
			handle: a.disputeEvidence,
		},
		{
			Method: "POST", Pattern: "/admin/disputes/:slug/parcels", Tag: "fulfilment",
			Summary: "Release the parcels of one disputed pledge, or hold them",
			Rules: Rules{Secret: AdminSecret, Operator: access.Money, Action: "parcels.release", ActionField: "choice",
				Actions: map[string]string{string(pledge.HoldParcels): "parcels.hold"}, Resumed: true},
			In: "HoldRequest", Out: "ParcelHold", Errors: []int{404, 409, 503},
			handle: a.chooseHold,
		},
		{
			Method: "POST", Pattern: "/admin/disputes/:slug/warning", Tag: "settlement",
			Summary: "Leave a payment as it is although its card's bank suspects fraud",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Money, Action: "warning.leave", Resumed: true},
			In:      "WarningRequest", Out: "WarningLeft", Errors: []int{404, 503},
			handle: a.leaveWarning,
		},
	}
}

// HoldRequest is the request body of POST /admin/disputes/:slug/parcels.
type HoldRequest struct {
	OrderID  string            `json:"orderId"`
	Choice   pledge.HoldChoice `json:"choice"`
	Reason   string            `json:"reason"`
	ChangeID string            `json:"changeId"`
}

func (a *API) chooseHold(ctx context.Context, x *exchange) (any, error) {
	return decoded(func(ctx context.Context, in HoldRequest) (fulfilment.Hold, error) {
		if _, err := a.services.Campaigns().Campaign(x.param); err != nil {
			return fulfilment.Hold{}, err
		}
		b := fulfilment.Batch{CampaignSlug: x.param, ChangeID: in.ChangeID, By: x.operator}
		return a.services.Fulfilment.ChooseHold(ctx, b, in.OrderID, in.Choice, in.Reason)
	})(ctx, x)
}

// disputesPage is the number of disputes on a page.
const disputesPage = 100

func (a *API) listDisputes(ctx context.Context, x *exchange) (any, error) {
	open := x.query().Get("open")
	if open != "" && open != "true" && open != "false" {
		return nil, fault.New(fault.Invalid, "open must be true or false").In("open")
	}
	return a.services.Disputes.List(ctx, x.param, open == "true", x.query().Get("cursor"), disputesPage)
}

const zipType = "application/zip"

// EvidenceRequest is the request body of POST /admin/disputes/:slug/evidence.
type EvidenceRequest struct {
	DisputeID string `json:"disputeId"`
}

func (a *API) disputeEvidence(ctx context.Context, x *exchange) (any, error) {
	var in EvidenceRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	e, err := a.services.Disputes.Evidence(ctx, x.param, in.DisputeID, x.supporterVisibility())
	if err != nil {
		return nil, err
	}
	return Response{Status: 200, Stream: e.Write, Header: Header{"Content-Type": {zipType},
		"Content-Disposition": {`attachment; filename="evidence-` + in.DisputeID + `.zip"`}}}, nil
}

// WarningRequest is the request body of POST /admin/disputes/:slug/warning.
type WarningRequest struct {
	WarningID string `json:"warningId"`
	Reason    string `json:"reason"` // for the audit log
}

// WarningLeft is the response of POST /admin/disputes/:slug/warning.
type WarningLeft struct {
	At *time.Time `json:"acknowledgedAt"`
}

func (a *API) leaveWarning(ctx context.Context, x *exchange) (any, error) {
	var in WarningRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	w, err := a.services.Disputes.Leave(ctx, x.param, in.WarningID, x.operator)
	return WarningLeft{w.AcknowledgedAt}, err
}
