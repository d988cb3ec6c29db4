package visits

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// The bounds of what is kept of one campaign.
const (
	maxNames = 200 // of one division: links carry what strangers write
	maxDays  = 400
)

// Others is the name of the row for names beyond the first 200 of a division. No link has it.
const Others = "*"

// division is a way in which visits are divided.
type division string

const (
	byDay      division = "days"
	byReferral division = "referrals"
	bySource   division = "utmSources"
	byMedium   division = "utmMediums"
	byCampaign division = "utmCampaigns"
	byContent  division = "utmContents"
)

var divisions = []division{byDay, byReferral, bySource, byMedium, byCampaign, byContent}

// counts are visits by name; "" is none.
type counts map[string]int

// add adds to a name's count, or to that of the others where there are too many names.
func (c counts) add(name string, n int) {
	if _, known := c[name]; !known && len(c) >= maxNames {
		name = Others
	}
	c[name] += n
}

// tally is the visits to one campaign, divided in each way.
type tally map[division]counts

func (t tally) of(d division) counts {
	if t[d] == nil {
		t[d] = counts{}
	}
	return t[d]
}

// count counts one visit. What the link carries is cleaned as a pledge's is.
func (t tally) count(day string, from pledge.Attribution) {
	from = from.Clean()
	t.of(byDay)[day]++
	t.of(byReferral).add(from.Referral, 1)
	t.of(bySource).add(from.UTMSource, 1)
	t.of(byMedium).add(from.UTMMedium, 1)
	t.of(byCampaign).add(from.UTMCampaign, 1)
	t.of(byContent).add(from.UTMContent, 1)
}

// merge adds what has come since to what is kept of one division.
func (d division) merge(kept, since counts) counts {
	if kept == nil {
		kept = counts{}
	}
	for _, name := range slices.Sorted(maps.Keys(since)) { // whoever carries it out keeps the same names
		if d == byDay {
			kept[name] += since[name]
			continue
		}
		kept.add(name, since[name])
	}
	if d == byDay {
		kept.forget()
	}
	return kept
}

// forget keeps the newest days.
func (c counts) forget() {
	days := slices.Sorted(maps.Keys(c))
	for _, day := range days[:max(0, len(days)-maxDays)] {
		delete(c, day)
	}
}

// Row is the visits that have one thing in common.
type Row struct {
	Name   string `json:"name"` // "" is none, and Others what there was no more room for
	Visits int    `json:"visits"`
}

// Counts are the visits to a campaign's page. Each division but Days adds up to Total; Days
// are the last 400 on which anybody came, in their order, such as 2026-11-30.
type Counts struct {
	CampaignSlug string `json:"campaignSlug"`
	Total        int    `json:"total"`
	Days         []Row  `json:"days"`
	Referrals    []Row  `json:"referrals"`
	Sources      []Row  `json:"utmSources"`
	Mediums      []Row  `json:"utmMediums"`
	Campaigns    []Row  `json:"utmCampaigns"`
	Contents     []Row  `json:"utmContents"`
}

func (t tally) report(slug string) Counts {
	c := Counts{
		CampaignSlug: slug, Days: t[byDay].rows(), Referrals: t[byReferral].rows(), Sources: t[bySource].rows(),
		Mediums: t[byMedium].rows(), Campaigns: t[byCampaign].rows(), Contents: t[byContent].rows(),
	}
	for _, n := range t[byReferral] {
		c.Total += n
	}
	slices.SortFunc(c.Days, func(a, b Row) int { return cmp.Compare(a.Name, b.Name) })
	return c
}

// rows are the counts, the largest first.
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

// dayOf is a day as it is counted, in the platform's zone.
func dayOf(now time.Time, zone *time.Location) string { return now.In(zone).Format(time.DateOnly) }
