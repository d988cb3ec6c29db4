package checkout_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

func thanks(email string) checkout.StartRequest { return request(email, one("film__thanks")) }

// Opening a link changes nothing and joins nothing.
func TestLink_OpeningChangesNothing(t *testing.T) {
	w := newFixture(t)
	w.pledge(thanks("a@example.org"))
	tok := w.link(w.pledge(request("a@example.org", seats(2))).OrderID)
	before := w.dump()
	must[checkout.PledgeView](t)(w.svc.View(w.ctx, tok))
	must[[]checkout.PledgeView](t)(w.svc.List(w.ctx, tok))
	must[checkout.Joining](t)(w.svc.Joining(w.ctx, checkout.JoiningRequest{Token: tok}))
	must[checkout.Standings](t)(w.svc.Standings(w.ctx, tok, nil))
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Error(diff)
	}
}

// Using a link for anything other than joining joins nothing.
func TestLink_OtherUseJoinsNothing(t *testing.T) {
	for name, use := range map[string]func(w *fixture, tok string){
		"changed": func(w *fixture, tok string) {
			must[checkout.Modified](w.t)(w.svc.Modify(w.ctx, checkout.ModifyRequest{Token: tok, TipPercent: new(1)}))
		},
		"another card": func(w *fixture, tok string) {
			s := must[checkout.CardStarted](w.t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: tok}))
			w.advance(time.Minute)
			w.save(s.SessionID)
			if err := w.deliver(); err != nil {
				w.t.Fatal(err)
			}
		},
		"cancelled": func(w *fixture, tok string) {
			must[checkout.Cancelled](w.t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: tok}))
		},
		"abandoned checkout": func(w *fixture, tok string) {
			r := thanks("a@example.org")
			r.ManageToken = tok
			w.start(r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			id := w.pledge(thanks("a@example.org")).OrderID
			use(w, w.link(id))
			p := w.read(id)
			if p.JoinedAt != nil || p.CardByLink != (name == "another card") {
				t.Errorf("joined at %v, card by link %t", p.JoinedAt, p.CardByLink)
			}
		})
	}
}

func TestStart_FromLink(t *testing.T) {
	w := newFixture(t)
	film := w.pledge(thanks("a@example.org")).OrderID
	other := w.pledge(thanks("a@example.org")).OrderID
	game := w.pledge(request("a@example.org", one("game__print"))).OrderID
	from := func(link, cart string) *pledge.Pledge {
		r := request(" A@Example.org", one(cart))
		r.ManageToken = w.link(link)
		return w.read(w.pledge(r).OrderID)
	}
	if p := from(game, "film__thanks"); p.JoinedAt == nil || !p.CardByLink {
		t.Errorf("pledged from a link: joined %v, card by link %t", p.JoinedAt, p.CardByLink)
	}
	if p := w.read(game); p.JoinedAt != nil {
		t.Error("the link joined its pledge to another campaign")
	}
	from(film, "film__thanks")
	if p := w.read(film); p.JoinedAt == nil || p.CardByLink {
		t.Errorf("the link's own pledge: joined %v, card by link %t", p.JoinedAt, p.CardByLink)
	}
	if record, _ := w.value(pledge.Key(film)); !strings.Contains(record, `"joinedAt"`) {
		t.Errorf("stored pledge of the link: %s", record)
	}
	if p := w.read(other); p.JoinedAt != nil {
		t.Error("a pledge was joined without its link")
	}
}

// A supporter whose first pledge was stored with a Unicode domain is recognized by the ASCII
// form.
func TestStart_AddressStoredInUnicode(t *testing.T) {
	w := newFixture(t)
	const old, now = "zoe@übung.example", "zoe@xn--bung-zra.example"
	must[[]string](t)(w.svc.Orders.AddToList(t.Context(), old, "pw-00000000000000000000000000"))
	first := w.pledge(thanks("Zoe@Übung.example")).OrderID
	if got := w.read(first).Email; got != old {
		t.Fatalf("first pledge stored with address %s", got)
	}
	r := thanks(now)
	r.ManageToken = w.link(first)
	second := w.read(w.pledge(r).OrderID)
	if second.Email != old || second.JoinedAt == nil || w.read(first).JoinedAt == nil {
		t.Errorf("second pledge stored with address %s, joined %v", second.Email, second.JoinedAt)
	}
	sup, err := w.svc.Inventory.Supporter(t.Context(), "film", pledge.EmailHash(old))
	if err != nil || len(sup.Pledges) != 2 {
		t.Errorf("%+v, %v", sup, err)
	}
	if got := w.read(w.pledge(thanks("ana@übung.example")).OrderID).Email; got != "ana@xn--bung-zra.example" {
		t.Errorf("new supporter stored with address %s", got)
	}
}

// Only a link that was mailed to the address proves its ownership.
func TestStart_InvalidLink(t *testing.T) {
	w := newFixture(t)
	s := w.pledge(thanks("a@example.org"))
	old := must[string](t)(w.svc.Links.Signer.Sign(token.Claims{Scope: token.Manage, OrderID: s.OrderID,
		Email: "a@example.org", CampaignSlug: "film", Expires: w.clock()}))
	for name, tok := range map[string]string{
		"another address": w.link(w.pledge(thanks("b@example.org")).OrderID),
		"checkout token":  s.Token,
		"expired":         old,
		"nonsense":        "x.y",
		"another secret": must[string](t)(token.Signer{
			Secret: []byte(strings.Repeat("z", 32))}.Sign(token.Claims{Scope: token.Manage, OrderID: s.OrderID,
			Email: "a@example.org", CampaignSlug: "film", Expires: w.clock().Add(time.Hour)})),
	} {
		r := thanks("a@example.org")
		r.ManageToken = tok
		_, err := w.svc.Start(w.ctx, r)
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "manageToken" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJoin(t *testing.T) {
	w := newFixture(t)
	a := w.pledge(thanks("a@example.org")).OrderID
	b := w.pledge(request("a@example.org", seats(1))).OrderID
	w.pledge(request("b@example.org", seats(1)))
	w.pledge(request("a@example.org", one("game__print")))
	join := func(id string) checkout.Joining {
		t.Helper()
		out := must[checkout.Joined](t)(w.svc.Join(w.ctx, checkout.JoinRequest{Token: w.link(id)}))
		if !out.Success || out.Pledge.OrderID != id || !out.Pledge.Joined || out.Pledge.CanJoin {
			t.Errorf("joined: %+v", out)
		}
		return out.Joining
	}
	amount := w.read(a).Amount
	if diff := cmp.Diff(checkout.Joining{CanJoin: true, Amount: amount, Total: amount},
		must[checkout.Joining](t)(w.svc.Joining(w.ctx, checkout.JoiningRequest{Token: w.link(a)}))); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	join(a)
	total := amount + w.read(b).Amount
	alone := checkout.Joining{Joined: true, Amount: w.read(b).Amount, Others: 1, Total: total}
	if diff := cmp.Diff(alone, join(b)); diff != "" {
		t.Errorf("without a card saved by link (-want +got):\n%s", diff)
	}
	first := checkout.Joining{Joined: true, Amount: amount, Others: 1, Total: total}
	if diff := cmp.Diff(first,
		must[checkout.Joining](t)(w.svc.Joining(w.ctx, checkout.JoiningRequest{Token: w.link(a)}))); diff != "" {
		t.Errorf("first pledge (-want +got):\n%s", diff)
	}
	s := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(a)}))
	w.advance(time.Minute)
	w.save(s.SessionID)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	saved := w.read(a).CardSavedAt
	together := checkout.Joining{Joined: true, Amount: w.read(b).Amount, Others: 1, Total: total,
		Together: true, CardSavedAt: &saved}
	before := w.dump()
	if diff := cmp.Diff(together, join(b)); diff != "" {
		t.Errorf("joined again (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Errorf("joining again changed the store:\n%s", diff)
	}
	if record, _ := w.value(pledge.Key(b)); !strings.Contains(record, `"joinedAt"`) {
		t.Errorf("stored pledge: %s", record)
	}
}

// Joining is offered only if the address has another open pledge to the campaign that is not charged
// with this one already.
func TestView_CanJoin(t *testing.T) {
	w := newFixture(t)
	canJoin := func(id string) bool {
		t.Helper()
		return must[checkout.PledgeView](t)(w.svc.View(w.ctx, w.link(id))).CanJoin
	}
	a := w.pledge(sessionRequest(here)).OrderID
	w.pledge(request("b@example.org", seats(1)))
	w.pledge(request("a@example.org", one("game__print")))
	if canJoin(a) {
		t.Error("the only pledge of its address can be joined")
	}
	w.pledge(sessionRequest(here))
	if canJoin(a) {
		t.Error("pledges of one browser, which are charged together already, can be joined")
	}
	c := w.pledge(sessionRequest(there)).OrderID
	if !canJoin(a) || !canJoin(c) {
		t.Error("pledges of two browsers cannot be joined")
	}
	must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(c)}))
	if canJoin(a) {
		t.Error("a pledge can be joined with one that was cancelled")
	}
}

func TestJoin_TooLate(t *testing.T) {
	w := newFixture(t)
	a := w.pledge(thanks("a@example.org")).OrderID
	b := w.pledge(thanks("a@example.org")).OrderID
	tokA, tokB := w.link(a), w.link(b)
	must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: tokB}))
	_, err := w.svc.Join(w.ctx, checkout.JoinRequest{Token: tokB})
	if codeOf(err) != fault.Conflict {
		t.Errorf("cancelled pledge: %v", err)
	}
	w.advance(60 * 24 * time.Hour)
	if _, err := w.svc.Join(w.ctx, checkout.JoinRequest{Token: tokA}); codeOf(err) != fault.Conflict {
		t.Errorf("after the deadline: %v", err)
	}
	if j := must[checkout.Joining](t)(w.svc.Joining(w.ctx, checkout.JoiningRequest{Token: tokA})); j.CanJoin ||
		j.Joined {
		t.Errorf("after the deadline: %+v", j)
	}
}

// The confirmation email mentions the address's other pledges.
func TestConfirmation_OtherPledges(t *testing.T) {
	w := newFixture(t)
	mails := func() (n int) {
		for _, e := range w.db.Snapshot().Stores["PLEDGES"] {
			if strings.HasPrefix(e.Key, "email-outbox:v1:") && strings.Contains(string(e.Value), "charged separately") {
				n++
			}
		}
		return n
	}
	first := w.pledge(thanks("a@example.org")).OrderID
	w.pledge(request("a@example.org", one("game__print")))
	must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(first)}))
	w.pledge(thanks("a@example.org"))
	if n := mails(); n != 0 {
		t.Errorf("%d mails mention other pledges, want none", n)
	}
	w.pledge(thanks("a@example.org"))
	if n := mails(); n != 1 {
		t.Errorf("%d mails mention the other pledges", n)
	}
}

// The consent text covers everything that the card pays for, however it was
// saved.
func TestConsent_CombinedCharge(t *testing.T) {
	w := newFixture(t)
	r := thanks("a@example.org")
	alone, joined := "We won't use it for any other pledge", "The same payment includes your other pledges"
	first := w.pledge(r)
	if text := first.Consent.Text; !strings.Contains(text, alone) || strings.Contains(text, joined) {
		t.Errorf("alone: %s", text)
	}
	modify := func(id string) string {
		text := must[checkout.Modified](t)(w.svc.Modify(w.ctx,
			checkout.ModifyRequest{Token: w.link(id), TipPercent: new(2)})).Consent.Text
		if !strings.HasPrefix(text, "By confirming this change") || strings.Contains(text, "saving your card") {
			t.Errorf("no card is saved by a change: %s", text)
		}
		return text
	}
	if text := modify(first.OrderID); !strings.Contains(text, alone) {
		t.Errorf("changed alone: %s", text)
	}
	r.ManageToken = w.link(first.OrderID)
	second := w.pledge(r)
	if text := second.Consent.Text; !strings.Contains(text, joined) || strings.Contains(text, alone) {
		t.Errorf("joined: %s", text)
	}
	if text := modify(second.OrderID); !strings.Contains(text, joined) {
		t.Errorf("consent after joining: %s", text)
	}
}
