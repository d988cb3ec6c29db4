package notify_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves EML-23, KVR-46: the whole mail with its recipient is queued, and does not change
// afterwards.
func TestQueue_FirstMessageWins(t *testing.T) {
	p := newFixture()
	p.ReplyTo = "answers@example.org"
	first := message("confirmation:1")
	first.HTML, first.Attachment = "<p>Dear Ada</p>", notify.Attachment{Name: "pledges.csv", Text: "a,b\n"}
	if err := p.Queue(ctx, first); err != nil {
		t.Fatal(err)
	}
	changed := first
	changed.To, changed.Text = "eve@example.org", "Dear Eve\n"
	if err := p.Queue(ctx, changed); err != nil {
		t.Fatal(err)
	}
	p.From, p.ReplyTo = "Somebody else <else@example.org>", ""
	hash := notify.Hash("confirmation:1")
	want := notify.Mail{
		Key: hash, Kind: notify.Confirmation, From: "Pledges <pledges@example.org>",
		To: "ada@example.org", Lang: "en", Subject: "Hello", Text: "Dear Ada\n", Stream: notify.Transactional,
		ReplyTo: "answers@example.org", HTML: first.HTML, Attachment: first.Attachment,
	}
	outcomes := []notify.Outcome{notify.RetryLater, notify.Accepted}
	p.reply = func(notify.Mail) (notify.Receipt, error) {
		return notify.Receipt{Outcome: outcomes[len(p.sent)-1]}, nil
	}
	for range outcomes {
		b, err := p.Store.Get(ctx, "email-outbox:v1:"+hash)
		if err != nil {
			t.Fatal(err)
		}
		var kept struct{ Mail notify.Mail }
		if err := json.Unmarshal(b, &kept); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, kept.Mail); diff != "" {
			t.Error(diff)
		}
		p.drain(t, 10)
		p.now = p.now.Add(time.Hour)
	}
	if diff := cmp.Diff([]notify.Mail{want, want}, p.sent); diff != "" || p.has(t, "email-outbox:v1:"+hash) {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

// Proves EML-24, KVR-48: the delivery record has the provider's ID, the content hash, the
// category, the status and the times, and no address.
func TestQueue_StoredUnicodeDomain(t *testing.T) {
	p := newFixture()
	m := message("1")
	m.To = "zoe@übung.example"
	if err := p.Queue(ctx, m); err != nil {
		t.Fatal(err)
	}
	p.drain(t, 1)
	if len(p.sent) != 1 || p.sent[0].To != "zoe@xn--bung-zra.example" {
		t.Errorf("sent %+v", p.sent)
	}
}

func TestDrain_DeliveryRecord(t *testing.T) {
	p := newFixture()
	p.queue(t, "confirmation:1")
	queued := p.delivery(t, "confirmation:1")
	if queued.Status != notify.Queued || queued.EndedAt != nil || queued.Attempts != 0 {
		t.Errorf("while queued: %+v", queued)
	}
	p.now = start.Add(time.Minute)
	p.drain(t, 10)
	ended := start.Add(time.Minute)
	content, err := json.Marshal(p.sent[0])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	want := notify.Delivery{
		Kind: notify.Confirmation, Status: notify.Sent, ProviderID: "provider-1",
		ContentHash: hex.EncodeToString(sum[:]), Attempts: 1, QueuedAt: start, EndedAt: &ended,
	}
	if diff := cmp.Diff(want, p.delivery(t, "confirmation:1")); diff != "" {
		t.Error(diff)
	}
	if queued.ContentHash != want.ContentHash {
		t.Errorf("while queued the hash is %s, want %s", queued.ContentHash, want.ContentHash)
	}
	hash := notify.Hash("confirmation:1")
	b, err := p.Store.Get(ctx, "email-delivery:v1:"+hash)
	if err != nil || strings.Contains(string(b), "ada") || strings.Contains(string(b), "Dear") {
		t.Errorf("the record %s, %v", b, err)
	}
	if p.has(t, "email-outbox:v1:"+hash) {
		t.Error("a delivered mail is still in the outbox")
	}
}

func TestDelivery_ContentHashDiffers(t *testing.T) {
	p := newFixture()
	p.queue(t, "confirmation:1")
	other := message("confirmation:2")
	other.Text = "Dear Ada!\n"
	if err := p.Queue(ctx, other); err != nil {
		t.Fatal(err)
	}
	if p.delivery(t, "confirmation:1").ContentHash == p.delivery(t, "confirmation:2").ContentHash {
		t.Error("different texts have the same hash")
	}
}

// Proves KVR-47, KVR-49: the outbox record is kept for exactly 30 days and the delivery record
// for exactly 400, from when the mail was queued. Attempts that send nothing or are cut off
// extend neither.
func TestOutbox_Retention(t *testing.T) {
	for _, tried := range []string{"never", "sent", "event", "delayed", "cut off"} {
		p := newFixture()
		p.queue(t, "confirmation:1")
		p.reply = func(notify.Mail) (notify.Receipt, error) {
			if tried == "cut off" {
				p.fail = func(memkv.Op) error { return errors.New("cut off") }
			}
			return notify.Receipt{Outcome: map[string]notify.Outcome{"sent": notify.Accepted}[tried]}, nil
		}
		if tried != "never" {
			p.now = start.Add(24 * time.Hour)
			if _, err := p.Drain(ctx, 10); len(p.sent) != 1 || (err != nil) != (tried == "cut off") {
				t.Errorf("%s: %d attempts, %v", tried, len(p.sent), err)
			}
			p.fail = nil
		}
		if tried == "event" {
			if _, known, err := p.Note(ctx,
				notify.Event{Key: notify.Hash("confirmation:1"), Kind: notify.Delivered, At: p.now}); !known || err != nil {
				t.Errorf("the event is known: %t, %v", known, err)
			}
		}
		sent := tried == "sent" || tried == "event"
		outbox, delivery := notify.OutboxKey(notify.Hash("confirmation:1")), notify.DeliveryKey(notify.Hash("confirmation:1"))
		for _, tc := range []struct {
			after            time.Duration
			outbox, delivery bool
		}{
			{30*24*time.Hour - time.Second, !sent, true},
			{30 * 24 * time.Hour, false, true},
			{400*24*time.Hour - time.Second, false, true},
			{400 * 24 * time.Hour, false, false},
		} {
			p.now = start.Add(tc.after)
			if got := p.has(t, outbox); got != tc.outbox {
				t.Errorf("after %s the outbox record exists: %t, %s", tc.after, got, tried)
			}
			if got := p.has(t, delivery); got != tc.delivery {
				t.Errorf("after %s the delivery record exists: %t, %s", tc.after, got, tried)
			}
		}
	}
}

func TestQueue_AfterDelivery(t *testing.T) {
	p := newFixture()
	p.queue(t, "confirmation:1")
	p.drain(t, 10)
	p.queue(t, "confirmation:1")
	p.now = p.now.Add(time.Hour)
	if d := p.drain(t, 10); d != (notify.Drained{}) || len(p.sent) != 1 {
		t.Errorf("drained %+v, %d attempts", d, len(p.sent))
	}
}

func TestQueue_InvalidMessage(t *testing.T) {
	for field, change := range map[string]func(*notify.Message){
		"kind":                func(m *notify.Message) { m.Kind = "" },
		"identity":            func(m *notify.Message) { m.Identity = "" },
		"identity, too long":  func(m *notify.Message) { m.Identity = strings.Repeat("x", 401) },
		"to":                  func(m *notify.Message) { m.To = "ada@example.org, eve@example.org" },
		"to, not normalized":  func(m *notify.Message) { m.To = "Ada@Example.org" },
		"subject":             func(m *notify.Message) { m.Subject = "Hello\r\nBcc: eve@example.org" },
		"subject, none":       func(m *notify.Message) { m.Subject = "" },
		"subject, too long":   func(m *notify.Message) { m.Subject = strings.Repeat("x", 201) },
		"text":                func(m *notify.Message) { m.Text = "" },
		"text, too long":      func(m *notify.Message) { m.Text = strings.Repeat("x", 256<<10+1) },
		"text, invalid UTF-8": func(m *notify.Message) { m.Text = "\xff" },
	} {
		p := newFixture()
		m := message("confirmation:1")
		change(&m)
		field, _, _ := strings.Cut(field, ",")
		f := fault.Of(p.Queue(ctx, m))
		if f == nil || f.Code != fault.Invalid || f.Field != field {
			t.Errorf("%s: %v", field, f)
		}
		if d := p.drain(t, 10); d != (notify.Drained{}) {
			t.Errorf("%s: drained %+v", field, d)
		}
	}
}

func TestQueue_LongestMail(t *testing.T) {
	p := newFixture()
	m := message(strings.Repeat("x", 400))
	m.Subject, m.Text = strings.Repeat("x", 200), strings.Repeat("x", 256<<10)
	if err := p.Queue(ctx, m); err != nil {
		t.Fatal(err)
	}
	if d := p.drain(t, 10); d.Sent != 1 || p.sent[0].Text != m.Text {
		t.Errorf("drained %+v", d)
	}
}

// A delivery record with the status Queued but without a mail does not prevent queueing: the
// mail was lost.
func TestQueue_AfterLostMail(t *testing.T) {
	p := newFixture()
	p.queue(t, "confirmation:1")
	if err := p.Store.Apply(ctx, []kv.Write{kv.Delete(notify.OutboxKey(notify.Hash("confirmation:1")))}); err != nil {
		t.Fatal(err)
	}
	p.queue(t, "confirmation:1")
	if d := p.drain(t, 10); d.Sent != 1 {
		t.Errorf("drained %+v", d)
	}
}

// The wait doubles from a minute to a day. Key and payload stay the same.
func TestDrain_RetryBackoff(t *testing.T) {
	p := newFixture()
	p.reply = func(notify.Mail) (notify.Receipt, error) {
		return notify.Receipt{Outcome: notify.RetryLater, Reason: "mailbox of ada@example.org is busy"}, nil
	}
	p.queue(t, "confirmation:1")
	wait := time.Minute
	for attempt := range 14 {
		if d := p.drain(t, 10); d.Retrying != 1 {
			t.Fatalf("attempt %d: %+v", attempt, d)
		}
		p.now = p.now.Add(wait - time.Second)
		if d := p.drain(t, 10); d != (notify.Drained{}) {
			t.Fatalf("attempt %d, a second early: %+v", attempt, d)
		}
		p.now = p.now.Add(time.Second)
		wait = min(2*wait, 24*time.Hour)
	}
	for _, m := range p.sent[1:] {
		if diff := cmp.Diff(p.sent[0], m); diff != "" {
			t.Fatal(diff)
		}
	}
	p.reply = nil
	p.drain(t, 10)
	if d := p.delivery(t, "confirmation:1"); d.Status != notify.Sent || d.Attempts != 15 || d.PossiblySent {
		t.Errorf("finally: %+v", d)
	}
}

func TestDrain_RetryAfter(t *testing.T) {
	p := newFixture()
	p.reply = func(notify.Mail) (notify.Receipt, error) {
		return notify.Receipt{Outcome: notify.RetryLater, RetryAfter: 90 * time.Minute}, nil
	}
	p.queue(t, "confirmation:1")
	p.drain(t, 10)
	p.now = start.Add(90*time.Minute - time.Second)
	if d := p.drain(t, 10); d != (notify.Drained{}) {
		t.Errorf("too early: %+v", d)
	}
	p.now = start.Add(90 * time.Minute)
	if d := p.drain(t, 10); d.Retrying != 1 {
		t.Errorf("when due: %+v", d)
	}
}

func TestDrain_RefusedMailFails(t *testing.T) {
	p := newFixture()
	p.reply = func(notify.Mail) (notify.Receipt, error) {
		return notify.Receipt{Outcome: notify.Refused, Reason: "ada@example.org:\nno such mailbox"}, nil
	}
	p.queue(t, "confirmation:1")
	if d := p.drain(t, 10); d.Failed != 1 {
		t.Errorf("drained %+v", d)
	}
	d := p.delivery(t, "confirmation:1")
	if d.Status != notify.Failed || d.Reason != "the recipient: no such mailbox" || d.Attempts != 1 || d.EndedAt == nil {
		t.Errorf("delivery %+v", d)
	}
	p.now = start.Add(48 * time.Hour)
	p.queue(t, "confirmation:1")
	if d := p.drain(t, 10); d != (notify.Drained{}) {
		t.Errorf("refused mail drained again: %+v", d)
	}
}

func TestDrain_UndeliverableMailExpires(t *testing.T) {
	p := newFixture()
	p.reply = func(notify.Mail) (notify.Receipt, error) { return notify.Receipt{}, errors.New("connection lost") }
	p.queue(t, "confirmation:1")
	expired := 0
	for range 40 {
		expired += p.drain(t, 10).Expired
		p.now = p.now.Add(24 * time.Hour)
	}
	if expired != 1 {
		t.Errorf("%d mails expired", expired)
	}
	d := p.delivery(t, "confirmation:1")
	if d.Status != notify.Expired || d.Reason != "no answer: connection lost" || !d.PossiblySent {
		t.Errorf("delivery %+v", d)
	}
	if p.has(t, notify.OutboxKey(notify.Hash("confirmation:1"))) {
		t.Error("the mail is still in the outbox")
	}
}

// Many mails that are not due yet do not delay a due mail behind them, even if each
// drain may send only one.
func TestDrain_MailsNotYetDueDoNotBlock(t *testing.T) {
	p := newFixture()
	last := ""
	for i := range 150 {
		id := fmt.Sprintf("confirmation:%d", i)
		p.queue(t, id)
		last = max(last, notify.Hash(id))
	}
	p.reply = func(m notify.Mail) (notify.Receipt, error) {
		if m.Key == last {
			return notify.Receipt{Outcome: notify.Accepted}, nil
		}
		return notify.Receipt{Outcome: notify.RetryLater, RetryAfter: 20 * 24 * time.Hour}, nil
	}
	for range 150 {
		p.drain(t, 1)
	}
	if p.has(t, notify.OutboxKey(last)) {
		t.Error("the last mail was never attempted")
	}
	if len(p.sent) != 150 {
		t.Errorf("%d attempts, want one for each mail", len(p.sent))
	}
	p.reply = nil
	p.queue(t, "confirmation:late")
	for range 9 {
		p.drain(t, 1)
	}
	if d := p.delivery(t, "confirmation:late"); d.Status != notify.Sent {
		t.Errorf("a due mail among 149 others: %+v", d)
	}
}

func TestDrain_Limit(t *testing.T) {
	p := newFixture()
	for i := range 25 {
		p.queue(t, fmt.Sprintf("confirmation:%d", i))
	}
	for _, want := range []int{10, 10, 5, 0} {
		if d := p.drain(t, 10); d.Sent != want {
			t.Errorf("sent %d, want %d", d.Sent, want)
		}
	}
	if d := p.drain(t, 0); d != (notify.Drained{}) {
		t.Errorf("limit 0: %+v", d)
	}
}

func TestDrain_UnreadableRecord(t *testing.T) {
	p := newFixture()
	for key, value := range map[string]string{
		"0000": "not JSON",
		"0001": `{"mail":{"key":"another"}}`,
	} {
		mail, marker := kv.Put("email-outbox:v1:"+key, []byte(value)),
			kv.Put(notify.QueueKey(notify.Confirmation, start, key), []byte("{}"))
		if err := p.Store.Apply(ctx, []kv.Write{mail, marker}); err != nil {
			t.Fatal(err)
		}
	}
	p.queue(t, "confirmation:1")
	if d := p.drain(t, 10); d.Sent != 1 || d.Unreadable != 2 {
		t.Errorf("drained %+v", d)
	}
}

func TestDrain_UnknownOutcomeIsRetried(t *testing.T) {
	p := newFixture()
	p.reply = func(notify.Mail) (notify.Receipt, error) { return notify.Receipt{}, nil }
	p.queue(t, "confirmation:1")
	if d := p.drain(t, 10); d.Retrying != 1 {
		t.Errorf("drained %+v", d)
	}
	p.reply, p.now = nil, start.Add(time.Minute)
	p.drain(t, 10)
	if d := p.delivery(t, "confirmation:1"); d.Status != notify.Sent || !d.PossiblySent {
		t.Errorf("delivery %+v", d)
	}
}

func TestDelivery_NotFound(t *testing.T) {
	if _, err := newFixture().Delivery(ctx, "confirmation:1"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want NotFound", err)
	}
}
