package visits

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// Limits of the stored visits per campaign.
const (
	maxNames = 200 // per breakdown, because anyone can put names into a link
	maxDays  = 400
)

// Others is the name of the row for names beyond the first 200 of a breakdown. No link can contain
// it.
const Others = "*"

// breakdown is an attribute by which visits are counted.
type breakdown string

const (
	byDay      breakdown = "days"
	byReferral breakdown = "referrals"
	bySource   breakdown = "utmSources"
	byMedium   breakdown = "utmMediums"
	byCampaign breakdown = "utmCampaigns"
	byContent  breakdown = "utmContents"
	byLink     breakdown = "links"
)

var breakdowns = []breakdown{byDay, byReferral, bySource, byMedium, byCampaign, byContent, byLink}

// counts maps a name to its number of visits; "" counts visits without a name.
type counts map[string]int

// add adds to a name's count, or to Others if there are too many names.
func (c counts) add(name string, n int) {
	if _, known := c[name]; !known && len(c) >= maxNames {
		name = Others
	}
	c[name] += n
}

// tally counts a campaign's visits by breakdown.
type tally map[breakdown]counts

func (t tally) countsFor(d breakdown) counts {
	if t[d] == nil {
		t[d] = counts{}
	}
	return t[d]
}

// count counts one visit. The link's attribution is cleaned like a pledge's.
func (t tally) count(day string, from pledge.Attribution) {
	from = from.Clean()
	t.countsFor(byDay)[day]++
	t.countsFor(byReferral).add(from.Referral, 1)
	t.countsFor(bySource).add(from.UTMSource, 1)
	t.countsFor(byMedium).add(from.UTMMedium, 1)
	t.countsFor(byCampaign).add(from.UTMCampaign, 1)
	t.countsFor(byContent).add(from.UTMContent, 1)
	t.countsFor(byLink).add(from.Query(), 1)
}

// merge adds new visits to the stored ones of one breakdown.
func (d breakdown) merge(kept, since counts) counts {
	if kept == nil {
		kept = counts{}
	}
	for _, name := range slices.Sorted(maps.Keys(since)) { // sorted, so that every execution keeps the same names
		if d == byDay {
			kept[name] += since[name]
			continue
		}
		kept.add(name, since[name])
	}
	if d == byDay {
		kept.dropOldDays()
	}
	return kept
}

// dropOldDays deletes all but the newest maxDays days.
func (c counts) dropOldDays() {
	days := slices.Sorted(maps.Keys(c))
	for _, day := range days[:max(0, len(days)-maxDays)] {
		delete(c, day)
	}
}

// Row counts the visits that share one value, such as a referral.
type Row struct {
	Name   string `json:"name"` // "" for visits without a value, or Others
	Visits int    `json:"visits"`
}

// Counts holds the visits to a campaign's page. Each breakdown adds up to Total, except Days and
// Links. Days holds the last 400 days with visits, such as 2026-11-30, in order. Links holds the
// visits by the query of the link, since that breakdown was added.
type Counts struct {
	CampaignSlug string `json:"campaignSlug"`
	Total        int    `json:"total"`
	Days         []Row  `json:"days"`
	Referrals    []Row  `json:"referrals"`
	Sources      []Row  `json:"utmSources"`
	Mediums      []Row  `json:"utmMediums"`
	Campaigns    []Row  `json:"utmCampaigns"`
	Contents     []Row  `json:"utmContents"`
	Links        []Row  `json:"links"`
}

func (t tally) report(slug string) Counts {
	c := Counts{
		CampaignSlug: slug, Days: t[byDay].rows(), Referrals: t[byReferral].rows(), Sources: t[bySource].rows(),
		Mediums: t[byMedium].rows(), Campaigns: t[byCampaign].rows(), Contents: t[byContent].rows(),
		Links: t[byLink].rows(),
	}
	for _, n := range t[byReferral] {
		c.Total += n
	}
	slices.SortFunc(c.Days, func(a, b Row) int { return cmp.Compare(a.Name, b.Name) })
	return c
}

// rows returns the counts, largest first.
func (c counts) rows() []Row {
	rows := make([]Row, 0, len(c))
	for name, n := range c {
		rows = append(rows, Row{name, n})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(a.Name, b.Name))
	})
	return rows
}

// dayOf returns the day of a time in a time zone, such as 2026-11-30.
func dayOf(now time.Time, zone *time.Location) string { return now.In(zone).Format(time.DateOnly) }
