package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (p *fixture) queueKind(t *testing.T, kind notify.Kind, identity string) {
	t.Helper()
	m := message(identity)
	m.Kind = kind
	if err := p.Queue(ctx, m); err != nil {
		t.Fatal(err)
	}
}

func (p *fixture) kinds() []notify.Kind {
	kinds := []notify.Kind{}
	for _, m := range p.sent {
		kinds = append(kinds, m.Kind)
	}
	return kinds
}

func TestDrain_Priorities(t *testing.T) {
	p := newFixture()
	for i, k := range []notify.Kind{notify.Blast, notify.LaunchReminder, notify.Charged,
		notify.Confirmation, notify.UpdateCard, notify.AbandonedCart} {
		p.now = start.Add(time.Duration(i) * time.Second)
		p.queueKind(t, k, string(k))
	}
	p.drain(t, 100)
	want := []notify.Kind{notify.Confirmation, notify.Charged, notify.UpdateCard, notify.LaunchReminder,
		notify.AbandonedCart, notify.Blast}
	if diff := cmp.Diff(want, p.kinds()); diff != "" {
		t.Error(diff)
	}
}

// If a supporter pledges while a thousand receipts of a settlement are sent at the provider's rate,
// the confirmation waits for only a few of them.
func TestDrain_ConfirmationOvertakesReceipts(t *testing.T) {
	p := newFixture()
	p.Pace = &notify.Pace{Now: func() time.Time { return p.now }, Interval: time.Second / 5, Burst: 1}
	for i := range 1000 {
		p.queueKind(t, notify.Charged, fmt.Sprint("charged:", i))
	}
	var asked, left time.Time
	p.reply = func(m notify.Mail) (notify.Receipt, error) {
		p.now = p.now.Add(200 * time.Millisecond)
		if len(p.sent) == 300 {
			asked = p.now
			p.queueKind(t, notify.Confirmation, "confirmation:1")
		}
		if m.Kind == notify.Confirmation {
			left = p.now
		}
		return notify.Receipt{Outcome: notify.Accepted}, nil
	}
	p.drain(t, 1001)
	if waited := left.Sub(asked); len(p.sent) != 1001 || waited < 0 || waited > 5*time.Second {
		t.Errorf("confirmation after %s, %d mails sent", waited, len(p.sent))
	}
}

// Mails that an earlier release queued without a marker get one.
func TestAdopt(t *testing.T) {
	p := newFixture()
	for i := range 7 {
		p.queue(t, fmt.Sprint(i))
	}
	for e, err := range kv.All(ctx, p.Store, "email-queue:v1:") {
		if err != nil || p.Store.Apply(ctx, []kv.Write{kv.Delete(e.Key)}) != nil {
			t.Fatal(err)
		}
	}
	strange := kv.Put("email-outbox:v1:0001", []byte(`{"mail":{"key":"another"}}`))
	if err := p.Store.Apply(ctx, []kv.Write{strange}); err != nil {
		t.Fatal(err)
	}
	p.queue(t, "new")
	if d := p.drain(t, 100); d.Sent != 1 {
		t.Fatalf("without markers: %+v", d)
	}
	for range 4 {
		if err := p.RepairQueue(ctx, 3); err != nil {
			t.Fatal(err)
		}
	}
	if d := p.drain(t, 100); d.Sent != 7 {
		t.Errorf("adopted: %+v", d)
	}
	for e, err := range kv.All(ctx, p.Store, "email-queue:v1:") {
		t.Errorf("an invalid record has the marker %s, %v", e.Key, err)
	}
	if d := p.drain(t, 100); d != (notify.Drained{}) || len(p.sent) != 8 {
		t.Errorf("afterwards: %+v, %d attempts", d, len(p.sent))
	}
}

// A server whose clock was weeks ahead queued one mail and attempted another before it crashed.
// Neither mail waits for weeks.
func TestAdopt_QueuedInTheFuture(t *testing.T) {
	p := newFixture()
	p.now = start.Add(28 * 24 * time.Hour)
	p.queue(t, "queued")
	p.queue(t, "tried")
	p.reply = func(notify.Mail) (notify.Receipt, error) {
		return notify.Receipt{Outcome: notify.RetryLater}, nil
	}
	p.drain(t, 1)
	p.now, p.reply = start, nil
	if d := p.drain(t, 100); d.Sent != 0 {
		t.Fatalf("before adoption: %+v", d)
	}
	for range 2 {
		if err := p.RepairQueue(ctx, 1); err != nil {
			t.Fatal(err)
		}
	}
	if d := p.drain(t, 100); d.Sent != 2 {
		t.Errorf("adopted: %+v", d)
	}
	if n := len(p.sent); n != 3 {
		t.Errorf("%d attempts", n)
	}
}

// A server whose clock was weeks ahead crashed while it sent a mail. The mail does not wait for weeks.
func TestRepairQueue_SendingInTheFuture(t *testing.T) {
	p := newFixture()
	p.queue(t, "tried")
	p.now = start.Add(18 * 24 * time.Hour)
	p.reply = func(notify.Mail) (notify.Receipt, error) {
		p.fail = func(memkv.Op) error { return errors.New("the server died") }
		return notify.Receipt{Outcome: notify.Accepted}, nil
	}
	if _, err := p.Drain(ctx, 1); err == nil {
		t.Fatal("the server did not die")
	}
	p.now, p.reply, p.fail = start.Add(time.Hour), nil, nil
	if err := p.RepairQueue(ctx, 1); err != nil {
		t.Fatal(err)
	}
	if d := p.drain(t, 100); d.Sent != 0 {
		t.Errorf("within the lease: %+v", d)
	}
	p.now = p.now.Add(10 * time.Minute)
	if d := p.drain(t, 100); d.Sent != 1 {
		t.Errorf("after the lease: %+v", d)
	}
}

// A marker without a mail is removed, but only once the mail had time to become visible.
func TestDrain_MarkerWithoutMail(t *testing.T) {
	p := newFixture()
	p.queue(t, "1")
	hash := notify.Hash("1")
	if err := p.Store.Apply(ctx, []kv.Write{kv.Delete(notify.OutboxKey(hash))}); err != nil {
		t.Fatal(err)
	}
	marker := notify.QueueKey(notify.Confirmation, start, hash)
	p.now = start.Add(10 * time.Minute)
	if p.drain(t, 10); !p.has(t, marker) {
		t.Error("the marker is removed too early")
	}
	p.now = p.now.Add(time.Second)
	if p.drain(t, 10); p.has(t, marker) {
		t.Error("it stays")
	}
}

func TestPace(t *testing.T) {
	now := start
	p := &notify.Pace{Now: func() time.Time { return now }, Interval: 250 * time.Millisecond, Burst: 3}
	take := func() (n int) {
		for p.Take() == 0 {
			n++
		}
		return n
	}
	for _, step := range []struct {
		wait time.Duration
		want int
	}{{0, 3}, {100 * time.Millisecond, 0}, {150 * time.Millisecond, 1}, {time.Minute, 3}} {
		now = now.Add(step.wait)
		if n := take(); n != step.want {
			t.Errorf("after %s: %d, want %d", step.wait, n, step.want)
		}
	}
	if w := p.Take(); w != 250*time.Millisecond {
		t.Errorf("next request in %s", w)
	}
	p.Adjust(notify.Receipt{Outcome: notify.Accepted, Quota: &notify.Quota{Limit: 2, Left: 0, Reset: 2 * time.Second}})
	if now = now.Add(time.Second); p.Take() != time.Second {
		t.Error("a used-up window does not delay requests")
	}
	p.Adjust(notify.Receipt{Outcome: notify.RetryLater, Account: true, RetryAfter: time.Hour})
	if now = now.Add(time.Minute); p.Take() != 59*time.Minute {
		t.Error("an account problem does not delay requests")
	}
	free := &notify.Pace{Now: p.Now}
	for range 3 {
		if free.Take() != 0 {
			t.Error("a request waits without a rate limit")
		}
	}
}

// A mail that is delayed by the Pace keeps its place in the queue, and Drain returns the time to
// wait.
func TestDrain_PaceWait(t *testing.T) {
	p := newFixture()
	p.Pace = &notify.Pace{Now: func() time.Time { return p.now }, Interval: time.Second, Burst: 2}
	for i := range 3 {
		p.queue(t, fmt.Sprint(i))
	}
	if d := p.drain(t, 10); d != (notify.Drained{Sent: 2, Wait: time.Second}) {
		t.Errorf("at first: %+v", d)
	}
	p.now = p.now.Add(time.Second)
	if d := p.drain(t, 10); d != (notify.Drained{Sent: 1}) {
		t.Errorf("later: %+v", d)
	}
}

func TestStop(t *testing.T) {
	p := newFixture()
	p.queueKind(t, notify.Confirmation, "1")
	p.queueKind(t, notify.Blast, "2")
	for _, stop := range []struct {
		stream notify.Stream
		sent   int
	}{{"", 0}, {notify.Updates, 1}} {
		if _, err := p.Switch().Stop(ctx, stop.stream, "the wrong picture"); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Switch().Stop(ctx, stop.stream, "another reason"); err != nil {
			t.Fatal(err)
		}
		if d := p.drain(t, 10); d.Sent != stop.sent {
			t.Errorf("%q is stopped: %+v", stop.stream, d)
		}
		was, err := p.Switch().Resume(ctx, stop.stream)
		if err != nil || was == nil || was.Reason != "the wrong picture" || !was.Since.Equal(start) {
			t.Errorf("%q was stopped by %+v, %v", stop.stream, was, err)
		}
	}
	if d := p.drain(t, 10); d.Sent != 1 {
		t.Errorf("nothing is stopped: %+v", d)
	}
	if was, err := p.Switch().Resume(ctx, ""); was != nil || err != nil {
		t.Errorf("%+v, %v", was, err)
	}
	for field, stop := range map[string]struct {
		stream notify.Stream
		reason string
	}{"reason": {"", "\r\n"}, "stream": {"carrier pigeon", "for fun"}} {
		if _, err := p.Switch().Stop(ctx, stop.stream, stop.reason); fault.Of(err) == nil || fault.Of(err).Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// After a restore, it is unknown which of the mails in the backup have been sent since. Mails that
// are queued later are sent at once.
func TestStop_AfterRestore(t *testing.T) {
	p := newFixture()
	p.queue(t, "old")
	p.now = start.Add(time.Hour)
	if err := p.Switch().StopForRestore(ctx); err != nil {
		t.Fatal(err)
	}
	p.now = start.Add(2 * time.Hour)
	p.queue(t, "new")
	if d := p.drain(t, 10); d != (notify.Drained{Sent: 1, Waiting: 1}) || p.sent[0].Key != notify.Hash("new") {
		t.Errorf("drained %+v", d)
	}
	if _, err := p.Switch().Stop(ctx, "", "everything"); err != nil {
		t.Fatal(err)
	}
	if why, err := p.Switch().Stopped(ctx, notify.Updates); err != nil || why == nil || why.Before != nil {
		t.Errorf("stopped by %+v, %v", why, err)
	}
	if _, err := p.Switch().Resume(ctx, ""); err != nil {
		t.Fatal(err)
	}
	p.now = start.Add(3 * time.Hour)
	if d := p.drain(t, 10); d.Sent != 1 {
		t.Errorf("drained %+v", d)
	}
}

func TestDrain_NotAfter(t *testing.T) {
	for _, late := range []time.Duration{0, time.Second} {
		p := newFixture()
		m := message("1")
		m.NotAfter = start.Add(time.Hour)
		if err := p.Queue(ctx, m); err != nil {
			t.Fatal(err)
		}
		p.now = m.NotAfter.Add(late)
		want := map[bool]notify.Drained{true: {Expired: 1}, false: {Sent: 1}}[late > 0]
		if d := p.drain(t, 10); d != want {
			t.Errorf("%s late: %+v", late, d)
		}
		if d := p.delivery(t, "1"); late > 0 &&
			(d.Status != notify.Expired || d.Reason != "too old to be sent" || p.has(t, notify.OutboxKey(notify.Hash("1")))) {
			t.Errorf("delivery %+v", d)
		}
	}
}

// A reminder or an update that was possibly sent is not sent again; a transactional mail is.
func TestDrain_UnclearNewsIsNotResent(t *testing.T) {
	counts := map[notify.Status]notify.Drained{notify.Unclear: {Unclear: 1}, notify.Sent: {Sent: 1}}
	for kind, want := range map[notify.Kind]notify.Status{notify.Blast: notify.Unclear,
		notify.AbandonedCart: notify.Unclear, notify.Charged: notify.Sent} {
		p := newFixture()
		p.queueKind(t, kind, "1")
		p.reply = func(notify.Mail) (notify.Receipt, error) { return notify.Receipt{}, errCrash }
		p.drain(t, 10)
		p.reply = nil
		p.now = start.Add(time.Hour)
		if d := p.drain(t, 10); d != counts[want] {
			t.Errorf("%s: %+v", kind, d)
		}
		if d := p.delivery(t, "1"); d.Status != want || !d.PossiblySent || d.EndedAt == nil {
			t.Errorf("%s: %+v", kind, d)
		}
		if n := map[notify.Status]int{notify.Unclear: 1, notify.Sent: 2}[want]; len(p.sent) != n {
			t.Errorf("%s: %d attempts", kind, len(p.sent))
		}
	}
}

// suppressedList lists the suppressed addresses.
type suppressedList []string

func (s suppressedList) Address(email string) string { return "keyed " + email[:3] }

func (s suppressedList) Suppressed(_ context.Context, m notify.Mail) (string, error) {
	if slices.Contains(s, m.To) {
		return "bounced", nil
	}
	return "", nil
}

func TestDrain_SuppressedRecipient(t *testing.T) {
	p := newFixture()
	p.Suppressor = suppressedList{"eve@example.org"}
	p.queue(t, "1")
	m := message("2")
	m.To, m.Campaign = "eve@example.org", "film"
	if err := p.Queue(ctx, m); err != nil {
		t.Fatal(err)
	}
	if d := p.drain(t, 10); d != (notify.Drained{Sent: 1, Suppressed: 1}) || p.sent[0].To != "ada@example.org" {
		t.Errorf("drained %+v, %v", d, p.sent)
	}
	if d := p.delivery(t, "2"); d.Status != notify.Suppressed || d.Reason != "bounced" ||
		d.Recipient != "keyed eve" || d.Campaign != "film" {
		t.Errorf("delivery %+v", d)
	}
}

// Overdue counts mails that are late, except those of a stopped stream.
func TestOverdue(t *testing.T) {
	p := newFixture()
	for _, k := range []notify.Kind{notify.Confirmation, notify.Charged, notify.LaunchReminder, notify.Blast} {
		p.queueKind(t, k, string(k))
	}
	count := func(before time.Time, want int) {
		t.Helper()
		if n, err := p.Overdue(ctx, before); n != want || err != nil {
			t.Errorf("%d mails, %v; want %d", n, err, want)
		}
	}
	count(start, 0)
	count(start.Add(time.Second), 4)
	for i, s := range []notify.Stream{notify.Reminders, notify.Updates} {
		if _, err := p.Switch().Stop(ctx, s, "later"); err != nil {
			t.Fatal(err)
		}
		count(start.Add(time.Second), 3-i)
	}
	if _, err := p.Switch().Stop(ctx, "", "later"); err != nil {
		t.Fatal(err)
	}
	count(start.Add(time.Second), 0)
}
