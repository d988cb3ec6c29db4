package settlement

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/search"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// deleteCards deletes the cards of a campaign in one call.
func (w *fixture) deleteCards(slug string) (CardDeletion, error) {
	w.t.Helper()
	c, err := w.catalogue.Campaign(slug)
	w.ok(err)
	return w.svc.DeleteCards(w.ctx, c, 0, 100)
}

// close passes the deadline, closes a campaign that missed its goal, and passes the time for
// reopening it.
func (w *fixture) close(slug string) {
	w.t.Helper()
	w.deadline()
	w.now = w.now.Add(Closing)
	w.mustDeleteCards(slug, CardDeletion{})
	if closed, err := w.svc.Closed(w.ctx, slug); err != nil || !closed {
		w.t.Fatalf("%s is closed: %t, %v", slug, closed, err)
	}
	w.now = w.now.Add(Reopening)
}

func (w *fixture) mustDeleteCards(slug string, want CardDeletion) {
	w.t.Helper()
	if f, err := w.deleteCards(slug); err != nil || f != want {
		w.t.Errorf("the cards of %s: %+v, %v, want %+v", slug, f, err, want)
	}
}

// attached reports whether the processor can still charge a card.
func (w *fixture) attached(card string) bool {
	w.t.Helper()
	c, err := w.sim.Processor().Card(w.ctx, card)
	w.ok(err)
	return c.CustomerID != ""
}

func (w *fixture) hasCard(id string) bool { return w.attached(w.pledgeByID(id).PaymentMethodID) }

// pledgeToBoth makes one pledge to the film and one to the album, in one order with one card.
func (w *fixture) pledgeToBoth(name string, film, album money.Cents) (ids []string) {
	w.t.Helper()
	m := order.Manifest{OrderID: "pw-00000000000000000000000bth", Email: email(name), Currency: money.USD,
		Nonce: "n", BookedAt: w.now, Amount: film + album}
	for slug, amount := range map[string]money.Cents{"film": film, "album": album} {
		lines := []pledge.Line{{Kind: pledge.CustomLine, Name: "Gift", Quantity: 1, UnitPrice: amount, Amount: amount}}
		totals, err := pledge.CalculateTotals(lines, 0, 0, pledge.Tip{})
		w.ok(err)
		c, err := w.catalogue.Campaign(slug)
		w.ok(err)
		m.Campaigns = append(m.Campaigns,
			order.Contribution{PledgeID: m.OrderID + "-" + slug, CampaignSlug: slug, Lines: lines, Totals: totals,
				EndsAt: c.EndsAt(w.zone).UTC(), Goal: c.Goal})
	}
	o, err := w.svc.Orders.Open(w.ctx, m)
	w.ok(err)
	w.ok(w.svc.Orders.Attach(w.ctx, m.OrderID, "cs_both"))
	_, _, err = w.svc.Orders.Confirm(w.ctx, m.OrderID, "cs_both", o.Hash, w.saveCard(name, sim.CardOK), false)
	w.ok(err)
	o, err = w.svc.Orders.Get(w.ctx, m.OrderID)
	w.ok(err)
	for _, p := range o.Pledges {
		_, err = w.svc.Projector.Book(w.ctx, p, "")
		w.ok(err)
	}
	return []string{m.OrderID + "-film", m.OrderID + "-album"}
}

// If a goal is missed, nothing is charged, and the cards are deleted at the processor.
//
// Proves SET-02.
func TestDeleteCards_MissedCampaign(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "album", 500, sim.CardOK)
	gone := w.pledge("bob", "album", 700, sim.CardOK)
	w.cancel("bob", 0)
	w.mustDeleteCards("album", CardDeletion{})
	w.deadline()
	found := func() int {
		_, err := search.Index{Store: w.svc.Store}.Update(w.ctx, "album", 100)
		w.ok(err)
		terms := 0
		for e, err := range kv.All(w.ctx, w.svc.Store, "supporter-search:v1:album:c:") {
			w.ok(err)
			if strings.Contains(e.Key, ":4242:") {
				terms++
			}
		}
		return terms
	}
	if n := found(); n != 2 {
		t.Errorf("%d cards can be searched for, want 2", n)
	}
	w.now = w.now.Add(Closing - Margin - time.Second)
	w.mustDeleteCards("album", CardDeletion{})
	if p := w.pledgeByID(id); !w.hasCard(id) || p.CardForgottenAt != nil || !p.Unpaid() || p.Card == nil {
		t.Fatalf("too early: %+v", p)
	}
	w.now = w.now.Add(2 * time.Second)
	w.mustDeleteCards("album", CardDeletion{})
	w.now = w.now.Add(Reopening - time.Second)
	w.mustDeleteCards("album", CardDeletion{})
	if p := w.pledgeByID(id); !w.hasCard(id) || p.CardForgottenAt != nil || len(w.mails()) != 0 {
		t.Fatalf("during the reopening period: mails %v, pledge %+v", w.mails(), p)
	}
	w.now = w.now.Add(2 * time.Second)
	w.mustDeleteCards("album", CardDeletion{Over: true, Cards: 2})
	w.mustDeleteCards("album", CardDeletion{Over: true})
	if n := w.sim.Received(sim.RetrieveSession); n != w.orders/2 { // one per saved card
		t.Errorf("%d sessions were requested, although no card was replaced", n)
	}
	if n := found(); n != 0 {
		t.Errorf("%d deleted cards can be searched for", n)
	}
	for _, id := range []string{id, gone} {
		p := w.pledgeByID(id)
		if w.hasCard(id) || p.CardForgottenAt == nil || p.Card != nil || p.Unpaid() ||
			p.History[len(p.History)-1].Type != "card_forgotten" {
			t.Errorf("forgotten: %+v", p)
		}
		record, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
		w.ok(err)
		if diff := cmp.Diff(*p, record); diff != "" {
			t.Errorf("the record (-order +record):\n%s", diff)
		}
	}
	if diff := cmp.Diff([]string{"missed ana"}, w.mails()); diff != "" {
		t.Errorf("mails (-want +got):\n%s", diff)
	}
	if _, err := w.svc.Settle(w.ctx, "album", false); !fault.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), "closed") {
		t.Errorf("settling the closed campaign: %v", err)
	}
	// a run that read the campaign before it was closed
	_, err := state.Client{Coordinator: w.db.Coordinator(), Slug: "album"}.Acquire(w.ctx,
		state.LeaseRequest{Owner: "other run"})
	wantCode(t, "acquiring its lease", err, fault.Conflict)
	if _, err := w.svc.Orders.Claim(w.ctx, id, "g", 1); !fault.Is(err, fault.Conflict) {
		t.Errorf("claiming its pledge: %v", err)
	}
}

// A card that may still be charged is not deleted.
func TestDeleteCards_KeepsChargeableCards(t *testing.T) {
	late := func(w *fixture) {
		w.deadline()
		w.now = w.now.Add(Closing)
	}
	for name, run := range map[string]func(w *fixture) (id, slug string){
		"campaign not settled": func(w *fixture) (string, string) {
			id := w.pledge("ana", "film", 2500, sim.CardOK)
			late(w)
			return id, "film"
		},
		"failed charge": func(w *fixture) (string, string) {
			w.pledge("ana", "film", 2500, sim.CardOK)
			id := w.pledge("bob", "film", 1000, sim.CardChargeDeclined)
			late(w)
			w.batches("chain", "film")
			return id, "film"
		},
		"other pledge of the order unpaid": func(w *fixture) (string, string) {
			ids := w.pledgeToBoth("ana", 2500, 500)
			late(w)
			return ids[1], "album"
		},
		"before the promised later deadline": func(w *fixture) (string, string) {
			id := w.pledge("ana", "album", 500, sim.CardOK)
			w.catalogue = ending(w.t, "2026-02-22")
			late(w)
			w.now = w.now.Add(-7 * day)
			return id, "album"
		},
		"just after the promised later deadline": func(w *fixture) (string, string) {
			id := w.pledge("ana", "album", 500, sim.CardOK)
			w.catalogue = ending(w.t, "2026-02-22")
			late(w)
			w.now = w.now.Add(-Margin - time.Second)
			return id, "album"
		},
		"just after the file's later deadline": func(w *fixture) (string, string) {
			id := w.pledge("ana", "album", 500, sim.CardOK)
			w.catalogue = ending(w.t, "2026-03-02")
			late(w)
			w.now = w.now.Add(day - Margin - time.Second)
			return id, "album"
		},
		"open checkout": func(w *fixture) (string, string) {
			id := w.pledge("ana", "album", 500, sim.CardOK)
			late(w)
			w.ok(w.svc.Inventory.Hold(w.ctx, "album",
				inventory.Hold{ID: "h", Pledge: "pw-x", Order: "pw-x", Due: w.now.Add(time.Hour)}, nil))
			return id, "album"
		},
		"promised goal reached exactly": func(w *fixture) (string, string) {
			id := w.pledge("ana", "album", 2000, sim.CardOK)
			w.catalogue = newCatalogue(w.t, "film", 20, "album", 5000)
			late(w)
			return id, "album"
		},
		"promised goal reached": func(w *fixture) (string, string) {
			id := w.pledge("ana", "album", 2500, sim.CardOK)
			w.catalogue = newCatalogue(w.t, "film", 20, "album", 5000)
			late(w)
			return id, "album"
		},
		"only the file's goal reached": func(w *fixture) (string, string) {
			id := w.pledge("ana", "album", 1000, sim.CardOK)
			w.catalogue = newCatalogue(w.t, "film", 20, "album", 5)
			late(w)
			return id, "album" // held until an operator accepts the change
		},
		"settlement running": func(w *fixture) (string, string) {
			id := w.pledge("ana", "album", 500, sim.CardOK)
			late(w)
			_, err := state.Client{Coordinator: w.db.Coordinator(), Slug: "album"}.Acquire(w.ctx,
				state.LeaseRequest{Owner: "other run"})
			w.ok(err)
			return id, "album"
		},
	} {
		w := newFixture(t)
		id, slug := run(w)
		if f, err := w.deleteCards(slug); err != nil || f.Cards != 0 || !w.hasCard(id) ||
			w.pledgeByID(id).CardForgottenAt != nil {
			t.Errorf("%s: %+v, %v, attached %t", name, f, err, w.hasCard(id))
		}
	}
}

// A campaign is closed once, even if its file changes later. Cards are kept while the file
// differs from what supporters were promised.
func TestClose_Once(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "album", 500, sim.CardOK)
	w.close("album")
	closed := w.now.Add(-Reopening)
	w.catalogue = newCatalogue(w.t, "film", 20, "album", 4)
	w.mustDeleteCards("album", CardDeletion{})
	if !w.hasCard(id) {
		t.Error("the card was deleted while the file has another goal")
	}
	w.catalogue = newCatalogue(w.t, "film", 20, "album", 20)
	w.mustDeleteCards("album", CardDeletion{Over: true, Cards: 1})
	w.mustDeleteCards("album", CardDeletion{Over: true})
	if st, err := w.svc.Status(w.ctx, "album"); err != nil || !st.ClosedAt.Equal(closed) || w.hasCard(id) {
		t.Errorf("closed at %s, %v, want %s", st.ClosedAt, err, closed)
	}
}

// A campaign with charges at an accepted goal is never closed, even if its file's goal is
// raised later.
func TestClose_ChargedCampaign(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 1500, sim.CardOK)
	w.edit("2026-03-01", 10)
	w.deadline()
	_, err := w.svc.Accept(w.ctx, "film", "all were asked")
	w.ok(err)
	w.settle("film", false)
	w.edit("2026-03-01", 20)
	w.now = w.now.Add(Closing)
	w.mustDeleteCards("film", CardDeletion{Over: true, Cards: 1})
	if st := w.status(); st.Funds.Collected != 1500 || st.Counted >= st.Goal || st.ClosedAt != nil {
		t.Errorf("%s of %s, closed at %v", st.Counted, st.Goal, st.ClosedAt)
	}
}

// ending returns a catalogue of the film and an album with the given deadline.
func ending(t testing.TB, deadline string) *campaign.Catalogue {
	t.Helper()
	src := strings.Replace(films, "2026-03-01", deadline, 1)
	c, err := campaignfile.Parse("campaigns/album.md", []byte(strings.NewReplacer("%s", "album", "%d", "20").Replace(src)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := newCatalogue(t, "film", 20).Campaign("film")
	if err != nil {
		t.Fatal(err)
	}
	cat, err := campaign.NewCatalogue([]*campaign.Campaign{c, f}, campaign.PlatformAddOns{})
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

// The card of an order to two campaigns is deleted when the last of them is over.
func TestDeleteCards_OrderToTwoCampaigns(t *testing.T) {
	w := newFixture(t)
	ids := w.pledgeToBoth("ana", 2500, 500)
	w.close("album")
	w.mustDeleteCards("album", CardDeletion{Over: true})
	w.batches("chain", "film")
	if !w.pledgeByID(ids[0]).Charged || !w.hasCard(ids[1]) {
		t.Fatal("the film is not charged to the card that the missed album shares")
	}
	w.mustDeleteCards("film", CardDeletion{Over: true, Cards: 1})
	if w.hasCard(ids[0]) || w.pledgeByID(ids[0]).CardForgottenAt == nil || w.pledgeByID(ids[1]).CardForgottenAt == nil {
		t.Error("the card was not deleted after both campaigns ended")
	}
	if w.pledgeByID(ids[0]).Card == nil || w.pledgeByID(ids[1]).Card != nil {
		t.Error("the card label should be kept on the charged pledge only")
	}
	rests, err := w.svc.IdleStates(w.ctx)
	w.ok(err)
	if rests["album"].Woken == 0 {
		t.Error("the album was not woken when its pledge changed")
	}
	w.mustDeleteCards("album", CardDeletion{Over: true})
	if diff := cmp.Diff([]string{"charged ana", "missed ana"}, w.mails()); diff != "" {
		t.Errorf("mails (-want +got):\n%s", diff)
	}
}

// After a funded campaign is settled, all its cards are deleted, including declined and replaced
// ones.
func TestDeleteCards_SettledCampaign(t *testing.T) {
	w := newFixture(t)
	ana := w.pledge("ana", "film", 2500, sim.CardOK)
	bob := w.pledge("bob", "film", 1000, sim.CardChargeDeclined)
	w.replaceCard("ana", "first")
	first := w.pledgeByID(ana).PaymentMethodID
	w.replaceCard("ana", "second")
	w.deadline()
	w.batches("chain", "film")
	w.now = w.now.Add(MinIdleAge)
	w.mustDeleteCards("film", CardDeletion{})
	w.sendMails()
	w.now = w.now.Add(15 * day)
	w.runUntilDone()
	if !w.pledgeByID(bob).Dropped() {
		t.Fatal("bob is not dropped")
	}
	w.mustDeleteCards("film", CardDeletion{Over: true, Cards: 3})
	if w.attached(first) || w.hasCard(ana) || w.hasCard(bob) {
		t.Errorf("the replaced card is attached: %t, ana's: %t, bob's: %t", w.attached(first), w.hasCard(ana), w.hasCard(bob))
	}
	if mails := w.mails(); slices.ContainsFunc(mails, func(m string) bool { return strings.HasPrefix(m, "missed") }) {
		t.Errorf("mails: %v", mails)
	}
}

// replaceCard replaces the card of a supporter's first pledge with one from a new session, without
// booking it.
func (w *fixture) replaceCard(name, nth string) {
	w.t.Helper()
	id := w.pledgesOf[name][0]
	w.now = w.now.Add(time.Second)
	s, err := w.sim.Processor().
		StartSetup(w.ctx, psp.NewSetup{Key: nth + id, CustomerID: w.pledgeByID(id).CustomerID, UIMode: psp.Custom,
			ReturnURL: "https://example.org/done", Metadata: map[string]string{}})
	w.ok(err)
	w.ok(w.svc.Orders.StartCard(w.ctx, id, s.ID))
	w.ok(w.sim.Complete(s.ID, sim.CardOK))
	s, err = w.sim.Processor().Session(w.ctx, s.ID)
	w.ok(err)
	_, err = w.svc.Orders.ReplaceCard(w.ctx, id, s.ID,
		order.Card{CustomerID: s.CustomerID, PaymentMethodID: s.PaymentMethodID,
			SetupIntentID: s.SetupIntentID, SavedAt: w.now})
	w.ok(err)
}

// Cards are deleted in parts; each call returns where the next one starts.
func TestDeleteCards_Pages(t *testing.T) {
	for supporters, want := range map[int][]CardDeletion{
		4: {{Over: true, Cards: 2, Next: 2}, {Over: true, Cards: 2, Next: 4}, {Over: true}},
		5: {{Over: true, Cards: 2, Next: 2}, {Over: true, Cards: 2, Next: 4}, {Over: true, Cards: 1}},
	} {
		w := newFixture(t)
		for i := range supporters {
			w.pledge(fmt.Sprintf("fan%d", i), "album", 100, sim.CardOK)
		}
		w.close("album")
		c, err := w.catalogue.Campaign("album")
		w.ok(err)
		var got []CardDeletion
		for from := 0; len(got) == 0 || from != 0 && len(got) < 9; {
			f, err := w.svc.DeleteCards(w.ctx, c, from, 2)
			w.ok(err)
			got, from = append(got, f), f.Next
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("card deletions of %d supporters (-want +got):\n%s", supporters, diff)
		}
	}
}

// Supporters are not emailed about a missed goal long after the deadline.
func TestDeleteCards_OldCampaignWithoutMail(t *testing.T) {
	for past, want := range map[time.Duration][]string{0: {"missed ana"}, time.Second: {}} {
		w := newFixture(t)
		id := w.pledge("ana", "album", 500, sim.CardOK)
		w.close("album")
		w.now = w.now.Add(newsAge - Margin - Closing - Reopening + past)
		w.mustDeleteCards("album", CardDeletion{Over: true, Cards: 1})
		if diff := cmp.Diff(want, w.mails()); diff != "" || w.hasCard(id) {
			t.Errorf("%s later, mails (-want +got):\n%s", past, diff)
		}
	}
}
