package httpapi

import (
	"context"
	"fmt"
	"io"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
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
			Query: append(query, names...), Type: kind, Errors: []int{400, 404, 409, 500, 503},
			handle: a.journalFile(f, suffix, kind),
		}
	}
	return []Route{
		{
			Method: "GET", Pattern: path, Tag: "reports",
			Summary: "Charges, refunds, disputes and other movements of money as double-entry journals, by day", Rules: rules,
			Out: "Accounting", Errors: []int{404, 409, 500, 503},
			handle: a.journals,
		},
		file(accounting.Xero, "/xero.csv", csvType, "The journals as CSV for Xero's manual journal import",
			Param{"part", "Number of the file, from 1; a file has at most 300 lines", false},
			Param{"taxRate", "Name of the zero tax rate in Xero", false}),
		file(accounting.QuickBooks, "/quickbooks.csv", csvType, "The journals as CSV for QuickBooks Online"),
		file(accounting.PlainText, "/journal.txt", plainType, "The journals as text, for hledger, Ledger and Beancount"),
		{
			Method: "GET", Pattern: path + "/tax.csv", Tag: "reports",
			Summary: "Sales tax charged and refunded, by month, place and rate, as CSV", Rules: rules,
			Type: csvType, Errors: []int{404, 409, 500, 503}, handle: a.taxFile,
		},
		{
			Method: "GET", Pattern: path + "/ledger", Tag: "reports",
			Summary: "Entries of the campaign's ledger: every movement of money", Rules: rules,
			Query: []Param{{"after", "Number of the entry to continue after, 0 for the first page", false},
				{"limit", "Maximum number of entries, 1 to 1000, default 100", false}},
			Out: "Ledger", Errors: []int{400, 404, 500, 503}, handle: a.ledger,
		},
		{
			Method: "GET", Pattern: path + "/ledger.txt", Tag: "reports",
			Summary: "The ledger as text, for hledger, Ledger and Beancount", Rules: rules,
			Query: names, Type: plainType, Errors: []int{400, 404, 500, 503}, handle: a.ledgerFile,
		},
	}
}

// Ledger is the response of GET /admin/accounting/:slug/ledger.
type Ledger struct {
	Entries []ledger.Entry `json:"entries"`
	// Next is the number to continue after, 0 on the last page.
	Next     int                            `json:"next"`
	Balances map[ledger.Account]money.Cents `json:"balances"`
}

func (a *API) ledger(ctx context.Context, x *exchange) (any, error) {
	after, err := number(x, "after", 0)
	if err != nil {
		return nil, err
	}
	limit, err := number(x, "limit", 100)
	if err != nil {
		return nil, err
	}
	if after < 0 {
		return nil, fault.New(fault.Invalid, "The number must not be negative").In("after")
	}
	if limit < 1 || limit > kv.MaxPage {
		return nil, fault.New(fault.Invalid, "The limit must be from 1 to %d", kv.MaxPage).In("limit")
	}
	page, err := a.services.Settlement.Ledger(ctx, x.param, after, limit)
	if err != nil {
		return nil, err
	}
	out := Ledger{Entries: page.Entries, Balances: page.Head.Balances}
	if n := len(page.Entries); n > 0 && page.Entries[n-1].Number < page.Head.Entries {
		out.Next = page.Entries[n-1].Number
	}
	return out, nil
}

// ledgerFile verifies the ledger before it responds, so that a damaged ledger is an error instead of a
// shortened file.
func (a *API) ledgerFile(ctx context.Context, x *exchange) (any, error) {
	names, err := accountNames(x)
	if err != nil {
		return nil, err
	}
	if _, err := a.services.Settlement.VerifyLedger(ctx, x.param); err != nil {
		return nil, err
	}
	return Response{
		Status: 200, Stream: func(w io.Writer) error {
			return accounting.WriteLedger(w, x.param, a.services.Settlement.LedgerEntries(ctx, x.param), names,
				a.services.Config.Site.Timezone.Location())
		},
		Header: Header{"Content-Type": {plainType},
			"Content-Disposition": {`attachment; filename="` + x.param + `-ledger.txt"`}},
	}, nil
}

func (a *API) taxFile(ctx context.Context, x *exchange) (any, error) {
	if _, err := a.services.Campaigns().Campaign(x.param); err != nil {
		return nil, err
	}
	rows, err := accounting.CollectTax(a.services.Projector.Indexed(ctx, x.param),
		a.services.Settlement.LedgerEntries(ctx, x.param), a.services.Config.Site.Timezone.Location())
	if err != nil {
		return nil, err
	}
	return Response{
		Status: 200, Stream: func(w io.Writer) error { return accounting.WriteTax(w, rows) },
		Header: Header{"Content-Type": {csvType},
			"Content-Disposition": {`attachment; filename="` + x.param + `-sales-tax.csv"`}},
	}, nil
}

// accountNames returns the names that a request's query gives to accounts.
func accountNames(x *exchange) (accounting.Names, error) {
	names := accounting.Names{Accounts: map[accounting.Account]string{}, TaxRate: x.query().Get("taxRate")}
	for _, account := range accounting.Accounts {
		if x.query().Has(string(account)) {
			names.Accounts[account] = x.query().Get(string(account))
		}
	}
	return names, names.Check()
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
	return accounting.Collect(slug, a.services.Projector.Indexed(ctx, slug),
		a.services.Settlement.LedgerEntries(ctx, slug), a.services.Config.Site.Timezone.Location())
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
		names, err := accountNames(x)
		if err != nil {
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
