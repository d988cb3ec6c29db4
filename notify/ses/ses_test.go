package ses_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/ses"
	"github.com/pledgeworks/pledgeworks/notify/ses/sestest"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// fixture is a fake SES behind a server.
type fixture struct {
	*sestest.Server
	mu  sync.Mutex
	now time.Time
}

func (w *fixture) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *fixture) Advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *fixture) FailNext(all ...notifytest.Failure) {
	for _, failure := range all {
		w.Server.FailNext(map[notifytest.Failure]sestest.Fault{
			notifytest.Refuse:         {Status: http.StatusBadRequest, Kind: "BadRequestException"},
			notifytest.Later:          {Status: http.StatusTooManyRequests, Kind: "TooManyRequestsException"},
			notifytest.LoseRequest:    {},
			notifytest.LoseAnswer:     {Accepted: true},
			notifytest.BadCredentials: {Status: http.StatusForbidden, Kind: "AccessDeniedException"},
		}[failure])
	}
}

// ReplacesMessageID implements notifytest.MessageIDReplacer.
func (w *fixture) ReplacesMessageID() {}

func (w *fixture) Delivered() []notifytest.Letter {
	var all []notifytest.Letter
	for _, m := range w.Accepted() {
		l := notifytest.Letter{From: m.From, To: strings.Join(m.To, ","), ReplyTo: strings.Join(m.ReplyTo, ","),
			Subject: m.Subject, Text: m.Text, HTML: m.HTML, Header: m.Headers}
		for _, f := range m.Files {
			if f.Type == notify.CSV {
				l.Attachment = notify.Attachment{Name: f.Name, Text: string(f.Content)}
			}
		}
		all = append(all, l)
	}
	return all
}

func open(t testing.TB) (*ses.Sender, *fixture) { return openWith(t, ses.Options{}) }

func openWith(t testing.TB, o ses.Options) (*ses.Sender, *fixture) {
	w := &fixture{now: time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)}
	w.Server = &sestest.Server{Now: w.Now}
	server := httptest.NewServer(w.Server)
	t.Cleanup(server.Close)
	o.Region, o.KeyID, o.Secret = sestest.Region, sestest.KeyID, sestest.Secret
	o.Fetch, o.Now, o.BaseURL = overhttp.New(nil, time.Minute), w.Now, server.URL
	s, err := ses.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

func store(now func() time.Time) kv.Store { return memkv.New(memkv.Options{Now: now}).Store("PLEDGES") }

func TestContract(t *testing.T) {
	notifytest.Run(t, func(t testing.TB) (notify.Sender, notifytest.Provider) { return open(t) }, store)
}

// SES remembers no keys and has no batches: if the Sender implemented Rememberer, possible
// duplicates would not be reported.
func TestSender_DoesNotImplementRememberer(t *testing.T) {
	s, _ := open(t)
	if _, ok := notify.Sender(s).(notify.Rememberer); ok {
		t.Error("Sender implements notify.Rememberer, but SES has no idempotency keys")
	}
	if _, ok := notify.Sender(s).(notify.Batcher); ok {
		t.Error("Sender implements notify.Batcher, but SES accepts batches only for templates")
	}
}

// Mails contain the tags that SES's events return, and the configuration set that publishes them.
func TestSend_Tags(t *testing.T) {
	s, w := openWith(t, ses.Options{ConfigurationSet: sestest.ConfigurationSet})
	m := notifytest.MailTo("ana")
	m.Kind, m.Stream, m.Campaign = notify.DiaryEntry, notify.Updates, "noche"
	if r, err := s.Send(t.Context(), m); err != nil || r.Outcome != notify.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	got := w.Accepted()[0]
	want := map[string]string{"key": m.Key, "kind": "diary", "stream": "update", "campaign": "noche"}
	if diff := cmp.Diff(want, got.Tags); diff != "" || got.Set != sestest.ConfigurationSet {
		t.Errorf("configuration set %q, tags (-want +got):\n%s", got.Set, diff)
	}
}

// SES refuses mails with invalid tags, so such tags are left out.
func TestSend_InvalidTags(t *testing.T) {
	s, w := open(t)
	m := notifytest.MailTo("ana")
	m.Campaign = "añoranza"
	if r, err := s.Send(t.Context(), m); err != nil || r.Outcome != notify.Accepted || len(w.Accepted()[0].Tags) != 2 {
		t.Errorf("%+v, %v, %+v", r, err, w.Accepted())
	}
}

// A sender's non-ASCII display name is sent as an encoded word, and mailboxes show it decoded.
func TestSend_SenderNames(t *testing.T) {
	for _, from := range []string{"pledges@example.org", "Cine <pledges@example.org>",
		"Señal, «Noche» <pledges@example.org>"} {
		s, w := open(t)
		m := notifytest.MailTo("ana")
		m.From = from
		if strings.Contains(from, ",") {
			m.From = `"Señal, «Noche»" <pledges@example.org>`
		}
		if r, err := s.Send(t.Context(), m); err != nil || r.Outcome != notify.Accepted || w.Accepted()[0].From != from {
			t.Errorf("%s: %+v, %v, %+v", from, r, err, w.Accepted())
		}
	}
	s, w := open(t)
	m := notifytest.MailTo("ana")
	m.From = "nobody"
	if r, err := s.Send(t.Context(), m); err != nil || r.Outcome != notify.Refused || len(w.Accepted()) != 0 {
		t.Errorf("no sender: %+v, %v", r, err)
	}
}

// recordingSender is a fetch.Sender that records the request and never responds.
type recordingSender struct{ fetch.Request }

func (a *recordingSender) Send(_ context.Context, r fetch.Request) (fetch.Response, error) {
	a.Request = r
	return fetch.Response{}, errors.New("the connection to ana@example.com broke")
}

// Errors contain no address. A request goes to SES in its region, and has no Message-ID, which
// SES sets.
func TestSend_NoResponse(t *testing.T) {
	for region, want := range map[string]string{
		"eu-west-1":     "https://email.eu-west-1.amazonaws.com/v2/email/outbound-emails",
		"us-gov-west-1": "https://email.us-gov-west-1.amazonaws.com/v2/email/outbound-emails",
		"cn-north-1":    "https://email.cn-north-1.amazonaws.com.cn/v2/email/outbound-emails",
	} {
		a := &recordingSender{}
		s, err := ses.New(ses.Options{Region: region, KeyID: "k", Secret: "s", Fetch: a, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Send(t.Context(), notifytest.MailTo("ana")); err == nil || strings.Contains(err.Error(), "ana@") ||
			a.URL != want || a.Method != "POST" || strings.Contains(a.Body, "Message-ID") {
			t.Errorf("%v, %s %s", err, a.Method, a.URL)
		}
	}
}

func TestNew_InvalidOptions(t *testing.T) {
	good := ses.Options{Region: "eu-west-1", KeyID: "k", Secret: "s", Fetch: &recordingSender{}, Now: time.Now}
	for field, change := range map[string]func(*ses.Options){
		"region":  func(o *ses.Options) { o.Region = "eu-west-1.example.org/" },
		"keyId":   func(o *ses.Options) { o.KeyID = "" },
		"secret":  func(o *ses.Options) { o.Secret = "" },
		"fetch":   func(o *ses.Options) { o.Fetch = nil },
		"now":     func(o *ses.Options) { o.Now = nil },
		"baseUrl": func(o *ses.Options) { o.BaseURL = "http://[" },
	} {
		o := good
		change(&o)
		_, err := ses.New(o)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Invalid || f.Field != field {
			t.Errorf("without %s: %v", field, err)
		}
	}
}
