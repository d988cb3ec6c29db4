package ses_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/ses"
	"github.com/pledgeworks/pledgeworks/notify/ses/sestest"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

type more = map[string]any

// topic is a Listener with the SNS topic that it is subscribed to, and a mail that was sent.
type topic struct {
	*ses.Listener
	*sestest.SNS
	w    *fixture
	mail notify.Mail
	sent sestest.Message
}

func subscribe(t testing.TB) *topic {
	s, w := open(t)
	m := notifytest.MailTo("ana")
	if _, err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	sns, err := sestest.NewSNS(w.Now)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ses.NewListener(sestest.Topic, overhttp.New(sns, time.Minute), w.Now)
	if err != nil {
		t.Fatal(err)
	}
	return &topic{l, sns, w, m, w.Accepted()[0]}
}

func (s *topic) events(t testing.TB, e sestest.Envelope) ([]notify.Event, error) {
	return s.Events(t.Context(), func(string) string { return "" }, e.Body())
}

func (s *topic) expectRejected(t testing.TB, what string, e sestest.Envelope) {
	t.Helper()
	if events, err := s.events(t, e); !fault.Is(err, fault.Unauthorized) || events != nil {
		t.Errorf("%s: %+v, %v", what, events, err)
	}
}

func TestEvents(t *testing.T) {
	s := subscribe(t)
	bounce := func(kind, sub string) more {
		return more{"bounceType": kind, "bounceSubType": sub,
			"bouncedRecipients": []more{{"emailAddress": "ana@example.com", "diagnosticCode": "smtp; 550 5.1.1 user unknown"}}}
	}
	complaint := func(sub any, feedback string) more {
		return more{"complaintSubType": sub, "complaintFeedbackType": feedback}
	}
	const came = ": smtp; 550 5.1.1 user unknown"
	for _, tt := range []struct {
		event string
		more  more
		want  notify.EventKind // "" for none
		why   string
	}{
		{event: "Send", want: notify.Taken},
		{event: "Delivery", more: more{"smtpResponse": "250 ok"}, want: notify.Delivered},
		{event: "DeliveryDelay",
			more: more{"delayType": "MailboxFull", "delayedRecipients": []more{{"diagnosticCode": "smtp; 452 full"}}},
			want: notify.Delayed, why: "MailboxFull: smtp; 452 full"},
		{event: "Bounce", more: bounce("Permanent", "General"), want: notify.Bounced, why: "Permanent General" + came},
		{event: "Bounce", more: bounce("Permanent", "NoEmail"), want: notify.Bounced, why: "Permanent NoEmail" + came},
		{event: "Bounce", more: bounce("Permanent", "Suppressed"), want: notify.Unsent, why: "Permanent Suppressed" + came},
		{event: "Bounce", more: bounce("Permanent", "OnAccountSuppressionList"), want: notify.Unsent,
			why: "Permanent OnAccountSuppressionList" + came},
		{event: "Bounce", more: bounce("Transient", "MailboxFull"), want: notify.Returned,
			why: "Transient MailboxFull" + came},
		{event: "Bounce", more: bounce("Undetermined", "Undetermined"), want: notify.Returned,
			why: "Undetermined Undetermined" + came},
		{event: "Bounce", more: more{"bounceType": "SomethingNew"}, want: notify.Returned, why: "SomethingNew"},
		{event: "Complaint", more: complaint(nil, "abuse"), want: notify.Complained, why: "abuse"},
		{event: "Complaint", more: more{}, want: notify.Complained},
		{event: "Complaint", more: complaint(nil, "not-spam")},
		{event: "Complaint", more: complaint("OnAccountSuppressionList", ""), want: notify.Unsent,
			why: "OnAccountSuppressionList"},
		{event: "Reject", more: more{"reason": "Bad content"}, want: notify.Unsent, why: "Bad content"},
		{event: "Open"},
		{event: "Click"},
		{event: "Subscription"},
	} {
		at := s.w.Now().Add(-time.Minute)
		for _, s.Version = range []string{"1", "2"} {
			e := s.Event(s.sent, tt.event, at, tt.more)
			got, err := s.events(t, e)
			var want []notify.Event
			if tt.want != "" {
				want = []notify.Event{{ID: "sns:" + e["MessageId"].(string), Key: s.mail.Key, Kind: tt.want, At: at,
					Reason: tt.why}}
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s %v: %v\n%s", tt.event, tt.more, err, diff)
			}
		}
	}
	if n := len(s.RequestedURLs()); n != 1 {
		t.Errorf("the certificate was fetched %d times", n)
	}
}

// Redeliveries of an event have the same ID. Events identify the mail only by its tag: an event
// without the tag is about no mail, regardless of its recipient.
func TestEvents_IDAndKey(t *testing.T) {
	s := subscribe(t)
	e := s.Event(s.sent, "Bounce", s.w.Now(), more{"bounceType": "Permanent"})
	first, err := s.events(t, e)
	again, failed := s.events(t, e)
	if err != nil || failed != nil || !cmp.Equal(first, again) {
		t.Errorf("%+v, %v; %+v, %v", first, err, again, failed)
	}
	other, err := s.events(t, s.Event(s.sent, "Bounce", s.w.Now(), more{"bounceType": "Permanent"}))
	if err != nil || other[0].ID == first[0].ID {
		t.Errorf("other event: %+v, %v", other, err)
	}
	s.sent.Tags = nil
	none, err := s.events(t, s.Event(s.sent, "Bounce", s.w.Now(), more{"bounceType": "Permanent"}))
	if err != nil || none[0].Key != "" {
		t.Errorf("event without tags: %+v, %v", none, err)
	}
}

// Any change to a signed message is detected.
//
// Proves EML-27.
func TestEvents_Forged(t *testing.T) {
	s := subscribe(t)
	stranger, err := sestest.NewImpostor(s.w.Now)
	if err != nil {
		t.Fatal(err)
	}
	for _, s.Version = range []string{"1", "2"} {
		good := func() sestest.Envelope {
			return s.Event(s.sent, "Bounce", s.w.Now(), more{"bounceType": "Permanent"})
		}
		for field, value := range map[string]any{
			"Message": `{"eventType":"Complaint"}`, "MessageId": "m", "Subject": "Another",
			"Timestamp": s.w.Now().Add(time.Second).Format(time.RFC3339),
			"TopicArn":  sestest.Topic + "2", "Type": "SubscriptionConfirmation", "SignatureVersion": "3", "Signature": "AAAA",
		} {
			e := good()
			e[field] = value
			s.expectRejected(t, "another "+field, e)
			delete(e, field)
			s.expectRejected(t, "no "+field, e)
		}
		e := good()
		e["SignatureVersion"] = map[any]string{"1": "2", "2": "1"}[e["SignatureVersion"]]
		s.expectRejected(t, "the other version", e)
		s.expectRejected(t, "another key", stranger.Sign(good()))
		e = good()
		e["Type"] = "SomethingNew"
		s.expectRejected(t, "another type", s.Sign(e))
	}
	e := s.Publish(`{"eventType":"Bounce"}`, "")
	e["TopicArn"] = sestest.Topic + "2"
	s.expectRejected(t, "another SNS topic", s.Sign(e))
}

// A message is valid for a day, so that a stolen message cannot be replayed after the record of its
// ID has expired.
func TestEvents_MessageAge(t *testing.T) {
	s := subscribe(t)
	for age, holds := range map[time.Duration]bool{-5 * time.Minute: true, -6 * time.Minute: false,
		24 * time.Hour: true, 24*time.Hour + time.Minute: false} {
		e := s.Event(s.sent, "Send", s.w.Now(), nil)
		e["Timestamp"] = s.w.Now().Add(-age).Format(time.RFC3339)
		if _, err := s.events(t, s.Sign(e)); (err == nil) != holds {
			t.Errorf("message %s old: %v", age, err)
		}
	}
	s.w.Advance(365 * 24 * time.Hour)
	s.expectRejected(t, "an expired certificate", s.Event(s.sent, "Send", s.w.Now(), nil))
}

// Certificates are fetched only from SNS's own certificate URLs.
func TestEvents_CertificateURLs(t *testing.T) {
	s := subscribe(t)
	const path = "/SimpleNotificationService-010a507c1833636cd94bdb98bd93083a.pem"
	for _, address := range []string{
		"", "http://sns.eu-west-1.amazonaws.com" + path, "https://example.org" + path,
		"https://sns.eu-west-1.amazonaws.com.example.org" + path,
		"https://sns.eu-west-1.amazonaws.com@example.org" + path, "https://me@sns.eu-west-1.amazonaws.com" + path,
		"https://snsaeu-west-1.amazonaws.com" + path,
		"https://sns.eu.west.amazonaws.com" + path, "https://sns.eu-west-1.amazonaws.com:8443" + path,
		"https://bucket.s3.amazonaws.com" + path,
		"https://sns.eu-west-1.amazonaws.com/", "https://sns.eu-west-1.amazonaws.com/a" + path,
		"https://sns.eu-west-1.amazonaws.com" + path + "?a=b", "https://sns.eu-west-1.amazonaws.com" + path + "#a", "://",
	} {
		e := s.Event(s.sent, "Send", s.w.Now(), nil)
		e["SigningCertURL"] = address
		s.expectRejected(t, address, e)
	}
	if asked := s.RequestedURLs(); len(asked) != 0 {
		t.Errorf("requested: %v", asked)
	}
	e := s.Event(s.sent, "Send", s.w.Now(), nil)
	e["SigningCertURL"] = sestest.Host + "/SimpleNotificationService-0.pem"
	s.expectRejected(t, "no such certificate", e)
}

// If the certificate cannot be fetched, the error is temporary and SNS retries.
func TestEvents_CertificateUnavailable(t *testing.T) {
	s := subscribe(t)
	e := s.Event(s.sent, "Send", s.w.Now(), nil)
	s.Down = true
	if events, err := s.events(t, e); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%+v, %v", events, err)
	}
	s.Down = false
	if events, err := s.events(t, e); err != nil || len(events) != 1 {
		t.Errorf("%+v, %v", events, err)
	}
}

// modifiedSNS is an SNS that serves its certificate, or another response, at every certificate URL.
type modifiedSNS struct {
	*sestest.SNS
	status int
	body   string // "" for the certificate
	asked  int
}

func (c *modifiedSNS) RoundTrip(r *http.Request) (*http.Response, error) {
	c.asked++
	if strings.HasSuffix(r.URL.Path, ".pem") {
		r.URL.Path = "/SimpleNotificationService-010a507c1833636cd94bdb98bd93083a.pem"
	}
	res, err := c.SNS.RoundTrip(r)
	if err == nil && c.status != 0 {
		res.StatusCode = c.status
	}
	if err == nil && c.body != "" {
		res.Body = io.NopCloser(strings.NewReader(c.body))
	}
	return res, err
}

// change makes the listener of a topic use a modified SNS.
func (s *topic) change(t testing.TB, c modifiedSNS) *modifiedSNS {
	t.Helper()
	c.SNS = s.SNS
	var err error
	if s.Listener, err = ses.NewListener(sestest.Topic, overhttp.New(&c, time.Minute), s.w.Now); err != nil {
		t.Fatal(err)
	}
	return &c
}

// An invalid certificate rejects the message, but a server error of SNS is temporary.
func TestEvents_InvalidCertificate(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		want   fault.Code
	}{
		"valid":          {},
		"not found":      {status: 404, want: fault.Unauthorized},
		"server error":   {status: 500, want: fault.Unavailable},
		"not PEM":        {body: "<html>", want: fault.Unauthorized},
		"other PEM type": {body: "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", want: fault.Unauthorized},
		"not a certificate": {body: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
			want: fault.Unauthorized},
	} {
		s := subscribe(t)
		s.change(t, modifiedSNS{status: tt.status, body: tt.body})
		events, err := s.events(t, s.Event(s.sent, "Send", s.w.Now(), nil))
		if fault.CodeOf(err) != tt.want || (len(events) == 1) != (tt.want == "") {
			t.Errorf("%s: %+v, %v", name, events, err)
		}
	}
}

// Certificates are cached and fetched once each. The cache is limited, so that forged URLs cannot
// fill the memory.
func TestEvents_CertificateCache(t *testing.T) {
	s := subscribe(t)
	c := s.change(t, modifiedSNS{})
	hear := func(from, to, want int) {
		t.Helper()
		c.asked = 0
		for i := from; i < to; i++ {
			e := s.Event(s.sent, "Send", s.w.Now(), nil)
			e["SigningCertURL"] = fmt.Sprintf("%s/SimpleNotificationService-%d.pem", sestest.Host, i)
			if events, err := s.events(t, e); err != nil || len(events) != 1 {
				t.Fatalf("%+v, %v", events, err)
			}
		}
		if c.asked != want {
			t.Errorf("from %d to %d: %d requests, want %d", from, to, c.asked, want)
		}
	}
	hear(0, 8, 8)
	hear(0, 8, 0)
	hear(8, 9, 1)
	hear(0, 1, 1)
}

// A message without a signature or with an unknown type is rejected without a request.
func TestEvents_RejectedWithoutRequest(t *testing.T) {
	s := subscribe(t)
	for field, value := range map[string]string{"Signature": "?", "Type": "SomethingNew"} {
		e := s.Event(s.sent, "Send", s.w.Now(), nil)
		e[field] = value
		s.expectRejected(t, field, e)
	}
	if asked := s.RequestedURLs(); len(asked) != 0 {
		t.Errorf("requested: %v", asked)
	}
}

// A failed subscription confirmation is a temporary error, so that SNS retries.
func TestEvents_SubscriptionConfirmationFails(t *testing.T) {
	s := subscribe(t)
	c := s.change(t, modifiedSNS{})
	if _, err := s.events(t, s.Event(s.sent, "Send", s.w.Now(), nil)); err != nil { // caches the certificate
		t.Fatal(err)
	}
	c.status = 403
	if events, err := s.events(t, s.Confirmation("SubscriptionConfirmation")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%+v, %v", events, err)
	}
}

// The longest allowed message is read.
func TestEvents_LongestMessage(t *testing.T) {
	s := subscribe(t)
	body := s.Event(s.sent, "Send", s.w.Now(), nil).Body()
	body = append(body, bytes.Repeat([]byte(" "), 256<<10-len(body))...)
	if events, err := s.Events(t.Context(), func(string) string { return "" }, body); err != nil || len(events) != 1 {
		t.Errorf("%+v, %v", events, err)
	}
}

// Only the topic's own subscription is confirmed, and only at SNS.
func TestEvents_Subscription(t *testing.T) {
	s := subscribe(t)
	confirmed := func() (n int) {
		for _, address := range s.RequestedURLs() {
			if strings.Contains(address, "Action=ConfirmSubscription") {
				n++
			}
		}
		return n
	}
	if events, err := s.events(t, s.Confirmation("UnsubscribeConfirmation")); err != nil ||
		events != nil || confirmed() != 0 {
		t.Errorf("unsubscribe confirmation: %+v, %v, confirmed %d times", events, err, confirmed())
	}
	for _, address := range []string{
		"https://example.org/?Action=ConfirmSubscription&TopicArn=" + sestest.Topic + "&Token=1",
		sestest.Host + "/?Action=Publish&TopicArn=" + sestest.Topic + "&Token=1",
		sestest.Host + "/?Action=ConfirmSubscription&TopicArn=" + sestest.Topic + "2&Token=1",
		"",
	} {
		e := s.Confirmation("SubscriptionConfirmation")
		e["SubscribeURL"] = address
		s.expectRejected(t, "a URL that SNS has not signed", e)
		s.expectRejected(t, address, s.Sign(e))
	}
	e := s.Confirmation("SubscriptionConfirmation")
	e["TopicArn"] = sestest.Topic + "2"
	s.expectRejected(t, "another topic", s.Sign(e))
	if confirmed() != 0 {
		t.Fatalf("requested: %v", s.RequestedURLs())
	}
	if events, err := s.events(t, s.Confirmation("SubscriptionConfirmation")); err != nil ||
		events != nil || confirmed() != 1 {
		t.Errorf("%+v, %v, %d times confirmed", events, err, confirmed())
	}
	s.Down = true
	if events, err := s.events(t, s.Confirmation("SubscriptionConfirmation")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("SNS is down: %+v, %v", events, err)
	}
}

// A message that is not an SES event is ignored, and an invalid message is rejected.
func TestEvents_OtherMessages(t *testing.T) {
	s := subscribe(t)
	for _, text := range []string{"Successfully validated SNS topic for Amazon SES event publishing.",
		`[]`, `{}`, `{"eventType":7}`} {
		if events, err := s.events(t, s.Publish(text, "")); err != nil || events != nil {
			t.Errorf("%s: %+v, %v", text, events, err)
		}
	}
	for _, body := range []string{"", "no", "[]", strings.Repeat(" ", 256<<10) + "{}"} {
		if events, err := s.Events(t.Context(), func(string) string { return "" },
			[]byte(body)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.10q: %+v, %v", body, events, err)
		}
	}
	e := s.Publish(`{"eventType":"Send"}`, "")
	e["MessageId"] = "a:b"
	if events, err := s.events(t, s.Sign(e)); !fault.Is(err, fault.Invalid) {
		t.Errorf("invalid ID: %+v, %v", events, err)
	}
	e = s.Publish(`{"eventType":"Send","mail":{"timestamp":"soon"}}`, "")
	if events, err := s.events(t, s.Sign(e)); err != nil || len(events) != 1 || !events[0].At.Equal(s.w.Now()) {
		t.Errorf("without a time: %+v, %v", events, err)
	}
}

func TestNewListener_MissingParameters(t *testing.T) {
	client := overhttp.New(nil, time.Minute)
	for field, of := range map[string]func() (*ses.Listener, error){
		"topic": func() (*ses.Listener, error) { return ses.NewListener("mails", client, time.Now) },
		"fetch": func() (*ses.Listener, error) { return ses.NewListener(sestest.Topic, nil, time.Now) },
		"now":   func() (*ses.Listener, error) { return ses.NewListener(sestest.Topic, client, nil) },
	} {
		_, err := of()
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Invalid || f.Field != field {
			t.Errorf("without %s: %v", field, err)
		}
	}
}

func FuzzListener(f *testing.F) {
	s := subscribe(f)
	f.Add(s.Event(s.sent, "Bounce", s.w.Now(), more{"bounceType": "Permanent"}).Body())
	f.Add(s.Confirmation("SubscriptionConfirmation").Body())
	f.Add([]byte(`{"Type":"Notification"}`))
	signed := map[string]bool{}
	f.Fuzz(func(t *testing.T, body []byte) {
		events, err := s.Events(t.Context(), func(string) string { return "" }, body)
		if err != nil && events != nil {
			t.Errorf("%q: %+v, %v", body, events, err)
		}
		for _, e := range events {
			if signed[e.ID] = true; len(signed) > 1 || e.Key != s.mail.Key {
				t.Errorf("%q: unsigned event %+v", body, e)
			}
		}
	})
}
