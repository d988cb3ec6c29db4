package notify_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// silentProvider is a provider that never responds and remembers a key for a day.
type silentProvider struct {
	now      func() time.Time
	attempts []time.Time
}

func (f *silentProvider) Send(context.Context, notify.Mail) (notify.Receipt, error) {
	f.attempts = append(f.attempts, f.now())
	return notify.Receipt{}, errors.New("no answer")
}

func (f *silentProvider) Remembers() time.Duration { return 24 * time.Hour }

// A mail that was possibly sent is retried while the provider remembers its key. The last
// retry is shortly before it forgets, so that the response reveals the first attempt's result.
func TestDrain_LastRetryBeforeKeyIsForgotten(t *testing.T) {
	began := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	now := began
	clock := func() time.Time { return now }
	f := &silentProvider{now: clock}
	o := &notify.Outbox{Store: memkv.New(memkv.Options{Now: clock}).Store("PLEDGES"), Sender: f,
		Now: clock, From: "pledges@example.org"}
	if err := o.Queue(t.Context(), notify.Message{Kind: notify.Confirmation, Identity: "one", To: "ana@example.com",
		Lang: "en", Subject: "Hello", Text: "A pledge.\n"}); err != nil {
		t.Fatal(err)
	}
	for ; now.Sub(began) < 5*24*time.Hour; now = now.Add(10 * time.Minute) {
		if _, err := o.Drain(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
	}
	last, after := 0, 0
	for _, at := range f.attempts {
		switch age := at.Sub(began); {
		case age >= 22*time.Hour && age < 24*time.Hour:
			last++
		case age >= 24*time.Hour:
			after++
		}
	}
	if last != 1 || after == 0 {
		t.Errorf("%d attempts just before the key expires, %d after: %v", last, after, f.attempts)
	}
}

func TestMessageID(t *testing.T) {
	for from, want := range map[string]string{
		"pledges@example.org":              "k@example.org",
		"Cine <pledges@example.org>":       "k@example.org",
		`"a@b" <pledges@mail.example.org>`: "k@mail.example.org",
		"@example.org":                     "k@example.org",
		"":                                 "k@localhost",
	} {
		m := notify.Mail{Key: "k", From: from}
		if got := m.MessageID(); got != want || m.Headers()[0].Value != "<"+want+">" {
			t.Errorf("%q: %s, %v", from, got, m.Headers())
		}
	}
}
