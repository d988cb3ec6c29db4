package checkout_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// Proves VOT-06, KVR-55, KVR-56.
func TestCastVote_OnePerSupporter(t *testing.T) {
	w := newFixture(t)
	a := w.link(w.pledge(request("a@example.org", seats(1))).OrderID)
	again := w.link(w.pledge(request("A@example.org", one("film__thanks"))).OrderID)
	b := w.link(w.pledge(request("b@example.org", one("film__thanks"))).OrderID)
	cast := func(tok, option string) checkout.Voted {
		t.Helper()
		return must[checkout.Voted](t)(w.svc.CastVote(w.ctx,
			checkout.VoteRequest{Token: tok, DecisionID: "ending", Option: option}))
	}
	cast(a, "Happy")
	cast(b, "Sad")
	got := cast(again, "Sad") // another pledge of the same supporter
	want := checkout.Voted{Success: true, DecisionID: "ending", Choice: "Sad",
		Results: map[string]int{"Happy": 0, "Sad": 2}, Total: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	votes := w.db.Snapshot().Stores["VOTES"]
	wantKeys := []string{"results:film:ending", "vote:film:ending:a@example.org", "vote:film:ending:b@example.org"}
	if diff := cmp.Diff(wantKeys, keys(votes, "")); diff != "" {
		t.Error(diff)
	}
	wantRecords := []any{
		vote.Tally{Version: 3, Options: map[string]int{"Happy": 0, "Sad": 2}, Total: 2},
		vote.Vote{Decision: "ending", Option: "Sad", At: w.clock()},
		vote.Vote{Decision: "ending", Option: "Sad", At: w.clock()},
	}
	if diff := cmp.Diff(wantRecords, []any{decoded[vote.Tally](t, votes[0]), decoded[vote.Vote](t, votes[1]),
		decoded[vote.Vote](t, votes[2])}); diff != "" {
		t.Error(diff)
	}
	st := must[checkout.Standings](t)(w.svc.Standings(w.ctx, a, []string{"ending", "over"}))
	wantStandings := map[string]checkout.DecisionStanding{
		"ending": {HasVoted: true, Choice: "Sad", Status: "open", Results: map[string]int{"Happy": 0, "Sad": 2},
			Total: 2},
		"over": {Status: "closed", Results: map[string]int{}},
	}
	if diff := cmp.Diff(wantStandings, st.Decisions); diff != "" || st.CampaignSlug != "film" {
		t.Error(diff)
	}
	if st = must[checkout.Standings](t)(w.svc.Standings(w.ctx, a, nil)); len(st.Decisions) != 3 {
		t.Errorf("all decisions: %+v", st)
	}
	w.files["campaigns/film.md"].Data = bytes.Replace(w.files["campaigns/film.md"].Data,
		[]byte(", eligible: charged"), nil, 1)
	w.reload()
	must[checkout.Voted](t)(w.svc.CastVote(w.ctx, checkout.VoteRequest{Token: a, DecisionID: "town", Option: "B"}))
	w.files["campaigns/game.md"].Data = append(bytes.TrimSuffix([]byte(gameFile), []byte("---\n")),
		"decisions:\n  - {id: ending, type: vote, title: Which ending, options: [Happy, Sad]}\n---\n"...)
	w.reload()
	// the same supporter in another campaign
	cast(w.link(w.pledge(request("a@example.org", one("game__print"))).OrderID), "Happy")
	for key, want := range map[string]vote.Tally{
		"results:film:ending": {Version: 3, Options: map[string]int{"Happy": 0, "Sad": 2}, Total: 2},
		"results:film:town":   {Version: 1, Options: map[string]int{"B": 1}, Total: 1},
		"results:game:ending": {Version: 1, Options: map[string]int{"Happy": 1}, Total: 1},
	} {
		got, _, err := kv.Read[vote.Tally](w.ctx, w.db.Store("VOTES"), key)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", key, err, diff)
		}
	}
}

func decoded[T any](t *testing.T, e kv.Entry) (v T) {
	t.Helper()
	if err := json.Unmarshal(e.Value, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Proves VOT-02, VOT-03, VOT-04, VOT-05, VOT-11, VOT-12, VOT-13.
func TestCastVote_Rejections(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(request("a@example.org", seats(1))).OrderID
	gone := w.pledge(request("b@example.org", seats(1))).OrderID
	must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(gone)}))
	tok := w.link(id)
	elsewhere := w.link(w.pledge(request("c@example.org", one("game__print"))).OrderID)
	before := w.dump()
	for name, c := range map[string]struct {
		r       checkout.VoteRequest
		want    fault.Code
		message string
	}{
		"ID in capitals": {checkout.VoteRequest{Token: tok, DecisionID: "Ending", Option: "Happy"},
			fault.Invalid, "Invalid decision ID format"},
		"no ID": {checkout.VoteRequest{Token: tok, Option: "Happy"},
			fault.Invalid, "Invalid decision ID format"},
		"long ID": {checkout.VoteRequest{Token: tok, DecisionID: strings.Repeat("a", 101),
			Option: "Happy"}, fault.Invalid, "Invalid decision ID format"},
		"no option": {checkout.VoteRequest{Token: tok, DecisionID: "ending"},
			fault.Invalid, "Invalid vote option format"},
		"long option": {checkout.VoteRequest{Token: tok, DecisionID: "ending",
			Option: strings.Repeat("é", 51)}, fault.Invalid, "Invalid vote option format"},
		"option of maximum length": {checkout.VoteRequest{Token: tok, DecisionID: "ending",
			Option: strings.Repeat("é", 50)}, fault.Invalid, "The decision has no such option"},
		"invalid UTF-8": {checkout.VoteRequest{Token: tok, DecisionID: "ending", Option: "Happy\xff"},
			fault.Invalid, "Invalid vote option format"},
		"leading control character": {checkout.VoteRequest{Token: tok, DecisionID: "ending", Option: "\tHappy"},
			fault.Invalid, "Invalid vote option format"},
		"trailing control character": {checkout.VoteRequest{Token: tok, DecisionID: "ending", Option: "Happy\n"},
			fault.Invalid, "Invalid vote option format"},
		"unlisted option": {checkout.VoteRequest{Token: tok, DecisionID: "ending", Option: "happy"},
			fault.Invalid, "The decision has no such option"},
		"unknown": {checkout.VoteRequest{Token: tok, DecisionID: "nothing", Option: "Happy"},
			fault.NotFound, "Decision not found"},
		"closed": {checkout.VoteRequest{Token: tok, DecisionID: "over", Option: "A"},
			fault.Conflict, "The decision is closed"},
		"not charged": {checkout.VoteRequest{Token: tok, DecisionID: "town", Option: "A"},
			fault.Forbidden, "Only supporters whose pledge was charged can vote on this decision"},
		"cancelled": {checkout.VoteRequest{Token: w.link(gone), DecisionID: "ending", Option: "Happy"},
			fault.Forbidden, "A cancelled pledge cannot vote"},
		"bad token": {checkout.VoteRequest{Token: tok + "x", DecisionID: "ending", Option: "Happy"},
			fault.Unauthorized, "Invalid token"},
		"no token": {checkout.VoteRequest{DecisionID: "ending", Option: "Happy"},
			fault.Unauthorized, "Missing token"},
	} {
		_, err := w.svc.CastVote(w.ctx, c.r)
		if codeOf(err) != c.want || fault.Of(err).Message != c.message {
			t.Errorf("%s: %v (%s)", name, err, codeOf(err))
		}
	}
	if _, err := w.svc.CastVote(w.ctx,
		checkout.VoteRequest{Token: elsewhere, DecisionID: "ending", Option: "Happy"}); codeOf(err) != fault.NotFound {
		t.Errorf("another campaign's decision: %v", err)
	}
	if _, err := w.svc.Standings(w.ctx, tok, make([]string, 21)); codeOf(err) != fault.Invalid {
		t.Errorf("21 decisions: %v", err)
	}
	if _, err := w.svc.Standings(w.ctx, tok, slices.Repeat([]string{"ending"}, 20)); err != nil {
		t.Errorf("20 decisions: %v", err)
	}
	if _, err := w.svc.Standings(w.ctx, tok, []string{"nothing"}); codeOf(err) != fault.NotFound {
		t.Errorf("unknown decision: %v", err)
	}
	w.edit("published: true", "published: false")
	if _, err := w.svc.CastVote(w.ctx,
		checkout.VoteRequest{Token: tok, DecisionID: "ending", Option: "Happy"}); codeOf(err) != fault.NotFound {
		t.Errorf("unpublished campaign: %v", err)
	}
	w.edit()
	if w.dump() != before {
		t.Error("a rejected vote changed the store")
	}
	must[*pledge.Pledge](t)(w.svc.Orders.Claim(w.ctx, id, "g", 1))
	must[*pledge.Pledge](t)(w.svc.Orders.MarkCharged(w.ctx, id, "g", 1,
		order.Charged{PaymentIntentID: "pi_1", At: w.clock()}))
	must[checkout.Voted](t)(w.svc.CastVote(w.ctx, checkout.VoteRequest{Token: tok, DecisionID: "town", Option: "A"}))
	// Polls work like votes.
	poll := must[checkout.Standings](t)(w.svc.Standings(w.ctx, tok, []string{"town"})).Decisions["town"]
	want := checkout.DecisionStanding{HasVoted: true, Choice: "A", Status: "open",
		Results: map[string]int{"A": 1}, Total: 1}
	if diff := cmp.Diff(want, poll); diff != "" {
		t.Error(diff)
	}
}

// A decision accepts votes until the end of its last day in the platform's time zone.
//
// Proves VOT-11.
func TestCastVote_Deadline(t *testing.T) {
	w := newFixture(t)
	w.edit("title: Which ending", "title: Which ending, deadline: 2026-11-12")
	zone := time.FixedZone("", -7*3600)
	w.svc.Settings.Zone = zone
	tok := w.link(w.pledge(request("a@example.org", seats(1))).OrderID)
	closes := time.Date(2026, 11, 13, 0, 0, 0, 0, zone)
	w.advance(closes.Add(-time.Second).Sub(w.clock()))
	must[checkout.Voted](t)(w.svc.CastVote(w.ctx,
		checkout.VoteRequest{Token: tok, DecisionID: "ending", Option: "Happy"}))
	w.advance(time.Second)
	before := w.dump()
	for _, option := range []string{"Happy", "Sad"} { // not even from supporters who have voted
		if _, err := w.svc.CastVote(w.ctx,
			checkout.VoteRequest{Token: tok, DecisionID: "ending", Option: option}); codeOf(err) != fault.Conflict {
			t.Errorf("%s after the deadline: %v", option, err)
		}
	}
	if w.dump() != before {
		t.Error("a rejected vote changed the store")
	}
}

// Proves VOT-14.
func TestCastVote_TestToken(t *testing.T) {
	w := newFixture(t)
	r := checkout.VoteRequest{Token: "dev-token-film", DecisionID: "ending", Option: "Happy"}
	_, err := w.svc.CastVote(w.ctx, r)
	if f := fault.Of(err); f == nil || f.Code != fault.Unauthorized || f.Message != "Invalid token" {
		t.Errorf("outside test mode: %v", err)
	}
	if _, err := w.svc.Standings(w.ctx, "dev-token-film", nil); codeOf(err) != fault.Unauthorized {
		t.Errorf("outside test mode: %v", err)
	}
	w.svc.Settings.TestMode = true
	if got := must[checkout.Voted](t)(w.svc.CastVote(w.ctx, r)); got.Total != 1 {
		t.Errorf("in test mode: %+v", got)
	}
	for _, tok := range []string{"dev-token-", "dev-token-../x"} {
		if _, err := w.svc.Standings(w.ctx, tok, nil); codeOf(err) != fault.Unauthorized {
			t.Errorf("%q: %v", tok, err)
		}
	}
	if _, err := w.svc.View(w.ctx, "dev-token-film"); codeOf(err) != fault.Unauthorized {
		t.Errorf("View with a test voter's token: %v", err)
	}
	w.advance(time.Hour)
}
