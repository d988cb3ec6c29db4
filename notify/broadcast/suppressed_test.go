package broadcast_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

// gets reports whether a mail of a request goes to somebody.
func gets(request []notify.Mail, to string) bool {
	return slices.ContainsFunc(request, func(m notify.Mail) bool { return m.To == to })
}

// Somebody unsubscribes at every moment of a broadcast, which is cut off at every other: no
// mail leaves for them once their unsubscribing is answered, unless the request with it was
// under way by then. Everybody else gets theirs.
func TestUnsubscribedAtEveryMoment(t *testing.T) {
	const who = "p3@example.org"
	for _, remembers := range []bool{true, false} {
		for at, ended := 1, false; !ended; at++ {
			for cut, crashed := 0, true; crashed; cut++ {
				w := newWorld(!remembers)
				w.Audience = people(10)
				silenced := quiet{}
				w.Suppressor = silenced
				op, noted, underway := 0, false, false
				crashed = cut == 0
				w.fail = func(o memkv.Op) error {
					op++
					noted = noted || o.Command.Kind == "attempt" // its members are decided
					if op == at {
						silenced[who], underway = true, noted
					}
					if op == cut {
						crashed = true
						if o.Command.Kind == "attempt" && !o.After {
							noted = silenced[who] && underway // it never happened
						}
						return errCut
					}
					return nil
				}
				if _, err := w.Launch(ctx, message("diary:1"), ""); err != nil {
					launch(t, w, "diary:1")
				}
				w.run(t)
				w.fail = nil
				states := w.states(t, "diary:1")
				if silenced[who] && !underway && (w.p.got[who] != 0 || states[broadcast.Suppressed] != 1) {
					t.Fatalf("remembers %t, unsubscribed at %d, cut at %d: %v, they got %d", remembers, at, cut, states, w.p.got[who])
				}
				delete(w.p.got, who)
				if len(w.p.got) != 9 && states[broadcast.Ambiguous] < 9 || remembers && len(w.p.got) != 9 {
					t.Fatalf("remembers %t, unsubscribed at %d, cut at %d: %v, %d others got it", remembers, at, cut, states, len(w.p.got))
				}
				ended = ended || cut == 0 && !silenced[who] // it was over before
			}
		}
	}
}

// Who unsubscribes while a request waits that the provider has refused for the time being,
// or while the broadcast is paused, gets none: the rest of it is another request.
func TestUnsubscribedBeforeALaterAttempt(t *testing.T) {
	busy := all(notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour})
	w, p := telling(busy, busy, all(notify.Receipt{Outcome: notify.RetryLater, Account: true, Reason: "unpaid"}))
	w.Audience = people(10)
	silenced := quiet{"p1@example.org": true}
	w.Suppressor = silenced
	b := w.launch(t)
	for _, who := range []string{"p2", "p3", ""} {
		w.step(t)
		silenced[who+"@example.org"] = true
		w.now = w.now.Add(2 * time.Hour)
	}
	if _, err := w.Resume(ctx, b.ID); err != nil {
		t.Fatal(err)
	}
	w.run(t)
	var sizes []int
	for _, request := range p.sent {
		sizes = append(sizes, len(request))
	}
	if diff := cmp.Diff([]int{9, 8, 7, 7}, sizes); diff != "" || gets(p.sent[2], "p3@example.org") || gets(p.sent[1], "p2@example.org") {
		t.Errorf("the mails of each request (-want +got):\n%s", diff)
	}
	if p.keys[0] == p.keys[1] || p.keys[1] == p.keys[2] || p.keys[2] != p.keys[3] {
		t.Errorf("the keys are %s", strings.Join(p.keys, ", "))
	}
	want := map[broadcast.State]int{broadcast.Accepted: 7, broadcast.Suppressed: 3}
	if diff := cmp.Diff(want, w.states(t, "one")); diff != "" {
		t.Errorf("the states (-want +got):\n%s", diff)
	}
}

// A request that the provider may have taken goes out again as it was, for the sake of the
// others in it; where nobody in it wants it any more, it doesn't.
func TestUnsubscribedWhileTheAnswerIsMissing(t *testing.T) {
	for _, tt := range []struct {
		gone []string
		want map[broadcast.State]int
		sent int
	}{
		{[]string{"p0"}, map[broadcast.State]int{broadcast.Accepted: 2}, 2},
		{[]string{"p0", "p1"}, map[broadcast.State]int{broadcast.Ambiguous: 2}, 1},
	} {
		w, p := telling(lost)
		w.Sender = struct {
			*told
			memory
		}{p, memory{}}
		w.Audience = people(2)
		silenced := quiet{}
		w.Suppressor = silenced
		w.launch(t)
		w.step(t)
		for _, who := range tt.gone {
			silenced[who+"@example.org"] = true
		}
		w.now = w.now.Add(time.Minute)
		w.run(t)
		if diff := cmp.Diff(tt.want, w.states(t, "one")); diff != "" || len(p.sent) != tt.sent {
			t.Errorf("without %s: %d requests; the states (-want +got):\n%s", tt.gone, len(p.sent), diff)
		}
		if tt.sent == 2 && (p.keys[0] != p.keys[1] || !cmp.Equal(p.sent[0], p.sent[1])) {
			t.Errorf("without %s the repeat is another request", tt.gone)
		}
	}
}
