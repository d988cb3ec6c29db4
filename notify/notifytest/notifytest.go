// Package notifytest is a conformance test for implementations of notify.Sender.
//
// A Sender's own test calls Run with a fake of its provider, which implements Provider.
package notifytest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// Failure is a failure that a Provider simulates.
type Failure string

// The simulated failures.
const (
	Refuse         Failure = "permanently rejected"
	Later          Failure = "temporarily rejected"
	LoseRequest    Failure = "the connection is lost before the mail is accepted"
	LoseAnswer     Failure = "the mail is accepted, but the response is lost"
	BadCredentials Failure = "credentials rejected"
)

// Provider is a fake of the email provider or mail server behind a Sender.
type Provider interface {
	// FailNext makes the next attempts fail, one Failure each, in order.
	FailNext(...Failure)
	// Delivered returns the delivered mails, in order.
	Delivered() []Letter
	// Advance advances the clock of the provider and of the Sender.
	Advance(time.Duration)
	// Now returns the current time of that clock.
	Now() time.Time
}

// MessageIDReplacer is a Provider that replaces the Message-ID of every mail, so that mailboxes
// cannot recognize duplicates.
type MessageIDReplacer interface {
	Provider
	ReplacesMessageID()
}

func replacesMessageID(p Provider) bool {
	_, ok := p.(MessageIDReplacer)
	return ok
}

// Letter is a delivered mail. Header names are spelled as in notify.Mail.Headers.
type Letter struct {
	From, To, ReplyTo, Subject, Text, HTML string
	Header                                 map[string]string
	Attachment                             notify.Attachment
}

// Run tests a Sender. open returns a Sender with a new provider, and store returns an
// empty Store on the provider's clock.
func Run(t *testing.T, open func(testing.TB) (notify.Sender, Provider), store func(now func() time.Time) kv.Store) {
	for name, test := range map[string]func(*testing.T, notify.Sender, Provider){
		"content is preserved":       testDelivery,
		"receipts":                   testReceipts,
		"lost response":              testLostAnswer,
		"expired key":                testKeyExpiry,
		"concurrent sends":           testConcurrentSend,
		"canceled context":           testCanceledContext,
		"batch":                      testBatch,
		"batch with an invalid mail": testInvalidMailInBatch,
		"part of a batch":            testPartialBatch,
	} {
		t.Run(name, func(t *testing.T) {
			s, p := open(t)
			test(t, s, p)
		})
	}
	t.Run("outbox with failures", func(t *testing.T) {
		s, p := open(t)
		testOutbox(t, s, p, store(p.Now))
	})
}

// MailTo returns a mail to the given user at example.com. Each user's mail has a different key.
func MailTo(name string) notify.Mail {
	return notify.Mail{
		Key: notify.Hash("confirmation:" + name), Kind: notify.Confirmation,
		From: "Pledgeworks Cine <pledges@example.org>", To: name + "@example.com", ReplyTo: "help@example.org",
		Lang: "es", Subject: "Tu aportación a «Noche» está guardada",
		Text: "Hola:\n\n.un punto al principio\n..y dos\n" + strings.Repeat("largo ", 300) +
			"\nhttps://example.org/manage/?t=" + strings.Repeat("a.b_c-", 60) + "\nSeñal = 100 %\n",
	}
}

func remembersKeys(s notify.Sender) bool {
	_, ok := s.(notify.Rememberer)
	return ok
}

func testDelivery(t *testing.T, s notify.Sender, p Provider) {
	m := MailTo("ana")
	m.HTML = "<p>Hola:</p>\n<p>.un punto, <b>«Noche»</b> = 100 %</p>\n"
	m.Kind, m.Stream, m.Campaign = notify.DiaryEntry, notify.Updates, "noche"
	m.Unsubscribe = "https://example.org/unsubscribe?t=" + strings.Repeat("a.b_c-", 20)
	m.Attachment = notify.Attachment{Name: "pledges-noche.csv",
		Text: "name,total\n«Señal», 100.00\n.\n" + strings.Repeat("largo,", 300) + "\n"}
	r, err := s.Send(t.Context(), m)
	if err != nil || r.Outcome != notify.Accepted || r.ProviderID == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	got := p.Delivered()
	if len(got) != 1 {
		t.Fatalf("%d mails delivered", len(got))
	}
	want := Letter{From: m.From, To: m.To, ReplyTo: m.ReplyTo, Subject: m.Subject, Text: m.Text,
		HTML: m.HTML, Header: map[string]string{}, Attachment: m.Attachment}
	for _, h := range m.Headers() {
		want.Header[h.Name] = h.Value
	}
	if replacesMessageID(p) {
		delete(want.Header, "Message-ID")
	}
	for name := range got[0].Header {
		if _, ok := want.Header[name]; !ok {
			delete(got[0].Header, name) // added by the transport
		}
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("delivered mail (-want +got):\n%s", diff)
	}
}

func testReceipts(t *testing.T, s notify.Sender, p Provider) {
	for failure, want := range map[Failure]notify.Outcome{Refuse: notify.Refused,
		Later: notify.RetryLater, BadCredentials: notify.RetryLater} {
		m := MailTo("ana")
		m.Key = notify.Hash(string(failure))
		p.FailNext(failure)
		r, err := s.Send(t.Context(), m)
		if err != nil || r.Outcome != want || r.Reason == "" || r.Account != (failure == BadCredentials) {
			t.Errorf("%s: %+v, %v", failure, r, err)
		}
		if n := len(p.Delivered()); n != 0 {
			t.Errorf("%s: %d mails delivered, want none", failure, n)
		}
	}
}

// testLostAnswer tests that an unknown result is an error, and that the mail can be sent again
// under its key. It is delivered once if the provider remembers keys, and otherwise twice, with the
// same Message-ID unless the provider replaces it.
func testLostAnswer(t *testing.T, s notify.Sender, p Provider) {
	p.FailNext(LoseAnswer)
	if r, err := s.Send(t.Context(), MailTo("ana")); err == nil {
		t.Errorf("lost response: %+v", r)
	}
	if r, err := s.Send(t.Context(), MailTo("ana")); err != nil || r.Outcome != notify.Accepted {
		t.Errorf("second attempt: %+v, %v", r, err)
	}
	got := p.Delivered()
	if want := map[bool]int{true: 1, false: 2}[remembersKeys(s)]; len(got) != want {
		t.Fatalf("%d mails delivered, want %d", len(got), want)
	}
	if len(got) == 2 {
		first, second := got[0].Header["Message-ID"], got[1].Header["Message-ID"]
		if first == "" || (first == second) == replacesMessageID(p) {
			t.Errorf("Message-IDs %q and %q", first, second)
		}
	}
	p.FailNext(LoseRequest)
	if r, err := s.Send(t.Context(), MailTo("bob")); err == nil && r.Outcome != notify.RetryLater {
		t.Errorf("lost request: %+v", r)
	}
	if n := len(p.Delivered()); n != len(got) {
		t.Errorf("lost request: %d mails delivered", n-len(got))
	}
}

func testKeyExpiry(t *testing.T, s notify.Sender, p Provider) {
	r, ok := s.(notify.Rememberer)
	if !ok {
		t.Skip("the provider does not remember keys")
	}
	for i, wait := range []time.Duration{0, r.Remembers() - time.Minute, 2 * time.Minute} {
		p.Advance(wait)
		if got, err := s.Send(t.Context(), MailTo("ana")); err != nil || got.Outcome != notify.Accepted {
			t.Fatalf("attempt %d: %+v, %v", i+1, got, err)
		}
		if n, want := len(p.Delivered()), 1+i/2; n != want {
			t.Errorf("after attempt %d: %d mails, want %d", i+1, n, want)
		}
	}
}

func testConcurrentSend(t *testing.T, s notify.Sender, p Provider) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if r, err := s.Send(t.Context(), MailTo("ana")); err != nil || r.Outcome == notify.Refused {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	wg.Wait()
	if n := len(p.Delivered()); remembersKeys(s) && n != 1 {
		t.Errorf("%d mails delivered", n)
	}
}

func testCanceledContext(t *testing.T, s notify.Sender, p Provider) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := s.Send(ctx, MailTo("ana")); err == nil && r.Outcome != notify.RetryLater || len(p.Delivered()) != 0 {
		t.Errorf("%+v, %v, delivered %d", r, err, len(p.Delivered()))
	}
}

// testOutbox tests a Sender behind an Outbox. The mail to one recipient is permanently rejected.
// Despite the other failures, every other recipient gets the mail, exactly once if the provider
// remembers keys.
func testOutbox(t *testing.T, s notify.Sender, p Provider, store kv.Store) {
	o := &notify.Outbox{Store: store, Sender: s, Now: p.Now, From: MailTo("").From}
	p.FailNext(Later, LoseAnswer, BadCredentials, LoseAnswer, LoseRequest, Refuse, LoseAnswer, LoseAnswer)
	names := []string{"ana", "bob", "cid", "dan"}
	for _, name := range names {
		m := MailTo(name)
		if err := o.Queue(t.Context(), notify.Message{Kind: m.Kind, Identity: name, To: m.To,
			Lang: m.Lang, Subject: m.Subject, Text: m.Text}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 * 24 * 4 {
		if _, err := o.Drain(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		p.Advance(15 * time.Minute)
	}
	got := map[string]int{}
	for _, l := range p.Delivered() {
		got[l.To]++
	}
	failed := 0
	for _, name := range names {
		d, err := o.Delivery(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		n := got[MailTo(name).To]
		switch {
		case d.Status == notify.Failed:
			failed++
		case d.Status != notify.Sent, n == 0, n > 1 && (remembersKeys(s) || !d.PossiblySent):
			t.Errorf("%s: delivered %d times, %+v", name, n, d)
		}
	}
	if failed != 1 {
		t.Errorf("%d mails failed, want 1", failed)
	}
}
