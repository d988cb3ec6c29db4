package settlement

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// bench is a settlement object with one group, to which each command comes in a
// term of its own, so that no answer is a remembered one.
type bench struct {
	*world
	object client
	group  Group
}

func newBench(t *testing.T) *bench {
	w := newWorld(t)
	b := &bench{world: w, object: client{w.db.Coordinator(), "film"}}
	p := plan{generation: 1, amount: 2500, card: aPledge("a", 2500, "active", "a", 1)}
	g, err := b.object.submit(w.ctx, b.fresh(), p.freeze("film", "ana"))
	w.ok(err)
	b.group = g
	return b
}

func (b *bench) fresh() Term {
	b.t.Helper()
	b.now = b.now.Add(TermLength)
	term, err := b.object.acquire(b.ctx, acquire{Owner: b.now.String()})
	b.ok(err)
	return term
}

// becomes has the group sent, and then learn what became of it.
func (b *bench) becomes(f fact) {
	b.t.Helper()
	g, err := b.object.attempt(b.ctx, b.fresh(), b.group)
	b.ok(err)
	b.group, err = b.object.tell(b.ctx, b.fresh(), g, f)
	b.ok(err)
}

func (b *bench) booked() {
	b.t.Helper()
	g, err := b.object.booked(b.ctx, b.fresh(), b.group)
	b.ok(err)
	b.group = g
}

var (
	won      = fact{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2500, Currency: "usd"}
	refused  = fact{Status: psp.Declined, PaymentID: "pi_1", Code: "card_declined"}
	awaited  = fact{Status: psp.NeedsAction, PaymentID: "pi_1"}
	noAnswer = fact{Status: psp.Unknown}
)

// What the object does with a command depends on the group as it is there, not
// on what its sender believed.
//
// Proves SET-12, SET-13 and SET-14.
func TestCommandsAndStates(t *testing.T) {
	send := func(b *bench) error { _, err := b.object.attempt(b.ctx, b.fresh(), b.group); return err }
	sendAnew := func(b *bench) error {
		_, err := b.object.attempt(b.ctx, b.fresh(), Group{Hash: b.group.Hash, Generation: 1})
		return err
	}
	drop := func(b *bench) error { _, err := b.object.drop(b.ctx, b.fresh(), b.group); return err }
	dropTwice := func(b *bench) error {
		first, err := b.object.drop(b.ctx, b.fresh(), b.group)
		b.ok(err)
		again, err := b.object.drop(b.ctx, b.fresh(), b.group)
		if err == nil && !again.DroppedAt.Equal(*first.DroppedAt) {
			return fmt.Errorf("given up on %s and on %s", first.DroppedAt, again.DroppedAt)
		}
		return err
	}
	alarm := func(b *bench) error { _, err := b.object.alarm(b.ctx, b.fresh(), b.group); return err }
	for _, tt := range []struct {
		name  string
		fact  fact
		told  bool
		later time.Duration
		do    func(*bench) error
		code  fault.Code
		want  Status
	}{
		{"send again what has no answer", noAnswer, false, time.Hour, send, "", Submitted},
		{"send by an old count", noAnswer, false, time.Hour, sendAnew, fault.Conflict, Submitted},
		{"send what has succeeded", won, false, time.Hour, send, fault.Conflict, Succeeded},
		{"send what has failed", refused, false, time.Hour, send, fault.Conflict, Failed},
		{"send what is too old", noAnswer, false, 24 * time.Hour, send, fault.Conflict, Submitted},
		{"alarm for what is young", noAnswer, false, 22 * time.Hour, alarm, "", Submitted},
		{"alarm for what is old", noAnswer, false, 24 * time.Hour, alarm, "", NeedsAttention},
		{"alarm for what has succeeded", won, false, 24 * time.Hour, alarm, "", Succeeded},
		{"alarm for what has failed", refused, true, 24 * time.Hour, alarm, "", Failed},
		{"drop what has failed", refused, true, time.Hour, drop, "", Failed},
		{"drop it twice", refused, true, time.Hour, dropTwice, "", Failed},
		{"drop what nobody was told of", refused, false, time.Hour, drop, fault.Conflict, Failed},
		{"drop what may be approved", awaited, true, time.Hour, drop, fault.Conflict, Failed},
		{"drop what has succeeded", won, true, time.Hour, drop, fault.Conflict, Succeeded},
		{"drop what has no answer", noAnswer, false, time.Hour, drop, fault.Conflict, Submitted},
	} {
		b := newBench(t)
		b.becomes(tt.fact)
		if tt.told {
			b.booked()
		}
		b.now = b.now.Add(tt.later)
		err := tt.do(b)
		if tt.code == "" && err != nil || tt.code != "" && !fault.Is(err, tt.code) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
		}
		rec, err := b.object.get(b.ctx, b.group.Hash)
		b.ok(err)
		if g := rec.Group; g.Status != tt.want || tt.code != "" && (g.Attempts != 1 || g.DroppedAt != nil) {
			t.Errorf("%s: %s, sent %d times, dropped %v", tt.name, g.Status, g.Attempts, g.DroppedAt)
		}
	}
}

// A note that was written again while its supporter was looked at stays.
func TestNoteWrittenAgain(t *testing.T) {
	b := newBench(t)
	open := func() []string {
		page, err := b.object.unfinished(b.ctx, openPrefix+"~", 10)
		b.ok(err)
		return page.Supporters
	}
	for _, nonce := range []string{"one", "two"} {
		b.ok(b.object.want(b.ctx, want{Hash: "h", Supporter: "bob", Nonce: nonce}))
	}
	b.ok(b.object.met(b.ctx, b.fresh(), "h", "one"))
	if got := open(); len(got) != 1 || got[0] != "bob" {
		t.Errorf("open are %v", got)
	}
	for range 2 {
		b.ok(b.object.met(b.ctx, b.fresh(), "h", "two"))
	}
	if got := open(); len(got) != 0 {
		t.Errorf("open are %v", got)
	}
}
