package analytics

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// Row holds the figures of the pledges that share one value, such as a referral.
type Row struct {
	Name string `json:"name"` // "" for pledges without a value
	Figures
}

// Report holds the figures of a campaign's pledges, or of one part of its index.
type Report struct {
	CampaignSlug string `json:"campaignSlug"`
	Total        Row    `json:"total"`
	// The number of pledges in each status.
	Active    int `json:"active"`
	Failed    int `json:"paymentFailed"`
	Cancelled int `json:"cancelled"`
	Dropped   int `json:"dropped"` // dropped because the card could not be charged
	Charged   int `json:"charged"`
	// First is the number of pledges that are their supporter's first on the platform.
	First int `json:"first"`
	// Before holds the figures of the previous period; nil for a report on the whole campaign.
	Before *Before `json:"before,omitempty"`
	// Ledger are the totals of the campaign's ledger, with disputes. It is set in the first part of a
	// report on a whole campaign of which a charge was refunded or disputed.
	Ledger *ledger.Sums `json:"ledger,omitempty"`

	// Categories divides the amount of each pledge. Its figures add up to the total.
	Categories []Row `json:"categories"`
	// The following breakdowns group the pledges. Each adds up to the total. Days are the days on
	// which pledges were made, in the platform's time zone, in order. Tiers are by the name of a
	// pledge's most expensive reward, Countries by the two-letter code of its shipping or billing
	// address.
	Referrals   []Row `json:"referrals"`
	Sources     []Row `json:"utmSources"`
	Mediums     []Row `json:"utmMediums"`
	Campaigns   []Row `json:"utmCampaigns"`
	Contents    []Row `json:"utmContents"`
	Links       []Row `json:"links"` // by the query of the link; see pledge.Attribution.Query
	Fulfillment []Row `json:"fulfillmentTypes"`
	Languages   []Row `json:"languages"`
	Tiers       []Row `json:"tiers"`
	Countries   []Row `json:"countries"`
	Days        []Row `json:"days"`
	// Progress is the amount that each day added toward the goal.
	Progress []Progress `json:"progress"`

	// Next is the cursor of the next part, 0 after the last. The caller adds up the figures of all
	// parts.
	Next int `json:"next"`
	// MissingIndex is set if there are no pledges yet or the index must be rebuilt.
	MissingIndex bool `json:"missingIndex"`
}

// Progress is the amount pledged toward the goal on a day, without pledges that were cancelled
// since.
type Progress struct {
	Day     string      `json:"day"`     // for example 2026-11-30
	Counted money.Cents `json:"counted"` // cents
	// Returning is the part of Counted from supporters who had pledged before, in any campaign.
	Returning money.Cents `json:"returning"`
}

// Service reads the pledges of campaigns. All fields are required. It is safe for
// concurrent use.
type Service struct {
	// Page returns the pledges of a campaign's index after a cursor, and the next cursor,
	// as projection.Projector.IndexPage does.
	Page func(ctx context.Context, slug string, cursor, limit int) ([]*pledge.Pledge, int, error)
	// Orders returns a supporter's order IDs in all campaigns, oldest first.
	Orders func(ctx context.Context, email string) ([]string, error)
	// Ledger returns the head of a campaign's ledger.
	Ledger func(ctx context.Context, slug string) (ledger.Head, error)
	Zone   *time.Location // the platform's time zone
}

// Report reads the next limit positions of a campaign's index after a cursor and returns the
// figures of those pledges that were made in the period. For a campaign without an index the
// figures are zero, and MissingIndex is set.
func (s *Service) Report(ctx context.Context, slug string, period Period, cursor, limit int) (Report, error) {
	page, next, err := s.Page(ctx, slug, cursor, limit)
	missing := fault.Is(err, fault.CampaignIndexRequired)
	if err != nil && !missing {
		return Report{}, err
	}
	b := newReportBuilder(period)
	for _, p := range page {
		day := p.BookedAt.In(s.Zone).Format(time.DateOnly)
		if !b.includes(day) {
			continue
		}
		first, err := s.isFirst(ctx, p)
		if err != nil {
			return Report{}, err
		}
		b.add(p, day, first)
	}
	r := b.report()
	r.CampaignSlug, r.Next, r.MissingIndex = slug, next, missing
	if missing || cursor > 0 || period != (Period{}) {
		return r, nil
	}
	r.Ledger, err = s.reversals(ctx, slug)
	return r, err
}

// reversals returns the totals of a campaign's ledger, or nil if no charge was refunded or disputed.
func (s *Service) reversals(ctx context.Context, slug string) (*ledger.Sums, error) {
	head, err := s.Ledger(ctx, slug)
	if err != nil || !head.HasReversals() {
		return nil, err
	}
	sums := head.Sums()
	return &sums, nil
}

// table maps the values of one breakdown to their figures.
type table map[string]*Figures

func (t table) row(name string) *Figures {
	if t[name] == nil {
		t[name] = &Figures{}
	}
	return t[name]
}

// rows returns the rows of a table, those with the largest Total first.
func (t table) rows() []Row {
	out := make([]Row, 0, len(t))
	for name, f := range t {
		out = append(out, Row{name, *f})
	}
	slices.SortFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// reportBuilder accumulates a report.
type reportBuilder struct {
	period                                                  Period
	sum                                                     Report
	categories                                              []Figures
	referrals, sources, mediums, campaigns, contents, links table
	fulfillment, languages, tiers, countries, days          table
	counted, returning                                      map[string]money.Cents // by day
}

func newReportBuilder(period Period) *reportBuilder {
	b := &reportBuilder{
		period:     period,
		categories: make([]Figures, len(categories)),
		referrals:  table{}, sources: table{}, mediums: table{}, campaigns: table{}, contents: table{}, links: table{},
		fulfillment: table{}, languages: table{}, tiers: table{}, countries: table{}, days: table{},
		counted: map[string]money.Cents{}, returning: map[string]money.Cents{},
	}
	if period != (Period{}) {
		before := period.before()
		b.sum.Before = &Before{From: before.From, To: before.To}
	}
	return b
}

// includes reports whether a day is in the period or in the previous one.
func (b *reportBuilder) includes(day string) bool {
	return b.period.contains(day) || b.sum.Before != nil && Period{b.sum.Before.From, b.sum.Before.To}.contains(day)
}

// add adds a pledge. The day must be one for which includes returns true.
func (b *reportBuilder) add(p *pledge.Pledge, day string, first bool) {
	if !b.period.contains(day) {
		b.sum.Before.add(p, first)
		return
	}
	b.count(p)
	if first {
		b.sum.First++
	}
	if p.Status != pledge.Cancelled {
		b.counted[day] += p.CampaignSubtotal
		if !first {
			b.returning[day] += p.CampaignSubtotal
		}
	}
	kept, basis := fee(p)
	for _, f := range []*Figures{
		&b.sum.Total.Figures,
		b.referrals.row(p.Attribution.Referral), b.sources.row(p.Attribution.UTMSource),
		b.mediums.row(p.Attribution.UTMMedium),
		b.campaigns.row(p.Attribution.UTMCampaign), b.contents.row(p.Attribution.UTMContent),
		b.links.row(p.Attribution.Query()),
		b.fulfillment.row(p.FulfillmentType), b.languages.row(p.PreferredLang), b.tiers.row(mainTier(p)),
		b.countries.row(p.Country()), b.days.row(day),
	} {
		f.add(p, part{p.Amount, p.CampaignSubtotal, p.Paid(), p.Refunded(), kept}, basis)
	}
	amounts := parts(p)
	paid, fees, back := money.Split(p.Paid(), amounts), money.Split(kept, amounts), refundedParts(p, amounts)
	for i, amount := range amounts {
		of := part{amount: amount, paid: paid[i], back: back[i], fee: fees[i]}
		if categories[i].countsTowardGoal() {
			of.counted = amount
		}
		if amount > 0 {
			b.categories[i].add(p, of, basis)
		}
	}
}

// mainTier returns the name of a pledge's most expensive reward, "" without one.
func mainTier(p *pledge.Pledge) (name string) {
	most := money.Cents(-1)
	for _, l := range p.Lines {
		if l.Kind == pledge.TierLine && l.Amount > most {
			name, most = l.Name, l.Amount
		}
	}
	return name
}

func (b *reportBuilder) count(p *pledge.Pledge) {
	r := &b.sum
	switch {
	case p.Charged:
		r.Charged++
	case p.Dropped():
		r.Dropped++
	case p.Status == pledge.Cancelled:
		r.Cancelled++
	case p.Status == pledge.PaymentFailed:
		r.Failed++
	default:
		r.Active++
	}
}

func (b *reportBuilder) report() Report {
	r := b.sum
	for i, c := range categories {
		r.Categories = append(r.Categories, Row{string(c), b.categories[i]})
	}
	r.Referrals, r.Sources, r.Mediums = b.referrals.rows(), b.sources.rows(), b.mediums.rows()
	r.Campaigns, r.Contents, r.Links = b.campaigns.rows(), b.contents.rows(), b.links.rows()
	r.Fulfillment, r.Languages, r.Days = b.fulfillment.rows(), b.languages.rows(), b.days.rows()
	r.Tiers, r.Countries = b.tiers.rows(), b.countries.rows()
	slices.SortFunc(r.Days, func(a, b Row) int { return cmp.Compare(a.Name, b.Name) })
	r.Progress = make([]Progress, 0, len(r.Days))
	for _, d := range r.Days {
		r.Progress = append(r.Progress, Progress{d.Name, b.counted[d.Name], b.returning[d.Name]})
	}
	return r
}
