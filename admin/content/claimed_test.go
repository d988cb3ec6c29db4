package content_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func TestClaimsOf(t *testing.T) {
	d := newFixture(t)
	d.mustPublish(draft(edit("tiers[poster].limit_total", "", "60"), edit("campaign_add_ons[]", "",
		`{"name":"Shirt","price":20,"variants":[{"label":"S","inventory":5},{"label":"XXL","price":22.50}]}`),
		edit("support_items", "", `[{"label":"Boat","target":900}]`)))
	d.claims = inventory.Snapshot{
		Totals: inventory.Totals{Counted: 2000_00, Custom: 150_00, People: 48, CountedPledges: 50,
			Statuses: map[pledge.Status]int{pledge.Active: 50}},
		Stock: map[string]inventory.Stock{
			"tier/poster": {Committed: 46, Held: 2}, "tier/old": {Committed: 3}, "add-on/shirt/s": {Committed: 4, Held: 1},
			"add-on/shirt/xxl": {Committed: 2},
		},
		Support: map[string]money.Cents{"boat": 300_00},
	}
	got, err := d.ClaimsOf(ctx, "night-ferry")
	want := content.Claims{
		Pledges: 50, Supporters: 48, Pledged: 2000_00, Rewards: 1550_00, Custom: 150_00,
		Tiers: []content.Claim{
			{ID: "early-bird", Name: "Early Bird"},
			{ID: "poster", Name: "Poster", Claimed: 46, Reserved: 2, Limit: new(60), Left: new(12), Sum: 1380_00},
			{ID: "old", Claimed: 3},
		},
		AddOns: []content.Claim{{ID: "shirt", Name: "Shirt", Claimed: 6, Reserved: 1, Sum: 125_00, Variants: []content.Claim{
			{ID: "s", Name: "S", Claimed: 4, Reserved: 1, Limit: new(5), Left: new(0), Sum: 80_00},
			{ID: "xxl", Name: "XXL", Claimed: 2, Sum: 45_00},
		}}},
		SupportItems: []content.SupportItem{{ID: "boat", Name: "Boat", Pledged: 300_00, Target: 900_00}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// A decision's answers cannot change after the first vote, because votes are counted by answer
// text.
func TestPublish_RefusesAnsweredDecisions(t *testing.T) {
	poster, day := `{"title":"Which poster?","options":["Red",{"label":"Blue"}]}`,
		`{"title":"Which day?","options":["Friday","Saturday"]}`
	const fixed, kept = "Answers: these can no longer change, because supporters have answered",
		"Decision: cannot be deleted, because supporters have answered"
	for name, tt := range map[string]struct {
		edit content.Edit
		want string
	}{
		"another answer": {edit("decisions[which-poster].options", `["Red",{"label":"Blue"}]`, `["Red","Green"]`),
			fixed},
		"one more answer": {edit("decisions[which-poster].options", `["Red",{"label":"Blue"}]`,
			`["Red","Blue","Green"]`), fixed},
		"an answer's picture": {edit("decisions[which-poster].options", `["Red",{"label":"Blue"}]`,
			`["Red",{"label":"Blue","image":"/assets/images/campaigns/night-ferry/old.jpg"}]`), ""},
		"the deadline":            {edit("decisions[which-poster].deadline", "", `"2026-11-30"`), ""},
		"the question":            {edit("decisions[which-poster].title", `"Which poster?"`, `"Which one?"`), ""},
		"deleted":                 {edit("decisions[which-poster]", poster, ""), kept},
		"all deleted":             {edit("decisions", "["+poster+","+day+"]", ""), kept},
		"without votes":           {edit("decisions[which-day].options", `["Friday","Saturday"]`, `["Friday","Sunday"]`), ""},
		"deleted without answers": {edit("decisions[which-day]", day, ""), ""},
	} {
		d := newFixture(t)
		d.mustPublish(draft(edit("decisions", "", "["+poster+","+day+"]")))
		d.answers = map[string]int{"which-poster": 3}
		r, err := d.In("en", labels).Preview(ctx, draft(tt.edit))
		got := ""
		for _, p := range r.Problems {
			got += p.Words
		}
		if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tt.want)
		}
		if _, err := d.Publish(ctx, by("Ana", "c"), draft(tt.edit)); fault.Is(err, fault.Invalid) != (tt.want != "") {
			t.Errorf("%s: published with %v", name, err)
		}
	}
}
