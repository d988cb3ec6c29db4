package site

import (
	"bytes"
	"encoding/xml"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
)

// addCrawlerFiles adds the sitemap, robots.txt, and a feed of all diaries in each language.
func (e *edition) addCrawlerFiles() error {
	faults := []error{e.addSitemap(), e.addRobots()}
	for _, l := range e.locales {
		faults = append(faults, e.addFeed(l))
	}
	return errors.Join(faults...)
}

type sitemapURL struct {
	Loc   string      `xml:"loc"`
	Links []xhtmlLink `xml:"xhtml:link"`
}

type xhtmlLink struct {
	Rel  string `xml:"rel,attr"`
	Lang string `xml:"hreflang,attr"`
	Href string `xml:"href,attr"`
}

func (e *edition) addSitemap() error {
	paths := []string{"/", "/about/", "/terms/"}
	for _, p := range e.homePages(e.locales[0], e.campaigns) {
		if p.Path != "/" && !p.NoIndex {
			paths = append(paths, p.Path)
		}
	}
	for _, c := range e.campaigns {
		paths = append(paths, "/campaigns/"+c.Slug+"/")
		if e.settings.SEO.IndexCommunity {
			paths = append(paths, "/community/"+c.Slug+"/")
		}
	}
	set := struct {
		XMLName xml.Name     `xml:"urlset"`
		NS      string       `xml:"xmlns,attr"`
		XHTML   string       `xml:"xmlns:xhtml,attr"`
		URLs    []sitemapURL `xml:"url"`
	}{NS: "http://www.sitemaps.org/schemas/sitemap/0.9", XHTML: "http://www.w3.org/1999/xhtml"}
	for _, p := range paths {
		var links []xhtmlLink
		for _, l := range e.locales {
			links = append(links, xhtmlLink{"alternate", l.Code, e.base() + l.prefix() + p})
		}
		for _, l := range e.locales {
			set.URLs = append(set.URLs, sitemapURL{e.base() + l.prefix() + p, links})
		}
	}
	return e.putXML("sitemap.xml", set)
}

func (e *edition) putXML(p string, v any) error {
	text, err := xml.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	f := File{Body: append([]byte(xml.Header), text...)}
	if strings.HasSuffix(p, "feed.xml") {
		f.Type = "application/atom+xml; charset=utf-8"
	}
	return e.tree.put(p, f)
}

// unlisted contains the paths that robots.txt disallows: personal pages, embeds and the dashboard.
var unlisted = []string{"/checkout/", "/manage/", "/pledge-success/", "/pledge-cancelled/", "/embed/", "/admin/"}

func (e *edition) addRobots() error {
	var out bytes.Buffer
	out.WriteString("User-agent: *\n")
	for _, l := range e.locales {
		for _, p := range unlisted {
			out.WriteString("Disallow: " + l.prefix() + p + "\n")
		}
	}
	out.WriteString("\nSitemap: " + e.base() + "/sitemap.xml\n")
	return e.tree.put("robots.txt", File{Body: out.Bytes()})
}

type atomEntry struct {
	Title   string   `xml:"title"`
	ID      string   `xml:"id"`
	Updated string   `xml:"updated"`
	Author  string   `xml:"author>name"`
	Link    atomLink `xml:"link"`
	Content atomText `xml:"content"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

const (
	maxFeed = 50                     // entries
	never   = "1970-01-01T00:00:00Z" // time of the last update of an empty feed
)

func (e *edition) addFeed(l locale) error {
	title, err := l.say("feed_title", "Platform", e.config.Site.Name)
	if err != nil {
		return err
	}
	type dated struct {
		*campaign.Campaign
		campaign.DiaryEntry
		at time.Time
	}
	var entries []dated
	for _, c := range e.campaigns {
		for _, d := range c.Diary {
			at := d.Date.Starts(e.zone)
			if at.After(e.now) {
				continue
			}
			entries = append(entries, dated{c, d, at})
		}
	}
	slices.SortStableFunc(entries, func(a, b dated) int { return b.at.Compare(a.at) }) // newest first
	feed := struct {
		XMLName xml.Name    `xml:"feed"`
		NS      string      `xml:"xmlns,attr"`
		Lang    string      `xml:"xml:lang,attr"`
		Title   string      `xml:"title"`
		ID      string      `xml:"id"`
		Updated string      `xml:"updated"`
		Links   []atomLink  `xml:"link"`
		Entries []atomEntry `xml:"entry"`
	}{NS: "http://www.w3.org/2005/Atom", Lang: l.Code, Title: title, ID: e.base() + l.prefix() + "/", Updated: never,
		Links: []atomLink{{"self", e.base() + l.prefix() + "/feed.xml"}, {"", e.base() + l.prefix() + "/"}}}
	for _, d := range entries[:min(len(entries), maxFeed)] {
		page := e.base() + l.prefix() + "/campaigns/" + d.Slug + "/"
		where := page + "#" + d.DiaryEntry.ID
		var text strings.Builder
		for _, b := range d.DiaryEntry.Content {
			text.WriteString(richtext.HTML(b.Text, page))
		}
		feed.Entries = append(feed.Entries,
			atomEntry{d.Campaign.Title + ": " + d.DiaryEntry.Title, where, d.at.UTC().Format(time.RFC3339),
				d.Creator.Name, atomLink{Href: where}, atomText{"html", text.String()}})
	}
	if len(feed.Entries) > 0 {
		feed.Updated = feed.Entries[0].Updated
	}
	return e.putXML(strings.TrimPrefix(l.prefix()+"/feed.xml", "/"), feed)
}
