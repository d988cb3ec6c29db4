// Package draft serves a live preview of one campaign file while it is being written. The page is
// rendered with the site's templates and reloads when the file changes. If the file has problems,
// they are shown instead of the page, with line numbers, as by the command "pledged check".
package draft

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"path"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// Options configure a preview.
type Options struct {
	// Content is the content repository, and File the path of the campaign file in it.
	Content fs.FS
	File    string
	// Base is the origin of the preview server.
	Base string
	Now  func() time.Time
	// Images caches resized pictures; nil keeps them in memory.
	Images site.ImageCache
}

// Preview serves a draft. It is safe for concurrent use.
type Preview struct {
	o Options

	mu    sync.Mutex
	print string // hash of the files that drawn is made from
	drawn drawn
}

// drawn is the site with the draft, or the problems with it.
type drawn struct {
	tree *site.Tree
	home string // path of the campaign's page
	err  error
}

// New returns a Preview, which reads the draft on the first request.
func New(o Options) *Preview { return &Preview{o: o} }

// Paths of the preview itself.
const (
	scriptPath   = "/preview.js"
	revisionPath = "/preview/revision"
)

//go:embed preview.js
var script []byte

// ServeHTTP responds only to requests to loopback host names, because otherwise other sites' pages
// could read the draft through DNS rebinding.
func (p *Preview) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !local(r.Host) {
		http.Error(w, "Drafts are shown on this machine only.", http.StatusForbidden)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	d, revision := p.draw()
	switch {
	case r.URL.Path == revisionPath:
		_, _ = w.Write([]byte(revision))
	case r.URL.Path == scriptPath:
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(script)
	case d.err != nil:
		refuse(w, p.o.File, d.err)
	case r.URL.Path == "/":
		http.Redirect(w, r, d.home, http.StatusFound)
	default:
		show(w, r, d.tree)
	}
}

func local(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

// draw returns the site for the current files, and a hash that changes when the site does.
func (p *Preview) draw() (d drawn, revision string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := sha256.New()
	for _, name := range []string{p.o.File, config.SiteFile, campaign.AddOnsFile} {
		text, err := fs.ReadFile(p.o.Content, name)
		own := sha256.Sum256(text)
		sum.Write(own[:])
		if err != nil {
			sum.Write([]byte{0})
		}
	}
	// A problem may be fixed in another file, such as a missing picture, so rebuild after errors.
	if print := hex.EncodeToString(sum.Sum(nil)); p.print != print || p.drawn.err != nil {
		p.print, p.drawn = print, p.drawNew()
	}
	if p.drawn.err != nil {
		sum.Write([]byte(p.drawn.err.Error()))
	}
	return p.drawn, hex.EncodeToString(sum.Sum(nil))
}

func (p *Preview) drawNew() drawn {
	c, catalogue, wrong := p.read()
	cfg, faulty := config.Demo(rand.Reader, p.o.Content, map[string]string{"SITE_BASE": p.o.Base, "WORKER_BASE": p.o.Base})
	if err := errors.Join(wrong, faulty); err != nil {
		return drawn{err: err}
	}
	tree, problems := site.TryBuild(site.Options{Content: p.o.Content, Config: cfg, Images: p.o.Images},
		catalogue, shipping.PresetNames(), p.o.Now())
	if len(problems) > 0 {
		return drawn{err: problems}
	}
	return drawn{tree, "/campaigns/" + c.Slug + "/", nil}
}

// read returns the draft as if it were published.
func (p *Preview) read() (*campaign.Campaign, *campaign.Catalogue, error) {
	src, err := fs.ReadFile(p.o.Content, p.o.File)
	if err != nil {
		return nil, nil, err
	}
	c, wrong := campaignfile.Parse(p.o.File, src)
	var addOns campaign.PlatformAddOns
	src, err = fs.ReadFile(p.o.Content, campaign.AddOnsFile)
	if err == nil {
		addOns, err = campaignfile.ParseAddOns(campaign.AddOnsFile, src)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err := errors.Join(wrong, err); err != nil {
		return nil, nil, err
	}
	setMissingDates(c, p.o.Now())
	c.Published, c.PreviewOnly, c.TestOnly = true, false, false
	catalogue, err := campaign.NewCatalogue([]*campaign.Campaign{c}, addOns)
	return c, catalogue, err
}

// days is the duration of a draft without a deadline, in days.
const days = 30

// setMissingDates sets missing dates, so that the page can be rendered.
func setMissingDates(c *campaign.Campaign, now time.Time) {
	if c.Start.IsZero() {
		c.Start, _ = campaign.ParseMoment(now.Format(time.DateOnly)) // the format is valid
	}
	if c.Deadline.IsZero() {
		c.Deadline, _ = campaign.ParseMoment(now.AddDate(0, 0, days).Format(time.DateOnly))
	}
}

// tag loads the script that polls for changes to the page.
const tag = `<script type="module" src="` + scriptPath + `"></script>`

// show serves a file of the site, adding the script to pages.
func show(w http.ResponseWriter, r *http.Request, tree *site.Tree) {
	r = r.Clone(r.Context())
	r.Header.Del("Accept-Encoding") // the body has to be modified
	r.Header.Del("If-None-Match")
	kind := path.Ext(r.URL.Path)
	if kind != "" && kind != ".html" {
		tree.Serve(w, r, http.NotFoundHandler())
		return
	}
	page := &held{ResponseWriter: w, status: http.StatusOK}
	tree.Serve(page, r, http.HandlerFunc(tree.NotFound))
	w.Header().Del("Content-Length")
	w.Header().Del("ETag")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(page.status)
	_, _ = w.Write(bytes.Replace(page.body.Bytes(), []byte("</body>"), []byte(tag+"</body>"), 1))
}

// held is a buffered response.
type held struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (h *held) WriteHeader(status int)      { h.status = status }
func (h *held) Write(b []byte) (int, error) { return h.body.Write(b) }

//go:embed wrong.html
var wrongText string

var wrong = template.Must(template.New("wrong").Parse(wrongText))

// refuse responds with a page that shows the problems.
func refuse(w http.ResponseWriter, file string, err error) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'")
	w.WriteHeader(http.StatusUnprocessableEntity)
	// fails if the browser has disconnected
	_ = wrong.Execute(w, map[string]string{"File": file, "Problems": err.Error(), "Script": scriptPath})
}
