package demo

import (
	"bytes"
	_ "embed"
	"net/http"
	"strconv"
	"strings"
)

// The bar is on every page of the site. It shows the demo's clock and links to its controls.
var (
	//go:embed bar.js
	barScript []byte
	//go:embed bar.css
	barStyle []byte
)

const barTags = `<link rel="stylesheet" href="/demo/bar.css"><script src="/demo/bar.js" defer></script></head>`

// site returns the service, with the bar on its pages if enabled.
func (d *Demo) site() http.Handler {
	next := d.App.Handler()
	if !d.bar {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.Contains(r.Header.Get("Accept"), "text/html") {
			next.ServeHTTP(w, r)
			return
		}
		r.Header.Del("Accept-Encoding")
		r.Header.Del("Range")
		p := &page{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(p, r)
		p.send()
	})
}

// page buffers a page until it is complete.
type page struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader records the status.
func (p *page) WriteHeader(status int) { p.status = status }

func (p *page) Write(b []byte) (int, error) { return p.body.Write(b) }

func (p *page) send() {
	body := p.body.Bytes()
	if strings.HasPrefix(p.Header().Get("Content-Type"), "text/html") {
		body = bytes.Replace(body, []byte("</head>"), []byte(barTags), 1)
	}
	if len(body) > 0 {
		p.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	p.ResponseWriter.WriteHeader(p.status)
	_, _ = p.ResponseWriter.Write(body) // fails if the browser has disconnected
}

func file(kind string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(body)
	}
}
