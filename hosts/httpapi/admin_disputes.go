package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
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
	}
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
