package notify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Reminders and updates have one-click unsubscribe, and those of a campaign have its List-Id.
// Transactional mails and mails queued by earlier releases have neither.
func TestHeaders(t *testing.T) {
	stop := []notify.Header{{Name: "List-Unsubscribe", Value: "<https://example.org/stop>"},
		{Name: "List-Unsubscribe-Post", Value: "List-Unsubscribe=One-Click"}}
	list := notify.Header{Name: "List-Id", Value: "<film.update.example.org>"}
	for name, tt := range map[string]struct {
		mail notify.Mail
		want []notify.Header
	}{
		"news": {notify.Mail{Stream: notify.Updates, Campaign: "film",
			Unsubscribe: "https://example.org/stop"}, append(stop, list)},
		"news without unsubscribe":   {notify.Mail{Stream: notify.Updates, Campaign: "film"}, []notify.Header{list}},
		"about no campaign":          {notify.Mail{Stream: notify.Reminders, Unsubscribe: "https://example.org/stop"}, stop},
		"a pledge":                   {notify.Mail{Stream: notify.Transactional, Campaign: "film"}, nil},
		"of an earlier release":      {notify.Mail{Campaign: "film"}, nil},
		"no campaign, transactional": {notify.Mail{}, nil},
	} {
		tt.mail.Key, tt.mail.From = "k", "Film <news@example.org>"
		always := []notify.Header{{Name: "Message-ID", Value: "<k@example.org>"},
			{Name: "Auto-Submitted", Value: "auto-generated"}, {Name: "X-Auto-Response-Suppress", Value: "OOF, AutoReply"}}
		if diff := cmp.Diff(append(always, tt.want...), tt.mail.Headers()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Reminders and updates can have a different sender, so that its reputation does not affect
// transactional mails.
func TestQueue_NewsSender(t *testing.T) {
	const own, news = "Pledges <pledges@example.org>", "News <news@example.org>"
	for _, tt := range []struct {
		kind       notify.Kind
		news, from string
	}{
		{notify.Blast, news, news}, {notify.AbandonedCart, news, news}, {notify.Charged, news, own},
		{notify.Blast, "", own}, {notify.Charged, "", own},
	} {
		p := newFixture()
		p.News = tt.news
		p.queueKind(t, tt.kind, "1")
		if p.drain(t, 1); len(p.sent) != 1 || p.sent[0].From != tt.from {
			t.Errorf("%+v: %+v", tt, p.sent)
		}
	}
}

// A delay for one mail does not delay others. A rate limit or an account problem delays all of them
// for as long as the provider asks.
func TestDrain_DelaysOtherMails(t *testing.T) {
	left := &notify.Quota{Limit: 5, Left: 4, Reset: time.Second}
	for name, tt := range map[string]struct {
		learn notify.Receipt
		wait  time.Duration
	}{
		"busy mailbox":         {notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour}, 0},
		"accepted, quota left": {notify.Receipt{Outcome: notify.Accepted, RetryAfter: time.Hour, Quota: left}, 0},
		"rate limit": {notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Minute, Quota: left},
			time.Minute},
		"account problem": {notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour, Account: true}, time.Hour},
	} {
		p := &notify.Pace{Now: func() time.Time { return start }}
		p.Adjust(tt.learn)
		if wait := p.Take(); wait != tt.wait {
			t.Errorf("%s: next mail in %s", name, wait)
		}
	}
}

func TestStop_ReasonLength(t *testing.T) {
	for n, fits := range map[int]bool{1: true, 300: true, 301: false} {
		p := newFixture()
		_, err := p.Switch().Stop(ctx, "", strings.Repeat("x", n))
		if f := fault.Of(err); fits && err != nil || !fits && (f == nil || f.Code != fault.Invalid || f.Field != "reason") {
			t.Errorf("%d bytes: %v", n, err)
		}
		if why, err := p.Switch().Stopped(ctx, notify.Updates); (why != nil) != fits || err != nil {
			t.Errorf("%d bytes: stopped by %+v, %v", n, why, err)
		}
	}
}
