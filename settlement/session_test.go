package settlement

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// pledgeInSession makes a pledge in a browser session, with ana's address typed in.
func (w *fixture) pledgeInSession(session string, amount money.Cents, card string) string {
	w.t.Helper()
	w.session = session
	defer func() { w.session = "" }()
	return w.pledgeTyped("ana", "film", amount, card)
}

// Proves SET-03, SET-07, SET-08: the pledges of an address that were made in one browser
// session are one charge to the newest of their cards. No pledge is charged to the card of
// another session, or to a card that was given through a link for another pledge.
func TestSession_Groups(t *testing.T) {
	for name, tt := range map[string]struct {
		setup func(w *fixture) []string
		want  []string
	}{
		"two pledges": {func(w *fixture) []string {
			return []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK)}
		}, []string{"a+b by b: $32.00"}},
		"three pledges": {func(w *fixture) []string {
			return []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK),
				w.pledgeInSession("x", 300, sim.CardOK)}
		}, []string{"a+b+c by c: $35.00"}},
		"a stranger in another session": {func(w *fixture) []string {
			return []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("y", 90000, sim.CardOK),
				w.pledgeInSession("x", 700, sim.CardOK), w.pledgeInSession("y", 10000, sim.CardOK)}
		}, []string{"a+c by c: $32.00", "b+d by d: $1,000.00"}},
		"a stranger without a session": {func(w *fixture) []string {
			return []string{w.pledgeTyped("ana", "film", 90000, sim.CardOK), w.pledgeInSession("x", 2500, sim.CardOK),
				w.pledgeTyped("ana", "film", 10000, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK)}
		}, []string{"a by a: $900.00", "b+d by d: $32.00", "c by c: $100.00"}},
		"a stranger's session and joined pledges": {func(w *fixture) []string {
			return []string{w.pledgeInSession("x", 90000, sim.CardOK), w.pledge("ana", "film", 2500, sim.CardOK),
				w.pledgeInSession("x", 10000, sim.CardOK), w.pledge("ana", "film", 700, sim.CardOK)}
		}, []string{"a+c by c: $1,000.00", "b+d by d: $32.00"}},
		"one pledge joined": {func(w *fixture) []string {
			ids := []string{w.pledge("ana", "film", 500, sim.CardOK), w.pledgeInSession("x", 2500, sim.CardOK),
				w.pledgeInSession("x", 700, sim.CardOK), w.pledgeInSession("x", 300, sim.CardOK)}
			w.ok(w.join(ids[3]))
			return ids
		}, []string{"a+d by a: $8.00", "b+c by c: $32.00"}},
		"joined from the session": {func(w *fixture) []string {
			ids := []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK),
				w.pledgeInSession("x", 300, sim.CardOK)}
			for _, id := range ids[:2] {
				_, err := w.svc.Orders.JoinInSession(w.ctx, id, "x", time.Time{})
				w.ok(err)
			}
			return ids
		}, []string{"a+b by b: $32.00", "c by c: $3.00"}},
		"new card for the last pledge": {func(w *fixture) []string {
			ids := []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK),
				w.pledgeInSession("x", 300, sim.CardOK)}
			w.newCard("ana", sim.CardOK, 2)
			return ids
		}, []string{"a+b by b: $32.00", "c by c: $3.00"}},
		"new card for the first pledge": {func(w *fixture) []string {
			ids := []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK),
				w.pledgeInSession("x", 300, sim.CardOK)}
			w.newCard("ana", sim.CardOK, 0)
			return ids
		}, []string{"a by a: $25.00", "b+c by c: $10.00"}},
		"first pledge cancelled": {func(w *fixture) []string {
			ids := []string{w.pledgeInSession("x", 500, sim.CardOK), w.pledgeInSession("x", 2500, sim.CardOK),
				w.pledgeInSession("x", 300, sim.CardOK)}
			w.cancel("ana", 0)
			return ids
		}, []string{"b+c by c: $28.00"}},
		"last pledge cancelled": {func(w *fixture) []string {
			ids := []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK),
				w.pledgeInSession("x", 300, sim.CardOK)}
			w.cancel("ana", 2)
			return ids
		}, []string{"a+b by b: $32.00"}},
		"newest card declined": {func(w *fixture) []string {
			return []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardChargeDeclined),
				w.pledgeTyped("ana", "film", 300, sim.CardOK)}
		}, []string{"c by c: $3.00"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			ids := tt.setup(w)
			w.deadline()
			w.settle("film", false)
			w.settle("film", false)
			if diff := cmp.Diff(tt.want, w.paid(ids...)); diff != "" {
				t.Error(diff)
			}
			w.ok(w.sim.Check())
		})
	}
}

// Previews show the charges that the settlement then makes.
func TestSession_Previews(t *testing.T) {
	w := newFixture(t)
	a, b := w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("y", 300, sim.CardOK)
	c := w.pledgeInSession("x", 700, sim.CardOK)
	film, err := w.svc.Catalogue().Campaign("film")
	w.ok(err)
	all, _, err := w.svc.UpcomingCharges(w.ctx, film, "", 10)
	w.ok(err)
	coming := []string{}
	for _, u := range all {
		ids := []string{}
		for _, p := range u.Pledges {
			ids = append(ids, p.OrderID)
		}
		coming = append(coming, strings.Join(ids, "+")+" by "+u.Card.OrderID+": "+u.Amount.String())
	}
	want := []string{a + "+" + c + " by " + c + ": $32.00", b + " by " + b + ": $3.00"}
	if diff := cmp.Diff(want, coming); diff != "" {
		t.Errorf("coming (-want +got):\n%s", diff)
	}
	w.deadline()
	r, err := w.svc.Settle(w.ctx, "film", true)
	w.ok(err)
	previewed := []string{}
	for _, s := range r.Supporters {
		previewed = append(previewed, strings.Join(s.OrderIDs, "+")+" by "+s.CardOrderID+": "+s.TotalAmount.String())
	}
	if diff := cmp.Diff(want, previewed); diff != "" {
		t.Errorf("previewed (-want +got):\n%s", diff)
	}
}

// A session's group is named after its first pledge, and keeps its pledges.
func TestSession_GroupStays(t *testing.T) {
	w := newFixture(t)
	a, b := w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	late := w.pledgeInSession("x", 300, sim.CardOK)
	w.settle("film", false)
	for id, want := range map[string]string{a: state.OwnGroupHash("film", a), b: state.OwnGroupHash("film", a),
		late: state.OwnGroupHash("film", late)} {
		if p := w.pledgeByID(id); p.Group != want {
			t.Errorf("the pledge %s is in the group %s, want %s", id, p.Group, want)
		}
	}
	if diff := cmp.Diff([]string{"c by c: $3.00"}, w.paid(a, b, late)); diff != "" {
		t.Error(diff)
	}
}

// After a failed charge, a new card pays for the whole group if it was saved when the page
// showed the group's total. If it was saved before that, it does not pay for the group.
func TestSession_NewCardAfterFailure(t *testing.T) {
	for name, tt := range map[string]struct {
		early bool // the card's session began before the failure
		nth   int  // of the pledges, whose link was used
		want  []string
	}{
		"through the first pledge's link": {false, 0, []string{"a+b by a: $32.00"}},
		"through the last pledge's link":  {false, 1, []string{"a+b by b: $32.00"}},
		"begun before":                    {true, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			ids := []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardChargeDeclined)}
			w.deadline()
			if tt.early {
				w.ok(w.svc.Orders.StartCard(w.ctx, ids[tt.nth], "cs_early"))
				w.now = w.now.Add(time.Second)
			}
			w.settle("film", false)
			w.now = w.now.Add(time.Minute)
			if tt.early {
				_, err := w.svc.Orders.ReplaceCard(w.ctx, ids[tt.nth], "cs_early", w.saveCard("ana", sim.CardOK))
				w.ok(err)
			} else {
				w.newCard("ana", sim.CardOK, tt.nth)
			}
			w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
			w.settle("film", false)
			if diff := cmp.Diff(tt.want, w.paid(ids...)); diff != "" {
				t.Error(diff)
			}
			w.ok(w.sim.Check())
		})
	}
}

// A crash between two claims does not split a session.
func TestSession_CrashWhileClaiming(t *testing.T) {
	w := newFixture(t)
	ids := []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK),
		w.pledgeInSession("x", 300, sim.CardOK)}
	w.deadline()
	claims := 0
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.Command.Kind == "claim" && !op.After {
			if claims++; claims > 1 {
				return errDisconnected
			}
		}
		return nil
	}
	_, _ = w.svc.Settle(w.ctx, "film", false)
	w.conn.watch = nil
	if !w.pledgeByID(ids[0]).Claimed() || w.pledgeByID(ids[1]).Claimed() {
		t.Fatal("the crash was not between the claims")
	}
	w.now = w.now.Add(time.Hour)
	w.svc = w.service()
	w.settle("film", false)
	if diff := cmp.Diff([]string{"a+b+c by c: $35.00"}, w.paid(ids...)); diff != "" {
		t.Error(diff)
	}
}

// A joint payment with another amount also takes the pledges of a partly claimed session.
func TestUnclaimed_PartlyClaimedSession(t *testing.T) {
	claimed, open := aPledge("a", 500, pledge.Active, "a", 1), aPledge("b", 500, pledge.Active, "b", 1)
	claimed.Group = "own"
	got := unclaimed([]chargeGroup{{pledges: []*pledge.Pledge{claimed, open}},
		{group: &state.Group{}, pledges: []*pledge.Pledge{open}}})
	if diff := cmp.Diff([]string{"b"}, got); diff != "" {
		t.Error(diff)
	}
}

// A pledge may leave its session between the plan and the claims.
func TestMembers_CardReplaced(t *testing.T) {
	of := func(id string, edit func(p *pledge.Pledge)) *pledge.Pledge {
		p := aPledge(id, 500, pledge.Active, id, 1)
		p.CampaignSlug, p.JoinedAt, p.CardByLink, p.Session = "film", nil, false, "x"
		edit(p)
		return p
	}
	same := func(*pledge.Pledge) {}
	linked := func(p *pledge.Pledge) { p.CardByLink = true }
	claimed := func(p *pledge.Pledge) { p.Group = state.OwnGroupHash("film", "a") }
	for name, tt := range map[string]struct {
		a, b, c func(*pledge.Pledge)
		group   *state.Group
		want    string
	}{
		"all stay":                      {same, same, same, nil, "a+b+c"},
		"new card for one":              {same, linked, same, nil, "a+c"},
		"new card for the first pledge": {linked, same, same, nil, "a"},
		"new card after the claim": {claimed, func(p *pledge.Pledge) { linked(p); claimed(p) },
			same, nil, "a+b+c"},
		"new card for the first, others claimed": {linked, claimed, same, nil, "a+b+c"},
		"after the first attempt":                {claimed, linked, claimed, &state.Group{}, "a+b+c"},
	} {
		cg := chargeGroup{hash: state.OwnGroupHash("film", "a"), group: tt.group,
			pledges: []*pledge.Pledge{of("a", tt.a), of("b", tt.b), of("c", tt.c)}}
		if got := strings.Join((chargeGroup{pledges: cg.members()}).ids(), "+"); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// The address holder's card pays for a stranger's session only if it was saved for the whole
// group, and a stranger's card only pays for its own session.
func TestSessionPayers(t *testing.T) {
	of := func(card string, saved int, edit func(p *pledge.Pledge)) *pledge.Pledge {
		p := aPledge(card, 500, pledge.Active, card, saved)
		p.CampaignSlug, p.JoinedAt, p.CardByLink, p.Session, p.Group = "film", nil, false,
			"x", state.OwnGroupHash("film", "a")
		edit(p)
		return p
	}
	same := func(*pledge.Pledge) {}
	linked := func(p *pledge.Pledge) { p.CardByLink = true }
	forGroup := func(p *pledge.Pledge) { p.CardByLink, p.CardForGroup = true, true }
	failed := &state.Group{PaymentMethodID: "pm_a"}
	for name, tt := range map[string]struct {
		group *state.Group
		a, b  func(*pledge.Pledge)
		want  string // the pledge whose card pays
	}{
		"newest card of the session":                 {nil, same, same, "b"},
		"newer card through a link":                  {nil, same, linked, "a"},
		"newer card through a link, after a failure": {failed, same, linked, "a"},
		"only cards through links":                   {nil, linked, linked, "b"},
		"only cards through links, after a failure":  {&state.Group{PaymentMethodID: "pm_x"}, linked, linked, ""},
		"card for the group":                         {failed, same, forGroup, "b"},
		"frozen card, saved through a link":          {failed, linked, linked, "a"},
	} {
		card := cardOf("", tt.group, []*pledge.Pledge{of("a", 1, tt.a), of("b", 2, tt.b)})
		if got := idOf(card); got != tt.want {
			t.Errorf("%s: %q pays, want %q", name, got, tt.want)
		}
	}
	stranger := of("b", 2, same)
	stranger.Session = "y"
	if card := cardOf("", nil, []*pledge.Pledge{of("a", 1, same), stranger}); card != nil {
		t.Errorf("the card of %s pays for another session", card.OrderID)
	}
	joined := of("b", 2, func(p *pledge.Pledge) { p.Group = jointHash(p) })
	if card := cardOf("", nil, []*pledge.Pledge{of("a", 1, same), joined}); card != nil {
		t.Errorf("the card of %s pays for joined pledges", card.OrderID)
	}
	for name, edit := range map[string]func(p *pledge.Pledge){
		"joined":     func(p *pledge.Pledge) { p.JoinedAt = &noon },
		"no session": func(p *pledge.Pledge) { p.Session = "" },
	} {
		a, b := of("a", 1, edit), of("b", 2, edit)
		a.CardByLink = true
		if card := cardOf("", nil, []*pledge.Pledge{a, b}); card != a {
			t.Errorf("%s: %q pays, want the card that was saved through a link", name, idOf(card))
		}
	}
}

func idOf(p *pledge.Pledge) string {
	if p == nil {
		return ""
	}
	return p.OrderID
}

// With pledge.ByEmail, all pledges of an address are charged together, including a stranger's.
func TestGroupingByEmail(t *testing.T) {
	for name, tt := range map[string]struct {
		setup func(w *fixture) []string
		want  []string
	}{
		"typed twice": {func(w *fixture) []string {
			return []string{w.pledgeTyped("ana", "film", 2500, sim.CardOK), w.pledgeTyped("ana", "film", 700, sim.CardOK)}
		}, []string{"a+b by b: $32.00"}},
		"joined, in a session, and typed": {func(w *fixture) []string {
			return []string{w.pledge("ana", "film", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK),
				w.pledgeTyped("ana", "film", 300, sim.CardOK)}
		}, []string{"a+b+c by c: $35.00"}},
		"last pledge cancelled": {func(w *fixture) []string {
			ids := []string{w.pledgeTyped("ana", "film", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK),
				w.pledgeTyped("ana", "film", 300, sim.CardOK)}
			w.cancel("ana", 2)
			return ids
		}, []string{"a+b by b: $32.00"}},
		"new card for the first pledge": {func(w *fixture) []string {
			ids := []string{w.pledgeTyped("ana", "film", 2500, sim.CardOK),
				w.pledgeTyped("ana", "film", 700, sim.CardChargeDeclined)}
			w.newCard("ana", sim.CardOK, 0)
			return ids
		}, []string{"a+b by a: $32.00"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			w.svc.Grouping = pledge.ByEmail
			ids := tt.setup(w)
			w.deadline()
			before := w.db.Snapshot()
			w.settle("film", false)
			if diff := cmp.Diff(tt.want, w.paid(ids...)); diff != "" {
				t.Error(diff)
			}
			w.db.Restore(before)
			w.svc = w.service()
			w.svc.Grouping = pledge.ByEmail
			w.now = w.now.Add(25 * time.Hour)
			w.settle("film", false)
			if diff := cmp.Diff(tt.want, w.paid(ids...)); diff != "" || len(w.sim.Entries()) != len(tt.want) {
				t.Errorf("after a restore, with %d payments: %s", len(w.sim.Entries()), diff)
			}
		})
	}
}

// A card that is saved after a failed charge pays for all pledges of the address.
func TestGroupingByEmail_NewCardAfterFailure(t *testing.T) {
	w := newFixture(t)
	w.svc.Grouping = pledge.ByEmail
	ids := []string{w.pledgeTyped("ana", "film", 2500, sim.CardOK),
		w.pledgeTyped("ana", "film", 700, sim.CardChargeDeclined)}
	w.deadline()
	w.settle("film", false)
	w.newCard("ana", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	if diff := cmp.Diff([]string{"a+b by a: $32.00"}, w.paid(ids...)); diff != "" {
		t.Error(diff)
	}
}

// A claimed pledge takes the other pledges of its session into its group only if it was
// claimed for the session.
func TestGroupPledges_SessionOfClaimedPledge(t *testing.T) {
	joint, own := state.GroupHash("film", "ana@example.org"), state.OwnGroupHash("film", "a")
	for name, tt := range map[string]struct {
		edit func(a *pledge.Pledge)
		want string // the group of the other pledge
	}{
		"claimed for the session":     {func(a *pledge.Pledge) { a.Group = own }, own},
		"claimed with joined pledges": {func(a *pledge.Pledge) { a.Group = joint }, state.OwnGroupHash("film", "b")},
		"failed, record lost": {func(a *pledge.Pledge) { a.Group, a.Status = own, pledge.PaymentFailed },
			state.OwnGroupHash("film", "b")},
		"with a new card through its link": {func(a *pledge.Pledge) { a.Group, a.CardByLink = own, true },
			state.OwnGroupHash("film", "b")},
		"joined, charged separately": {func(a *pledge.Pledge) { a.Group, a.JoinedAt = own, &noon },
			state.OwnGroupHash("film", "b")},
	} {
		a, b := aPledge("a", 500, pledge.Active, "a", 1), aPledge("b", 500, pledge.Active, "b", 2)
		for _, p := range []*pledge.Pledge{a, b} {
			p.CampaignSlug, p.JoinedAt, p.CardByLink, p.Session = "film", nil, false, "x"
		}
		tt.edit(a)
		got := ""
		for _, cg := range groupPledges("", "film", pledge.EmailHash("ana@example.org"), []*pledge.Pledge{a, b}, nil) {
			if slices.Contains(cg.ids(), "b") {
				got = cg.hash
			}
		}
		if got != tt.want {
			t.Errorf("%s: the other pledge is in the group %s, want %s", name, got, tt.want)
		}
	}
}

// An order that was restored to before its claim keeps the group that was frozen with it.
func TestGroupPledges_LostClaim(t *testing.T) {
	a, b := aPledge("a", 500, pledge.Active, "a", 1), aPledge("b", 500, pledge.Active, "b", 2)
	for _, p := range []*pledge.Pledge{a, b} {
		p.CampaignSlug, p.JoinedAt, p.CardByLink = "film", nil, false
	}
	a.Session, b.Session = "x", "y" // the record counts, not the sessions
	own := state.OwnGroupHash("film", "a")
	records := map[string]state.GroupRecord{own: {Group: &state.Group{Hash: own, Orders: []state.Part{{ID: "a"}, {ID: "b"}}}}}
	groups := groupPledges("", "film", pledge.EmailHash("ana@example.org"), []*pledge.Pledge{a, b}, records)
	if len(groups) != 1 || groups[0].hash != own || !slices.Equal(groups[0].ids(), []string{"a", "b"}) {
		t.Errorf("%+v", groups)
	}
	if p := (chargeGroup{hash: own, pledges: []*pledge.Pledge{a}}).plan(campaign.DefaultRecovery(),
		noon); p.verdict != toCharge || p.amount != 500 {
		t.Errorf("alone: %s, %s", p.verdict, p.amount)
	}
}
