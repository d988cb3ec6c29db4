package broadcast_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// fixedAudience is an Audience with the same supporters for every campaign.
type fixedAudience []broadcast.Supporter

func (p fixedAudience) Supporters(context.Context, string) iter.Seq2[broadcast.Supporter, error] {
	return func(yield func(broadcast.Supporter, error) bool) {
		for _, one := range p {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// A supporter with several pledges gets one mail, in the language of the latest, and later
// supporters get theirs.
func TestStep_OneMailPerSupporter(t *testing.T) {
	w, p := newScriptedFixture()
	w.Audience = fixedAudience{{Email: "p0@example.org", Lang: "en"}, {Email: "p0@example.org", Lang: "es"},
		{Email: "p1@example.org", Lang: "en"}, {Email: "p0@example.org", Lang: "en"},
		{Email: "p1@example.org", Lang: "es"}, {Email: "p2@example.org", Lang: "en"}}
	m := message("one")
	m.Letters["es"] = broadcast.Letter{Subject: "Novedades", Text: "Hola\n"}
	if _, err := w.Launch(ctx, m, ""); err != nil {
		t.Fatal(err)
	}
	w.run(t)
	var got []string
	for _, mail := range p.sent[0] {
		got = append(got, mail.To+" "+mail.Subject)
	}
	if diff := cmp.Diff([]string{"p0@example.org News", "p1@example.org Novedades", "p2@example.org News"},
		got); diff != "" || len(p.sent) != 1 {
		t.Errorf("%d requests; the first (-want +got):\n%s", len(p.sent), diff)
	}
}

// Broadcasts that were launched or attempted by a server whose clock was weeks ahead are not
// delayed.
func TestStep_WrittenInTheFuture(t *testing.T) {
	for name, tried := range map[string]bool{"launched": false, "tried": true} {
		t.Run(name, func(t *testing.T) {
			w, p := newScriptedFixture()
			right := w.now
			w.now = right.Add(28 * 24 * time.Hour)
			w.launch(t)
			if tried {
				p.answers = append(p.answers, func(mails []notify.Mail) ([]notify.Receipt, error) {
					return slices.Repeat([]notify.Receipt{{Outcome: notify.RetryLater}}, len(mails)), nil
				})
				w.step(t)
			}
			w.now = right.Add(time.Hour)
			asked := len(p.sent)
			w.step(t)
			if len(p.sent) != asked+1 {
				t.Errorf("%d requests with the wrong clock, %d after", asked, len(p.sent)-asked)
			}
		})
	}
}

// A broadcast that waits or is paused does not delay others, and Step returns the shortest wait.
func TestStep_WaitingBroadcastDoesNotDelayOthers(t *testing.T) {
	names := []string{"one", "two", "three", "four"}
	for first := range 2 * len(names) { // in each rotation of their turns
		name := func(i int) string { return names[(first/2+i)%len(names)] }
		t.Run(name(0), func(t *testing.T) {
			waits := []time.Duration{30 * time.Minute, time.Hour}
			w, p := newScriptedFixture(all(notify.Receipt{Outcome: notify.RetryLater, RetryAfter: waits[first%2]}),
				all(notify.Receipt{Outcome: notify.RetryLater, RetryAfter: waits[1-first%2]}))
			w.Audience = audienceSize(1)
			for i := range 2 {
				launch(t, w, name(i))
				w.step(t)
			}
			if _, err := w.Pause(ctx, launch(t, w, name(2)).ID, "a typo"); err != nil {
				t.Fatal(err)
			}
			if wait, more, err := w.Step(ctx); wait != 30*time.Minute || !more || err != nil {
				t.Errorf("continues in %s, %t, %v", wait, more, err)
			}
			launch(t, w, name(3))
			w.step(t)
			if s := w.states(t, name(3)); s[broadcast.Accepted] != 1 || len(p.sent) != 3 {
				t.Errorf("%v after %d requests", s, len(p.sent))
			}
		})
	}
}

// All broadcasts are sent even if there are more than fit on a page, and a step lists only active
// ones.
func TestStep_MoreBroadcastsThanAPage(t *testing.T) {
	w := newFixture(true)
	w.Audience = audienceSize(1)
	const n = 101
	for i := range n {
		launch(t, w, fmt.Sprint("diary:", i))
	}
	var asked []string
	w.fail = func(op memkv.Op) error {
		if asked = append(asked, op.Command.Kind); strings.Count(strings.Join(asked, " "), "active") > 2 {
			return errors.New("more than two pages")
		}
		return nil
	}
	for more := true; more; {
		var err error
		if _, more, err = w.Step(ctx); err != nil {
			t.Fatal(err)
		}
		if more {
			asked = nil
		}
	}
	if w.p.got["p0@example.org"] != n {
		t.Errorf("%d of %d sent", w.p.got["p0@example.org"], n)
	}
	asked = nil
	w.step(t)
	if diff := cmp.Diff([]string{"active"}, asked); diff != "" {
		t.Errorf("commands when all are done (-want +got):\n%s", diff)
	}
}

// After an invalid response, the members are Ambiguous or, if the provider reported a reused key,
// Refused. Without idempotency keys their mails are not sent again.
func TestStep_InvalidAnswers(t *testing.T) {
	took := all(notify.Receipt{Outcome: notify.Accepted})
	for name, tt := range map[string]struct {
		answer func([]notify.Mail) ([]notify.Receipt, error)
		want   broadcast.State
	}{
		"receipts with an error": {func(mails []notify.Mail) ([]notify.Receipt, error) {
			rs, _ := took(mails)
			return rs, errCut
		}, broadcast.Ambiguous},
		"no receipts": {func([]notify.Mail) ([]notify.Receipt, error) { return nil, nil }, broadcast.Ambiguous},
		"too few receipts": {func(mails []notify.Mail) ([]notify.Receipt, error) { return took(mails[1:]) },
			broadcast.Ambiguous},
		"unknown outcome": {all(notify.Receipt{Outcome: "perhaps"}), broadcast.Ambiguous},
		"key reused":      {all(notify.Receipt{Outcome: notify.KeyReused}), broadcast.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := newScriptedFixture(tt.answer)
			w.launch(t)
			w.step(t)
			if diff := cmp.Diff(map[broadcast.State]int{tt.want: 10, broadcast.Pending: 15}, w.states(t, "one")); diff != "" {
				t.Errorf("immediately (-want +got):\n%s", diff)
			}
			w.run(t)
			if diff := cmp.Diff(map[broadcast.State]int{tt.want: 10, broadcast.Accepted: 15}, w.states(t, "one")); diff != "" ||
				len(p.sent) != 3 {
				t.Errorf("after %d requests (-want +got):\n%s", len(p.sent), diff)
			}
		})
	}
}

// smallBatchProvider is a provider with a smaller batch size.
type smallBatchProvider struct{ *scriptedProvider }

func (smallBatchProvider) MaxBatch() int { return 3 }

// A provider with a smaller batch size, or without batches, continues a broadcast that was
// launched with another one: each member gets one mail.
func TestStep_ProviderChanged(t *testing.T) {
	for name, tt := range map[string]struct {
		sender func(*scriptedProvider) notify.Sender
		most   int
	}{
		"smaller batches": {func(p *scriptedProvider) notify.Sender { return smallBatchProvider{p} }, 3},
		"single mails":    {func(p *scriptedProvider) notify.Sender { return singleMailProvider{p} }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := newScriptedFixture()
			w.launch(t)
			w.Sender = tt.sender(p)
			w.run(t)
			got := map[string]bool{}
			for _, request := range p.sent {
				for _, m := range request {
					if got[m.To] || len(request) > tt.most {
						t.Errorf("%s in a batch with %d others, already sent: %t", m.To, len(request)-1, got[m.To])
					}
					got[m.To] = true
				}
			}
			if len(got) != 25 {
				t.Errorf("%d recipients", len(got))
			}
		})
	}
}

// A stop closes all units, also those after one without unknown results.
func TestStop_ClosesAllUnits(t *testing.T) {
	w, p := newScriptedFixture(all(notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour}), loseResponse)
	w.Sender = struct {
		*scriptedProvider
		rememberer
	}{p, rememberer{}}
	b := w.launch(t)
	w.step(t)
	w.step(t)
	if _, err := w.Stop(ctx, b.ID, "enough"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[broadcast.State]int{broadcast.Ambiguous: 10, broadcast.Pending: 15},
		w.states(t, "one")); diff != "" {
		t.Errorf("the states (-want +got):\n%s", diff)
	}
}

// Pausing or stopping twice changes nothing, and a broadcast that was never launched can be
// neither paused nor stopped.
func TestPauseAndStop_Repeated(t *testing.T) {
	w, _ := newScriptedFixture()
	b := w.launch(t)
	for _, turn := range []func(context.Context, string, string) (broadcast.Broadcast, error){w.Pause, w.Stop} {
		before, err := turn(ctx, b.ID, "a typo")
		if err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(time.Minute)
		again, err := turn(ctx, b.ID, "another")
		if diff := cmp.Diff(before, again); diff != "" || err != nil {
			t.Errorf("%s again: %v (-before +after):\n%s", before.Phase, err, diff)
		}
	}
	before := w.db.Snapshot()
	id := broadcast.ID("another")
	_, paused := w.Pause(ctx, id, "a typo")
	_, resumed := w.Resume(ctx, id)
	_, stopped := w.Stop(ctx, id, "a typo")
	for _, err := range []error{paused, resumed, stopped} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("unknown broadcast: %v", err)
		}
	}
	if diff := cmp.Diff(before, w.db.Snapshot()); diff != "" {
		t.Errorf("the database (-before +after):\n%s", diff)
	}
}

func TestLaunch_LetterLengths(t *testing.T) {
	for name, tt := range map[string]struct {
		text, html int
		fits       bool
	}{
		"longest text and HTML": {32 << 10, 100 << 10, true},
		"a longer text":         {32<<10 + 1, 100, false},
		"a longer HTML":         {100, 100<<10 + 1, false},
		"both too long":         {32<<10 + 1, 100<<10 + 1, false},
	} {
		w, _ := newScriptedFixture()
		m := message("one")
		m.Letters["en"] = broadcast.Letter{Subject: "News", Text: strings.Repeat("x", tt.text-1) + "\n",
			HTML: strings.Repeat("x", tt.html)}
		_, err := w.Launch(ctx, m, "")
		if f := fault.Of(err); tt.fits && err != nil || !tt.fits && (!fault.Is(err, fault.Invalid) || f.Field != "text") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
