package state

import (
	"strings"
	"testing"
)

func TestParseAttemptKey(t *testing.T) {
	hash := HashOf("film", "ana")
	for key, want := range map[string]int{ // the generation, 0 for an invalid key
		AttemptKey("film", hash, 1):                  1,
		AttemptKey("film", hash, 12):                 12,
		AttemptKey("album", hash, 1):                 0,
		AttemptKey("film", hash, 0):                  0,
		AttemptKey("film", hash, -1):                 0,
		AttemptKey("film", "short", 1):               0,
		"settle:film:" + hash:                        0,
		"settle:film:" + hash + ":x":                 0,
		"":                                           0,
		strings.ToUpper(AttemptKey("film", hash, 1)): 0,
	} {
		got, generation, ok := ParseAttemptKey(key, "film")
		if ok != (want > 0) || ok && (got != hash || generation != want) {
			t.Errorf("%q: %q, %d, %t", key, got, generation, ok)
		}
	}
}

func TestGroup_Done(t *testing.T) {
	for _, tt := range []struct {
		status GroupStatus
		booked bool
		want   bool
	}{
		{Submitted, false, false}, {Submitted, true, false}, {NeedsAttention, true, false},
		{Succeeded, false, false}, {Succeeded, true, true}, {Failed, false, false}, {Failed, true, true},
	} {
		if got := (&Group{Status: tt.status, Booked: tt.booked}).Done(); got != tt.want {
			t.Errorf("%s, booked %t: %t", tt.status, tt.booked, got)
		}
	}
}

// Only a group whose payment was imported without its pledges, and that needs attention
// because of that, lacks pledges.
func TestGroup_MissesPledges(t *testing.T) {
	imported := Group{Status: NeedsAttention, Reason: AmountDiffers, Generation: 1, Orders: []Part{{ID: "a"}}}
	two := ListedPayment{Generation: 1, Pledges: 2}
	for name, tt := range map[string]struct {
		g    Group
		p    ListedPayment
		want bool
	}{
		"one of two":         {imported, two, true},
		"one of one":         {imported, ListedPayment{Generation: 1, Pledges: 1}, false},
		"another generation": {imported, ListedPayment{Generation: 2, Pledges: 2}, false},
		"another reason":     {imported.with(func(g *Group) { g.Reason = NoAnswer }), two, false},
		"no attention":       {imported.with(func(g *Group) { g.Status = Submitted }), two, false},
	} {
		if got := tt.g.MissesPledges(tt.p); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
