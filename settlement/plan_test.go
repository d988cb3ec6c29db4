package settlement

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// planFor returns the plan for a charge group with the given pledges.
func planFor(g *state.Group, pledges []*pledge.Pledge, policy campaign.Recovery, now time.Time) plan {
	return chargeGroup{group: g, pledges: pledges}.plan(policy, now)
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func aPledge(id string, amount money.Cents, status pledge.Status, card string, saved int) *pledge.Pledge {
	p := &pledge.Pledge{OrderID: id, Email: "ana@example.org", Status: status, Charged: status == pledge.Charged,
		CardSavedAt: noon.Add(time.Duration(saved) * time.Hour), Currency: money.USD, Totals: pledge.Totals{
			Amount: amount}, JoinedAt: &noon, CardByLink: true}
	if card != "" {
		p.CustomerID, p.PaymentMethodID = "cus_"+card, "pm_"+card
	}
	return p
}

// Proves SET-07, SET-08, SET-13, PLG-51, PLG-52, MON-14, MON-16.
func TestPlan(t *testing.T) {
	active := aPledge("a", 2500, pledge.Active, "a", 1)
	newer := aPledge("b", 500, pledge.Active, "b", 3)
	failed := aPledge("f", 700, pledge.PaymentFailed, "f", 1)
	cancelled := aPledge("x", 900, pledge.Cancelled, "x", 9)
	charged := aPledge("c", 800, pledge.Charged, "c", 9)
	euros := aPledge("e", 1000, pledge.Active, "e", 2)
	euros.Currency = "eur"
	cardless := aPledge("n", 600, pledge.Active, "", 5)
	group := func(status state.GroupStatus, booked bool, card int) *state.Group {
		return &state.Group{Status: status, Booked: booked, Generation: 1,
			CardSavedAt:   noon.Add(time.Duration(card) * time.Hour),
			FirstFailedAt: &noon, SettledAt: &noon}
	}
	tests := []struct {
		name       string
		g          *state.Group
		pledges    []*pledge.Pledge
		want       verdict
		ids        string
		amount     money.Cents
		card       string
		generation int
	}{
		{"one", nil, []*pledge.Pledge{active}, toCharge, "a", 2500, "pm_a", 1},
		{"several, newest card on the last", nil, []*pledge.Pledge{active, newer, cancelled, charged},
			toCharge, "a b", 3000, "pm_b", 1},
		{"several, in another order", nil, []*pledge.Pledge{newer, active}, toCharge, "b a", 3000, "pm_b", 1},
		{"second pledge without a card", nil, []*pledge.Pledge{active, cardless}, toCharge, "a n", 3100, "pm_a", 1},
		{"first pledge without a card", nil, []*pledge.Pledge{cardless, active}, toCharge, "n a", 3100, "pm_a", 1},
		{"no card", nil, []*pledge.Pledge{cardless}, noCustomer, "n", 0, "", 1},
		{"all gone", nil, []*pledge.Pledge{cancelled, charged}, nothingOwed, "", 0, "", 1},
		{"too small", nil, []*pledge.Pledge{aPledge("s", 49, pledge.Active, "s", 1)}, tooSmall, "s", 49, "pm_s", 1},
		{"just enough", nil, []*pledge.Pledge{aPledge("s", 50, pledge.Active, "s", 1)}, toCharge, "s", 50, "pm_s", 1},
		{"a cent too large", nil, []*pledge.Pledge{aPledge("l", money.MaxCharge+1, pledge.Active, "l", 1)},
			tooLarge, "l", money.MaxCharge + 1, "pm_l", 1},
		{"just within", nil, []*pledge.Pledge{aPledge("l", money.MaxCharge, pledge.Active, "l", 1)},
			toCharge, "l", money.MaxCharge, "pm_l", 1},
		{"too large", nil, []*pledge.Pledge{active, aPledge("l", money.Max, pledge.Active, "l", 1)},
			tooLarge, "a l", 0, "pm_a", 1},
		{"in another currency", nil, []*pledge.Pledge{active, euros}, otherCurrency, "a e", 0, "pm_e", 1},
		{"under way", group(state.Submitted, false, 1), []*pledge.Pledge{active}, underWay, "a", 0, "pm_a", 2},
		{"needs attention", group(state.NeedsAttention, false, 1), []*pledge.Pledge{newer}, underWay, "b", 0, "pm_b", 2},
		{"succeeded, not booked", group(state.Succeeded, false, 1), []*pledge.Pledge{newer}, underWay, "b", 0, "pm_b", 2},
		{"failed, not booked", group(state.Failed, false, 1), []*pledge.Pledge{newer}, underWay, "b", 0, "pm_b", 2},
		{"charged already", group(state.Succeeded, true, 1), []*pledge.Pledge{charged, newer}, latePledge, "b", 0, "pm_b", 2},
		{"failed, same card", group(state.Failed, true, 1), []*pledge.Pledge{failed}, nothingOwed, "f", 0, "pm_f", 2},
		{"failed, newer card", group(state.Failed, true, 0), []*pledge.Pledge{failed}, toCharge, "f", 700, "pm_f", 2},
		{"failed, newer card on another pledge", group(state.Failed, true, 1), []*pledge.Pledge{failed, newer},
			toCharge, "f b", 1200, "pm_b", 2},
		{"failed, active pledge without a newer card", group(state.Failed, true, 3),
			[]*pledge.Pledge{failed, active}, noNewCard, "f a", 0, "pm_f", 2},
		{"failed, card lost", group(state.Failed, true, 0), []*pledge.Pledge{aPledge("f", 700, pledge.PaymentFailed, "", 5)},
			nothingOwed, "f", 0, "", 2},
	}
	for _, tt := range tests {
		p := planFor(tt.g, tt.pledges, campaign.DefaultRecovery(), noon)
		card := ""
		if p.card != nil {
			card = p.card.PaymentMethodID
		}
		if p.verdict != tt.want || strings.Join(p.ids(), " ") != tt.ids || p.amount != tt.amount ||
			card != tt.card || p.generation != tt.generation {
			t.Errorf("%s: %s %v %s %s #%d, want %s [%s] %s %s #%d", tt.name, p.verdict, p.ids(), p.amount, card, p.generation,
				tt.want, tt.ids, tt.amount, tt.card, tt.generation)
		}
	}
}

// The key of a charge does not depend on anything that can change, and has a valid length.
//
// Proves SET-09.
func TestKeys(t *testing.T) {
	a := planFor(nil, []*pledge.Pledge{aPledge("a", 2500, pledge.Active, "a", 1)}, campaign.DefaultRecovery(), noon)
	b := planFor(nil, []*pledge.Pledge{aPledge("b", 700, pledge.Active, "b", 2), aPledge("c", 1, pledge.Active, "", 0)},
		campaign.DefaultRecovery(), noon)
	supporter, hash := pledge.EmailHash("ana@example.org"), state.GroupHash("film", "ana@example.org")
	if one, other := a.newGroup("film", supporter, hash),
		b.newGroup("film", supporter, hash); one.Key != other.Key || one.Hash != other.Hash {
		t.Errorf("the key changed from %s to %s with other orders, amount and card", one.Key, other.Key)
	}
	seen := map[string]bool{}
	for _, key := range []string{
		state.AttemptKey("film", state.GroupHash("film", "ana@example.org"), 1),
		state.AttemptKey("film", state.GroupHash("film", "ana@example.org"), 2),
		state.AttemptKey("film", state.GroupHash("film", "bob@example.org"), 1),
		state.AttemptKey("album", state.GroupHash("album", "ana@example.org"), 1),
	} {
		if seen[key] {
			t.Errorf("the key %s is used twice", key)
		}
		seen[key] = true
	}
	slug := strings.Repeat("s", 100)
	if key := state.AttemptKey(slug, state.GroupHash(slug, "ana@example.org"), 1_000_000); len(key) > 255 {
		t.Errorf("the key has %d bytes", len(key))
	}
	longest := "charge:pw-" + strings.Repeat("0", 26) + "-" + slug + ":" +
		state.GroupHash(slug, "ana@example.org") + ":999"
	if len(longest) > 200 {
		t.Errorf("a claim's identity has %d bytes", len(longest))
	}
}

// A payment's metadata identifies its group only within the payment's campaign.
func TestGroupOf(t *testing.T) {
	hash := state.GroupHash("film", "ana@example.org")
	for mark, want := range map[string]string{
		state.AttemptKey("film", hash, 1):  hash,
		state.AttemptKey("film", hash, 20): hash,
		state.AttemptKey("album", hash, 1): "",
		state.AttemptKey("films", hash, 1): "",
		"settle:film:" + hash:              "",
		"settle:film:" + hash + ":":        "",
		"settle:film:" + hash + ":x":       "",
		"settle:film:" + hash + ":0":       "",
		"settle:film:" + hash + ":-1":      "",
		"settle:film:" + hash[1:] + ":1":   "",
		"settle:film::1":                   "",
		"cancel:film:" + hash + ":1":       "",
		"":                                 "",

		"settle:film:" + hash + ":99999999999999999999": "", // larger than any number type
	} {
		if got, ok := state.GroupOf(mark, "film"); ok != (want != "") || ok && got != want {
			t.Errorf("%q has the group %q, %t", mark, got, ok)
		}
	}
}
