package checkout_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Secrets of browser sessions.
const (
	here  = "session-here-0123456789"
	there = "session-there-0123456789"
)

// sessionRequest is a request for the film's thanks, which total $5.75, in a browser session.
func sessionRequest(session string) checkout.StartRequest {
	r := thanks("a@example.org")
	r.Session = session
	return r
}

// linkedFrom returns a sessionRequest with the manage link of a pledge.
func (w *fixture) linkedFrom(session, link string) checkout.StartRequest {
	r := sessionRequest(session)
	r.ManageToken = w.link(link)
	return r
}

// replaceCard replaces the pledge's card through its link.
func (w *fixture) replaceCard(id string) {
	w.t.Helper()
	s := must[checkout.CardStarted](w.t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id)}))
	w.advance(time.Minute)
	w.save(s.SessionID)
	if err := w.deliver(); err != nil {
		w.t.Fatal(err)
	}
}

func combined(others int, amount, total money.Cents, sameBrowser bool) *checkout.Combined {
	return &checkout.Combined{Others: others, Amount: amount, Total: total, SameBrowser: sameBrowser}
}

// A checkout shows the other pledges in its payment before the card is entered:
// those of its browser session, and those that its link joins. It reveals no
// other pledges of the address.
func TestStart_Combined(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(w *fixture) checkout.StartRequest
		want   *checkout.Combined
	}{
		"first pledge": {func(*fixture) checkout.StartRequest { return sessionRequest(here) }, nil},
		"one earlier pledge": {func(w *fixture) checkout.StartRequest {
			w.pledge(sessionRequest(here))
			return sessionRequest(here)
		}, combined(1, 575, 1150, true)},
		"two earlier pledges": {func(w *fixture) checkout.StartRequest {
			w.pledge(sessionRequest(here))
			w.pledge(sessionRequest(here))
			return sessionRequest(here)
		}, combined(2, 1150, 1725, true)},
		"pledge of another session": {func(w *fixture) checkout.StartRequest {
			w.pledge(sessionRequest(there))
			return sessionRequest(here)
		}, nil},
		"pledge without a session": {func(w *fixture) checkout.StartRequest {
			w.pledge(sessionRequest(""))
			return sessionRequest("")
		}, nil},
		"pledge of another address": {func(w *fixture) checkout.StartRequest {
			r := sessionRequest(here)
			r.Email = "b@example.org"
			w.pledge(r)
			return sessionRequest(here)
		}, nil},
		"pledge to another campaign": {func(w *fixture) checkout.StartRequest {
			r := sessionRequest(here)
			r.Items = []checkout.Item{one("game__print")}
			w.pledge(r)
			return sessionRequest(here)
		}, nil},
		"joined pledge": {func(w *fixture) checkout.StartRequest {
			id := w.pledge(sessionRequest(here)).OrderID
			must[checkout.Joined](w.t)(w.svc.Join(w.ctx, checkout.JoinRequest{Token: w.link(id)}))
			return sessionRequest(here)
		}, nil},
		"pledge with another card": {func(w *fixture) checkout.StartRequest {
			w.replaceCard(w.pledge(sessionRequest(here)).OrderID)
			return sessionRequest(here)
		}, nil},
		"cancelled pledge": {func(w *fixture) checkout.StartRequest {
			id := w.pledge(sessionRequest(here)).OrderID
			must[checkout.Cancelled](w.t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(id)}))
			return sessionRequest(here)
		}, nil},
		"pledge being charged": {func(w *fixture) checkout.StartRequest {
			must[*pledge.Pledge](w.t)(w.svc.Orders.Claim(w.ctx, w.pledge(sessionRequest(here)).OrderID, "g", 1))
			return sessionRequest(here)
		}, nil},
		"link": {func(w *fixture) checkout.StartRequest {
			w.pledge(sessionRequest(there))
			return w.linkedFrom("", w.pledge(sessionRequest("")).OrderID)
		}, combined(1, 575, 1150, false)},
		"link and session": {func(w *fixture) checkout.StartRequest {
			w.pledge(sessionRequest(here))
			w.pledge(sessionRequest(there))
			return w.linkedFrom(here, w.pledge(sessionRequest("")).OrderID)
		}, combined(2, 1150, 1725, false)},
		"link and joined pledges": {func(w *fixture) checkout.StartRequest {
			first := w.pledge(sessionRequest("")).OrderID
			w.pledge(w.linkedFrom("", first))
			w.pledge(sessionRequest(""))
			return w.linkedFrom("", first)
		}, combined(2, 1150, 1725, false)},
		"link and a cancelled joined pledge": {func(w *fixture) checkout.StartRequest {
			first := w.pledge(sessionRequest("")).OrderID
			second := w.pledge(w.linkedFrom("", first)).OrderID
			must[checkout.Cancelled](w.t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(second)}))
			return w.linkedFrom("", first)
		}, combined(1, 575, 1150, false)},
		"link of another campaign's pledge": {func(w *fixture) checkout.StartRequest {
			return w.linkedFrom("", w.pledge(request("a@example.org", one("game__print"))).OrderID)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			s := w.start(tt.before(w))
			if diff := cmp.Diff(tt.want, s.Campaigns[0].Combined); diff != "" {
				t.Error(diff)
			}
			resumed := must[checkout.Started](t)(w.svc.Resume(w.ctx,
				checkout.OpenRequest{OrderID: s.OrderID, Token: s.Token}))
			if diff := cmp.Diff([]any{s.Campaigns, s.Consent}, []any{resumed.Campaigns, resumed.Consent}); diff != "" {
				t.Errorf("resumed: %s", diff)
			}
			if has := strings.Contains(s.Consent.Text, "one payment of"); has != (tt.want != nil) {
				t.Errorf("consent: %s", s.Consent.Text)
			}
		})
	}
}

// The consent states one total for all pledges charged to the card.
func TestConsent_Combined(t *testing.T) {
	w := newFixture(t)
	both := func(lang, session string) string {
		r := sessionRequest(session)
		r.Items, r.PreferredLang = append(r.Items, one("game__print")), lang
		return w.start(r).Consent.Text
	}
	in := func(lang string) string {
		r := sessionRequest(here)
		r.PreferredLang = lang
		return w.start(r).Consent.Text
	}
	first := in("en")
	w.pledge(sessionRequest(here))
	linked := w.start(w.linkedFrom("", w.pledge(sessionRequest("")).OrderID)).Consent.Text
	second, segunda, campaigns := in("en"), in("es"), both("en", here)
	w.pledge(sessionRequest(here))
	third, tercera := in("en"), in("es")
	for name, tt := range map[string]struct {
		text string
		want []string
		not  string
	}{
		"first pledge": {first,
			[]string{"no more than $5.75 for Film", "Other pledges to the campaign that you make in this browser",
				"We won't use it for any other pledge unless you choose that from a link we email you."}, "You already"},
		"second pledge": {second, []string{"no more than $11.50 for Film",
			"You already pledged $5.75 to Film in this browser. We will charge both together: one payment of $11.50."},
			"includes your other pledges"},
		"second pledge, in Spanish": {segunda, []string{"un cargo máximo de 11,50\u00a0US$ por Film",
			"Ya aportaste 5,75\u00a0US$ a Film en este navegador. Cobraremos las dos aportaciones juntas: un solo pago de 11,50\u00a0US$."},
			"incluye tus otras"},
		"third pledge": {third, []string{"no more than $17.25 for Film",
			"You already made 2 pledges to Film in this browser, $11.50 in total. We will charge them all together: one payment of $17.25."},
			"both"},
		"third pledge, in Spanish": {tercera,
			[]string{"Ya hiciste 2 aportaciones a Film en este navegador, 11,50\u00a0US$ en total. Las cobraremos todas juntas: un solo pago de 17,25\u00a0US$."},
			"las dos"},
		"two campaigns": {campaigns, []string{"no more than $23.00 for Film (deadline ",
			"You already pledged $5.75 to Film in this browser. We will charge both together: one payment of $11.50."},
			"to Game"},
		"from a link": {linked, []string{"no more than $11.50 for Film",
			"You already pledged $5.75 to Film. We will charge both together: one payment of $11.50.",
			"that you combined from a link"}, "in this browser"},
	} {
		for _, part := range tt.want {
			if !strings.Contains(tt.text, part) {
				t.Errorf("%s: no %q in %s", name, part, tt.text)
			}
		}
		if strings.Contains(tt.text, tt.not) {
			t.Errorf("%s: %q in %s", name, tt.not, tt.text)
		}
	}
}

// The browser's secret is not stored. Its hash differs for each address, so it does not link
// addresses that are used in the same browser.
func TestStart_SessionIsHashed(t *testing.T) {
	w := newFixture(t)
	a, b := w.pledge(sessionRequest(here)).OrderID, w.pledge(sessionRequest(here)).OrderID
	r := sessionRequest(here)
	r.Email = "b@example.org"
	c := w.pledge(r).OrderID
	if strings.Contains(w.dump(), strings.Trim(fmt.Sprint([]byte(here)), "[]")) ||
		strings.Contains(w.log.String(), here) {
		t.Error("the secret is stored or logged")
	}
	sessions := []string{w.read(a).Session, w.read(b).Session, w.read(c).Session}
	if sessions[0] == "" || sessions[0] != sessions[1] || sessions[0] == sessions[2] {
		t.Errorf("sessions %q", sessions)
	}
}

func TestStart_InvalidSession(t *testing.T) {
	w := newFixture(t)
	for _, session := range []string{strings.Repeat("a", 21), strings.Repeat("a", 65),
		strings.Repeat("a", 21) + "/", strings.Repeat("a", 22) + " "} {
		_, err := w.svc.Start(w.ctx, sessionRequest(session))
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "session" {
			t.Errorf("%q: %v", session, err)
		}
	}
	for _, session := range []string{strings.Repeat("a", 22), strings.Repeat("Az09-_", 10) + "Az09"} {
		w.start(sessionRequest(session))
	}
	id := w.pledge(sessionRequest("")).OrderID
	if _, err := w.svc.Join(w.ctx, checkout.JoinRequest{Token: w.link(id),
		Session: "short"}); codeOf(err) != fault.Invalid || w.read(id).JoinedAt != nil {
		t.Errorf("joined: %v", err)
	}
	if _, err := w.svc.Joining(w.ctx,
		checkout.JoiningRequest{Token: w.link(id), Session: "short"}); codeOf(err) != fault.Invalid {
		t.Errorf("joining: %v", err)
	}
}

// A pledge's page shows its combined payment unless it is joined.
func TestView_Combined(t *testing.T) {
	w := newFixture(t)
	a, b := w.pledge(sessionRequest(here)).OrderID, w.pledge(sessionRequest(here)).OrderID
	alone := w.pledge(sessionRequest(there)).OrderID
	view := func(id string) *checkout.Combined {
		t.Helper()
		return must[checkout.PledgeView](t)(w.svc.View(w.ctx, w.link(id))).Combined
	}
	if diff := cmp.Diff([]*checkout.Combined{combined(1, 575, 1150, true), combined(1, 575, 1150, true), nil},
		[]*checkout.Combined{view(a), view(b), view(alone)}); diff != "" {
		t.Error(diff)
	}
	claimed := w.pledge(sessionRequest(here)).OrderID
	must[*pledge.Pledge](t)(w.svc.Orders.Claim(w.ctx, claimed, "g", 1))
	if diff := cmp.Diff([]*checkout.Combined{combined(1, 575, 1150, true), nil},
		[]*checkout.Combined{view(a), view(claimed)}); diff != "" {
		t.Errorf("one pledge being charged: %s", diff)
	}
	w.replaceCard(b)
	if diff := cmp.Diff([]*checkout.Combined{nil, nil}, []*checkout.Combined{view(a), view(b)}); diff != "" {
		t.Errorf("one pledge with another card: %s", diff)
	}
}

// A new card after a failed charge pays for the whole group. The page shows the
// total before the card is entered, even if it was loaded before the failure.
func TestStartCard_DueForGroup(t *testing.T) {
	w := newFixture(t)
	ids := []string{w.pledge(sessionRequest(here)).OrderID, w.pledge(sessionRequest(here)).OrderID}
	w.pledge(sessionRequest(there))
	w.advance(60 * 24 * time.Hour)
	start := func() money.Cents {
		return must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(ids[1])})).DueNow
	}
	if due := start(); due != 0 {
		t.Errorf("amount due before the failure: %s", due)
	}
	for _, id := range ids {
		must[*pledge.Pledge](t)(w.svc.Orders.Claim(w.ctx, id, "g", 1))
		must[*pledge.Pledge](t)(w.svc.Orders.MarkFailed(w.ctx, id, "g", 1, pledge.Failure{Kind: "declined", At: w.clock()},
			pledge.Recovery{Lane: pledge.NewCard}))
	}
	if due := start(); due != 1150 {
		t.Errorf("amount due after the failure: %s", due)
	}
	if v := must[checkout.PledgeView](t)(w.svc.View(w.ctx, w.link(ids[0]))); v.DueNow != 1150 || v.Combined != nil {
		t.Errorf("amount due %s, combined with %+v", v.DueNow, v.Combined)
	}
}

// confirmation returns the queued confirmation email of a pledge.
func (w *fixture) confirmation(id string) string {
	for _, e := range w.db.Snapshot().Stores["PLEDGES"] {
		if strings.HasPrefix(e.Key, "email-outbox:v1:") && strings.Contains(string(e.Value), "Order "+id) {
			return string(e.Value)
		}
	}
	return ""
}

// The confirmation email describes the combined payment.
func TestConfirmation_Combined(t *testing.T) {
	w := newFixture(t)
	last := func(r checkout.StartRequest) string {
		t.Helper()
		return w.confirmation(w.pledge(r).OrderID)
	}
	for i, want := range []string{"change or cancel",
		"same browser as another one to Film. Both are charged together: one payment of $11.50",
		"same browser as 2 others to Film. They are all charged together: one payment of $17.25"} {
		mail := last(sessionRequest(here))
		if !strings.Contains(mail, want) || strings.Contains(mail, "charged separately") ||
			strings.Contains(mail, "do=cancel") != (i > 0) {
			t.Errorf("mail %d: %s", i+1, mail)
		}
	}
	if mail := last(sessionRequest(there)); !strings.Contains(mail, "charged separately") ||
		!strings.Contains(mail, "do=join") {
		t.Errorf("another session: %s", mail)
	}
	if mail := last(w.linkedFrom(there, w.pledge(sessionRequest("")).OrderID)); !strings.Contains(mail,
		"from a link we sent you") {
		t.Errorf("from a link: %s", mail)
	}
}

// With grouping by email, the consent covers all pledges of the address, and joining is not
// offered. A start still does not reveal pledges of another browser.
func TestGroupingByEmail(t *testing.T) {
	w := newFixture(t)
	w.svc.Settings.Grouping = pledge.ByEmail
	first := w.pledge(sessionRequest(there))
	s := w.pledge(sessionRequest(""))
	if s.Campaigns[0].Combined != nil {
		t.Errorf("Start reveals %+v", s.Campaigns[0].Combined)
	}
	for _, text := range []string{first.Consent.Text, s.Consent.Text} {
		if !strings.Contains(text, "all other pledges to the campaign with your email address") ||
			strings.Contains(text, "any other pledge unless") {
			t.Errorf("consent: %s", text)
		}
	}
	v := must[checkout.PledgeView](t)(w.svc.View(w.ctx, w.link(s.OrderID)))
	if diff := cmp.Diff(combined(1, 575, 1150, false), v.Combined); diff != "" || v.CanJoin {
		t.Errorf("can be joined: %t; combined: %s", v.CanJoin, diff)
	}
	j := must[checkout.Joining](t)(w.svc.Joining(w.ctx, checkout.JoiningRequest{Token: w.link(s.OrderID)}))
	saved := w.read(s.OrderID).CardSavedAt
	if diff := cmp.Diff(checkout.Joining{Amount: 575, Others: 1, Total: 1150, Together: true,
		OwnCard: true, CardSavedAt: &saved}, j); diff != "" {
		t.Error(diff)
	}
	record := w.confirmation(s.OrderID)
	if !strings.Contains(record,
		"All pledges to Film under this email address are charged together: one payment of $11.50") {
		t.Errorf("confirmation: %s", record)
	}
}

// A pledge that was lost by a database restore does not block new checkouts.
func TestStart_LostPledge(t *testing.T) {
	w := newFixture(t)
	lost := w.pledge(sessionRequest(here)).OrderID
	w.pledge(sessionRequest(here))
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: lost}, newFixture(t).db.Snapshot())
	if diff := cmp.Diff(combined(1, 575, 1150, true), w.start(sessionRequest(here)).Campaigns[0].Combined); diff != "" {
		t.Error(diff)
	}
}
