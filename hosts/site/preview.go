package site

import (
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Preview renders the page of a campaign, which may be unpublished, in a language. An upcoming
// campaign with a deadline is shown as if it were live.
//
// The result is a single document with inlined pictures and videos. It has no scripts and no links
// to other pages, and its forms are disabled. A file that does not fit into the limit of maxInlined
// bytes for all files is omitted. Preview fails if the page cannot be rendered or one of its files
// cannot be shown.
func (s *Server) Preview(c *campaign.Campaign, lang string) ([]byte, error) {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	return s.drawer.preview(s.Catalogue(), c, lang, s.now())
}

// Check renders a campaign's pages as Publish does. It fails with the problems of the campaign's
// file, except for references to missing files.
func (s *Server) Check(c *campaign.Campaign) error {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	return s.drawer.check(s.Catalogue(), c, s.now())
}

func (b *Builder) check(catalogue *campaign.Catalogue, c *campaign.Campaign, now time.Time) error {
	e := b.newEdition(catalogue, now)
	if err := e.addCampaign(c); err != nil {
		return problemsOf(c.File, err)
	}
	e.campaigns, e.problems = []*campaign.Campaign{c}, nil
	e.reportUnusableFiles()
	own := slices.DeleteFunc(e.problems,
		func(p campaign.Problem) bool { return p.File != c.File || strings.HasPrefix(p.Message, noFile) })
	if len(own) > 0 {
		return own
	}
	return nil
}

func (b *Builder) preview(catalogue *campaign.Catalogue, c *campaign.Campaign, lang string,
	now time.Time) ([]byte, error) {
	e := b.newEdition(catalogue, now)
	s, err := e.campaignView(c)
	if err != nil {
		return nil, err
	}
	if s.State == string(campaign.Upcoming) && !c.Deadline.IsZero() {
		s.State = string(campaign.Live)
	}
	l := b.locales[max(0, slices.IndexFunc(b.locales, func(l locale) bool { return l.Code == lang }))]
	f, err := b.renderPage(l, page{
		Name: "campaign", Title: s.Title, Path: "/campaigns/" + s.Slug + "/", Slug: s.Slug,
		NoIndex: true, Private: true, Data: s,
	})
	if err != nil {
		return nil, err
	}
	if err := b.images.put(e.tree); err != nil {
		return nil, err
	}
	e.campaigns, e.problems = []*campaign.Campaign{c}, nil
	if e.reportUnusableFiles(); len(e.problems) > 0 {
		return nil, e.problems
	}
	d := document{tree: e.tree, room: maxInlined}
	return d.makeSelfContained(f.Body)
}

// maxInlined is the maximum total size of a preview's inlined pictures and videos in bytes.
const maxInlined = 16 << 20

// document is a page that is made self-contained except for the site's style sheet.
type document struct {
	tree *Tree
	room int // remaining bytes for inlined files
	err  error
}

// The parts of a page that are removed or changed. Regular expressions suffice, because the page
// comes from our own templates, in which attributes are quoted and contain no angle brackets.
var (
	fallbacks = regexp.MustCompile(`(?s)<noscript>.*?</noscript>`)
	preloads  = regexp.MustCompile(`<link rel="preload"[^>]*>`)
	elsewhere = regexp.MustCompile(`(<a\b[^>]*?) href="(?:[^"#][^"]*)?"`)
	picks     = regexp.MustCompile(`(<form class="pick"[^>]*) hidden>`)
	controls  = regexp.MustCompile(`<(button|input|select)\b`)
	shows     = regexp.MustCompile(`<(?:img|source|video|audio)\b[^>]*>`)
	sizes     = regexp.MustCompile(` sizes="[^"]*"`)
	sets      = regexp.MustCompile(` (?:srcset|sizes)="[^"]*"`)
	files     = regexp.MustCompile(` (src|poster)="(/[^"]*)"`)
	offered   = regexp.MustCompile(` srcset="([^"]*)"`)
)

func (d *document) makeSelfContained(page []byte) ([]byte, error) {
	page = fallbacks.ReplaceAll(page, nil)
	page = preloads.ReplaceAll(page, nil)
	page = elsewhere.ReplaceAll(page, []byte("$1"))
	page = picks.ReplaceAll(page, []byte("$1>"))
	page = controls.ReplaceAll(page, []byte("<$1 disabled"))
	page = shows.ReplaceAllFunc(page, func(tag []byte) []byte { return []byte(d.inline(string(tag))) })
	return page, d.err
}

// inline replaces the file references in a tag with data URLs.
func (d *document) inline(tag string) string {
	if strings.HasPrefix(tag, "<source") {
		return offered.ReplaceAllStringFunc(sizes.ReplaceAllString(tag, ""), func(set string) string {
			return ` srcset="` + d.data(largest(offered.FindStringSubmatch(set)[1])) + `"`
		})
	}
	return files.ReplaceAllStringFunc(sets.ReplaceAllString(tag, ""), func(attribute string) string {
		m := files.FindStringSubmatch(attribute)
		return " " + m[1] + `="` + d.data(m[2]) + `"`
	})
}

// largest returns the URL of the widest copy in a srcset, which is the last one.
func largest(set string) string {
	all := strings.Split(set, ", ")
	src, _, _ := strings.Cut(all[len(all)-1], " ")
	return src
}

// data returns the data URL of a file, or "" if it exceeds the remaining room. A src that is not in
// the tree, such as an external address, is returned unchanged.
func (d *document) data(src string) string {
	f, there := d.tree.File(strings.TrimPrefix(src, "/"))
	if !there {
		return src
	}
	body, err := d.read(f)
	switch {
	case err != nil:
		d.err = fmt.Errorf("%s: %w", src, err)
		return ""
	case body == nil:
		return ""
	}
	return "data:" + f.Type + ";base64," + base64.StdEncoding.EncodeToString(body)
}

// read returns a file's content and deducts its size from the room. It returns nil if the file
// exceeds the remaining room.
func (d *document) read(f File) ([]byte, error) {
	body := f.Body
	if f.Open != nil {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer func() { _ = r.Close() }()
		if body, err = io.ReadAll(io.LimitReader(r, int64(d.room)+1)); err != nil {
			return nil, err
		}
	}
	if len(body) > d.room {
		return nil, nil
	}
	d.room -= len(body)
	return body, nil
}
