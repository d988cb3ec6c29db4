package broadcast_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// scriptedProvider is a provider with configured answers, one per request; afterwards it
// accepts everything.
type scriptedProvider struct {
	answers []func([]notify.Mail) ([]notify.Receipt, error)
	sent    [][]notify.Mail
	keys    []string // of all requests
}

func (p *scriptedProvider) MaxBatch() int { return 10 }

func (p *scriptedProvider) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	rs, err := p.SendBatch(ctx, m.Key, []notify.Mail{m})
	if err != nil {
		return notify.Receipt{}, err
	}
	return rs[0], nil
}

func (p *scriptedProvider) SendBatch(_ context.Context, key string, mails []notify.Mail) ([]notify.Receipt, error) {
	p.sent, p.keys = append(p.sent, mails), append(p.keys, key)
	if n := len(p.sent); n <= len(p.answers) {
		return p.answers[n-1](mails)
	}
	return all(notify.Receipt{Outcome: notify.Accepted})(mails)
}

// all returns an answer that gives every mail the same receipt.
func all(r notify.Receipt) func([]notify.Mail) ([]notify.Receipt, error) {
	return func(mails []notify.Mail) ([]notify.Receipt, error) {
		rs := make([]notify.Receipt, len(mails))
		for i := range rs {
			rs[i] = r
		}
		return rs, nil
	}
}

func loseResponse([]notify.Mail) ([]notify.Receipt, error) { return nil, errors.New("no answer") }

// newScriptedFixture returns a fixture with 25 members whose provider gives the configured
// answers.
func newScriptedFixture(answers ...func([]notify.Mail) ([]notify.Receipt, error)) (*fixture, *scriptedProvider) {
	w := newFixture(false)
	p := &scriptedProvider{answers: answers}
	w.Sender = p
	return w, p
}

func (w *fixture) launch(t *testing.T) broadcast.Broadcast {
	t.Helper()
	b, err := w.Launch(ctx, message("one"), "")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (w *fixture) step(t *testing.T) {
	t.Helper()
	if _, _, err := w.Step(ctx); err != nil {
		t.Fatal(err)
	}
}

// After a stop, no mail is sent. Members who may have received one are Ambiguous: those of a
// request without a response, and those of an interrupted request.
func TestStop(t *testing.T) {
	w, p := newScriptedFixture(all(notify.Receipt{Outcome: notify.Accepted}), loseResponse)
	w.Sender = struct {
		*scriptedProvider
		rememberer
	}{p, rememberer{}}
	b := w.launch(t)
	w.step(t)
	w.step(t)
	if _, err := w.Stop(ctx, b.ID, "the wrong picture"); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(time.Hour)
	w.run(t)
	want := map[broadcast.State]int{broadcast.Accepted: 10, broadcast.Ambiguous: 10, broadcast.Pending: 5}
	if diff := cmp.Diff(want, w.states(t, "one")); diff != "" || len(p.sent) != 2 {
		t.Errorf("%d requests; the states (-want +got):\n%s", len(p.sent), diff)
	}
	if b, err := w.Get(ctx, b.ID); err != nil || b.Phase != broadcast.Stopped ||
		b.Reason != "the wrong picture" || b.EndedAt.IsZero() {
		t.Errorf("%+v, %v", b, err)
	}
	if _, err := w.Resume(ctx, b.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("resumed: %v", err)
	}
}

// Members who may have received a mail stay Ambiguous even if a retry is answered with RetryLater.
// Once the provider has forgotten the key, they get no second mail.
func TestStep_AmbiguousAfterRetryLater(t *testing.T) {
	w, p := newScriptedFixture(loseResponse,
		all(notify.Receipt{Outcome: notify.RetryLater, Account: true, Reason: "key rejected"}))
	w.Sender = struct {
		*scriptedProvider
		rememberer
	}{p, rememberer{}}
	b := w.launch(t)
	w.step(t)
	first := p.sent[0]
	w.now = w.now.Add(time.Minute)
	w.step(t)
	if diff := cmp.Diff(first, p.sent[1]); diff != "" {
		t.Errorf("the second attempt (-first +second):\n%s", diff)
	}
	w.now = w.now.Add(25 * time.Hour)
	if _, err := w.Resume(ctx, b.ID); err != nil {
		t.Fatal(err)
	}
	w.run(t)
	if diff := cmp.Diff(map[broadcast.State]int{broadcast.Accepted: 15, broadcast.Ambiguous: 10},
		w.states(t, "one")); diff != "" || len(p.sent) != 4 {
		t.Errorf("%d requests; the states (-want +got):\n%s", len(p.sent), diff)
	}
}

// An abandoned launch leaves no address in the database.
func TestLaunch_Abandoned(t *testing.T) {
	w, p := newScriptedFixture()
	w.fail = func(op memkv.Op) error {
		if op.Command.Kind == "seal" {
			return errCut
		}
		return nil
	}
	if _, err := w.Launch(ctx, message("one"), ""); !errors.Is(err, errCut) {
		t.Fatalf("launched: %v", err)
	}
	w.fail = nil
	w.now = w.now.Add(broadcast.MaxAge)
	w.step(t)
	w.now = w.now.Add(31 * 24 * time.Hour)
	if err := w.Forget(ctx, 10); err != nil {
		t.Fatal(err)
	}
	n := 0
	for m, err := range w.Members(ctx, broadcast.ID("one")) {
		if n++; err != nil || m.Email != "" {
			t.Errorf("%+v, %v", m, err)
		}
	}
	if n != 25 || len(p.sent) != 0 {
		t.Errorf("%d members, %d requests", n, len(p.sent))
	}
}

type rememberer struct{}

func (rememberer) Remembers() time.Duration { return 24 * time.Hour }

// A stop waits for the response to a running request.
func TestStop_DuringRequest(t *testing.T) {
	var w *fixture
	var id string
	stopping := func(mails []notify.Mail) ([]notify.Receipt, error) {
		if _, err := w.Stop(ctx, id, "enough"); err != nil {
			return nil, err
		}
		return all(notify.Receipt{Outcome: notify.Accepted})(mails)
	}
	w, p := newScriptedFixture(stopping)
	id = w.launch(t).ID
	w.run(t)
	if diff := cmp.Diff(map[broadcast.State]int{broadcast.Accepted: 10, broadcast.Pending: 15},
		w.states(t, "one")); diff != "" || len(p.sent) != 1 {
		t.Errorf("%d requests; the states (-want +got):\n%s", len(p.sent), diff)
	}
}

// Members of a request that was running at the stop and never completes become Ambiguous after
// the lease.
func TestStop_InterruptedRequest(t *testing.T) {
	w, _ := newScriptedFixture()
	b := w.launch(t)
	w.fail = func(op memkv.Op) error {
		if op.Command.Kind == "tell" && !op.After {
			return errCut
		}
		return nil
	}
	if _, _, err := w.Step(ctx); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	w.fail = nil
	if _, err := w.Stop(ctx, b.ID, "enough"); err != nil {
		t.Fatal(err)
	}
	w.step(t)
	if diff := cmp.Diff(map[broadcast.State]int{broadcast.Pending: 25}, w.states(t, "one")); diff != "" {
		t.Errorf("during the lease (-want +got):\n%s", diff)
	}
	w.now = w.now.Add(10 * time.Minute)
	w.step(t)
	if diff := cmp.Diff(map[broadcast.State]int{broadcast.Pending: 15, broadcast.Ambiguous: 10},
		w.states(t, "one")); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
}

// A retry that was due later is not sent after a stop, and no member is Ambiguous.
func TestStop_BeforeRetry(t *testing.T) {
	var w *fixture
	var id string
	w, p := newScriptedFixture(func(mails []notify.Mail) ([]notify.Receipt, error) {
		if _, err := w.Stop(ctx, id, "enough"); err != nil {
			return nil, err
		}
		return all(notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Minute})(mails)
	})
	id = w.launch(t).ID
	w.step(t)
	w.now = w.now.Add(time.Hour)
	if w.run(t); len(p.sent) != 1 {
		t.Errorf("%d requests", len(p.sent))
	}
	if diff := cmp.Diff(map[broadcast.State]int{broadcast.Pending: 25}, w.states(t, "one")); diff != "" {
		t.Errorf("the states (-want +got):\n%s", diff)
	}
	if _, more, err := w.Step(ctx); more || err != nil {
		t.Errorf("still sending: %t, %v", more, err)
	}
}

// Only mails with RetryLater are retried, when they are due; an account problem pauses the
// broadcast.
func TestStep_RetryLaterAndAccountProblem(t *testing.T) {
	w, p := newScriptedFixture(
		func(mails []notify.Mail) ([]notify.Receipt, error) {
			rs, _ := all(notify.Receipt{Outcome: notify.Accepted})(mails)
			rs[3] = notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour, Reason: "busy"}
			return rs, nil
		},
		all(notify.Receipt{Outcome: notify.RetryLater, Account: true, RetryAfter: time.Minute,
			Reason: "the key of " + "p1@example.org is bad"}),
	)
	b := w.launch(t)
	w.step(t)
	w.step(t)
	if b, err := w.Get(ctx, b.ID); err != nil || b.Phase != broadcast.Paused || !strings.Contains(b.Reason, "is bad") {
		t.Errorf("%+v, %v", b, err)
	}
	w.now = w.now.Add(10 * time.Minute)
	if w.step(t); len(p.sent) != 2 {
		t.Errorf("%d requests while it is paused", len(p.sent))
	}
	if _, err := w.Resume(ctx, b.ID); err != nil {
		t.Fatal(err)
	}
	w.step(t)
	w.step(t)
	if w.step(t); len(p.sent) != 4 {
		t.Errorf("%d requests within the hour", len(p.sent))
	}
	w.run(t)
	if diff := cmp.Diff(map[broadcast.State]int{broadcast.Accepted: 25}, w.states(t, "one")); diff != "" ||
		len(p.sent) != 5 || len(p.sent[4]) != 1 {
		t.Errorf("%d requests; the states (-want +got):\n%s", len(p.sent), diff)
	}
}

// suppressedSet is a Suppressor for a set of addresses.
type suppressedSet map[string]bool

func (suppressedSet) Address(email string) string {
	return "name of " + strings.TrimSuffix(email, "@example.org")
}

func (q suppressedSet) Suppressed(_ context.Context, m notify.Mail) (string, error) {
	if q[m.To] {
		return "asked", nil
	}
	return "", nil
}

// Suppressed members get no mail. Thirty days after the end, the addresses are deleted. The states
// are kept with the hashed addresses, and events can still be assigned to their members.
func TestForget(t *testing.T) {
	w, _ := newScriptedFixture()
	w.Suppressor = suppressedSet{"p3@example.org": true}
	b := w.launch(t)
	w.run(t)
	states := map[broadcast.State]int{broadcast.Accepted: 24, broadcast.Suppressed: 1}
	if diff := cmp.Diff(states, w.states(t, "one")); diff != "" {
		t.Errorf("the states (-want +got):\n%s", diff)
	}
	addresses := func() (n int) {
		for m, err := range w.Members(ctx, b.ID) {
			if err != nil || m.Recipient == "" {
				t.Fatalf("%+v, %v", m, err)
			}
			if m.Email != "" || m.Unsubscribe != "" {
				n++
			}
		}
		return n
	}
	ends, err := w.Get(ctx, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{30*24*time.Hour - time.Second, 25}, {30*24*time.Hour + time.Second, 0}} {
		w.now = ends.EndedAt.Add(step.after)
		if err := w.Forget(ctx, 10); err != nil {
			t.Fatal(err)
		}
		if n := addresses(); n != step.want {
			t.Errorf("after %s: %d addresses", step.after, n)
		}
	}
	if diff := cmp.Diff(states, w.states(t, "one")); diff != "" {
		t.Errorf("the states (-want +got):\n%s", diff)
	}
	noted, ok, err := w.Note(ctx,
		notify.Event{ID: "e", Key: "b_" + b.ID + "_0_0", Kind: notify.Returned, At: w.now, Reason: "p0@example.org is full"})
	for m, err := range w.Members(ctx, b.ID) {
		if err != nil || m.Reason != "" && m.State == broadcast.Bounced {
			t.Errorf("%+v, %v", m, err)
		}
	}
	if want := (notify.Noted{Recipient: "name of p0", Stream: notify.Updates, Campaign: "film"}); err != nil ||
		!ok || noted != want {
		t.Errorf("%+v, %t, %v", noted, ok, err)
	}
}

// Events are applied by their timestamps, regardless of the order of arrival, and no stored reason
// contains an address.
func TestNote_EventOrder(t *testing.T) {
	w, _ := newScriptedFixture()
	b := w.launch(t)
	w.run(t)
	event := func(id string, k notify.EventKind, after time.Duration) {
		t.Helper()
		e := notify.Event{ID: id, Key: "b_" + b.ID + "_0_0", Kind: k, At: w.now.Add(after), Reason: "p0@example.org is full"}
		if _, ok, err := w.Note(ctx, e); err != nil || !ok {
			t.Fatalf("%t, %v", ok, err)
		}
	}
	first := func() broadcast.Member {
		for m, err := range w.Members(ctx, b.ID) {
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		return broadcast.Member{}
	}
	event("2", notify.Returned, 2*time.Second)
	event("1", notify.Taken, time.Second)
	if m := first(); m.State != broadcast.Bounced || m.Reason != "the recipient is full" {
		t.Errorf("returned: %+v", m)
	}
	event("4", notify.Delayed, 4*time.Second)
	if m := first(); m.State != broadcast.Bounced {
		t.Errorf("delayed: %+v", m)
	}
	event("3", notify.Delivered, 5*time.Second)
	if m := first(); m.State != broadcast.Accepted || m.Reason != "" {
		t.Errorf("delivered: %+v", m)
	}
	event("5", notify.Complained, 0)
	event("6", notify.Delivered, 6*time.Second)
	if m := first(); m.State != broadcast.Complained {
		t.Errorf("complained: %+v", m)
	}
	for _, key := range []string{"", "b_" + b.ID + "_9_0", "b_" + b.ID + "_0_99", "b_none_0_0",
		"b_" + b.ID + "_00_0", "b", "b_" + b.ID, "b_" + b.ID + "_0_-1"} {
		if _, ok, err := w.Note(ctx, notify.Event{ID: "x" + key, Key: key, Kind: notify.Bounced, At: w.now}); ok ||
			err != nil {
			t.Errorf("%q: %t, %v", key, ok, err)
		}
	}
}

func TestLaunch_Languages(t *testing.T) {
	for field, change := range map[string]func(*broadcast.Message){
		"kind":     func(m *broadcast.Message) { m.Kind = notify.Charged },
		"identity": func(m *broadcast.Message) { m.Campaign = "" },
		"lang":     func(m *broadcast.Message) { m.Lang = "es" },
		"subject":  func(m *broadcast.Message) { m.Letters["en"] = broadcast.Letter{Subject: "a\u202eb", Text: "x\n"} },
		"text":     func(m *broadcast.Message) { m.Letters["en"] = broadcast.Letter{Subject: "a"} },
	} {
		w, p := newScriptedFixture()
		m := message("one")
		change(&m)
		if _, err := w.Launch(ctx, m, ""); fault.Of(err) == nil || fault.Of(err).Field != field {
			t.Errorf("%s: %v", field, err)
		}
		if w.run(t); len(p.sent) != 0 {
			t.Errorf("%s: %d requests", field, len(p.sent))
		}
	}
}

// Unsubscribe links are correct in both parts, regardless of the characters they contain.
func TestStep_UnsubscribeLinks(t *testing.T) {
	w, p := newScriptedFixture()
	w.Unsubscribe = func(campaign, email string) (string, error) {
		return "https://example.org/unsubscribe?c=" + campaign + "&lang=es&t=" + email, nil
	}
	m := message("one")
	m.Letters["en"] = broadcast.Letter{Subject: "News", Text: "Stop: {unsubscribe}\n",
		HTML: `<a href="{unsubscribe}">Stop</a>`}
	if _, err := w.Launch(ctx, m, ""); err != nil {
		t.Fatal(err)
	}
	w.run(t)
	for _, mail := range p.sent[0] {
		fragment := "#t=" + url.QueryEscape(mail.To)
		text, html := "Stop: https://example.org/unsubscribe?c=film&lang=es"+fragment+"\n",
			`<a href="https://example.org/unsubscribe?c=film&amp;lang=es`+fragment+`">Stop</a>`
		if mail.Unsubscribe != "https://example.org/unsubscribe?c=film&lang=es&t="+mail.To ||
			mail.Text != text || mail.HTML != html {
			t.Errorf("%+v", mail)
		}
	}
}

func FuzzMailKey(f *testing.F) {
	w, _ := newScriptedFixture()
	b, err := w.Launch(ctx, message("one"), "")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("b_" + b.ID + "_0_0")
	f.Add("b_" + b.ID + "_-1_0")
	f.Add("b__0_0")
	f.Fuzz(func(t *testing.T, key string) {
		if _, ok, err := w.Note(ctx, notify.Event{ID: key, Key: key, Kind: notify.Delivered, At: w.now}); err == nil &&
			ok && !strings.HasPrefix(key, "b_"+b.ID+"_") {
			t.Errorf("%q was accepted", key)
		}
	})
}
