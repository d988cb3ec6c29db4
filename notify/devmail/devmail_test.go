package devmail_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/devmail"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func send(t *testing.T, b *devmail.Box, key string) string {
	t.Helper()
	r, err := b.Send(context.Background(), notify.Mail{Key: key, Subject: "About " + key})
	if err != nil || r.Outcome != notify.Accepted {
		t.Fatalf("Send: %+v, %v", r, err)
	}
	return r.ProviderID
}

func keys(b *devmail.Box) []string {
	var out []string
	for _, l := range b.Letters() {
		out = append(out, l.Mail.Key)
	}
	return out
}

func TestBox_KeepsLatest(t *testing.T) {
	b := devmail.New(2, func() time.Time { return now })
	first := send(t, b, "a")
	second := send(t, b, "b")
	if again := send(t, b, "b"); again != second {
		t.Errorf("sent again: ID %q, want %q", again, second)
	}
	third := send(t, b, "c")
	if diff := cmp.Diff([]string{"c", "b"}, keys(b)); diff != "" {
		t.Error(diff)
	}
	if _, err := b.Letter(first); !fault.Is(err, fault.NotFound) {
		t.Errorf("the oldest letter: %v, want NotFound", err)
	}
	got, err := b.Letter(third)
	want := devmail.Letter{ID: third, At: now, Mail: notify.Mail{Key: "c", Subject: "About c"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestSend_CanceledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := devmail.New(1, func() time.Time { return now })
	if _, err := b.Send(ctx, notify.Mail{Key: "a"}); err == nil || len(b.Letters()) != 0 {
		t.Errorf("got %v with %d letters, want an error and none", err, len(b.Letters()))
	}
}

func ExampleBox() {
	b := devmail.New(50, func() time.Time { return now })
	_, err := b.Send(context.Background(), notify.Mail{Key: "k", To: "ada@example.org", Subject: "Hello"})
	for _, l := range b.Letters() {
		fmt.Println(l.ID, l.Mail.To, l.Mail.Subject, err)
	}
	// Output: mail-1 ada@example.org Hello <nil>
}
