package demo

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify/mailtext"
)

// The bar at the top of every page of the site shows the demo's clock and links to its controls. It
// is part of the served HTML, because a bar added by a script would shift the page.
var (
	//go:embed bar.js
	barScript []byte
	//go:embed bar.css
	barStyle []byte
	//go:embed bar.html
	barHTML string

	barTemplate = template.Must(template.New("bar").Parse(barHTML))
)

const (
	barTags = `<link rel="stylesheet" href="/demo/bar.css"><script src="/demo/bar.js" defer></script>`
	english = "en"
	spanish = "es"
)

// barText has the bar's texts by language.
var barText = map[string]map[string]string{
	english: {
		"lead": "Demo: no real money. The clock says", "settle": "Move the clock or settle",
		"controls": "Controls", "mails": "Emails",
		"stopped": "nothing: the demo has stopped",
	},
	spanish: {
		"lead": "Demo: sin dinero real. El reloj marca", "settle": "Mover el reloj o cobrar",
		"controls": "Controles", "mails": "Correos",
		"stopped": "nada: la demo se ha parado",
	},
}

// site returns the service's handler, which adds the bar to pages if it is enabled.
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
		p := &page{ResponseWriter: w, status: http.StatusOK,
			compress: strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")}
		r.Header.Del("Accept-Encoding")
		r.Header.Del("Range")
		next.ServeHTTP(p, r)
		p.send(d.barData)
	})
}

// barData returns the data of the bar's template.
func (d *Demo) barData(lang string) map[string]any {
	return map[string]any{"Lang": lang, "Now": d.Clock.Now().UTC().Format(time.RFC3339),
		"Shown": d.shownClock(lang), "Text": barText[lang]}
}

// shownClock formats the demo's time in the format of the pages.
func (d *Demo) shownClock(lang string) string {
	return mailtext.Moment(lang, d.Clock.Now().In(d.App.Config.Site.Timezone.Location()))
}

// page buffers a page until it is complete.
type page struct {
	http.ResponseWriter
	compress bool
	status   int
	body     bytes.Buffer
}

// WriteHeader records the status.
func (p *page) WriteHeader(status int) { p.status = status }

func (p *page) Write(b []byte) (int, error) { return p.body.Write(b) }

// send adds the bar to an HTML page and sends it, compressed if the browser accepts that.
func (p *page) send(data func(lang string) map[string]any) {
	body, h := p.body.Bytes(), p.Header()
	if strings.HasPrefix(h.Get("Content-Type"), "text/html") && len(body) > 0 {
		body = addBar(body, data)
		if p.compress {
			body = compressed(body)
			h.Set("Content-Encoding", "gzip")
		}
	}
	if len(body) > 0 {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	p.ResponseWriter.WriteHeader(p.status)
	_, _ = p.ResponseWriter.Write(body) // fails if the browser has disconnected
}

// addBar inserts the bar after the link that skips to the content, or at the start of a page without
// one.
func addBar(body []byte, data func(lang string) map[string]any) []byte {
	lang := english
	if bytes.Contains(body, []byte(`<html lang="es"`)) {
		lang = spanish
	}
	var bar bytes.Buffer
	if err := barTemplate.Execute(&bar, data(lang)); err != nil {
		return body
	}
	body = bytes.Replace(body, []byte("</head>"), []byte(barTags+"</head>"), 1)
	at := bytes.Index(body, []byte("<body"))
	if at < 0 {
		return body
	}
	end := []byte(">")
	if skip := bytes.Index(body, []byte(`<a class="skip"`)); skip > at {
		at, end = skip, []byte("</a>")
	}
	at += bytes.Index(body[at:], end) + len(end)
	return append(append(body[:at:at], bar.Bytes()...), body[at:]...)
}

func compressed(body []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(body) // a buffer does not fail
	_ = z.Close()
	return out.Bytes()
}

func file(kind string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(body)
	}
}
