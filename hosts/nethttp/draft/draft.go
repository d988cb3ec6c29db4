// Package draft shows one campaign's file as its page will be, while somebody writes it. The
// page is drawn by the site's own templates, and loads itself again when the file changes.
// What is wrong with the file is shown in its place, with lines, as pledged check has it.
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

// Options say what is shown.
type Options struct {
	// Content is the content repository, and File the campaign's path in it.
	Content fs.FS
	File    string
	// Base is the origin that the pages are served at.
	Base string
	Now  func() time.Time
	// Images keeps pictures that were made smaller; nil keeps them in memory.
	Images site.ImageCache
}

// Preview serves a draft. It is safe for concurrent use.
type Preview struct {
	o Options

	mu    sync.Mutex
	print string // of the files that drawn was made of
	drawn drawn
}

// drawn is the site with the draft, or what is wrong with it.
type drawn struct {
	tree *site.Tree
	home string // the campaign's page
	err  error
}

// New returns a preview; it reads the draft when it is first asked for.
func New(o Options) *Preview { return &Preview{o: o} }

// The paths of the preview's own.
const (
	scriptPath   = "/preview.js"
	revisionPath = "/preview/revision"
)

//go:embed preview.js
var script []byte

// ServeHTTP answers nobody but this machine's own names: a page elsewhere could otherwise
// read the draft under a name of its own.
func (p *Preview) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !local(r.Host) {
		http.Error(w, "Drafts are shown on this machine alone.", http.StatusForbidden)
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

// draw returns the site of the files as they are, and what tells these from others.
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
	// What was wrong may be mended elsewhere, such as by a picture that is there now.
	if print := hex.EncodeToString(sum.Sum(nil)); p.print != print || p.drawn.err != nil {
		p.print, p.drawn = print, p.make()
	}
	if p.drawn.err != nil {
		sum.Write([]byte(p.drawn.err.Error()))
	}
	return p.drawn, hex.EncodeToString(sum.Sum(nil))
}

func (p *Preview) make() drawn {
	c, catalogue, wrong := p.read()
	cfg, faulty := config.Demo(rand.Reader, p.o.Content, map[string]string{"SITE_BASE": p.o.Base, "WORKER_BASE": p.o.Base})
	if err := errors.Join(wrong, faulty); err != nil {
		return drawn{err: err}
	}
	tree, problems := site.TryBuild(site.Options{Content: p.o.Content, Config: cfg, Images: p.o.Images}, catalogue, shipping.PresetNames(), p.o.Now())
	if len(problems) > 0 {
		return drawn{err: problems}
	}
	return drawn{tree, "/campaigns/" + c.Slug + "/", nil}
}

// read returns the draft as it will be once everybody sees it.
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
	dated(c, p.o.Now())
	c.Published, c.PreviewOnly, c.TestOnly = true, false, false
	catalogue, err := campaign.NewCatalogue([]*campaign.Campaign{c}, addOns)
	return c, catalogue, err
}

// days is how long a draft without a deadline runs.
const days = 30

// dated gives a draft that has no dates yet some, so that its page can be drawn.
func dated(c *campaign.Campaign, now time.Time) {
	if c.Start.IsZero() {
		c.Start, _ = campaign.ParseMoment(now.Format(time.DateOnly)) // what Format writes is one
	}
	if c.Deadline.IsZero() {
		c.Deadline, _ = campaign.ParseMoment(now.AddDate(0, 0, days).Format(time.DateOnly))
	}
}

// tag is what makes a page look for changes.
const tag = `<script type="module" src="` + scriptPath + `"></script>`

// show serves a file of the site, and pages with the script.
func show(w http.ResponseWriter, r *http.Request, tree *site.Tree) {
	r = r.Clone(r.Context())
	r.Header.Del("Accept-Encoding") // the body is to be read
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

// held is a response that is kept until it is whole.
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

// refuse shows what is wrong instead of the page.
func refuse(w http.ResponseWriter, file string, err error) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'")
	w.WriteHeader(http.StatusUnprocessableEntity)
	_ = wrong.Execute(w, map[string]string{"File": file, "Problems": err.Error(), "Script": scriptPath}) // nobody is there to be told
}
