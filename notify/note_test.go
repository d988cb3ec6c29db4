package notify_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// Events are recorded in any order. A mail that the provider has accepted is not sent again,
// whether its response was lost or the event arrived before the response.
func TestNote(t *testing.T) {
	event := func(k notify.EventKind, after time.Duration) notify.Event {
		return notify.Event{Key: notify.Hash("1"), Kind: k, At: start.Add(after), Reason: "ada@example.org is full"}
	}
	heard := func(t *testing.T, p *fixture, want notify.EventKind) {
		t.Helper()
		if d := p.delivery(t, "1"); d.Status != notify.Sent || d.Last == nil || d.Last.Kind != want {
			t.Errorf("delivery %+v", d)
		}
	}
	t.Run("after the response, in any order", func(t *testing.T) {
		p := newFixture()
		p.Suppressor = suppressedList{}
		p.queueKind(t, notify.Blast, "1")
		p.drain(t, 1)
		for _, e := range []notify.Event{event(notify.Delivered, 2), event(notify.Complained, 3),
			event(notify.Taken, 1), event(notify.Complained, 3)} {
			noted, ok, err := p.Note(ctx, e)
			if want := (notify.Noted{Recipient: "keyed ada", Stream: notify.Updates}); !ok || err != nil || noted != want {
				t.Errorf("%+v, %t, %v", noted, ok, err)
			}
		}
		heard(t, p, notify.Complained)
		if d := p.delivery(t, "1"); d.ProviderID != "provider-1" || d.Attempts != 1 || d.Last.Reason != "an address is full" {
			t.Errorf("delivery %+v", d)
		}
	})
	t.Run("before the result is recorded", func(t *testing.T) {
		p := newFixture()
		p.queue(t, "1")
		p.reply = func(notify.Mail) (notify.Receipt, error) {
			if _, ok, err := p.Note(ctx, event(notify.Returned, 0)); !ok || err != nil {
				t.Errorf("%t, %v", ok, err)
			}
			return notify.Receipt{Outcome: notify.Accepted, ProviderID: "provider-1"}, nil
		}
		p.drain(t, 1)
		heard(t, p, notify.Returned)
		if d := p.delivery(t, "1"); d.ProviderID != "provider-1" || d.Last.Reason != "the recipient is full" {
			t.Errorf("delivery %+v", d)
		}
	})
	t.Run("instead of a response", func(t *testing.T) {
		p := newFixture()
		p.queue(t, "1")
		p.reply = func(notify.Mail) (notify.Receipt, error) { return notify.Receipt{}, errCrash }
		p.drain(t, 1)
		if _, ok, err := p.Note(ctx, event(notify.Delivered, time.Second)); !ok || err != nil {
			t.Errorf("%t, %v", ok, err)
		}
		p.now = start.Add(time.Hour)
		if d := p.drain(t, 1); d != (notify.Drained{}) || len(p.sent) != 1 {
			t.Errorf("drained %+v, %d attempts", d, len(p.sent))
		}
		heard(t, p, notify.Delivered)
	})
	t.Run("interrupted queueing", func(t *testing.T) {
		p := newFixture()
		p.fail = func(op memkv.Op) error {
			if op.Kind == memkv.OpPut && !op.After && op.Key == notify.DeliveryKey(notify.Hash("1")) {
				return errCrash
			}
			return nil
		}
		if err := p.Queue(ctx, message("1")); err == nil {
			t.Fatal("nothing was interrupted")
		}
		p.fail = nil
		p.reply = func(notify.Mail) (notify.Receipt, error) { return notify.Receipt{}, errCrash }
		p.drain(t, 1)
		if _, ok, err := p.Note(ctx, event(notify.Bounced, time.Second)); !ok || err != nil {
			t.Errorf("%t, %v", ok, err)
		}
		p.now = start.Add(time.Hour)
		if d := p.drain(t, 1); d != (notify.Drained{}) || len(p.sent) != 1 {
			t.Errorf("drained %+v, %d attempts", d, len(p.sent))
		}
		heard(t, p, notify.Bounced)
	})
	t.Run("unknown mail", func(t *testing.T) {
		p := newFixture()
		if _, ok, err := p.Note(ctx, event(notify.Delivered, 0)); ok || err != nil {
			t.Errorf("%t, %v", ok, err)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		for cut := 0; ; cut++ {
			p := newFixture()
			p.queue(t, "1")
			p.reply = func(notify.Mail) (notify.Receipt, error) { return notify.Receipt{}, errCrash }
			p.drain(t, 1)
			op := 0
			p.fail = func(memkv.Op) error {
				if op++; op == cut+1 {
					return errCrash
				}
				return nil
			}
			_, _, err := p.Note(ctx, event(notify.Delivered, time.Second))
			p.fail = nil
			if _, ok, err := p.Note(ctx, event(notify.Delivered, time.Second)); !ok || err != nil {
				t.Fatalf("cut at %d: %t, %v", cut, ok, err)
			}
			p.now = start.Add(time.Hour)
			if d := p.drain(t, 1); d != (notify.Drained{}) {
				t.Fatalf("cut at %d: drained %+v", cut, d)
			}
			heard(t, p, notify.Delivered)
			if err == nil {
				return
			}
		}
	})
}
