package compose_test

import (
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

// seat is one server among several.
func seat(t *testing.T, db *memkv.DB, place, life string) *compose.Lead {
	t.Helper()
	return compose.NewLead(db.Coordinator(), place, life)
}

func beats(t *testing.T, l *compose.Lead, want bool) {
	t.Helper()
	if got, err := l.Beat(t.Context()); err != nil || got != want {
		t.Helper()
		t.Errorf("leads: %t, %v, want %t", got, err, want)
	}
}

func TestLead(t *testing.T) {
	db := memkv.New(memkv.Options{Now: func() time.Time { return time.Time{} }, Classes: compose.Classes()}) // a clock that stands: nobody looks at it
	a, b, c := seat(t, db, "here", "a1"), seat(t, db, "there", "b1"), seat(t, db, "", "c1")
	for range 10 { // as long as it beats, nobody takes it over
		beats(t, a, true)
		beats(t, b, false)
		beats(t, c, false)
	}

	a2 := seat(t, db, "here", "a2") // the first one was killed and started again
	beats(t, a2, true)
	beats(t, a, false) // and its last words come late
	if got := a2.Ended(); !slices.Equal(got, []string{"a1"}) {
		t.Errorf("ended are %v", got)
	}

	beats(t, b, false) // sees the new one for the first time
	for range 3 {
		beats(t, b, false)
	}
	beats(t, b, true) // silence
	beats(t, a2, false)
	if got := b.Ended(); !slices.Equal(got, []string{"a1", "a2"}) {
		t.Errorf("ended are %v", got)
	}

	if err := b.Resign(t.Context()); err != nil { // a server that stops leaves no gap
		t.Fatal(err)
	}
	beats(t, c, true)
	beats(t, b, false)
	if err := a.Resign(t.Context()); err != nil { // not its own
		t.Fatal(err)
	}
	beats(t, c, true)
}

// Who can't reach the others leads as long as they would wait for it, and no longer.
func TestLeadCutOff(t *testing.T) {
	cut := false
	db := memkv.New(memkv.Options{Now: time.Now, Classes: compose.Classes(), Fail: func(memkv.Op) error {
		if cut {
			return fs.ErrClosed
		}
		return nil
	}})
	a := seat(t, db, "", "a1")
	beats(t, a, true)
	cut = true
	led := 0
	for range 10 {
		leads, err := a.Beat(t.Context())
		if err == nil {
			t.Error("no error is told")
		}
		if leads {
			led++
		}
	}
	if led != 2 {
		t.Errorf("it led for %d beats", led)
	}
}

// A host without a life is alone.
func TestLeadAlone(t *testing.T) {
	l := seat(t, nil, "", "")
	beats(t, l, true)
	if err := l.Resign(t.Context()); err != nil {
		t.Error(err)
	}
}
