package httpapi

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// maxReportPage is the maximum number of pledges per page of a report.
const maxReportPage = 250

func (a *API) reportRoutes() []Route {
	both := func(kind report.Kind, summary string, rules Rules) []Route {
		path := "/admin/reports/:slug/" + string(kind)
		file, pages := rules, rules
		file.Fresh, pages.Listing = true, maxReportPage
		query := []Param{
			{"status", "Only pledges with this status", false}, {"rewardId", "Only pledges with this reward", false},
			langQuery[0],
		}
		forFile := []Param{query[0], query[1],
			{"lang", "en or es for headings and statuses in words, and times in the platform's zone; default column keys, and times in UTC", false}}
		forCSV := forFile
		if kind == report.FulfillmentReport {
			more := []Param{{"country", "Only parcels to this country, as two letters", false},
				{"left", "1 for rows that are not sent yet", false}}
			query, forFile = append(query, more...), append(forFile, more...)
			forCSV = append(slices.Clone(forFile),
				Param{"for", "carrier for a file for a carrier's import, without the apostrophes that keep spreadsheets from running cells as formulas", false})
		}
		return []Route{
			{
				Method: "GET", Pattern: path, Tag: "reports", Personal: []Whose{Supporters}, Summary: summary, Rules: pages,
				Query: append(slices.Clone(query), Param{"limit", "Pledges per page, 1 to 250", false},
					Param{"cursor", "The next value of the previous page", false}),
				Out: "Report", Errors: []int{400, 404, 409, 503},
				handle: a.reportPage(kind),
			},
			{
				Method: "GET", Pattern: path + ".csv", Tag: "reports", Personal: []Whose{Supporters},
				Summary: summary + ", all rows as CSV", Rules: file, Query: forCSV,
				Type: csvType, Errors: []int{400, 404, 409, 503},
				handle: a.reportCSV(kind),
			},
			{
				Method: "GET", Pattern: path + ".xlsx", Tag: "reports", Personal: []Whose{Supporters},
				Summary: summary + ", all rows as an Excel workbook", Rules: file, Query: forFile,
				Type: xlsxType, Errors: []int{400, 404, 409, 503},
				handle: a.reportFile(kind, ".xlsx", xlsxType, report.Kind.WriteXLSX, report.Readable.WriteXLSX),
			},
		}
	}
	return append(
		both(report.PledgeReport, "A campaign's pledges with their supporters",
			Rules{Secret: AdminSecret, Operator: access.Supporters, And: access.Money}),
		both(report.FulfillmentReport, "A campaign's rewards to produce and ship, without amounts",
			Rules{Secret: AdminSecret, Operator: access.Fulfilment})...,
	)
}

// Report is a page of a report. Its cells are those of the CSV file, with two exceptions: cells are
// not escaped for spreadsheets, and times are in the platform's zone.
type Report struct {
	Columns []string `json:"columns"` // keys, as in the file
	// Headings describe the columns in the requested language. Amounts are in Currency.
	Headings []report.Heading `json:"headings"`
	Currency string           `json:"currency"`
	Timezone string           `json:"timezone"` // of the times
	Rows     [][]string       `json:"rows"`
	// Next is the cursor of the next page, 0 on the last one. A page can be empty and still have a
	// next page.
	Next int `json:"next"`
	// Held are the parcels of the page's pledges that a fulfillment report leaves out; nil if there are none.
	Held *report.Held `json:"held,omitempty"`
	// MissingIndex is set if there are no pledges yet or the index must be rebuilt.
	MissingIndex bool `json:"missingIndex"`
}

func (r *Report) addHeld(kind report.Kind, p *pledge.Pledge) {
	if kind == report.PledgeReport || p.Held() == "" {
		return
	}
	held := report.Held{}
	if r.Held != nil {
		held = *r.Held
	}
	if held.Add(p); held.Pledges > 0 {
		r.Held = &held
	}
}

func (a *API) reportPage(kind report.Kind) handler {
	return func(ctx context.Context, x *exchange) (any, error) {
		if _, err := a.services.Campaigns().Campaign(x.param); err != nil {
			return nil, err
		}
		limit, err := number(x, "limit", maxReportPage)
		if err != nil {
			return nil, err
		}
		if limit < 1 || limit > maxReportPage {
			return nil, fault.New(fault.Invalid, "The limit must be from 1 to %d", maxReportPage).In("limit")
		}
		cursor, err := number(x, "cursor", 0)
		if err != nil {
			return nil, err
		}
		if cursor < 0 {
			return nil, fault.New(fault.Invalid, "Invalid cursor").In("cursor")
		}
		kind, err := reportKind(x, kind)
		if err != nil {
			return nil, err
		}
		filter, err := reportFilter(x, kind)
		if err != nil {
			return nil, err
		}
		lang, err := langOf(x)
		if err != nil {
			return nil, err
		}
		zone := a.services.Config.Site.Timezone.Location()
		out := Report{Columns: kind.Columns(), Headings: kind.Headings(lang), Currency: strings.ToUpper(money.USD),
			Timezone: zone.String(), Rows: [][]string{}}
		page, next, err := a.services.Projector.IndexPage(ctx, x.param, cursor, limit)
		if fault.Is(err, fault.CampaignIndexRequired) {
			out.MissingIndex = true
			return out, nil
		}
		for _, p := range page {
			if filter.Matches(p) {
				out.Rows = append(out.Rows, kind.RowsIn(p, zone)...)
				out.addHeld(kind, p)
			}
		}
		out.Next = next
		return out, err
	}
}

// reportKind returns kind or, for a fulfillment report with left=1, the report of its unsent rows.
// It fails with code Invalid for other values of left, which the pledge report ignores.
func reportKind(x *exchange, kind report.Kind) (report.Kind, error) {
	switch left := x.query().Get("left"); {
	case left == "" || kind != report.FulfillmentReport:
		return kind, nil
	case left == "1":
		return report.LeftToSend, nil
	}
	return kind, fault.New(fault.Invalid, "Use left=1 for the rows left to send").In("left")
}

// reportFilter parses the filter of a report request. The pledge report contains no addresses and
// ignores the country. The fulfillment report has no filters by refunds and disputes.
func reportFilter(x *exchange, kind report.Kind) (pledge.Filter, error) {
	q := x.query()
	f := pledge.Filter{Status: pledge.Status(q.Get("status")), RewardID: q.Get("rewardId")}
	if kind != report.PledgeReport {
		f.Country = q.Get("country")
	}
	if kind != report.PledgeReport && supporters.NeedsMoney(f) {
		return f, fault.New(fault.Invalid, "The fulfillment report cannot be filtered by refunds and disputes").In("status")
	}
	return f, supporters.CheckFilter(f)
}

// reportCSV handles requests for a report as a CSV file for spreadsheets or, for a fulfillment
// report with for=carrier, for carriers.
func (a *API) reportCSV(kind report.Kind) handler {
	return func(ctx context.Context, x *exchange) (any, error) {
		switch reader := x.query().Get("for"); {
		case reader == "" || kind != report.FulfillmentReport:
			return a.reportFile(kind, ".csv", csvType, report.Kind.WriteCSV, report.Readable.WriteCSV)(ctx, x)
		case reader == "carrier":
			return a.reportFile(kind, "-carrier.csv", csvType, report.Kind.WriteCarrierCSV, nil)(ctx, x)
		}
		return nil, fault.New(fault.Invalid, "Use for=carrier for a file for carriers").In("for")
	}
}

type reportWriter[R any] func(R, io.Writer, report.Pledges) (report.Summary, error)

// reportFile handles requests for a complete report. If the query has a language and readable is
// not nil, readable writes the report with headings and statuses in that language.
func (a *API) reportFile(kind report.Kind, suffix, mime string, write reportWriter[report.Kind],
	readable reportWriter[report.Readable]) handler {
	return func(ctx context.Context, x *exchange) (any, error) {
		if _, err := a.services.Campaigns().Campaign(x.param); err != nil {
			return nil, err
		}
		kind, err := reportKind(x, kind)
		if err != nil {
			return nil, err
		}
		filter, err := reportFilter(x, kind)
		if err != nil {
			return nil, err
		}
		lang, err := langOf(x)
		if err != nil {
			return nil, err
		}
		rows := func(w io.Writer, all report.Pledges) error {
			all = report.Select(all, filter)
			if readable != nil && x.query().Has("lang") {
				zone := a.services.Config.Site.Timezone.Location()
				_, err := readable(report.Readable{Kind: kind, Lang: lang, Zone: zone}, w, all)
				return err
			}
			_, err := write(kind, w, all)
			return err
		}
		return file(x.param+"-"+string(kind)+suffix, mime, a.services.Projector.Indexed(ctx, x.param), rows)
	}
}
