package vote_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

var ctx = context.Background()

func newClient() vote.Client {
	class := inventory.NewClass()
	vote.Register(class)
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	return vote.Client{Coordinator: memkv.New(memkv.Options{Now: now, Classes: []*kv.Class{class}}).Coordinator()}
}

func cast(t *testing.T, c vote.Client, email, option, nonce string) vote.Result {
	t.Helper()
	s, err := c.Cast(ctx, "film", email, "poster", option, nonce)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A supporter has one answer per decision, shared by all pledges; a later
// answer replaces it.
//
// Proves VOT-06.
func TestCast_OneAnswerPerSupporter(t *testing.T) {
	c := newClient()
	cast(t, c, "ada@example.org", "Red", "n1")
	cast(t, c, "ada@example.org", "Red", "n1")
	cast(t, c, "ada@example.org", "Red", "n2")
	cast(t, c, "eve@example.org", "Red", "n3")
	got := cast(t, c, "ada@example.org", "Blue", "n4")
	want := vote.Result{Choice: "Blue",
		Tally: vote.Tally{Version: 3, Options: map[string]int{"Red": 1, "Blue": 1}, Total: 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	all, err := c.Tallies(ctx, "film")
	if diff := cmp.Diff(map[string]vote.Tally{"poster": want.Tally}, all); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// Two supporters can send the same nonce.
func TestCast_NonceIsPerSupporter(t *testing.T) {
	c := newClient()
	cast(t, c, "ada@example.org", "Red", "same")
	got := cast(t, c, "eve@example.org", "Blue", "same")
	if got.Choice != "Blue" || got.Tally.Total != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestStandings(t *testing.T) {
	c := newClient()
	cast(t, c, "ada@example.org", "Red", "n1")
	tally := vote.Tally{Version: 1, Options: map[string]int{"Red": 1}, Total: 1}
	for email, choice := range map[string]string{"ada@example.org": "Red", "eve@example.org": ""} {
		got, err := c.Results(ctx, "film", email, []string{"poster", "title"})
		want := map[string]vote.Result{"poster": {Choice: choice, Tally: tally}, "title": {}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", email, err, diff)
		}
	}
	if got, err := c.Tallies(ctx, "comic"); err != nil || len(got) != 0 {
		t.Errorf("another campaign: %v, %v", got, err)
	}
}

// Concurrent votes are all counted.
func TestCast_Concurrent(t *testing.T) {
	c := newClient()
	done := make(chan error, 100)
	for i := range 100 {
		go func() {
			_, err := c.Cast(ctx, "film", fmt.Sprintf("s%d@example.org", i), "poster", []string{"Red", "Blue"}[i%2], "n")
			done <- err
		}()
	}
	for range 100 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	got, err := c.Tallies(ctx, "film")
	want := vote.Tally{Version: 100, Options: map[string]int{"Red": 50, "Blue": 50}, Total: 100}
	if diff := cmp.Diff(want, got["poster"]); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestKeys(t *testing.T) {
	if got := vote.Key("film", "poster", "ada@example.org"); got != "vote:film:poster:ada@example.org" {
		t.Error(got)
	}
	if got := vote.ResultsKey("film", "poster"); got != "results:film:poster" {
		t.Error(got)
	}
}
