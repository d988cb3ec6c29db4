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

// Preview draws the page of a campaign that may not be public, by the templates of all pages
// and as it will be while pledges are taken: in one document, with its pictures in it, and
// without scripts, links to elsewhere or anything that can be sent. Films beyond what a
// document can hold are left out. It fails where the page cannot be made.
func (s *Server) Preview(c *campaign.Campaign, lang string) ([]byte, error) {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	return s.drawer.preview(s.Catalogue(), c, lang, s.now())
}

// Check makes a campaign's pages as Publish does, and fails with the problems of its file. Files that
// the content does not have yet are not missed.
func (s *Server) Check(c *campaign.Campaign) error {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	return s.drawer.check(s.Catalogue(), c, s.now())
}

func (b *Builder) check(catalogue *campaign.Catalogue, c *campaign.Campaign, now time.Time) error {
	e := b.edition(catalogue, now)
	if err := e.campaign(c); err != nil {
		return problemsOf(c.File, err)
	}
	e.campaigns, e.problems = []*campaign.Campaign{c}, nil
	e.reportFiles()
	own := slices.DeleteFunc(e.problems, func(p campaign.Problem) bool { return p.File != c.File || strings.HasPrefix(p.Message, noFile) })
	if len(own) > 0 {
		return own
	}
	return nil
}

func (b *Builder) preview(catalogue *campaign.Catalogue, c *campaign.Campaign, lang string, now time.Time) ([]byte, error) {
	e := b.edition(catalogue, now)
	s, err := e.story(c)
	if err != nil {
		return nil, err
	}
	if s.State == string(campaign.Upcoming) && !c.Deadline.IsZero() {
		s.State = string(campaign.Live)
	}
	l := b.tongues[max(0, slices.IndexFunc(b.tongues, func(l tongue) bool { return l.Code == lang }))]
	f, err := b.draw(l, page{
		Name: "campaign", Title: s.Title, Path: "/campaigns/" + s.Slug + "/", Slug: s.Slug, NoIndex: true, Private: true, Data: s,
	})
	if err != nil {
		return nil, err
	}
	if err := b.images.put(e.tree); err != nil {
		return nil, err
	}
	e.campaigns, e.problems = []*campaign.Campaign{c}, nil
	if e.reportFiles(); len(e.problems) > 0 {
		return nil, e.problems
	}
	d := document{tree: e.tree, room: maxInlined}
	return d.whole(f.Body)
}

// maxInlined bounds the pictures and films that one document holds, in bytes.
const maxInlined = 16 << 20

// document is a page on its way to need nothing beside it but the site's styles.
type document struct {
	tree *Tree
	room int
	err  error
}

// What is done away with or changed in a page. It is that of our own templates, in which
// attributes are quoted and have no angle brackets.
var (
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

func (d *document) whole(page []byte) ([]byte, error) {
	page = preloads.ReplaceAll(page, nil)
	page = elsewhere.ReplaceAll(page, []byte("$1"))
	page = picks.ReplaceAll(page, []byte("$1>"))
	page = controls.ReplaceAll(page, []byte("<$1 disabled"))
	page = shows.ReplaceAllFunc(page, func(tag []byte) []byte { return []byte(d.inline(string(tag))) })
	return page, d.err
}

// inline puts into a tag the file that it names.
func (d *document) inline(tag string) string {
	if strings.HasPrefix(tag, "<source") {
		return offered.ReplaceAllStringFunc(sizes.ReplaceAllString(tag, ""), func(set string) string {
			return ` srcset="` + d.data(best(offered.FindStringSubmatch(set)[1])) + `"`
		})
	}
	return files.ReplaceAllStringFunc(sets.ReplaceAllString(tag, ""), func(attribute string) string {
		m := files.FindStringSubmatch(attribute)
		return " " + m[1] + `="` + d.data(m[2]) + `"`
	})
}

// best is the largest picture of a set.
func best(set string) string {
	all := strings.Split(set, ", ")
	src, _, _ := strings.Cut(all[len(all)-1], " ")
	return src
}

// data is a file of the site as an address that holds it, and "" where the document has no
// room for it. What others serve stays as it is.
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

// read is a file's content, nil where there is no room for it.
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
