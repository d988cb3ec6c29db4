package httpapi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// Campaign users see the answers to a decision while it is open.
func TestAnswers_OpenDecision(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for _, who := range []string{"a@example.com", "b@example.com"} {
		_, token := e.pledge(who, gameCart(1), cardOK)
		e.wantStatus(e.post("/votes", map[string]any{"token": token, "decisionId": "fifth-shell", "option": "A teacup"}), 200)
	}
	const path = "/admin/campaigns/answers/" + game
	e.wantStatus(e.signedIn("other@example.com", access.CampaignUser, "slow-weather").get(path, ""), 404)
	r := e.signedIn("ada@example.com", access.CampaignUser, game).get(path, "")
	e.wantStatus(r, 200)
	c, err := e.Services.Campaigns().Campaign(game)
	if err != nil {
		t.Fatal(err)
	}
	got := decode[httpapi.Answers](t, r)
	if len(got.Decisions) != len(c.Decisions) {
		t.Fatalf("%d decisions, want %d", len(got.Decisions), len(c.Decisions))
	}
	for i, d := range c.Decisions {
		want := httpapi.DecisionAnswers{ID: d.ID, Title: d.Title, Options: map[string]int{}}
		for _, o := range d.Options {
			want.Options[o.Label] = 0
		}
		if d.ID == "fifth-shell" {
			want.Total, want.Options["A teacup"] = 2, 2
		}
		if diff := cmp.Diff(want, got.Decisions[i]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", d.ID, diff)
		}
	}
}

// Once a supporter has voted, changes to the answers are rejected with the name of the field.
func TestAnswers_FixedByFirstVote(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	const path = "decisions[fifth-shell].options"
	change := func() httpapi.Response {
		return b.ask("POST", "/admin/content/preview?lang=en",
			edits(game, path, `["A teacup","A light bulb","A toy castle"]`, `["A teacup","A thimble"]`))
	}
	if r := decode[content.Review](t, change()); len(r.Problems) != 0 {
		t.Errorf("without votes: %+v", r.Problems)
	}
	_, token := e.pledge("a@example.com", gameCart(1), cardOK)
	e.wantStatus(e.post("/votes", map[string]any{"token": token, "decisionId": "fifth-shell", "option": "A teacup"}), 200)
	r := decode[content.Review](t, change())
	if len(r.Problems) != 1 ||
		r.Problems[0].Words != "Answers: these can no longer change, because supporters have answered" {
		t.Errorf("after a vote: %+v", r.Problems)
	}
}
