package httpapi

import (
	"context"
	"fmt"
	"io"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (a *API) accountingRoutes() []Route {
	const path = "/admin/accounting/:slug"
	rules := Rules{Secret: AdminSecret, Operator: access.Money}
	names := []Param{}
	for _, account := range accounting.Accounts {
		names = append(names, Param{string(account), "Name of this account in the accounting software", false})
	}
	file := func(f accounting.Format, suffix, kind, summary string, query ...Param) Route {
		return Route{
			Method: "GET", Pattern: path + suffix, Tag: "reports", Summary: summary, Rules: rules,
			Query: append(query, names...), Type: kind, Errors: []int{400, 404, 409, 503},
			handle: a.journalFile(f, suffix, kind),
		}
	}
	return []Route{
		{
			Method: "GET", Pattern: path, Tag: "reports",
			Summary: "Revenue from charges as double-entry journals, one per day", Rules: rules,
			Out: "Accounting", Errors: []int{404, 409, 503},
			handle: a.journals,
		},
		file(accounting.Xero, "/xero.csv", csvType, "The journals as CSV for Xero's manual journal import",
			Param{"part", "Number of the file, from 1; a file has at most 300 lines", false},
			Param{"taxRate", "Name of the zero tax rate in Xero", false}),
		file(accounting.QuickBooks, "/quickbooks.csv", csvType, "The journals as CSV for QuickBooks Online"),
		file(accounting.PlainText, "/journal.txt", "text/plain; charset=utf-8",
			"The journals as text, for hledger, Ledger and Beancount"),
	}
}

// Accounting is the response of GET /admin/accounting/:slug.
type Accounting struct {
	Version      int                  `json:"version"`
	CampaignSlug string               `json:"campaignSlug"`
	Timezone     string               `json:"timezone"`
	Journals     []accounting.Journal `json:"journals"`
	XeroFiles    int                  `json:"xeroFiles"`
}

func (a *API) collect(ctx context.Context, slug string) ([]accounting.Journal, error) {
	if _, err := a.services.Campaigns().Campaign(slug); err != nil {
		return nil, err
	}
	return accounting.Collect(slug, a.services.Projector.Indexed(ctx, slug), a.services.Config.Site.Timezone.Location())
}

func (a *API) journals(ctx context.Context, x *exchange) (any, error) {
	all, err := a.collect(ctx, x.param)
	return Accounting{
		Version: accounting.Version, CampaignSlug: x.param, Timezone: a.services.Config.Site.Timezone.Location().String(),
		Journals: all, XeroFiles: len(accounting.Xero.Files(all)),
	}, err
}

// journalFile handles requests for the journals in a format. It collects them before it responds,
// so that an entry that cannot be booked is an error instead of a shortened file.
func (a *API) journalFile(f accounting.Format, suffix, kind string) handler {
	return func(ctx context.Context, x *exchange) (any, error) {
		names := accounting.Names{Accounts: map[accounting.Account]string{}, TaxRate: x.query().Get("taxRate")}
		for _, account := range accounting.Accounts {
			if x.query().Has(string(account)) {
				names.Accounts[account] = x.query().Get(string(account))
			}
		}
		if err := names.Check(); err != nil {
			return nil, err
		}
		part, err := number(x, "part", 1)
		if err != nil {
			return nil, err
		}
		all, err := a.collect(ctx, x.param)
		if err != nil {
			return nil, err
		}
		files := f.Files(all)
		if part < 1 || part > len(files) {
			return nil, fault.New(fault.Invalid, "The part must be from 1 to %d", len(files)).In("part")
		}
		name := fmt.Sprintf("%s-accounting-%s", x.param, suffix[1:])
		if f == accounting.Xero {
			name = fmt.Sprintf("%s-accounting-xero-%d.csv", x.param, part)
		}
		return Response{
			Status: 200, Stream: func(w io.Writer) error { return f.Write(w, x.param, files[part-1], names) },
			Header: Header{"Content-Type": {kind}, "Content-Disposition": {`attachment; filename="` + name + `"`}},
		}, nil
	}
}
