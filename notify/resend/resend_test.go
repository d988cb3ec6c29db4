package resend_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
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
	"github.com/pledgeworks/pledgeworks/notify/resend"
	"github.com/pledgeworks/pledgeworks/notify/resend/resendtest"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// fixture is a fake Resend behind a server.
type fixture struct {
	*resendtest.Server
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
		w.Server.FailNext(map[notifytest.Failure]resendtest.Fault{
			notifytest.Refuse:         {Status: http.StatusUnprocessableEntity, Name: "validation_error"},
			notifytest.Later:          {Status: http.StatusTooManyRequests, Name: "rate_limit_exceeded", After: "2"},
			notifytest.LoseRequest:    {},
			notifytest.LoseAnswer:     {Accepted: true},
			notifytest.BadCredentials: {Status: http.StatusForbidden, Name: "invalid_api_key"},
		}[failure])
	}
}

func (w *fixture) Delivered() []notifytest.Letter {
	var all []notifytest.Letter
	for _, e := range w.Accepted() {
		l := notifytest.Letter{From: e.From, To: strings.Join(e.To, ","), ReplyTo: e.ReplyTo,
			Subject: e.Subject, Text: e.Text, HTML: e.HTML, Header: e.Headers}
		for _, f := range e.Files {
			if f.Type == notify.CSV {
				l.Attachment = notify.Attachment{Name: f.Name, Text: string(f.Content)}
			}
		}
		all = append(all, l)
	}
	return all
}

func open(t testing.TB) (*resend.Sender, *fixture) {
	w := &fixture{now: time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)}
	w.Server = &resendtest.Server{Now: w.Now}
	server := httptest.NewServer(checkPublished(t, w.Server))
	t.Cleanup(server.Close)
	s, err := resend.New(resend.Options{Key: resendtest.Key, Fetch: overhttp.New(nil, time.Minute), BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

func store(now func() time.Time) kv.Store { return memkv.New(memkv.Options{Now: now}).Store("PLEDGES") }

func TestContract(t *testing.T) {
	notifytest.Run(t, func(t testing.TB) (notify.Sender, notifytest.Provider) { return open(t) }, store)
}

// Every documented response of Resend and its receipt.
func TestSend_Responses(t *testing.T) {
	for _, tt := range []struct {
		status int
		name   string
		after  string
		want   notify.Outcome // "" for an unknown result
		wait   time.Duration
	}{
		{status: 400, name: "invalid_idempotency_key", want: notify.Refused},
		{status: 401, name: "missing_api_key", want: notify.RetryLater, wait: 15 * time.Minute},
		{status: 403, name: "validation_error", want: notify.RetryLater, wait: 15 * time.Minute}, // an unverified domain
		{status: 404, name: "not_found", want: notify.RetryLater, wait: 15 * time.Minute},
		{status: 299, want: notify.Accepted},
		{status: 300, want: notify.RetryLater, wait: 15 * time.Minute},
		{status: 301, want: notify.RetryLater, wait: 15 * time.Minute},
		{status: 499, want: notify.RetryLater, wait: 15 * time.Minute},
		{status: 409, name: "concurrent_idempotent_requests", want: notify.RetryLater, wait: time.Minute},
		{status: 409, name: "invalid_idempotent_request", want: notify.KeyReused},
		{status: 422, name: "validation_error", want: notify.Refused},
		{status: 429, name: "rate_limit_exceeded", after: "7", want: notify.RetryLater, wait: 7 * time.Second},
		{status: 429, name: "daily_quota_exceeded", want: notify.RetryLater, wait: 15 * time.Minute},
		{status: 429, name: "rate_limit_exceeded", after: "soon", want: notify.RetryLater, wait: time.Second},
		{status: 429, name: "rate_limit_exceeded", after: "0", want: notify.RetryLater, wait: time.Second},
		{status: 500, name: "application_error"},
		{status: 503},
	} {
		s, w := open(t)
		w.Server.FailNext(resendtest.Fault{Status: tt.status, Name: tt.name, After: tt.after})
		m := notifytest.MailTo("ana")
		r, err := s.Send(t.Context(), m)
		if r.Outcome != tt.want || r.RetryAfter != tt.wait || (err != nil) != (tt.want == "") {
			t.Errorf("%d %s: %+v, %v", tt.status, tt.name, r, err)
		}
		if r.Account != (tt.wait == 15*time.Minute) || tt.name == "rate_limit_exceeded" && r.Quota == nil {
			t.Errorf("%d %s: %+v", tt.status, tt.name, r)
		}
		if found := strings.HasPrefix(r.Reason,
			"Resend answered "+strconv.Itoa(tt.status)); found != (tt.want != "" && tt.want != notify.Accepted) {
			t.Errorf("%d %s: reason %q", tt.status, tt.name, r.Reason)
		}
		if err != nil && strings.Contains(err.Error(), m.To) || strings.Contains(r.Reason, m.To) {
			t.Errorf("%d %s: the error contains the recipient: %v %s", tt.status, tt.name, err, r.Reason)
		}
	}
}

// A key identifies one mail: a different mail under the same key is neither delivered nor treated
// as the first.
func TestSend_DifferentMailUnderOneKey(t *testing.T) {
	s, w := open(t)
	first, second := notifytest.MailTo("ana"), notifytest.MailTo("bob")
	second.Key = first.Key
	if r, err := s.Send(t.Context(), first); err != nil || r.Outcome != notify.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	if r, err := s.Send(t.Context(), second); err != nil || r.Outcome != notify.KeyReused {
		t.Errorf("%+v, %v", r, err)
	}
	if n := len(w.Accepted()); n != 1 {
		t.Errorf("%d mails delivered", n)
	}
}

// Mails contain the tags that Resend's webhooks return.
func TestSend_Tags(t *testing.T) {
	s, w := open(t)
	m := notifytest.MailTo("ana")
	if _, err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for _, tag := range w.Accepted()[0].Tags {
		tags[tag.Name] = tag.Value
	}
	if tags["key"] != m.Key || tags["category"] != string(m.Kind) {
		t.Errorf("the tags are %v", tags)
	}
}

// Every response states the rate limit, so that the Pace avoids exceeding it.
func TestSend_RateLimitHeaders(t *testing.T) {
	s, w := open(t)
	w.Rate = 2
	for i, want := range []notify.Quota{{Limit: 2, Left: 1, Reset: time.Second},
		{Limit: 2, Reset: time.Second}, {Limit: 2, Reset: time.Second}} {
		r, err := s.Send(t.Context(), notifytest.MailTo("ana"))
		if err != nil || r.Quota == nil || *r.Quota != want || (r.Outcome == notify.Accepted) != (i < 2) {
			t.Errorf("answer %d: %+v %+v, %v", i, r, r.Quota, err)
		}
	}
}

// headerSender is a fetch.Sender that accepts every mail, with fixed response headers.
type headerSender map[string]string

func (h headerSender) Send(context.Context, fetch.Request) (fetch.Response, error) {
	return fetch.Response{Status: http.StatusOK, Body: []byte(`{"id":"a"}`),
		Header: func(name string) string { return h[name] }}, nil
}

// Incomplete rate limit headers are ignored: otherwise they would delay all mails.
func TestSend_IncompleteRateLimitHeaders(t *testing.T) {
	for name, tt := range map[string]struct {
		header headerSender
		want   *notify.Quota
	}{
		"both": {headerSender{"ratelimit-limit": "2", "ratelimit-remaining": "1", "ratelimit-reset": "3"},
			&notify.Quota{Limit: 2, Left: 1, Reset: 3 * time.Second}},
		"limit only":     {headerSender{"ratelimit-limit": "2"}, nil},
		"remaining only": {headerSender{"ratelimit-remaining": "0"}, nil},
		"none":           {nil, nil},
	} {
		s, err := resend.New(resend.Options{Key: "k", Fetch: tt.header})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Send(t.Context(), notifytest.MailTo("ana"))
		if diff := cmp.Diff(tt.want, r.Quota); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// A batch of the maximum size is one request, and a larger one is not sent.
func TestSendBatch_Largest(t *testing.T) {
	s, w := open(t)
	mails := slices.Repeat([]notify.Mail{notifytest.MailTo("ana")}, s.MaxBatch()+1)
	if all, err := s.SendBatch(t.Context(), "more", mails); err != nil || len(all) != len(mails) ||
		all[0].Outcome != notify.Divide || len(w.Accepted()) != 0 {
		t.Errorf("%d receipts, %v, %d accepted", len(all), err, len(w.Accepted()))
	}
	mails = mails[1:]
	if all, err := s.SendBatch(t.Context(), "all", mails); err != nil || len(all) != len(mails) ||
		all[0].Outcome != notify.Accepted || len(w.Accepted()) != len(mails) {
		t.Errorf("%d receipts, %v, %d accepted", len(all), err, len(w.Accepted()))
	}
}

// A second request under the key of a running one is retried later.
func TestSendBatch_ConcurrentRequest(t *testing.T) {
	s, w := open(t)
	release := w.Hold("one")
	all, err := s.SendBatch(t.Context(), "one", []notify.Mail{notifytest.MailTo("ana")})
	if err != nil || all[0].Outcome != notify.RetryLater || all[0].RetryAfter != time.Minute {
		t.Errorf("%+v, %v", all, err)
	}
	release()
	if all, err := s.SendBatch(t.Context(), "one", []notify.Mail{notifytest.MailTo("ana")}); err != nil ||
		all[0].Outcome != notify.Accepted {
		t.Errorf("%+v, %v", all, err)
	}
	if all, err := s.SendBatch(t.Context(), "one", []notify.Mail{notifytest.MailTo("bob")}); err != nil ||
		all[0].Outcome != notify.KeyReused {
		t.Errorf("different batch under the key: %+v, %v", all, err)
	}
}

// fixedSender is a fetch.Sender with a fixed response.
type fixedSender string

func (a fixedSender) Send(context.Context, fetch.Request) (fetch.Response, error) {
	return fetch.Response{Status: http.StatusOK, Body: []byte(a), Header: func(string) string { return "" }}, nil
}

// If the number of IDs in a response differs from the number of mails, the results of all mails are
// unknown.
func TestSendBatch_WrongNumberOfIDs(t *testing.T) {
	for _, body := range []string{``, `{}`, `{"data":[{"id":"a"}]}`, `{"data":[{"id":"a"},{"id":"b"},{"id":"c"}]}`} {
		s, err := resend.New(resend.Options{Key: "k", Fetch: fixedSender(body)})
		if err != nil {
			t.Fatal(err)
		}
		if all, err := s.SendBatch(t.Context(), "one",
			[]notify.Mail{notifytest.MailTo("ana"), notifytest.MailTo("bob")}); err == nil {
			t.Errorf("%s: %+v", body, all)
		}
	}
}

// Resend refuses mails with invalid tags, so such tags are left out.
func TestSend_InvalidTags(t *testing.T) {
	for campaign, tags := range map[string]int{"añoranza": 3, strings.Repeat("x", 256): 4, strings.Repeat("x", 257): 3} {
		s, w := open(t)
		m := notifytest.MailTo("ana")
		m.Campaign, m.Stream = campaign, notify.Updates
		if r, err := s.Send(t.Context(), m); err != nil || r.Outcome != notify.Accepted || len(w.Accepted()[0].Tags) != tags {
			t.Errorf("%+v, %v, %+v", r, err, w.Accepted())
		}
	}
}

func TestNew_MissingOptions(t *testing.T) {
	for field, o := range map[string]resend.Options{
		"key":   {Fetch: overhttp.New(nil, time.Minute)},
		"fetch": {Key: resendtest.Key},
	} {
		_, err := resend.New(o)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Invalid || f.Field != field {
			t.Errorf("without %s: %v", field, err)
		}
	}
}
