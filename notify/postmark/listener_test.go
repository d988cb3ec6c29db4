package postmark_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/postmark"
	"github.com/pledgeworks/pledgeworks/notify/postmark/postmarktest"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func listen(t testing.TB, now func() time.Time) *postmark.Listener {
	l, err := postmark.NewListener(postmarktest.User, postmarktest.Password, now)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func events(t testing.TB, l *postmark.Listener, r postmarktest.Report) ([]notify.Event, error) {
	return l.Events(t.Context(), func(name string) string { return r.Header[name] }, r.Body)
}

// sent returns a mail that the fake has accepted.
func sent(t testing.TB) (notify.Mail, *fixture) {
	s, w := open(t)
	m := notifytest.MailTo("ana")
	if _, err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return m, w
}

type more = map[string]any

func TestEvents(t *testing.T) {
	m, w := sent(t)
	l := listen(t, w.Now)
	bounce := func(kind string) more {
		return more{"Type": kind, "Description": "It came back.", "Details": "smtp;550 no such user"}
	}
	change := func(suppress bool, reason any) more {
		return more{"SuppressSending": suppress, "SuppressionReason": reason, "Origin": "Recipient"}
	}
	const came = ": smtp;550 no such user"
	for _, tt := range []struct {
		record string
		more   more
		want   notify.EventKind
		why    string
	}{
		{record: "Delivery", more: more{"Details": "250 OK"}, want: notify.Delivered},
		{record: "Bounce", more: bounce("HardBounce"), want: notify.Bounced, why: "HardBounce" + came},
		{record: "Bounce", more: bounce("BadEmailAddress"), want: notify.Bounced, why: "BadEmailAddress" + came},
		{record: "Bounce", more: bounce("ManuallyDeactivated"), want: notify.Bounced, why: "ManuallyDeactivated" + came},
		{record: "Bounce", more: bounce("SpamComplaint"), want: notify.Complained, why: "SpamComplaint" + came},
		{record: "Bounce", more: bounce("Transient"), want: notify.Delayed, why: "Transient" + came},
		{record: "Bounce", more: bounce("SoftBounce"), want: notify.Returned, why: "SoftBounce" + came},
		{record: "Bounce", more: bounce("DnsError"), want: notify.Returned, why: "DnsError" + came},
		{record: "Bounce", more: bounce("SpamNotification"), want: notify.Returned, why: "SpamNotification" + came},
		{record: "Bounce", more: bounce("Blocked"), want: notify.Returned, why: "Blocked" + came},
		{record: "Bounce", more: bounce("Invented"), want: notify.Returned, why: "Invented" + came},
		{record: "Bounce", more: more{"Type": "SoftBounce", "Description": "It came back."},
			want: notify.Returned, why: "SoftBounce: It came back."},
		{record: "Bounce", more: more{"Type": "SoftBounce"}, want: notify.Returned, why: "SoftBounce"},
		{record: "Bounce", more: more{"Details": "who knows"}, want: notify.Returned, why: "who knows"},
		{record: "Bounce", more: bounce("AutoResponder")},
		{record: "Bounce", more: bounce("AddressChange")},
		{record: "Bounce", more: bounce("Subscribe")},
		{record: "Bounce", more: bounce("Unsubscribe")},
		{record: "Bounce", more: bounce("OpenRelayTest")},
		{record: "SpamComplaint", more: more{"Type": "SpamComplaint"}, want: notify.Complained},
		{record: "SubscriptionChange", more: change(true, "HardBounce"), want: notify.Bounced, why: "HardBounce"},
		{record: "SubscriptionChange", more: change(true, "SpamComplaint"), want: notify.Complained},
		{record: "SubscriptionChange", more: change(true, "ManualSuppression")},
		{record: "SubscriptionChange", more: change(false, "HardBounce")},
		{record: "SubscriptionChange", more: change(false, "SpamComplaint")},
		{record: "SubscriptionChange", more: change(false, nil)},
		{record: "Open"},
		{record: "Click"},
		{record: "Invented"},
		{record: ""},
		{record: "Delivery", more: more{"MessageID": strings.Repeat("a", 64)}, want: notify.Delivered},
		{record: "Delivery", more: more{"MessageID": nil}},
		{record: "SubscriptionChange",
			more: more{"MessageID": nil, "Metadata": nil, "SuppressSending": true, "SuppressionReason": "HardBounce"}},
	} {
		at := w.Now().Add(-3 * time.Hour) // reports arrive late
		r := w.Report(w.Accepted()[0], tt.record, at, tt.more)
		var want []notify.Event
		if tt.want != "" {
			want = []notify.Event{{Key: m.Key, Kind: tt.want, At: at, Reason: tt.why}}
		}
		got, err := events(t, l, r)
		for i := range got {
			if got[i].ID == "" {
				t.Errorf("%s %v: an event without an ID", tt.record, tt.more)
			}
			got[i].ID = ""
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s %v: %v (-want +got):\n%s", tt.record, tt.more, err, diff)
		}
	}
}

// Redeliveries of an event have the same ID in both report types, and different events have
// different IDs.
func TestEvents_IDs(t *testing.T) {
	s, w := open(t)
	for _, name := range []string{"ana", "bob"} {
		if _, err := s.Send(t.Context(), notifytest.MailTo(name)); err != nil {
			t.Fatal(err)
		}
	}
	l, seen := listen(t, w.Now), map[string]int{}
	id := func(m int, record string, what more) string {
		got, err := events(t, l, w.Report(w.Accepted()[m], record, w.Now(), what))
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: %+v, %v", record, got, err)
		}
		return got[0].ID
	}
	hard, listed := more{"Type": "HardBounce"}, more{"SuppressSending": true, "SuppressionReason": "HardBounce"}
	for m := range 2 {
		for _, report := range []struct {
			record string
			what   more
		}{
			{"Delivery", nil},
			{"Bounce", hard},
			{"SpamComplaint", nil},
			{"Bounce", more{"Type": "SoftBounce", "ID": 9007199254740992}},
			{"Bounce", more{"Type": "SoftBounce", "ID": 9007199254740993}}, // equal as a float64
			{"Bounce", more{"Type": "Transient", "ID": 9007199254740994}},
			{"Bounce", more{"Type": "Transient", "ID": 9007199254740995}},
		} {
			first := id(m, report.record, report.what)
			w.Advance(time.Hour)
			if again := id(m, report.record, report.what); again != first {
				t.Errorf("%s has the IDs %s and %s", report.record, first, again)
			}
			seen[first]++
		}
		if a, b := id(m, "Bounce", hard), id(m, "SubscriptionChange", listed); a != b {
			t.Errorf("ID of a bounce %s, of the suppression change %s", a, b)
		}
	}
	if len(seen) != 14 {
		t.Errorf("14 events have %d IDs: %v", len(seen), seen)
	}
}

// Requests without the webhook's user and password are rejected.
func TestEvents_Forged(t *testing.T) {
	_, w := sent(t)
	l := listen(t, w.Now)
	const user, password = postmarktest.User, postmarktest.Password
	right := postmarktest.Basic(user, password)
	for name, tt := range map[string]struct {
		authorization string
		holds         bool
	}{
		"valid":              {right, true},
		"lower-case scheme":  {"basic" + right[5:], true},
		"two spaces":         {"Basic " + right[5:], true},
		"wrong password":     {postmarktest.Basic(user, password+"2"), false},
		"truncated password": {postmarktest.Basic(user, password[:len(password)-1]), false},
		"no password":        {postmarktest.Basic(user, ""), false},
		"wrong user":         {postmarktest.Basic("admin", password), false},
		"no user":            {postmarktest.Basic("", password), false},
		"shifted colon":      {postmarktest.Basic(user+":a", password[1:]), false},
		"password only":      {"Basic " + base64.StdEncoding.EncodeToString([]byte(password)), false},
		"not base64":         {"Basic " + user + ":" + password, false},
		"trailing character": {right + "!", false},
		"wrong scheme":       {"Bearer" + right[5:], false},
		"no scheme":          {right[6:], false},
		"scheme only":        {"Basic", false},
		"empty":              {"", false},
		"two credentials":    {"Bearer x, " + right, false},
	} {
		r := w.Report(w.Accepted()[0], "Bounce", w.Now(), more{"Type": "HardBounce"})
		r.Header["authorization"] = tt.authorization
		got, err := events(t, l, r)
		if tt.holds != (err == nil) || tt.holds != (len(got) == 1) || !tt.holds && !fault.Is(err, fault.Unauthorized) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A report is parsed only after the password was verified.
func TestEvents_InvalidBody(t *testing.T) {
	_, w := open(t)
	for name, body := range map[string]string{
		"empty": "", "no JSON": "hello", "a list": "[]", "cut": `{"RecordType":`,
		"another type":   `{"RecordType":7}`,
		"an ID of words": `{"RecordType":"Bounce","MessageID":"a","Type":"SoftBounce","ID":"a:b"}`,
		"a long name":    `{"RecordType":"Delivery","MessageID":"` + strings.Repeat("a", 65) + `"}`,
		"a strange name": `{"RecordType":"Delivery","MessageID":"a:bounced"}`,
		"huge":           `{"RecordType":"` + strings.Repeat("a", 1<<20) + `"}`,
	} {
		if got, err := events(t, listen(t, w.Now), postmarktest.Post([]byte(body))); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	longest := `{"RecordType":"Delivery","MessageID":"a"}` + strings.Repeat(" ", 256<<10)
	for n, holds := range map[int]bool{256 << 10: true, 256<<10 + 1: false} {
		if got, err := events(t, listen(t, w.Now), postmarktest.Post([]byte(longest[:n]))); holds != (len(got) == 1) ||
			holds != (err == nil) {
			t.Errorf("%d bytes: %+v, %v", n, got, err)
		}
	}
	if got, err := events(t, listen(t, w.Now), postmarktest.Report{Body: []byte("hello")}); !fault.Is(err,
		fault.Unauthorized) {
		t.Errorf("without a header: %+v, %v", got, err)
	}
}

// A report without a valid time gets the current time.
func TestEvents_WithoutTime(t *testing.T) {
	_, w := sent(t)
	for _, at := range []any{nil, "", "yesterday", "0001-01-01T00:00:00Z"} {
		got, err := events(t, listen(t, w.Now), w.Report(w.Accepted()[0], "Delivery", w.Now(), more{"DeliveredAt": at}))
		if err != nil || len(got) != 1 || !got[0].At.Equal(w.Now()) {
			t.Errorf("%v: %+v, %v", at, got, err)
		}
	}
	got, err := events(t, listen(t, w.Now),
		w.Report(w.Accepted()[0], "Delivery", w.Now(), more{"DeliveredAt": "2026-11-02T06:30:00.1234567-05:00"}))
	if want := time.Date(2026, 11, 2, 11, 30, 0, 123456700, time.UTC); err != nil || len(got) != 1 || got[0].At != want {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNewListener_InvalidParameters(t *testing.T) {
	const user, password = postmarktest.User, postmarktest.Password
	for _, tt := range []struct {
		field, user, password string
		now                   func() time.Time
	}{
		{"user", "", password, time.Now},
		{"user", "a:b", password, time.Now},
		{"password", user, "", time.Now},
		{"password", user, "fifteen letters", time.Now},
		{"now", user, password, nil},
		{"", user, "sixteen letters!", time.Now},
	} {
		_, err := postmark.NewListener(tt.user, tt.password, tt.now)
		var f *fault.Error
		if tt.field == "" && err == nil {
			continue
		}
		if !errors.As(err, &f) || f.Code != fault.Invalid || f.Field != tt.field ||
			strings.Contains(err.Error(), tt.password) && tt.password != "" {
			t.Errorf("%s: %v", tt.field, err)
		}
	}
}

// FuzzReports checks that events from authenticated requests have an ID, a kind and a time, and
// that other requests give no events.
func FuzzReports(f *testing.F) {
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	f.Add("", `{"RecordType":"Bounce","MessageID":"a","ID":7,"Type":"SoftBounce",`+
		`"BouncedAt":"2026-11-02T11:00:00Z","Metadata":{"key":"k"}}`)
	f.Add("Basic ",
		`{"RecordType":"SubscriptionChange","MessageID":null,"SuppressSending":true,`+
			`"SuppressionReason":"HardBounce","Metadata":null}`)
	f.Add("Basic AAAA", `{"RecordType":"Delivery","MessageID":"a","DeliveredAt":7}`)
	f.Fuzz(func(t *testing.T, authorization, body string) {
		r := postmarktest.Post([]byte(body))
		l := listen(t, func() time.Time { return now })
		all, err := events(t, l, r)
		for _, e := range all {
			if err != nil || !strings.HasPrefix(e.ID, "postmark:") || e.Kind == "" || e.At.IsZero() {
				t.Errorf("%+v, %v", e, err)
			}
		}
		_, held, _ := strings.Cut(r.Header["authorization"], " ")
		if r.Header["authorization"] = authorization; strings.Contains(authorization, held[:len(held)-4]) {
			return
		}
		if all, err := events(t, l, r); len(all) != 0 || err == nil {
			t.Errorf("%q: %+v, %v", authorization, all, err)
		}
	})
}
