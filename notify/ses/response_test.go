package ses_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/ses"
	"github.com/pledgeworks/pledgeworks/notify/ses/sestest"
)

const operator = 15 * time.Minute

// Every documented response of SES and its receipt.
func TestSend_Responses(t *testing.T) {
	for _, tt := range []struct {
		fault  sestest.Fault
		want   notify.Outcome // "" for an unknown result
		wait   time.Duration
		reason string
	}{
		{fault: sestest.Fault{Status: 400, Kind: "BadRequestException"}, want: notify.Refused, reason: "not valid"},
		{fault: sestest.Fault{Status: 400, Kind: "MessageRejected"}, want: notify.Refused, reason: "the mail is not valid"},
		{fault: sestest.Fault{Status: 400, Kind: "com.amazon.coral.validate#ValidationException"},
			want: notify.Refused, reason: "ValidationException"},
		{fault: sestest.Fault{Status: 413}, want: notify.Refused, reason: "413"},
		{fault: sestest.Fault{Status: 400, Kind: "MessageRejected",
			Text: "Email address is not verified. " +
				"The following identities failed the check in region EU-WEST-1: pledges@example.org"},
			want: notify.RetryLater, wait: operator, reason: "not verified in this region"},
		{fault: sestest.Fault{Status: 400, Kind: "MessageRejected", Text: "It reason: Email address is not verified"},
			want: notify.Refused, reason: "the mail is not valid"},
		{fault: sestest.Fault{Status: 400, Kind: "MailFromDomainNotVerifiedException"},
			want: notify.RetryLater, wait: operator, reason: "MAIL FROM"},
		{fault: sestest.Fault{Status: 400, Kind: "AccountSuspendedException"}, want: notify.RetryLater,
			wait: operator, reason: "permanently suspended"},
		{fault: sestest.Fault{Status: 400, Kind: "SendingPausedException"}, want: notify.RetryLater,
			wait: operator, reason: "paused"},
		{fault: sestest.Fault{Status: 400, Kind: "LimitExceededException"}, want: notify.RetryLater,
			wait: operator, reason: "LimitExceededException"},
		{fault: sestest.Fault{Status: 404, Kind: "NotFoundException"}, want: notify.RetryLater,
			wait: operator, reason: "configuration set"},
		{fault: sestest.Fault{Status: 403, Kind: "AccessDeniedException"}, want: notify.RetryLater,
			wait: operator, reason: "ses:SendEmail"},
		{fault: sestest.Fault{Status: 403, Kind: "InvalidSignatureException"}, want: notify.RetryLater,
			wait: operator, reason: "clock"},
		// an unknown error type
		{fault: sestest.Fault{Status: 400, Kind: "SomethingNewException"}, want: notify.RetryLater,
			wait: operator, reason: "SomethingNewException"},
		{fault: sestest.Fault{Status: 400}, want: notify.RetryLater, wait: operator, reason: "400"},
		{fault: sestest.Fault{Status: 300}, want: notify.RetryLater, wait: operator, reason: "300"},
		{fault: sestest.Fault{Status: 499}, want: notify.RetryLater, wait: operator, reason: "499"},
		{fault: sestest.Fault{Status: 301}, want: notify.RetryLater, wait: operator, reason: "301"},
		{fault: sestest.Fault{Status: 429, Kind: "TooManyRequestsException", Text: "Daily message quota exceeded."},
			want: notify.RetryLater, wait: operator, reason: "used up"},
		{fault: sestest.Fault{Status: 429, Kind: "TooManyRequestsException", Text: "Maximum sending rate exceeded."},
			want: notify.RetryLater, wait: time.Second, reason: "too many requests"},
		{fault: sestest.Fault{Status: 429}, want: notify.RetryLater, wait: time.Second, reason: "429"},
		{fault: sestest.Fault{Status: 400, Kind: "ThrottlingException"}, want: notify.RetryLater,
			wait: time.Second, reason: "ThrottlingException"},
		{fault: sestest.Fault{Status: 400, Kind: "Throttling"}, want: notify.RetryLater,
			wait: time.Second, reason: "Throttling"},
		{fault: sestest.Fault{Status: 500, Kind: "InternalFailure"}, reason: "InternalFailure"},
		{fault: sestest.Fault{Status: 503, Kind: "BadRequestException"}, reason: "503"},
		{fault: sestest.Fault{Status: 503}, reason: "503"},
		{fault: sestest.Fault{Status: 200}, reason: "no message ID"}, // from a proxy
	} {
		s, w := open(t)
		w.Server.FailNext(tt.fault)
		r, err := s.Send(t.Context(), notifytest.MailTo("ana"))
		if r.Outcome != tt.want || r.RetryAfter != tt.wait || (err != nil) != (tt.want == "") {
			t.Errorf("%+v: %+v, %v", tt.fault, r, err)
		}
		rate := tt.wait == time.Second
		if r.Account != (tt.wait == operator) || (r.Quota != nil) != rate ||
			rate && *r.Quota != (notify.Quota{Reset: tt.wait}) {
			t.Errorf("%+v: %+v %+v", tt.fault, r, r.Quota)
		}
		message := r.Reason
		if err != nil {
			message = err.Error()
		}
		if !strings.Contains(message, tt.reason) && tt.fault.Kind != "BadRequestException" || strings.Contains(message, "@") {
			t.Errorf("%+v: reason %q", tt.fault, message)
		}
		if n := len(w.Accepted()); n != 0 {
			t.Errorf("%+v: %d mails accepted", tt.fault, n)
		}
	}
}

// A wrong key, clock or configuration set is treated as a configuration problem.
func TestSend_UnknownConfigurationSet(t *testing.T) {
	s, w := openWith(t, ses.Options{ConfigurationSet: "another"})
	if r, err := s.Send(t.Context(), notifytest.MailTo("ana")); err != nil || !r.Account || len(w.Accepted()) != 0 {
		t.Errorf("unknown configuration set: %+v, %v", r, err)
	}
}

// fixedSender is a fetch.Sender with a fixed response.
type fixedSender struct {
	status int
	body   string
}

func (a fixedSender) Send(context.Context, fetch.Request) (fetch.Response, error) {
	return fetch.Response{Status: a.status, Body: []byte(a.body), Header: func(string) string { return "" }}, nil
}

func senderOver(t testing.TB, f fetch.Sender) *ses.Sender {
	s, err := ses.New(ses.Options{Region: "eu-west-1", KeyID: "k", Secret: "s", Fetch: f, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A mail is accepted only if the response has a message ID.
func TestSend_ResponseWithoutMessageID(t *testing.T) {
	for _, body := range []string{``, `{}`, `[]`, `{"MessageId":""}`, `{"MessageId":null}`, `{"MessageId":7}`} {
		if r, err := senderOver(t, fixedSender{200, body}).Send(t.Context(), notifytest.MailTo("ana")); err == nil {
			t.Errorf("%s: %+v", body, r)
		}
	}
	for status, accepted := range map[int]bool{199: false, 200: true, 299: true, 300: false} {
		r, err := senderOver(t, fixedSender{status, `{"MessageId":"a"}`}).Send(t.Context(), notifytest.MailTo("ana"))
		if accepted != cmp.Equal(notify.Receipt{Outcome: notify.Accepted, ProviderID: "a"}, r) || accepted && err != nil {
			t.Errorf("%d: %+v, %v", status, r, err)
		}
	}
}

// FuzzAnswers checks that a mail is accepted only with a success status and a message ID, that
// there is either a receipt or an error, and that neither contains an address.
func FuzzAnswers(f *testing.F) {
	f.Add(200, `{"MessageId":"a"}`)
	f.Add(400, `{"__type":"com.amazon.coral.validate#ValidationException","message":"x"}`)
	f.Add(400, `{"__type":"#","message":"Email address is not verified"}`)
	f.Add(400, `{"__type":"ana@example.com"}`)
	f.Add(429, ``)
	f.Fuzz(func(t *testing.T, status int, body string) {
		r, err := senderOver(t, fixedSender{status, body}).Send(t.Context(), notifytest.MailTo("ana"))
		if (err == nil) != (r.Outcome != "") || r.Outcome == notify.Divide {
			t.Errorf("%d %q: %+v, %v", status, body, r, err)
		}
		if r.Outcome == notify.Accepted && (r.ProviderID == "" || status < 200 || status > 299) {
			t.Errorf("%d %q: %+v", status, body, r)
		}
		if strings.Contains(fmt.Sprint(err, r.Reason), "@") {
			t.Errorf("%d %q: %+v, %v", status, body, r, err)
		}
	})
}
