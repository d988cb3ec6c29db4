package fault_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestDidYouMean(t *testing.T) {
	known := []string{"tiers", "title", "slug", "goal_amount", "goal_deadline"}
	for word, want := range map[string]string{
		"teirs": "tiers", "tier": "tiers", "tires": "tiers", "titel": "title", "Goal-Amount": "goal_amount",
		"goal_ammount": "goal_amount",
		"goaldeadline": "goal_deadline", "slgu": "slug", "xtiers": "tiers",
		"mood": "", "lsgu": "", "pledges": "", "": "", "t": "", "goal": "",
	} {
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		if got := fault.DidYouMean(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := fault.DidYouMean("bat", []string{"cat", "hat"}); got != "; did you mean cat?" {
		t.Errorf("two words at equal distance: %q", got)
	}
}
