package postmark_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/postmark"
	"github.com/pledgeworks/pledgeworks/notify/postmark/postmarktest"
)

// recordingSender is a fetch.Sender that records the request and never responds.
type recordingSender struct{ fetch.Request }

func (a *recordingSender) Send(_ context.Context, r fetch.Request) (fetch.Response, error) {
	a.Request = r
	return fetch.Response{}, errors.New("the connection to ana@example.com broke")
}

// fixedSender is a fetch.Sender with a fixed response.
type fixedSender struct {
	status int
	body   string
}

func (a fixedSender) Send(context.Context, fetch.Request) (fetch.Response, error) {
	return fetch.Response{Status: a.status, Body: []byte(a.body), Header: func(string) string { return "" }}, nil
}

func senderOver(t testing.TB, f fetch.Sender) *postmark.Sender {
	s, err := postmark.New(postmark.Options{Token: "t", Fetch: f})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const operator = 15 * time.Minute

// Every documented response of Postmark and its receipt.
func TestSend_Responses(t *testing.T) {
	for _, tt := range []struct {
		fault postmarktest.Fault
		want  notify.Outcome // "" for an unknown result
		wait  time.Duration
	}{
		{fault: postmarktest.Fault{Status: 401, Code: 10}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 401}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 422, Code: 300}, want: notify.Refused},
		{fault: postmarktest.Fault{Status: 422, Code: 400}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 422, Code: 401}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 422, Code: 402}, want: notify.Refused},
		{fault: postmarktest.Fault{Status: 422, Code: 403}, want: notify.Refused},
		{fault: postmarktest.Fault{Status: 422, Code: 405}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 422, Code: 406}, want: notify.Refused},
		{fault: postmarktest.Fault{Status: 406, Code: 406}, want: notify.Refused},
		{fault: postmarktest.Fault{Status: 422, Code: 412}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 422, Code: 413}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 422, Code: 1235}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 422, Code: 9999}, want: notify.RetryLater, wait: operator}, // an unknown code
		{fault: postmarktest.Fault{Status: 415}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 422}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 404}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 400, Code: 406}, want: notify.Refused},
		{fault: postmarktest.Fault{Status: 499, Code: 406}, want: notify.Refused},
		{fault: postmarktest.Fault{Status: 300}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 499}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 301}, want: notify.RetryLater, wait: operator},
		{fault: postmarktest.Fault{Status: 413}, want: notify.Refused},
		{fault: postmarktest.Fault{Status: 413, Code: 413}, want: notify.Refused},
		{fault: postmarktest.Fault{Status: 422, Code: 429}, want: notify.RetryLater, wait: 10 * time.Second},
		{fault: postmarktest.Fault{Status: 429, Code: 429}, want: notify.RetryLater, wait: 10 * time.Second},
		{fault: postmarktest.Fault{Status: 429, After: "7"}, want: notify.RetryLater, wait: 7 * time.Second},
		{fault: postmarktest.Fault{Status: 429, After: "0"}, want: notify.RetryLater, wait: 10 * time.Second},
		{fault: postmarktest.Fault{Status: 429, After: "soon"}, want: notify.RetryLater, wait: 10 * time.Second},
		{fault: postmarktest.Fault{Status: 503, Code: 100}, want: notify.RetryLater, wait: 5 * time.Minute},
		{fault: postmarktest.Fault{Status: 500, Code: 101}},
		{fault: postmarktest.Fault{Status: 500, Code: 300}},
		{fault: postmarktest.Fault{Status: 422, Code: 101}},
		{fault: postmarktest.Fault{Status: 500}},
		{fault: postmarktest.Fault{Status: 503}},
		{fault: postmarktest.Fault{Status: 200}}, // from a proxy
	} {
		s, w := open(t)
		w.Server.FailNext(tt.fault)
		r, err := s.Send(t.Context(), notifytest.MailTo("ana"))
		if r.Outcome != tt.want || r.RetryAfter != tt.wait || (err != nil) != (tt.want == "") {
			t.Errorf("%+v: %+v, %v", tt.fault, r, err)
		}
		rate := tt.fault.Status == 429 || tt.fault.Code == 429
		if r.Account != (tt.wait == operator) || (r.Quota != nil) != rate ||
			rate && *r.Quota != (notify.Quota{Reset: tt.wait}) {
			t.Errorf("%+v: %+v %+v", tt.fault, r, r.Quota)
		}
		if err == nil && r.Reason == "" || strings.Contains(fmt.Sprint(err, r.Reason), "ana@") {
			t.Errorf("%+v: reason %q, %v", tt.fault, r.Reason, err)
		}
	}
}

// The reason explains the code for operators.
func TestSend_Reasons(t *testing.T) {
	for body, want := range map[string]string{
		`{"ErrorCode":405}`:  "Postmark answered error 405: the account has no sending credits left",
		`{"ErrorCode":9999}`: "Postmark answered error 9999",
		`{"ErrorCode":0}`:    "Postmark answered 422",
		`no`:                 "Postmark answered 422",
	} {
		r, err := senderOver(t, fixedSender{422, body}).Send(t.Context(), notifytest.MailTo("ana"))
		if err != nil || r.Reason != want {
			t.Errorf("%s: %q, %v", body, r.Reason, err)
		}
	}
}

// A mail with an invalid sender's address is kept, because an operator can fix the address. A
// recipient's address cannot imitate that message.
func TestSend_InvalidSender(t *testing.T) {
	for message, want := range map[string]notify.Outcome{
		`"ErrorCode":300,"Message":"Invalid 'From' address: 'x'."`:                  notify.RetryLater,
		`"ErrorCode":300,"Message":"Error parsing 'From': Illegal email address."`:  notify.RetryLater,
		`"ErrorCode":403,"Message":"Invalid request field(s): 'From'."`:             notify.RetryLater,
		`"ErrorCode":300,"Message":"Invalid 'To' address: 'a'From'b@example.com'."`: notify.Refused,
		`"ErrorCode":300,"Message":"Illegal: \"Invalid 'From'\"@example.com"`:       notify.Refused,
		`"ErrorCode":403,"Message":"Invalid request field(s): 'To'."`:               notify.Refused,
		`"ErrorCode":406,"Message":"Invalid 'From' address: 'x'."`:                  notify.Refused,
	} {
		r, err := senderOver(t, fixedSender{422, "{" + message + "}"}).Send(t.Context(), notifytest.MailTo("ana"))
		if err != nil || r.Outcome != want || r.Account != (want == notify.RetryLater) || strings.Contains(r.Reason, "@") {
			t.Errorf("%s: %+v, %v", message, r, err)
		}
	}
}

// Errors contain no address.
func TestSend_NoResponse(t *testing.T) {
	s := senderOver(t, &recordingSender{})
	_, err := s.Send(t.Context(), notifytest.MailTo("ana"))
	_, batch := s.SendBatch(t.Context(), "one", []notify.Mail{notifytest.MailTo("ana")})
	if err == nil || batch == nil || strings.Contains(err.Error()+batch.Error(), "ana@") {
		t.Errorf("%v, %v", err, batch)
	}
}

// A mail is accepted only if the response has a message ID.
func TestSend_ResponseWithoutMessageID(t *testing.T) {
	for _, body := range []string{``, `{}`, `[]`, `{"ErrorCode":0}`, `{"MessageID":"a"}`,
		`{"ErrorCode":null,"MessageID":"a"}`, `{"ErrorCode":"0","MessageID":"a"}`} {
		if r, err := senderOver(t, fixedSender{200, body}).Send(t.Context(), notifytest.MailTo("ana")); err == nil {
			t.Errorf("%s: %+v", body, r)
		}
	}
	for status, accepted := range map[int]bool{199: false, 200: true, 299: true, 300: false} {
		r, err := senderOver(t, fixedSender{status, `{"ErrorCode":0,"MessageID":"a"}`}).Send(t.Context(),
			notifytest.MailTo("ana"))
		if accepted != cmp.Equal(notify.Receipt{Outcome: notify.Accepted, ProviderID: "a"}, r) || accepted && err != nil {
			t.Errorf("%d: %+v, %v", status, r, err)
		}
	}
}

// Each mail of a batch has its own result.
func TestSendBatch_SomeRefused(t *testing.T) {
	s, w := open(t)
	var mails []notify.Mail
	for _, name := range []string{"ana", "bob", "cid", "dan", "eve"} {
		mails = append(mails, notifytest.MailTo(name))
	}
	w.Fail(mails[1].To, 406)
	w.Fail(mails[2].To, 412)
	w.Fail(mails[3].To, 429)
	all, err := s.SendBatch(t.Context(), "one", mails)
	if err != nil || len(all) != len(mails) {
		t.Fatalf("%+v, %v", all, err)
	}
	accepted := w.Accepted()
	if len(accepted) != 2 || accepted[0].To != mails[0].To || accepted[1].To != mails[4].To {
		t.Fatalf("%+v", accepted)
	}
	for i, want := range []notify.Receipt{
		{Outcome: notify.Accepted, ProviderID: accepted[0].ID},
		{Outcome: notify.Refused},
		{Outcome: notify.RetryLater, RetryAfter: operator, Account: true},
		{Outcome: notify.RetryLater, RetryAfter: 10 * time.Second, Quota: &notify.Quota{Reset: 10 * time.Second}},
		{Outcome: notify.Accepted, ProviderID: accepted[1].ID},
	} {
		got := all[i]
		if (got.Reason == "") != (want.Outcome == notify.Accepted) || strings.Contains(got.Reason, "@") {
			t.Errorf("mail %d: reason %q", i, got.Reason)
		}
		got.Reason = ""
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("mail %d (-want +got):\n%s", i, diff)
		}
	}
	w.Fail(mails[1].To, 0)
	if r, err := s.Send(t.Context(), mails[1]); err != nil || r.Outcome != notify.Accepted {
		t.Errorf("reactivated address: %+v, %v", r, err)
	}
}

// If Postmark refuses a whole batch, no mail was accepted, and smaller batches reveal the reason.
func TestSendBatch_Refused(t *testing.T) {
	for fault, want := range map[postmarktest.Fault]notify.Outcome{
		{Status: 413}:            notify.Divide,
		{Status: 422, Code: 410}: notify.Divide,
		{Status: 422, Code: 402}: notify.Divide,
		{Status: 422, Code: 405}: notify.RetryLater,
		{Status: 429}:            notify.RetryLater,
		{Status: 503, Code: 100}: notify.RetryLater,
		{Status: 500}:            "",
	} {
		s, w := open(t)
		w.Server.FailNext(fault)
		all, err := s.SendBatch(t.Context(), "one", []notify.Mail{notifytest.MailTo("ana"), notifytest.MailTo("bob")})
		if (err != nil) != (want == "") || err == nil && len(all) != 2 {
			t.Errorf("%+v: %+v, %v", fault, all, err)
		}
		for _, r := range all {
			if r.Outcome != want || r.Reason == "" {
				t.Errorf("%+v: %+v", fault, r)
			}
		}
	}
}

// A batch that exceeds Postmark's limits is not sent.
func TestSendBatch_TooLong(t *testing.T) {
	s := senderOver(t, fixedSender{500, ""})
	m := notifytest.MailTo("ana")
	m.Text = strings.Repeat("largo ", 20<<10)
	mails := make([]notify.Mail, s.MaxBatch())
	for i := range mails {
		mails[i] = m
	}
	all, err := s.SendBatch(t.Context(), "one", mails)
	if err != nil || len(all) != 500 || all[499].Outcome != notify.Divide {
		t.Errorf("%d receipts, %v", len(all), err)
	}
	if all, err := s.SendBatch(t.Context(), "one", mails[:400]); err == nil {
		t.Errorf("47 MB: %+v", all)
	}
	if all, err := s.SendBatch(t.Context(), "one", make([]notify.Mail, 500)); err == nil {
		t.Errorf("500 mails: %+v", all[0])
	}
	if all, err := s.SendBatch(t.Context(), "one", make([]notify.Mail, 501)); err != nil ||
		len(all) != 501 || all[500].Outcome != notify.Divide {
		t.Errorf("501 mails: %d receipts, %v", len(all), err)
	}
	if all, err := s.SendBatch(t.Context(), "one", nil); err != nil || len(all) != 0 {
		t.Errorf("none: %+v, %v", all, err)
	}
}

// The longest allowed batch is sent, and one byte more is not.
func TestSendBatch_Longest(t *testing.T) {
	a := &recordingSender{}
	s := senderOver(t, a)
	mails := []notify.Mail{notifytest.MailTo("ana")}
	mails[0].Text = ""
	send := func() ([]notify.Receipt, int) {
		a.Body = ""
		all, _ := s.SendBatch(t.Context(), "one", mails) // never responds
		return all, len(a.Body)
	}
	_, around := send()
	const most = 50 << 20
	mails[0].Text = strings.Repeat("x", most-around)
	if all, sent := send(); sent != most || all != nil {
		t.Errorf("%d bytes are sent, %+v", sent, all)
	}
	mails[0].Text += "x"
	if all, sent := send(); sent != 0 || len(all) != 1 || all[0].Outcome != notify.Divide {
		t.Errorf("%d bytes are sent, %+v", sent, all)
	}
}

// If a response lacks the result for a mail, the results of all mails are unknown.
func TestSendBatch_WrongNumberOfResults(t *testing.T) {
	const a = `{"ErrorCode":0,"MessageID":"a"}`
	for _, body := range []string{``, `{}`, a, `[]`, `[` + a + `]`, `[` + a + `,` + a + `,` + a + `]`,
		`[` + a + `,{}]`, `[` + a + `,null]`, `[` + a + `,{"ErrorCode":0}]`, `[` + a + `,{"MessageID":"b"}]`,
		`[` + a + `,{"ErrorCode":101}]`} {
		if all, err := senderOver(t, fixedSender{200, body}).SendBatch(t.Context(), "one",
			[]notify.Mail{notifytest.MailTo("ana"), notifytest.MailTo("bob")}); err == nil {
			t.Errorf("%s: %+v", body, all)
		}
	}
}

// FuzzAnswers checks that a mail is accepted only with a success status and a message ID, and
// that there is either a receipt or an error.
func FuzzAnswers(f *testing.F) {
	f.Add(200, `{"ErrorCode":0,"MessageID":"a"}`)
	f.Add(200, `[{"ErrorCode":0,"MessageID":"a"},{"ErrorCode":406}]`)
	f.Add(422, `{"ErrorCode":300}`)
	f.Add(503, `{"ErrorCode":100}`)
	f.Add(http.StatusTooManyRequests, ``)
	f.Fuzz(func(t *testing.T, status int, body string) {
		s := senderOver(t, fixedSender{status, body})
		r, err := s.Send(t.Context(), notifytest.MailTo("ana"))
		all, failed := s.SendBatch(t.Context(), "one", []notify.Mail{notifytest.MailTo("ana"), notifytest.MailTo("bob")})
		if (failed == nil) != (len(all) == 2) || (err == nil) != (r.Outcome != "") || r.Outcome == notify.Divide {
			t.Errorf("%d %q: %+v, %v; %+v, %v", status, body, r, err, all, failed)
		}
		for _, r := range append(all, r) {
			if r.Outcome == notify.Accepted && (r.ProviderID == "" || status < 200 || status > 299) {
				t.Errorf("%d %q: %+v", status, body, r)
			}
		}
	})
}
