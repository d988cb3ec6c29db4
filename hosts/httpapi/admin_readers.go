package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

// readerRoutes returns the routes with which super admins list, confirm and revoke recipients of
// mailed reports.
func (a *API) readerRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/report-readers", Tag: "reports", Personal: []Whose{Operators},
			Summary: "The recipients of a campaign's reports: those in its file and those that an operator confirmed, with the reports that each gets",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
			Query:   []Param{{"campaignSlug", "The campaign", true}},
			Out:     "ReportReaders", Errors: []int{404, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				return a.reportReaders(ctx, x.query().Get("campaignSlug"))
			},
		},
		{
			Method: "POST", Pattern: "/admin/report-readers/confirm", Tag: "reports", Personal: []Whose{Operators},
			Summary: "Allow an address that does not belong to a user to get a campaign's reports",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Fresh: true, Action: "report_reader.confirm"},
			In:      "ReportReaderRequest", Out: "ReportReaders", Errors: []int{404, 409, 503},
			handle: a.confirmReader,
		},
		{
			Method: "POST", Pattern: "/admin/report-readers/revoke", Tag: "reports", Personal: []Whose{Operators},
			Summary: "Revoke the confirmation of an address",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Fresh: true, Action: "report_reader.revoke"},
			In:      "ReportReaderRequest", Out: "ReportReaders", Errors: []int{404, 503},
			handle: a.revokeReader,
		},
	}
}

// ReportReaders is the response of the routes about report readers.
type ReportReaders struct {
	Readers []compose.ReportReader `json:"readers"`
}

// ReportReaderRequest identifies an address for a campaign's reports.
type ReportReaderRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	Email        string `json:"email"`
}

func (a *API) reportReaders(ctx context.Context, slug string) (ReportReaders, error) {
	all, err := a.services.ReportReaders(ctx, slug)
	return ReportReaders{all}, err
}

func (a *API) confirmReader(ctx context.Context, x *exchange) (any, error) {
	in, err := a.readerRequest(x)
	if err != nil {
		return nil, err
	}
	if _, err := a.services.Access.ConfirmReader(ctx, x.operator, in.CampaignSlug, in.Email); err != nil {
		return nil, err
	}
	return a.reportReaders(ctx, in.CampaignSlug)
}

func (a *API) revokeReader(ctx context.Context, x *exchange) (any, error) {
	in, err := a.readerRequest(x)
	if err != nil {
		return nil, err
	}
	if err := a.services.Access.RevokeReader(ctx, x.operator, in.CampaignSlug, in.Email); err != nil {
		return nil, err
	}
	return a.reportReaders(ctx, in.CampaignSlug)
}

func (a *API) readerRequest(x *exchange) (ReportReaderRequest, error) {
	var in ReportReaderRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return in, err
	}
	_, err := a.services.Campaigns().Campaign(in.CampaignSlug)
	return in, err
}
