package site

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

const (
	perPage       = 9 // cards
	minFeatured   = 4 // minimum number of live campaigns for featuring one
	minSearchable = 3 // minimum number of campaigns for showing the search
)

// homeView is the data of a home page, which lists campaigns in one state.
type homeView struct {
	Front          bool // the page at /, with the introduction
	State          string
	Total          int
	Campaigns      []campaignView
	Featured       *campaignView
	Tabs           []homeTab
	Categories     []homeCategory
	Orders         []string // sort orders, the default first
	Searchable     bool
	Pages          []pageLink
	Previous, Next string // paths, "" for none
}

type homeTab struct {
	State, Path string
	Count       int
	Current     bool
}

type homeCategory struct {
	ID    string
	Count int
}

// pageLink is a link to a home page, or a gap in the list of links.
type pageLink struct {
	Number       int
	Path         string
	Current, Gap bool
}

// states returns the states of campaigns in the order of the tabs.
func states() []string {
	return []string{string(campaign.Live), string(campaign.Upcoming), string(campaign.Ended)}
}

// homePath returns the path of a home page without the language prefix. The first page has number
// 1.
func homePath(state string, number int) string {
	base := map[string]string{
		string(campaign.Live): "/", string(campaign.Upcoming): "/upcoming/", string(campaign.Ended): "/ended/",
	}[state]
	switch {
	case number == 1:
		return base
	case base == "/":
		return fmt.Sprintf("/page/%d/", number)
	}
	return fmt.Sprintf("%s%d/", base, number)
}

// homePages returns the home pages that list the given campaigns in a language.
func (e *edition) homePages(l locale, campaigns []*campaign.Campaign) []page {
	byState := map[string][]campaignView{}
	categories := map[string]int{}
	for _, c := range campaigns {
		s := e.cardView(c)
		byState[s.State] = append(byState[s.State], s)
		if c.Category != "" {
			categories[c.Category]++
		}
	}
	var pages []page
	for _, state := range states() {
		all := byState[state]
		count := max(1, (len(all)+perPage-1)/perPage)
		for number := 1; number <= count; number++ {
			v := homeView{
				Front: state == string(campaign.Live) && number == 1, State: state, Total: len(all),
				Searchable: len(campaigns) >= minSearchable,
				Campaigns:  all[min(len(all), (number-1)*perPage):min(len(all), number*perPage)],
				Pages:      pageLinks(l, state, number, count),
				Categories: sortedCategories(categories), Orders: sortOrders(state),
			}
			for _, other := range states() {
				v.Tabs = append(v.Tabs, homeTab{other, l.prefix() + homePath(other, 1), len(byState[other]), other == state})
			}
			if number > 1 {
				v.Previous = l.prefix() + homePath(state, number-1)
			}
			if number < count {
				v.Next = l.prefix() + homePath(state, number+1)
			}
			if v.Front {
				v.Featured = featured(all)
			}
			pages = append(pages, page{
				Name: "home", Path: homePath(state, number), Script: "home", Description: e.settings.Description,
				Data: v, NoIndex: len(all) == 0 && !v.Front,
			})
		}
	}
	return pages
}

// cardView returns a campaign with the data that its card on the home page needs.
func (e *edition) cardView(c *campaign.Campaign) campaignView {
	s := e.newView(c)
	s.Hero = e.images.optional(c.Media.Hero)
	return s
}

// featured returns the live campaign with the most supporters, or nil if fewer than minFeatured are
// live.
func featured(live []campaignView) *campaignView {
	if len(live) < minFeatured {
		return nil
	}
	best := slices.MaxFunc(live,
		func(a, b campaignView) int { return cmp.Compare(a.Figures.Supporters, b.Figures.Supporters) })
	return &best
}

func sortedCategories(counts map[string]int) []homeCategory {
	list := make([]homeCategory, 0, len(counts))
	for id, n := range counts {
		list = append(list, homeCategory{id, n})
	}
	slices.SortFunc(list,
		func(a, b homeCategory) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID, b.ID)) })
	return list
}

// sortOrders returns the sort orders for campaigns in a state, the default first.
func sortOrders(state string) []string {
	switch state {
	case string(campaign.Upcoming):
		return []string{"soon", "new"}
	case string(campaign.Ended):
		return []string{"new", "supporters"}
	}
	return []string{"ending", "new", "supporters", "closest"}
}

// pageLinks returns links to the first and last page and to those at most two away from the current
// one, with gaps between them.
func pageLinks(l locale, state string, current, count int) []pageLink {
	var list []pageLink
	for n := 1; n <= count; n++ {
		near := n == 1 || n == count || n >= current-2 && n <= current+2
		if near {
			list = append(list, pageLink{Number: n, Path: l.prefix() + homePath(state, n), Current: n == current})
		} else if !list[len(list)-1].Gap {
			list = append(list, pageLink{Gap: true})
		}
	}
	return list
}

// indexEntry is a campaign in the search index, with short keys to keep the file small.
type indexEntry struct {
	Slug     string `json:"s"`
	Title    string `json:"t"`
	Creator  string `json:"c,omitempty"`
	Blurb    string `json:"b,omitempty"`
	Lang     string `json:"l,omitempty"` // of the title and the blurb
	Category string `json:"k,omitempty"`
	State    string `json:"st"`
	Starts   int64  `json:"a,omitempty"` // seconds since 1970
	Ends     int64  `json:"e,omitempty"` // last second of the campaign, in seconds since 1970
	Goal     int64  `json:"g"`           // cents
	Image    string `json:"i,omitempty"`
	Alt      string `json:"x,omitempty"`
	// Pledged is in cents. Pledged and Supporters are from the time of the build.
	Pledged    int64 `json:"p,omitempty"`
	Supporters int   `json:"n,omitempty"`
}

// addSearchIndex adds search.json, the list of campaigns that the home page's script searches.
func (e *edition) addSearchIndex() error {
	list := make([]indexEntry, 0, len(e.campaigns))
	for _, c := range e.campaigns {
		s := e.cardView(c)
		entry := indexEntry{
			Slug: c.Slug, Title: c.Title, Creator: s.CreatorName, Blurb: c.Blurb, Lang: s.TextLang,
			Category: c.Category, State: s.State, Goal: int64(c.Goal), Image: s.Hero.small(), Alt: c.Media.HeroAlt,
			Pledged: int64(s.Figures.Pledged), Supporters: s.Figures.Supporters,
		}
		if !c.Start.IsZero() {
			entry.Starts, entry.Ends = s.StartsAt.Unix(), s.LastMoment.Unix()
		}
		list = append(list, entry)
	}
	return e.putJSON("search.json", list)
}
