package postmark_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/postmark"
	"github.com/pledgeworks/pledgeworks/notify/postmark/postmarktest"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// fixture is a fake Postmark behind a server.
type fixture struct {
	*postmarktest.Server
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
		w.Server.FailNext(map[notifytest.Failure]postmarktest.Fault{
			notifytest.Refuse:         {Status: http.StatusUnprocessableEntity, Code: 300},
			notifytest.Later:          {Status: http.StatusTooManyRequests, Code: 429},
			notifytest.LoseRequest:    {},
			notifytest.LoseAnswer:     {Accepted: true},
			notifytest.BadCredentials: {Status: http.StatusUnauthorized, Code: 10},
		}[failure])
	}
}

func (w *fixture) Delivered() []notifytest.Letter {
	var all []notifytest.Letter
	for _, m := range w.Accepted() {
		l := notifytest.Letter{From: m.From, To: m.To, ReplyTo: m.ReplyTo, Subject: m.Subject,
			Text: m.TextBody, HTML: m.HTMLBody, Header: map[string]string{}}
		for _, h := range m.Headers {
			l.Header[h.Name] = h.Value
		}
		for _, f := range m.Attachments {
			if f.ContentType == notify.CSV {
				l.Attachment = notify.Attachment{Name: f.Name, Text: string(f.Content)}
			}
		}
		all = append(all, l)
	}
	return all
}

func open(t testing.TB) (*postmark.Sender, *fixture) { return openWith(t, postmark.Options{}) }

func openWith(t testing.TB, o postmark.Options) (*postmark.Sender, *fixture) {
	w := &fixture{now: time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)}
	w.Server = &postmarktest.Server{Now: w.Now}
	server := httptest.NewServer(w.Server)
	t.Cleanup(server.Close)
	o.Token, o.Fetch, o.BaseURL = postmarktest.Token, overhttp.New(nil, time.Minute), server.URL
	s, err := postmark.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

func store(now func() time.Time) kv.Store { return memkv.New(memkv.Options{Now: now}).Store("PLEDGES") }

func TestContract(t *testing.T) {
	notifytest.Run(t, func(t testing.TB) (notify.Sender, notifytest.Provider) { return open(t) }, store)
}

// Postmark remembers no keys: if the Sender implemented Rememberer, possible duplicates would
// not be reported.
func TestSender_DoesNotImplementRememberer(t *testing.T) {
	s, _ := open(t)
	if _, ok := notify.Sender(s).(notify.Rememberer); ok {
		t.Error("Sender implements notify.Rememberer, but Postmark has no idempotency keys")
	}
}

// Transactional mails use a different stream from other mails.
func TestSend_Streams(t *testing.T) {
	for _, tt := range []struct {
		stream        notify.Stream
		by, byDefault string
	}{
		{"", "pledges", "outbound"},
		{notify.Transactional, "pledges", "outbound"},
		{notify.Reminders, "news", "broadcast"},
		{notify.Updates, "news", "broadcast"},
	} {
		m := notifytest.MailTo("ana")
		m.Stream = tt.stream
		s, w := open(t)
		if _, err := s.Send(t.Context(), m); err != nil || len(w.Accepted()) != 1 ||
			w.Accepted()[0].MessageStream != tt.byDefault {
			t.Errorf("%q: %v, %+v", tt.stream, err, w.Accepted())
		}
		asked := &recordingSender{}
		s, err := postmark.New(postmark.Options{Token: "t", Fetch: asked, TransactionalStream: "pledges",
			BroadcastStream: "news"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Send(t.Context(), m); err == nil || !strings.Contains(asked.Body, `"MessageStream":"`+tt.by+`"`) {
			t.Errorf("%q: %v, %s", tt.stream, err, asked.Body)
		}
		if asked.URL != "https://api.postmarkapp.com/email" {
			t.Errorf("request to %s", asked.URL)
		}
	}
}

// An unknown stream is treated as a configuration problem: the mail is kept.
func TestSend_UnknownStream(t *testing.T) {
	s, w := openWith(t, postmark.Options{TransactionalStream: "pledges"})
	r, err := s.Send(t.Context(), notifytest.MailTo("ana"))
	if err != nil || r.Outcome != notify.RetryLater || !r.Account || len(w.Accepted()) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Mails contain the metadata that Postmark's webhooks return, and disable tracking regardless of
// the server's settings.
func TestSend_MetadataAndTracking(t *testing.T) {
	s, w := open(t)
	m := notifytest.MailTo("ana")
	m.Kind, m.Stream, m.Campaign = notify.DiaryEntry, notify.Updates, "noche"
	if _, err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	got := w.Accepted()[0]
	want := map[string]string{"key": m.Key, "kind": "diary", "stream": "update", "campaign": "noche"}
	if diff := cmp.Diff(want, got.Metadata); diff != "" || got.Tag != "diary" {
		t.Errorf("tag %s, metadata (-want +got):\n%s", got.Tag, diff)
	}
	if got.TrackOpens == nil || *got.TrackOpens || got.TrackLinks != "None" {
		t.Errorf("opens %v, links %s", got.TrackOpens, got.TrackLinks)
	}
}

// Postmark refuses mails with invalid metadata, so such values are left out.
func TestSend_InvalidMetadata(t *testing.T) {
	for campaign, want := range map[string]int{"": 2, strings.Repeat("ñ", 80): 3, strings.Repeat("ñ", 81): 2} {
		s, w := open(t)
		m := notifytest.MailTo("ana")
		m.Campaign = campaign
		if r, err := s.Send(t.Context(), m); err != nil || r.Outcome != notify.Accepted ||
			len(w.Accepted()[0].Metadata) != want {
			t.Errorf("%q: %+v, %v, %+v", campaign, r, err, w.Accepted())
		}
	}
}

func TestNew_MissingOptions(t *testing.T) {
	for field, o := range map[string]postmark.Options{
		"token": {Fetch: overhttp.New(nil, time.Minute)},
		"fetch": {Token: postmarktest.Token},
	} {
		_, err := postmark.New(o)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Invalid || f.Field != field {
			t.Errorf("without %s: %v", field, err)
		}
	}
}
