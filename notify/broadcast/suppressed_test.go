package broadcast_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

// hasRecipient reports whether a request contains a mail to an address.
func hasRecipient(request []notify.Mail, to string) bool {
	return slices.ContainsFunc(request, func(m notify.Mail) bool { return m.To == to })
}

// A member unsubscribes at each point of a broadcast that is also interrupted at each other point.
// Once the unsubscribe is confirmed, no mail is sent to them unless its request was already
// running. All others get the mail.
func TestStep_UnsubscribeAnywhere(t *testing.T) {
	const who = "p3@example.org"
	for _, remembers := range []bool{true, false} {
		for at, ended := 1, false; !ended; at++ {
			for cut, crashed := 0, true; crashed; cut++ {
				w := newFixture(!remembers)
				w.Audience = audienceSize(10)
				silenced := suppressedSet{}
				w.Suppressor = silenced
				op, noted, underway, had := 0, false, false, 0
				crashed = cut == 0
				w.fail = func(o memkv.Op) error {
					op++
					switch o.Command.Kind {
					case "attempt":
						noted = true // the members of the attempt are fixed
					case "next":
						noted = false // the next attempt selects its members again
					}
					if op == at {
						silenced[who], underway, had = true, noted, w.p.got[who]
					}
					if op == cut {
						crashed = true
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
				known := states[broadcast.Suppressed] == 1-had || !remembers && states[broadcast.Ambiguous] > 0
				if silenced[who] && !underway && (w.p.got[who] != had || !known) {
					t.Fatalf("remembers %t, unsubscribed at %d, cut at %d: %v, the member got %d",
						remembers, at, cut, states, w.p.got[who])
				}
				delete(w.p.got, who)
				if len(w.p.got) != 9 && states[broadcast.Ambiguous] < 9 || remembers && len(w.p.got) != 9 {
					t.Fatalf("remembers %t, unsubscribed at %d, cut at %d: %v, %d other recipients",
						remembers, at, cut, states, len(w.p.got))
				}
				ended = ended || cut == 0 && !silenced[who] // the broadcast was already done
			}
		}
	}
}

// A member who unsubscribes while a rejected request waits for its retry, or while the broadcast is
// paused, gets no mail. The rest of the unit is sent as a new request.
func TestStep_UnsubscribeBeforeRetry(t *testing.T) {
	busy := all(notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour})
	w, p := newScriptedFixture(busy, busy,
		all(notify.Receipt{Outcome: notify.RetryLater, Account: true, Reason: "unpaid"}))
	w.Audience = audienceSize(10)
	silenced := suppressedSet{"p1@example.org": true}
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
	if diff := cmp.Diff([]int{9, 8, 7, 7}, sizes); diff != "" || hasRecipient(p.sent[2], "p3@example.org") ||
		hasRecipient(p.sent[1], "p2@example.org") {
		t.Errorf("the mails of each request (-want +got):\n%s", diff)
	}
	// These keys must not change between releases: under other keys, mails whose result an earlier
	// release did not learn would be sent twice.
	key := "b_" + b.ID + "_u_000000-000-010"
	if diff := cmp.Diff([]string{key, key + "-1", key + "-2", key + "-2"}, p.keys); diff != "" {
		t.Errorf("the keys (-want +got):\n%s", diff)
	}
	want := map[broadcast.State]int{broadcast.Accepted: 7, broadcast.Suppressed: 3}
	if diff := cmp.Diff(want, w.states(t, "one")); diff != "" {
		t.Errorf("the states (-want +got):\n%s", diff)
	}
}

// strictProvider is a provider that remembers keys. Its first responses are lost, after or before
// it has accepted the request.
type strictProvider struct {
	rememberer
	troubles []string
	fault    string // an address because of which it refuses a batch
	sent     [][]string
	keys     map[string]string // by key: recipients of the mails it has accepted
	got      map[string]int
}

const taken, gone, busy = "taken", "gone", "busy"

func (p *strictProvider) MaxBatch() int { return 10 }

func (p *strictProvider) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	rs, err := p.SendBatch(ctx, m.Key, []notify.Mail{m})
	if err != nil {
		return notify.Receipt{}, err
	}
	return rs[0], nil
}

func (p *strictProvider) SendBatch(_ context.Context, key string, mails []notify.Mail) ([]notify.Receipt, error) {
	var to []string
	for _, m := range mails {
		name, _, _ := strings.Cut(m.To, "@")
		to = append(to, name)
	}
	p.sent = append(p.sent, to)
	trouble := ""
	if n := len(p.sent); n <= len(p.troubles) {
		trouble = p.troubles[n-1]
	}
	switch trouble {
	case gone:
		return nil, errCut
	case busy:
		return all(notify.Receipt{Outcome: notify.RetryLater})(mails)
	}
	r := notify.Receipt{Outcome: notify.Accepted}
	switch before, known := p.keys[key]; {
	case known && before != strings.Join(to, " "):
		r.Outcome = notify.KeyReused
	case !known && slices.Contains(to, p.fault):
		r.Outcome = notify.Divide
		if len(to) == 1 {
			r.Outcome = notify.Refused
		}
	case !known:
		p.keys[key] = strings.Join(to, " ")
		for _, name := range to {
			p.got[name]++
		}
	}
	if trouble == taken {
		return nil, errCut
	}
	return all(r)(mails)
}

// A member who unsubscribes while the result of a request is unknown is left out of all later
// requests. The others get exactly one mail, unless the provider refuses it. A member who was left
// out becomes Accepted if the provider certainly accepted their mail, Suppressed if it certainly
// did not, and Ambiguous otherwise.
func TestStep_UnsubscribeWhileResultIsUnknown(t *testing.T) {
	const a, s, d, r = broadcast.Accepted, broadcast.Suppressed, broadcast.Ambiguous, broadcast.Refused
	for name, tt := range map[string]struct {
		troubles []string
		gone     []string // one more after each attempt
		fault    string
		states   []broadcast.State
		got      string
		sent     []string
	}{
		"unit accepted": {[]string{taken}, []string{"p0"}, "", []broadcast.State{a, a, a},
			"111", []string{"p0 p1 p2", "p1 p2"}},
		"not accepted": {[]string{gone}, []string{"p0"}, "", []broadcast.State{s, a, a},
			"011", []string{"p0 p1 p2", "p1 p2"}},
		"second attempt accepted": {[]string{gone, taken}, []string{"p0", "p1"}, "", []broadcast.State{d, a, a},
			"011", []string{"p0 p1 p2", "p1 p2", "p2"}},
		"first attempt accepted": {[]string{taken, gone}, []string{"p0", "p1"}, "", []broadcast.State{d, a, a},
			"111", []string{"p0 p1 p2", "p1 p2", "p2"}},
		"no attempt accepted": {[]string{gone, gone}, []string{"p0", "p1"}, "", []broadcast.State{s, s, a},
			"001", []string{"p0 p1 p2", "p1 p2", "p2"}},
		"retried": {[]string{gone, taken}, []string{"p0"}, "", []broadcast.State{s, a, a},
			"011", []string{"p0 p1 p2", "p1 p2", "p1 p2"}},
		"no members left": {[]string{gone, gone, gone}, []string{"p0", "p1", "p2"}, "",
			[]broadcast.State{d, d, d}, "000", []string{"p0 p1 p2", "p1 p2", "p2"}},
		"divided": {[]string{gone}, []string{"p0"}, "p2", []broadcast.State{s, a, r},
			"010", []string{"p0 p1 p2", "p1 p2", "p1", "p2"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(false)
			p := &strictProvider{troubles: tt.troubles, fault: tt.fault, keys: map[string]string{}, got: map[string]int{}}
			silenced := suppressedSet{}
			w.Sender, w.Suppressor, w.Audience = p, silenced, audienceSize(3)
			w.launch(t)
			for _, who := range tt.gone {
				w.step(t)
				silenced[who+"@example.org"] = true
				w.now = w.now.Add(2 * time.Hour)
			}
			w.run(t)
			var states []broadcast.State
			got := ""
			for m, err := range w.Members(ctx, broadcast.ID("one")) {
				if err != nil {
					t.Fatal(err)
				}
				states = append(states, m.State)
				name, _, _ := strings.Cut(m.Email, "@")
				got += strconv.Itoa(p.got[name])
			}
			var sent []string
			for _, to := range p.sent {
				sent = append(sent, strings.Join(to, " "))
			}
			if diff := cmp.Diff(tt.states, states); diff != "" || got != tt.got {
				t.Errorf("mails %s, want %s; states (-want +got):\n%s", got, tt.got, diff)
			}
			if diff := cmp.Diff(tt.sent, sent); diff != "" {
				t.Errorf("the requests (-want +got):\n%s", diff)
			}
		})
	}
}

// If events confirm all remaining members of a unit and the provider asks for a retry, the unit is
// retried, because the state of the members that were left out is still unknown.
func TestNote_MemberLeftOut(t *testing.T) {
	w := newFixture(false)
	p := &strictProvider{troubles: []string{taken, busy}, keys: map[string]string{}, got: map[string]int{}}
	silenced := suppressedSet{}
	w.Sender, w.Suppressor, w.Audience = p, silenced, audienceSize(3)
	b := w.launch(t)
	w.step(t)
	silenced["p0@example.org"] = true
	for _, i := range []string{"1", "2"} {
		if _, ok, err := w.Note(ctx, notify.Event{ID: i, Key: "b_" + b.ID + "_0_" + i, Kind: notify.Delivered}); err != nil ||
			!ok {
			t.Fatalf("%t %v", ok, err)
		}
	}
	w.now = w.now.Add(2 * time.Hour)
	w.run(t)
	if diff := cmp.Diff(map[broadcast.State]int{broadcast.Accepted: 3}, w.states(t, "one")); diff != "" ||
		len(p.sent) != 3 {
		t.Errorf("after %d requests (-want +got):\n%s", len(p.sent), diff)
	}
}

// An attempt that was considered crashed completes after all. It resolves Ambiguous members, except
// one who has complained since.
func TestStep_LateResult(t *testing.T) {
	const a, d, c = broadcast.Accepted, broadcast.Ambiguous, broadcast.Complained
	for name, tt := range map[string]struct {
		answer []notify.Receipt
		want   []broadcast.State
	}{
		"all receipts": {[]notify.Receipt{{Outcome: notify.Accepted}, {Outcome: notify.RetryLater},
			{Outcome: notify.Accepted}}, []broadcast.State{a, d, c}},
		"no receipts": {nil, []broadcast.State{d, d, c}},
		"divide":      {[]notify.Receipt{{Outcome: notify.Divide}}, []broadcast.State{d, d, c}},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := newScriptedFixture()
			w.Audience = audienceSize(3)
			b := w.launch(t)
			p.answers = []func([]notify.Mail) ([]notify.Receipt, error){func([]notify.Mail) ([]notify.Receipt, error) {
				w.now = w.now.Add(time.Hour) // this machine is suspended, and another one continues
				if _, err := w.Stop(ctx, b.ID, "enough"); err != nil {
					t.Error(err)
				}
				if _, ok, err := w.Note(ctx,
					notify.Event{ID: "e", Key: "b_" + b.ID + "_0_2", Kind: notify.Complained, At: w.now}); err != nil || !ok {
					t.Errorf("%t, %v", ok, err)
				}
				if diff := cmp.Diff([]broadcast.State{d, d, c}, w.memberStates(t, "one")); diff != "" {
					t.Errorf("before (-want +got):\n%s", diff)
				}
				return tt.answer, nil
			}}
			w.step(t)
			if diff := cmp.Diff(tt.want, w.memberStates(t, "one")); diff != "" {
				t.Errorf("after (-want +got):\n%s", diff)
			}
		})
	}
}

// memberStates returns the members' states, in order.
func (w *fixture) memberStates(t *testing.T, identity string) (states []broadcast.State) {
	t.Helper()
	for m, err := range w.Members(ctx, broadcast.ID(identity)) {
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, m.State)
	}
	return states
}
