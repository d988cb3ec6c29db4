package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/postmark"
	"github.com/pledgeworks/pledgeworks/notify/postmark/postmarktest"
	"github.com/pledgeworks/pledgeworks/notify/resend"
	"github.com/pledgeworks/pledgeworks/notify/resend/resendtest"
)

// mailScenario configures a history's mail.
type mailScenario struct {
	keyless bool // the provider has no idempotency keys: Postmark, otherwise Resend
	rate    int  // Resend's rate limit per second, 0 for none
	news    bool // operators send updates
	trouble int  // fault rate per thousand requests
	// silent is the start of a period of more than a day without responses, from
	// the beginning; 0 for none.
	silent time.Duration
	// refuses is the person whose address the provider rejects, 1-based; 0 for
	// none.
	refuses int
}

// silencePeriod is how long the provider is silent, which exceeds the retention
// of its keys.
const silencePeriod = 26 * time.Hour

func (s *scenario) drawMailScenario() mailScenario {
	m := mailScenario{keyless: s.oneIn(3), rate: pick(s, 0, 1, 5), news: s.oneIn(3),
		trouble: pick(s, mailFaults, mailFaults, 300)}
	if s.oneIn(8) {
		m.silent = time.Duration(10+s.IntN(20)) * time.Hour
	}
	if s.oneIn(6) {
		m.refuses = 1 + s.IntN(len(s.plans))
	}
	return m
}

// mailKey is a kind of mail to an address.
type mailKey struct {
	kind notify.Kind
	to   string
}

// mail is a mail that the provider accepted or is requested to send.
type mail struct {
	key, to, campaign string
	kind              notify.Kind
	unsubscribe       string // the URL that unsubscribes the address
	resend            resendtest.Email
}

// provider is the email provider: the real client with a fake server of the
// provider's API, which records accepted mails.
type provider struct {
	w        *history
	resend   *resendtest.Server
	postmark *postmarktest.Server
	seen     int // mails of the fake server already processed
}

func newProvider(w *history) *provider {
	now := func() time.Time { return w.now }
	return &provider{w: w, resend: &resendtest.Server{Now: now, Rate: w.scenario.mails.rate},
		postmark: &postmarktest.Server{Now: now}}
}

// rejectAddress makes the provider reject mails to an address.
func (p *provider) rejectAddress(to string) {
	p.resend.Refused = append(p.resend.Refused, to)
	p.postmark.Fail(to, postmarktest.Inactive)
}

// sender returns a new client of the provider's API.
func (p *provider) sender() (notify.Sender, error) {
	if p.w.scenario.mails.keyless {
		return postmark.New(postmark.Options{Token: postmarktest.Token, Fetch: p, BaseURL: "https://mail.example"})
	}
	return resend.New(resend.Options{Key: resendtest.Key, Fetch: p, BaseURL: "https://mail.example"})
}

// listener returns the parser of the provider's webhooks.
func (s *server) listener() (notify.Listener, error) {
	return resend.NewListener(resendtest.Secret, s.now)
}

// mailTrouble is a fault of a request, common to both providers.
type mailTrouble struct {
	what   string
	status int // 0 for no response
	taken  bool
	busy   bool // the key stays in use after the caller's timeout
}

var mailTroubles = []mailTrouble{
	{what: "is lost"},
	{what: "is accepted, but its response is lost", taken: true},
	{what: "is accepted, its response is lost, and its key stays in use", taken: true, busy: true},
	{what: "fails with a server error", status: http.StatusInternalServerError},
	{what: "is accepted, but the response is a server error", status: http.StatusBadGateway, taken: true},
	{what: "exceeds the rate limit", status: http.StatusTooManyRequests},
}

var errNoMailAnswer = errors.New("the mail provider did not respond")

// Send implements fetch.Sender.
func (p *provider) Send(_ context.Context, r fetch.Request) (fetch.Response, error) {
	w := p.w
	w.yieldAt("> mail", w.latency())
	mails := p.parseMails(r)
	w.note("%d mails are requested with key %s", len(mails), r.Header["Idempotency-Key"])
	w.checker.checkMailRequest(mails)
	lost := false
	if t, troubled := p.drawTrouble(); troubled {
		w.note("fault: %s", w.recordFault("a mail request %s", t.what))
		if lost = t.status == 0; !lost || t.taken {
			p.injectTrouble(t)
		}
		if t.busy && !w.scenario.mails.keyless {
			defer p.holdKey(r.Header["Idempotency-Key"])
		}
		if lost && !t.taken {
			w.pause(time.Minute)
			return fetch.Response{}, errNoMailAnswer
		}
	}
	res, err := p.serve(r)
	p.clearTrouble()
	p.processAccepted()
	if lost {
		w.pause(time.Minute)
	}
	w.yieldAt("< mail", w.latency())
	return res, err
}

// drawTrouble draws the next request's fault.
func (p *provider) drawTrouble() (mailTrouble, bool) {
	w, m := p.w, p.w.scenario.mails
	permille, troubles := m.trouble, mailTroubles
	if since := w.now.Sub(begin); m.silent > 0 && since >= m.silent && since < m.silent+silencePeriod {
		permille, troubles = 1000, mailTroubles[1:2]
	}
	if !w.strikes(w.now, permille) {
		return mailTrouble{}, false
	}
	return troubles[w.draw(2, len(troubles))], true
}

func (p *provider) injectTrouble(t mailTrouble) {
	after, name := "", "internal_server_error"
	if t.status == http.StatusTooManyRequests {
		after, name = "30", "rate_limit_exceeded"
	}
	if p.w.scenario.mails.keyless {
		p.postmark.FailNext(postmarktest.Fault{Status: t.status, After: after, Accepted: t.taken})
		return
	}
	p.resend.FailNext(resendtest.Fault{Status: t.status, Name: name, After: after, Accepted: t.taken})
}

// clearTrouble removes a pending fault if the request was rejected before it
// applied.
func (p *provider) clearTrouble() {
	p.postmark.CancelFaults()
	p.resend.CancelFaults()
}

// holdKey keeps a request's key in use for some minutes.
func (p *provider) holdKey(key string) {
	release := p.resend.Hold(key)
	p.w.spawn("the provider", nil, time.Duration(1+p.w.draw(3, 20))*time.Minute, release)
}

func (p *provider) serve(r fetch.Request) (res fetch.Response, err error) {
	defer func() {
		if recover() == http.ErrAbortHandler { //nolint:errorlint // the fake servers panic with this value
			res, err = fetch.Response{}, errNoMailAnswer
		}
	}()
	in := httptest.NewRequest(r.Method, r.URL, strings.NewReader(r.Body))
	for name, value := range r.Header {
		in.Header.Set(name, value)
	}
	out := httptest.NewRecorder()
	if p.w.scenario.mails.keyless {
		p.postmark.ServeHTTP(out, in)
	} else {
		p.resend.ServeHTTP(out, in)
	}
	p.w.note("the mail provider answers %d", out.Code)
	return fetch.Response{Status: out.Code, Header: out.Header().Get, Body: out.Body.Bytes()}, nil
}

// processAccepted counts newly accepted mails, checks them and simulates their delivery.
func (p *provider) processAccepted() {
	all := p.acceptedMails()
	for _, m := range all[p.seen:] {
		to := mailKey{m.kind, m.to}
		if p.w.mails[to] == nil {
			p.w.mails[to] = map[string]int{}
		}
		p.w.mails[to][m.key]++
		p.w.note("the provider accepts %s of %s", m.key, string(m.kind))
		p.w.checker.recordAccepted(m)
		p.w.deliverMail(m)
	}
	p.seen = len(all)
}

func (p *provider) acceptedMails() (all []mail) {
	if p.w.scenario.mails.keyless {
		for _, m := range p.postmark.Accepted() {
			all = append(all, postmarkMail(m))
		}
		return all
	}
	for _, m := range p.resend.Accepted() {
		all = append(all, resendMail(m))
	}
	return all
}

func postmarkMail(m postmarktest.Message) mail {
	l := mail{key: m.Metadata["key"], to: m.To, campaign: m.Metadata["campaign"], kind: notify.Kind(m.Tag)}
	for _, h := range m.Headers {
		l.header(h.Name, h.Value)
	}
	return l
}

func resendMail(m resendtest.Email) mail {
	l := mail{to: m.To[0], resend: m}
	for _, t := range m.Tags {
		switch t.Name {
		case "key":
			l.key = t.Value
		case "category":
			l.kind = notify.Kind(t.Value)
		case "campaign":
			l.campaign = t.Value
		}
	}
	for name, value := range m.Headers {
		l.header(name, value)
	}
	return l
}

func (m *mail) header(name, value string) {
	if textproto.CanonicalMIMEHeaderKey(name) == "List-Unsubscribe" {
		m.unsubscribe = strings.Trim(value, "<>")
	}
}

// parseMails returns the mails in a request.
func (p *provider) parseMails(r fetch.Request) (all []mail) {
	if p.w.scenario.mails.keyless {
		for _, m := range decodeMails[postmarktest.Message](r) {
			all = append(all, postmarkMail(m))
		}
		return all
	}
	for _, m := range decodeMails[resendtest.Email](r) {
		all = append(all, resendMail(m))
	}
	return all
}

// decodeMails decodes a request's mails: one, or a list.
func decodeMails[M any](r fetch.Request) (all []M) {
	body := []byte(r.Body)
	if !strings.HasPrefix(r.Body, "[") {
		body = []byte("[" + r.Body + "]")
	}
	if err := json.Unmarshal(body, &all); err != nil {
		panic(err)
	}
	return all
}

// reportEvents draws the events that the provider reports about one mail; for most mails only the
// delivery.
func (w *history) reportEvents(m mail) []string {
	transactional := m.kind.Stream() == notify.Transactional
	switch draw := w.rng.IntN(40); {
	case slices.Contains(w.returning, m.to):
		return []string{"email.sent", "email.bounced"}
	case draw < 4 && !transactional:
		return []string{"email.complained", "email.delivered"}
	case draw < 8:
		return []string{"email.delivery_delayed", "email.sent", "email.delivered"}
	case draw < 12:
		return nil
	}
	return []string{"email.delivered"}
}

// deliverMail simulates what happens to an accepted mail: it is reported, and its
// reader may unsubscribe.
func (w *history) deliverMail(m mail) {
	if !w.scenario.mails.keyless {
		at := w.now
		for _, event := range w.reportEvents(m) {
			for range 1 + w.rng.IntN(5)/4 { // one in five is sent twice
				late := time.Duration(w.rng.IntN(300)) * time.Second
				switch draw := w.rng.IntN(4); {
				case draw == 0:
					late *= 100
				case draw == 1, w.scenario.prompt:
					late /= 100
				}
				r := &report{event: event, of: m, at: at}
				w.checker.addReport(r)
				w.spawn("mail report", nil, late, func() { w.sendReport(r) })
			}
		}
	}
	if m.unsubscribe != "" && w.rng.IntN(3) == 0 {
		w.spawn(m.to+" unsubscribes", nil, time.Duration(w.rng.IntN(600))*time.Minute/10, func() { w.unsubscribe(m) })
	}
}

// report is a webhook of the provider about a mail.
type report struct {
	event   string
	of      mail
	at      time.Time
	started bool
	ended   bool
}

// sendReport sends a report until a server accepts it, at most twelve times. After a bounce,
// an operator may clear the address's suppression.
func (w *history) sendReport(r *report) {
	r.started = true
	for try := range 12 {
		if w.deliverReport(w.mailer.resend.Report(r.of.resend, r.event, r.at, nil)) {
			w.checker.recordReport(r)
			break
		}
		w.pause(time.Duration(5<<min(try, 5)) * time.Minute)
	}
	r.ended = true
	if r.event == "email.bounced" && w.rng.IntN(3) == 0 {
		w.pause(time.Duration(10+w.rng.IntN(300)) * time.Minute)
		w.clearSuppression(r.of.to)
	}
}

// clearSuppression simulates an operator who clears the suppression of an address that accepts
// mails again.
func (w *history) clearSuppression(email string) {
	w.returning = slices.DeleteFunc(w.returning, func(a string) bool { return a == email })
	known := w.checker.allReported(email)
	w.checker.recordCleared(email, false) // it may take effect without a response
	if w.asEditor("/admin/marketing/suppressions/clear", map[string]any{"email": email, "why": "bounced"}) {
		w.checker.recordCleared(email, known && w.checker.allReported(email))
	}
}

func (w *history) deliverReport(r resendtest.Report) bool {
	header := make([]string, 0, 2*len(r.Header))
	for name, value := range r.Header {
		header = append(header, name, value)
	}
	return w.call("10.9.9.8", "POST", "/webhooks/email", json.RawMessage(r.Body), nil, 1, header...)
}

func (w *history) unsubscribe(m mail) {
	_, token, _ := strings.Cut(m.unsubscribe, "t=")
	token, _, _ = strings.Cut(token, "&")
	if w.call("10.9.9.7", "POST", "/unsubscribe", map[string]any{"token": token}, nil, 3) {
		w.checker.addStop(m.to, stop{campaign: m.campaign, by: "unsubscribed"})
	}
}

// runEditor simulates an operator who sends updates to supporters and clicks twice each time.
func (w *history) runEditor() {
	for n := range 2 {
		w.pause(time.Duration(30+w.rng.IntN(900)) * time.Minute)
		slug := slugs[w.rng.IntN(len(slugs))]
		body := map[string]any{"campaignSlug": slug, "subject": fmt.Sprintf("News %d", n),
			"body": "The work is progressing.", "ctaLabel": "", "ctaUrl": ""}
		for range 2 {
			w.spawn("the editor clicks", nil, time.Duration(w.rng.IntN(3000))*time.Millisecond, func() {
				w.asEditor("/admin/broadcast/announcement", body)
			})
		}
		w.pause(time.Duration(w.rng.IntN(200)) * time.Minute)
		w.asEditor("/admin/milestone-check/"+slug, map[string]any{})
	}
}

func (w *history) asEditor(path string, body any) bool {
	address := fmt.Sprintf("10.3.%d.%d", w.requests/250%250, w.requests%250)
	return w.call(address, "POST", path, body, nil, 3, "Authorization", "Bearer "+w.config.Secrets.AdminBroadcast.Reveal())
}
