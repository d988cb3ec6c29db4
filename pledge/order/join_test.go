package order_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestJoin(t *testing.T) {
	d := newFixture(t)
	d.confirmed("film")
	_, err := d.Join(ctx, orderID, d.now.Add(-time.Second))
	d.wantError("after the deadline", err, fault.Conflict)
	for range 2 {
		p, err := d.Join(ctx, orderID, d.now)
		if err != nil || p.JoinedAt == nil || p.CardByLink {
			t.Errorf("joined: %+v, %v", p, err)
		}
		d.now = d.now.Add(time.Hour)
	}
	if diff := cmp.Diff([]string{"created", "joined"}, events(d.pledge(orderID))); diff != "" {
		t.Error(diff)
	}
	d = newFixture(t)
	d.confirmed("film")
	d.claim(1)
	_, err = d.Join(ctx, orderID, time.Time{})
	d.wantError("during the charge", err, fault.Conflict)
}

func TestJoin_InSession(t *testing.T) {
	for name, tt := range map[string]struct {
		session string
		byLink  bool
	}{
		"same session":    {"here", true},
		"another session": {"elsewhere", false},
		"no session":      {"", false},
	} {
		d := newFixture(t)
		m := manifest(t, "film")
		m.Session = "here"
		d.confirmedFrom(m)
		p, err := d.JoinInSession(ctx, orderID, tt.session, d.now)
		if err != nil || p.JoinedAt == nil || p.Session != "here" || p.CardByLink != tt.byLink {
			t.Errorf("%s: joined %v, session %q, card by link %t, %v", name, p.JoinedAt, p.Session, p.CardByLink, err)
		}
	}
	d := newFixture(t)
	d.confirmed("film")
	if p, err := d.JoinInSession(ctx, orderID, "", d.now); err != nil || p.CardByLink {
		t.Errorf("pledge without a session: card by link %t, %v", p.CardByLink, err)
	}
}

// A pledge stays in the group that first claimed it, regardless of the results of its attempts.
func TestClaim_KeepsFirstGroup(t *testing.T) {
	d := failedFixture(t)
	_, err := d.Claim(ctx, orderID, "another", 2)
	d.wantError("another group", err, fault.Conflict)
	d.claim(2)
	if p := d.pledge(orderID); p.Group != "group" {
		t.Errorf("group %q", p.Group)
	}
}
