package app

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

//go:embed mailpages.html
var mailPagesHTML string

var mailPages = template.Must(template.New("mails").Funcs(template.FuncMap{"linked": linkText}).Parse(mailPagesHTML))

var addressInText = regexp.MustCompile(`https?://[^\s<>"]+`)

// linkText converts plain text to HTML with links.
func linkText(text string) template.HTML {
	var b strings.Builder
	last := 0
	for _, at := range addressInText.FindAllStringIndex(text, -1) {
		address := template.HTMLEscapeString(text[at[0]:at[1]])
		b.WriteString(template.HTMLEscapeString(text[last:at[0]]) + `<a href="` + address + `">` + address + `</a>`)
		last = at[1]
	}
	return template.HTML(b.String() + template.HTMLEscapeString(text[last:])) //nolint:gosec // all parts are escaped
}

// MailPages serves a folder's mails below a path: a list, and a page for each mail.
type MailPages struct {
	Mails Folder
	Path  string // such as "/test/mail"
	Back  string // address of a link back, "" for none
	Zone  *time.Location
}

// shownMail is a mail with its time as text.
type shownMail struct {
	Mail
	At string
}

// Handler returns the handler of the pages.
func (p MailPages) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+p.Path, p.list)
	mux.HandleFunc("GET "+p.Path+"/{id}", p.one)
	mux.HandleFunc("GET "+p.Path+"/{id}/html", p.html)
	return mux
}

// list shows all mails, or returns them as JSON if requested.
func (p MailPages) list(w http.ResponseWriter, r *http.Request) {
	mails, err := p.Mails.Mails()
	if err != nil {
		http.Error(w, "The emails cannot be read", http.StatusInternalServerError)
		return
	}
	if r.Header.Get("Accept") == "application/json" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Cache-Control", "private, no-store")
		_ = json.NewEncoder(w).Encode(mails) // fails if the client has disconnected
		return
	}
	all := make([]shownMail, 0, len(mails))
	for _, m := range mails {
		all = append(all, p.shown(m))
	}
	showMails(w, http.StatusOK, "list", map[string]any{"Mails": all, "Path": p.Path, "Back": p.Back})
}

func (p MailPages) shown(m Mail) shownMail { return shownMail{m, Moment(m.SentAt.In(p.Zone))} }

// find returns the requested mail. If it does not exist or cannot be read, find responds with an
// error page and returns false.
func (p MailPages) find(w http.ResponseWriter, r *http.Request) (Mail, bool) {
	m, err := p.Mails.Mail(r.PathValue("id"))
	if fault.Is(err, fault.NotFound) {
		showMails(w, http.StatusNotFound, "missing", nil)
	} else if err != nil {
		http.Error(w, "The email cannot be read", http.StatusInternalServerError)
	}
	return m, err == nil
}

func (p MailPages) one(w http.ResponseWriter, r *http.Request) {
	if m, ok := p.find(w, r); ok {
		showMails(w, http.StatusOK, "mail", map[string]any{"Mail": p.shown(m), "Path": p.Path})
	}
}

// html serves a mail's HTML for an iframe: no scripts, images allowed, links open in a new tab.
func (p MailPages) html(w http.ResponseWriter, r *http.Request) {
	m, ok := p.find(w, r)
	if !ok {
		return
	}
	mailHeaders(w,
		"default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'; sandbox allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'")
	w.Header().Del("X-Frame-Options")
	// fails if the browser has disconnected
	_, _ = w.Write([]byte(strings.Replace(m.HTML, "<head>", `<head><base target="_blank">`, 1)))
}

func showMails(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := mailPages.ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "The page cannot be shown", http.StatusInternalServerError)
		return
	}
	mailHeaders(w, "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; frame-ancestors 'none'")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // fails if the browser has disconnected
}

func mailHeaders(w http.ResponseWriter, policy string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
}

// TestMailPath is the path of the pages on which super admins read the mails of a service in test
// mode.
const TestMailPath = "/test/mail"

// keepsMails reports whether mails are written to a folder instead of being sent.
func (a *App) keepsMails() bool { return a.Config.Mode.App != psp.Live && a.Config.Mail.API == "" }

// readMails returns a handler that shows the mails to signed-in super admins.
func (a *App) readMails() http.Handler {
	pages := MailPages{Mails: a.Mails, Path: TestMailPath, Back: "/admin/",
		Zone: a.Config.Site.Timezone.Location()}.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var value string
		if c, err := r.Cookie(httpapi.SessionCookie); err == nil {
			value = c.Value
		}
		caller, err := a.Services.Access.Check(r.Context(), value)
		if err != nil || caller.User.Role != access.SuperAdmin || caller.Missing != "" {
			showMails(w, http.StatusForbidden, "denied", nil)
			return
		}
		if caller.Cookie != "" {
			w.Header().Set("Set-Cookie", httpapi.SessionCookieHeader(caller.Cookie))
		}
		pages.ServeHTTP(w, r)
	})
}
