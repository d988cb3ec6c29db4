package httpapi_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// Proves EML-13, EML-19, EML-20: only the highest milestone is sent, and each one once, however
// often and concurrently the route is called.
func TestMilestones(t *testing.T) {
	e := newEdge(t, memory.Options{})
	check := func() string {
		t.Helper()
		names := map[string]bool{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				r := e.from(fmt.Sprintf("198.51.%d.7", places.Add(1)%250), "POST", "/admin/milestone-check/"+game,
					nil, append(e.admin(), "Content-Type", "")...)
				mu.Lock()
				defer mu.Unlock()
				names[decode[compose.Broadcasting](t, r).Milestone] = true
			})
		}
		wg.Wait()
		delete(names, "")
		return strings.Join(slices.Sorted(maps.Keys(names)), " ")
	}
	for i, step := range []struct {
		dollars int
		want    string
		mails   int // in total
	}{{200, "", 0}, {150, "33", 2}, {0, "", 2}, {600, "100", 5}, {100, "", 5}, {700, "stretch:160000", 10}, {50, "", 10}} {
		if step.dollars > 0 {
			e.pledge(fmt.Sprintf("s%d@example.org", i), backed(step.dollars), sim.CardOK)
		}
		if got := check(); got != step.want || len(e.news()) != step.mails {
			t.Errorf("step %d: sent %q, %d mails; want %q, %d:\n%s", i+1, got, len(e.news()), step.want,
				step.mails, strings.Join(e.news(), "\n"))
		}
	}
}
