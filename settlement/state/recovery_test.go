package state

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

func TestRecovery(t *testing.T) {
	policy := campaign.Recovery{GraceDays: 10, RetryDays: []int{2, 5}, Attempts: 4}
	at := func(days int) *time.Time {
		when := noon.Add(time.Duration(days) * day)
		return &when
	}
	failed := Group{Status: Failed, Booked: true, Generation: 1, FirstFailedAt: at(0),
		SettledAt: at(0), ProcessorStatus: psp.Declined}
	soft := failed.with(func(g *Group) { g.MayPass = true })
	tests := []struct {
		name string
		g    Group
		want pledge.Recovery
	}{
		{"refused", failed, pledge.Recovery{Lane: pledge.NewCard, Until: *at(10)}},
		{"refused softly", soft, pledge.Recovery{Lane: pledge.Wait, RetryAt: at(2), Until: *at(10)}},
		{"declined on the first retry day", soft.with(func(g *Group) { g.Generation, g.SettledAt = 2, at(2) }),
			pledge.Recovery{Lane: pledge.Wait, RetryAt: at(5), Until: *at(10)}},
		{"declined on the last retry day", soft.with(func(g *Group) { g.Generation, g.SettledAt = 3, at(5) }),
			pledge.Recovery{Lane: pledge.NewCard, Until: *at(10)}},
		{"no attempts left", soft.with(func(g *Group) { g.Generation = 4 }),
			pledge.Recovery{Lane: pledge.NewCard, Until: *at(10)}},
		{"waiting for confirmation", failed.with(func(g *Group) { g.Confirmable = true }),
			pledge.Recovery{Lane: pledge.Approve, Until: *at(10)}},
		{"given up", soft.with(func(g *Group) { g.DroppedAt = at(11) }),
			pledge.Recovery{Lane: pledge.Dropped, Until: *at(11)}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.g.Recovery(policy)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
