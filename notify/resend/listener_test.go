package resend_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/resend"
	"github.com/pledgeworks/pledgeworks/notify/resend/resendtest"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func listen(t testing.TB, now func() time.Time) *resend.Listener {
	l, err := resend.NewListener(resendtest.Secret, now)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func events(t testing.TB, l *resend.Listener, r resendtest.Report) ([]notify.Event, error) {
	return l.Events(t.Context(), func(name string) string { return r.Header[name] }, r.Body)
}

func TestEvents(t *testing.T) {
	s, w := open(t)
	l := listen(t, w.Now)
	m := notifytest.MailTo("ana")
	if _, err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	bounce := func(kind string) map[string]any {
		return map[string]any{"bounce": map[string]any{"type": kind, "message": "no such user"}}
	}
	for _, tt := range []struct {
		event string
		more  map[string]any
		want  notify.EventKind
		why   string
	}{
		{event: "email.sent", want: notify.Taken},
		{event: "email.delivered", want: notify.Delivered},
		{event: "email.delivery_delayed", want: notify.Delayed},
		{event: "email.bounced", more: bounce("Permanent"), want: notify.Bounced, why: "no such user"},
		{event: "email.bounced", want: notify.Bounced},
		{event: "email.bounced", more: bounce("Transient"), want: notify.Returned, why: "no such user"},
		{event: "email.bounced", more: bounce("Undetermined"), want: notify.Returned, why: "no such user"},
		{event: "email.complained", want: notify.Complained},
		{event: "email.failed", more: map[string]any{"failed": map[string]any{"reason": "domain"}},
			want: notify.Unsent, why: "domain"},
		{event: "email.suppressed", more: map[string]any{"suppressed": map[string]any{"message": "listed"}},
			want: notify.Unsent, why: "listed"},
		{event: "email.sent", more: map[string]any{"tags": []any{map[string]any{"name": "key", "value": m.Key}}},
			want: notify.Taken},
		{event: "email.opened"},
		{event: "suppression.added"},
		{event: "email.invented"},
	} {
		at := w.Now().Add(-3 * time.Hour) // reports arrive late
		r := w.Report(w.Accepted()[0], tt.event, at, tt.more)
		var want []notify.Event
		if tt.want != "" {
			want = []notify.Event{{ID: r.Header["svix-id"], Key: m.Key, Kind: tt.want, At: at, Reason: tt.why}}
		}
		for range 2 {
			got, err := events(t, l, r)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s %v: %v (-want +got):\n%s", tt.event, tt.more, err, diff)
			}
		}
	}
}

// Proves EML-27.
func TestEvents_Forged(t *testing.T) {
	s, w := open(t)
	if _, err := s.Send(t.Context(), notifytest.MailTo("ana")); err != nil {
		t.Fatal(err)
	}
	l := listen(t, w.Now)
	const sig, stamp, id = "svix-signature", "svix-timestamp", "svix-id"
	for name, tt := range map[string]struct {
		pass   time.Duration
		change func(r *resendtest.Report)
		holds  bool
	}{
		"valid":            {holds: true},
		"webhook- headers": {holds: true, change: func(r *resendtest.Report) { renameHeaders(r) }},
		"additional signature": {holds: true, change: func(r *resendtest.Report) {
			r.Header[sig] = "v1,AAAA v2,zz " + r.Header[sig] + " v1,"
		}},
		"five minutes old":    {holds: true, pass: 5 * time.Minute},
		"too old":             {pass: 5*time.Minute + time.Second},
		"five minutes ahead":  {holds: true, pass: -5 * time.Minute},
		"too far ahead":       {pass: -5*time.Minute - time.Second},
		"changed body":        {change: func(r *resendtest.Report) { r.Body = append(r.Body, ' ') }},
		"truncated body":      {change: func(r *resendtest.Report) { r.Body = r.Body[:len(r.Body)-1] }},
		"changed ID":          {change: func(r *resendtest.Report) { r.Header[id] += "2" }},
		"changed time":        {change: func(r *resendtest.Report) { r.Header[stamp] = "1793620801" }},
		"time with a sign":    {change: func(r *resendtest.Report) { r.Header[stamp] = "+" + r.Header[stamp] }},
		"two times":           {change: func(r *resendtest.Report) { r.Header[stamp] += ", " + r.Header[stamp] }},
		"unknown version":     {change: func(r *resendtest.Report) { r.Header[sig] = "v2" + r.Header[sig][2:] }},
		"no version":          {change: func(r *resendtest.Report) { r.Header[sig] = r.Header[sig][3:] }},
		"truncated signature": {change: func(r *resendtest.Report) { r.Header[sig] = r.Header[sig][:23] }},
		"no signature":        {change: func(r *resendtest.Report) { delete(r.Header, sig) }},
		"no ID":               {change: func(r *resendtest.Report) { delete(r.Header, id) }},
		"no time":             {change: func(r *resendtest.Report) { delete(r.Header, stamp) }},
		"no header":           {change: func(r *resendtest.Report) { r.Header = nil }},
	} {
		r := w.Report(w.Accepted()[0], "email.delivered", w.Now(), nil)
		if tt.change != nil {
			tt.change(&r)
		}
		w.Advance(tt.pass)
		got, err := events(t, l, r)
		w.Advance(-tt.pass)
		if tt.holds != (err == nil) || tt.holds != (len(got) == 1) || !tt.holds && !fault.Is(err, fault.Unauthorized) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	dotted := w.Sign("msg.1", []byte(`{"type":"email.delivered"}`))
	if got, err := events(t, l, dotted); !fault.Is(err, fault.Unauthorized) {
		t.Errorf("an ID with a dot: %+v, %v", got, err)
	}
}

// renameHeaders gives a report's headers the prefix webhook- instead of svix-.
func renameHeaders(r *resendtest.Report) {
	other := map[string]string{}
	for name, value := range r.Header {
		other["webhook-"+strings.TrimPrefix(name, "svix-")] = value
	}
	r.Header = other
}

func TestEvents_InvalidBody(t *testing.T) {
	_, w := open(t)
	for name, body := range map[string]string{"nothing": "", "no JSON": "hello", "a list": "[]",
		"cut": `{"type":`, "huge": `{"type":"` + strings.Repeat("a", 1<<20) + `"}`} {
		if got, err := events(t, listen(t, w.Now), w.Sign("msg_1", []byte(body))); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestNewListener_InvalidParameters(t *testing.T) {
	for _, secret := range []string{"", "whsec_", "whsec_c2VjcmV0!", strings.TrimPrefix(resendtest.Secret, "whsec_")} {
		if _, err := resend.NewListener(secret, time.Now); !fault.Is(err, fault.Invalid) || fault.Of(err).Field != "secret" {
			t.Errorf("%q: %v", secret, err)
		}
	}
	for field, make := range map[string]func() (*resend.Listener, error){
		"secret": func() (*resend.Listener, error) { return resend.NewListener("whsec_", time.Now) },
		"now":    func() (*resend.Listener, error) { return resend.NewListener(resendtest.Secret, nil) },
	} {
		_, err := make()
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Invalid || f.Field != field {
			t.Errorf("without %s: %v", field, err)
		}
	}
}

// FuzzReports checks that events from signed requests have an ID, a kind and a time, and that
// other requests give no events.
func FuzzReports(f *testing.F) {
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	w := &resendtest.Server{Now: func() time.Time { return now }}
	f.Add("", `{"type":"email.bounced","created_at":"2026-11-02T11:00:00Z",`+
		`"data":{"tags":{"key":"k"},"bounce":{"type":"Permanent"}}}`)
	f.Add("v1,", `{"type":"email.sent","created_at":7,"data":{"tags":[{"name":"key","value":"k"}]}}`)
	f.Add("v1,AAAA v1", `{"type":"email.sent","data":{"tags":[1]}}`)
	f.Fuzz(func(t *testing.T, signature, body string) {
		r := w.Sign("msg_1", []byte(body))
		l := listen(t, w.Now)
		all, err := events(t, l, r)
		for _, e := range all {
			if err != nil || e.ID != "msg_1" || e.Kind == "" || e.At.IsZero() {
				t.Errorf("%+v, %v", e, err)
			}
		}
		held := r.Header["svix-signature"]
		if r.Header["svix-signature"] = signature; strings.Contains(signature, held) {
			return
		}
		if all, err := events(t, l, r); len(all) != 0 || err == nil {
			t.Errorf("%q: %+v, %v", signature, all, err)
		}
	})
}

// The longest allowed report is read, and a longer one is rejected even if it is signed.
func TestEvents_LongestBody(t *testing.T) {
	_, w := open(t)
	l := listen(t, w.Now)
	body := `{"type":"email.sent","data":{}}`
	for more, holds := range map[int]bool{0: true, 1: false} {
		r := w.Sign("msg_1", []byte(body+strings.Repeat(" ", 256<<10-len(body)+more)))
		if got, err := events(t, l, r); (len(got) == 1) != holds || (err == nil) != holds ||
			!holds && !fault.Is(err, fault.Invalid) {
			t.Errorf("%d bytes: %+v, %v", len(r.Body), got, err)
		}
	}
}
