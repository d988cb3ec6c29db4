package httpapi_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// mailsOf counts the mails of a kind by recipient and subject.
func (e *edge) mailsOf(kind notify.Kind) map[string]int {
	e.t.Helper()
	out := map[string]int{}
	for _, m := range sure(e.Mails(e.t.Context()))(e.t) {
		if m.Kind == kind {
			out[m.To+" "+m.Subject]++
		}
	}
	return out
}

// Two servers on one database check a campaign's milestones repeatedly and concurrently while both
// drain the outbox. Every supporter gets each mail exactly once.
//
// Proves EML-21.
func TestMilestones_OverlappingServers(t *testing.T) {
	e := newEdge(t, memory.Options{})
	first := e.Services
	if err := e.Restart(); err != nil {
		t.Fatal(err)
	}
	servers := []*compose.Services{first, e.Services}
	overlap := func() {
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				s := servers[i%2]
				// the other server is starting it
				if _, err := s.SendMilestone(t.Context(), game); err != nil && !fault.Is(err, fault.Conflict) {
					t.Errorf("check %d: %v", i, err)
				}
				if err := s.Minute(t.Context()); err != nil {
					t.Errorf("sending %d: %v", i, err)
				}
			})
		}
		all.Wait()
	}
	for i, dollars := range []int{350, 300, 300} {
		e.pledge(fmt.Sprintf("s%d@example.org", i), backed(dollars), sim.CardOK)
		overlap()
		e.Advance(time.Hour)
	}
	for range 3 {
		e.Advance(40 * time.Hour)
		overlap()
	}
	mails := e.mailsOf(notify.Milestone)
	if len(mails) < 1+2+3 {
		t.Errorf("%d mails, want one per supporter and milestone: %v", len(mails), mails)
	}
	for mail, n := range mails {
		if n != 1 {
			t.Errorf("%s: sent %d times", mail, n)
		}
	}
}
