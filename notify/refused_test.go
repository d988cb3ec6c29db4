package notify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify"
)

func (p *fixture) refusal(t *testing.T) *notify.Refusal {
	t.Helper()
	r, err := p.Refused(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A refusal of the account is recorded, without an address, until a retried mail is sent.
func TestRefused_AccountProblem(t *testing.T) {
	p := newFixture()
	refuses := func(account bool) func(m notify.Mail) (notify.Receipt, error) {
		return func(m notify.Mail) (notify.Receipt, error) {
			return notify.Receipt{Outcome: notify.RetryLater, Account: account, RetryAfter: time.Hour,
				Reason: "the domain is not verified: " + m.To}, nil
		}
	}
	p.queue(t, "confirmation:1")
	p.reply = refuses(false)
	if p.drain(t, 10); p.refusal(t) != nil {
		t.Errorf("a delayed mail is not a refusal: %+v", p.refusal(t))
	}
	p.now = p.now.Add(2 * time.Hour)
	p.reply = refuses(true)
	p.drain(t, 10)
	want := &notify.Refusal{Reason: "the domain is not verified: the recipient", At: p.now}
	if diff := cmp.Diff(want, p.refusal(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p.reply = nil
	p.queue(t, "confirmation:2")
	if d := p.drain(t, 10); d.Sent != 1 || p.refusal(t) == nil {
		t.Errorf("%+v: a mail that was not retried cleared the refusal %+v", d, p.refusal(t))
	}
	p.now = p.now.Add(2 * time.Hour)
	if d := p.drain(t, 10); d.Sent != 1 || p.refusal(t) != nil {
		t.Errorf("%+v: the mail was sent, but the refusal remains: %+v", d, p.refusal(t))
	}
	if d := p.delivery(t, "confirmation:1"); d.Status != notify.Sent || d.Attempts != 3 ||
		strings.Contains(d.Reason, "@") {
		t.Errorf("%+v", d)
	}
}

// A refusal expires after a day without another one.
func TestRefused_Expires(t *testing.T) {
	p := newFixture()
	p.reply = func(notify.Mail) (notify.Receipt, error) {
		return notify.Receipt{Outcome: notify.RetryLater, Account: true, RetryAfter: 24 * time.Hour}, nil
	}
	p.queue(t, "confirmation:1")
	p.drain(t, 10)
	p.now = start.Add(24*time.Hour - time.Second)
	if p.refusal(t) == nil {
		t.Error("the refusal expired too early")
	}
	p.now = start.Add(24*time.Hour + time.Second)
	if r := p.refusal(t); r != nil {
		t.Errorf("after a day: %+v", r)
	}
}
