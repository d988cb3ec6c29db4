package notify_test

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// printer is a Sender that prints mails.
type printer struct{}

func (printer) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	fmt.Println("to", m.To+":", m.Subject)
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: "1"}, nil
}

func ExampleOutbox() {
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	outbox := &notify.Outbox{
		Store: memkv.New(memkv.Options{Now: now}).Store("PLEDGES"), Sender: printer{},
		Now: now, From: "Pledges <pledges@example.org>",
	}
	ctx := context.Background()
	m := notify.Message{
		Kind: notify.Confirmation, Identity: "confirmation:pw-1", To: "ada@example.org",
		Lang: "en", Subject: "Your pledge is confirmed", Text: "Thank you.\n",
	}
	for range 2 { // the second one changes nothing
		if err := outbox.Queue(ctx, m); err != nil {
			fmt.Println(err)
		}
	}
	done, err := outbox.Drain(ctx, 10)
	fmt.Println(done.Sent, err)
	// Output:
	// to ada@example.org: Your pledge is confirmed
	// 1 <nil>
}
