package checkout_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// A pledge from a link joins earlier pledges of the same browser session to its campaigns, and
// no pledges of other sessions.
func TestConfirm_JoinsSession(t *testing.T) {
	w := newFixture(t)
	mine, other := w.pledge(sessionRequest(here)).OrderID, w.pledge(sessionRequest(there)).OrderID
	r := sessionRequest(here)
	r.Items = []checkout.Item{one("game__print")}
	game := w.pledge(r).OrderID
	link := w.pledge(sessionRequest("")).OrderID
	started := w.pledge(w.linkedFrom(here, link))
	made := started.OrderID
	for id, want := range map[string]bool{mine: true, link: true, made: true, other: false, game: false} {
		if p := w.read(id); (p.JoinedAt != nil) != want {
			t.Errorf("%s is joined: %t, want %t", id, p.JoinedAt != nil, want)
		}
	}
	if !w.read(mine).CardByLink || w.read(link).CardByLink {
		t.Error("want only the card of the session's pledge marked as saved by link")
	}
	if record, _ := w.value(pledge.Key(mine)); !strings.Contains(record, `"joinedAt"`) {
		t.Errorf("stored pledge: %s", record)
	}
	before := w.read(mine)
	must[checkout.Completed](t)(w.svc.Recover(w.ctx, checkout.RecoverRequest{SessionID: started.SessionID}))
	if diff := cmp.Diff(before, w.read(mine)); diff != "" {
		t.Errorf("a second confirmation changed the pledge:\n%s", diff)
	}
}

// A link opened in the browser of its pledge joins the pledges of that session with their
// cards. In another browser it joins its own pledge only.
func TestJoin_Session(t *testing.T) {
	for name, tt := range map[string]struct {
		session string
		want    checkout.Joining
		joined  int
	}{
		"same browser": {here,
			checkout.Joining{CanJoin: true, Amount: 575, Others: 2, Total: 1725, Together: true, OwnCard: true}, 3},
		"another browser": {there,
			checkout.Joining{CanJoin: true, Amount: 575, Others: 1, Total: 1150, Leaves: 1}, 2},
		"no session secret": {"", checkout.Joining{CanJoin: true, Amount: 575, Others: 1, Total: 1150, Leaves: 1}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			ids := []string{w.pledge(sessionRequest("")).OrderID}
			must[checkout.Joined](t)(w.svc.Join(w.ctx, checkout.JoinRequest{Token: w.link(ids[0])}))
			w.pledge(sessionRequest(there))
			for range 2 {
				w.advance(time.Minute)
				ids = append(ids, w.pledge(sessionRequest(here)).OrderID)
			}
			tok := w.link(ids[2])
			got := must[checkout.Joining](t)(w.svc.Joining(w.ctx,
				checkout.JoiningRequest{Token: tok, Session: tt.session}))
			if saved := w.read(ids[2]).CardSavedAt; tt.want.Together {
				tt.want.CardSavedAt = &saved
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("before (-want +got):\n%s", diff)
			}
			tt.want.CanJoin, tt.want.Joined, tt.want.Leaves = false, true, 0
			out := must[checkout.Joined](t)(w.svc.Join(w.ctx, checkout.JoinRequest{Token: tok, Session: tt.session}))
			if diff := cmp.Diff(tt.want, out.Joining); diff != "" {
				t.Errorf("after (-want +got):\n%s", diff)
			}
			n := 0
			for _, id := range ids {
				if w.read(id).JoinedAt != nil {
					n++
				}
			}
			if n != tt.joined {
				t.Errorf("%d pledges are joined, want %d", n, tt.joined)
			}
		})
	}
}

// joinToken returns the token in a pledge's confirmation email that offers to join all pledges.
func (w *fixture) joinToken(id string) string {
	w.t.Helper()
	link := must[string](w.t)(w.svc.Links.Join(w.read(id), w.clock()))
	return must[url.Values](w.t)(url.ParseQuery(must[*url.URL](w.t)(url.Parse(link)).Fragment)).Get("all")
}

// The link in a confirmation email joins all of the address's pledges at once. Only a card that was
// saved through a link or in the requester's browser pays for the others.
func TestJoin_All(t *testing.T) {
	for name, tt := range map[string]struct {
		session string
		want    checkout.Joining
		byLink  int // number of the pledge; 0 for none
	}{
		"browser of the newest pledge": {here,
			checkout.Joining{CanJoin: true, Amount: 575, Others: 2, Total: 1725, Together: true, OwnCard: true}, 3},
		"browser of another pledge": {there,
			checkout.Joining{CanJoin: true, Amount: 575, Others: 2, Total: 1725, Together: true}, 2},
		"another browser": {"", checkout.Joining{CanJoin: true, Amount: 575, Others: 2, Total: 1725}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			ids := []string{w.pledge(sessionRequest("")).OrderID, w.pledge(sessionRequest(there)).OrderID,
				w.pledge(sessionRequest(here)).OrderID}
			w.pledge(request("a@example.org", one("game__print")))
			r := checkout.JoiningRequest{Token: w.link(ids[2]), Session: tt.session, All: w.joinToken(ids[2])}
			got := must[checkout.Joining](t)(w.svc.Joining(w.ctx, r))
			if tt.want.Together {
				saved := w.read(ids[tt.byLink-1]).CardSavedAt
				tt.want.CardSavedAt = &saved
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("before (-want +got):\n%s", diff)
			}
			late := w.pledge(sessionRequest("")).OrderID
			join := checkout.JoinRequest{Token: r.Token, Session: r.Session, All: r.All, Total: got.Total}
			if _, err := w.svc.Join(w.ctx, join); codeOf(err) != fault.Conflict || w.read(ids[2]).JoinedAt != nil {
				t.Errorf("with a pledge that was not shown: %v", err)
			}
			must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(late)}))
			tt.want.CanJoin, tt.want.Joined = false, true
			if diff := cmp.Diff(tt.want, must[checkout.Joined](t)(w.svc.Join(w.ctx, join)).Joining); diff != "" {
				t.Errorf("after (-want +got):\n%s", diff)
			}
			late = w.pledge(sessionRequest("")).OrderID
			must[checkout.Joined](t)(w.svc.Join(w.ctx, checkout.JoinRequest{Token: w.link(late)}))
			if again := must[checkout.Joined](t)(w.svc.Join(w.ctx, join)); !again.Joining.Joined {
				t.Errorf("joined again: %+v", again.Joining)
			}
			for i, id := range ids {
				if p := w.read(id); p.JoinedAt == nil || p.CardByLink != (i+1 == tt.byLink) {
					t.Errorf("pledge %d: joined %v, card by link %t", i+1, p.JoinedAt, p.CardByLink)
				}
			}
		})
	}
}

// A manage link, or a join link of another address or campaign, joins no other
// pledge.
func TestJoin_AllWithWrongToken(t *testing.T) {
	w := newFixture(t)
	a, b := w.pledge(sessionRequest("")).OrderID, w.pledge(sessionRequest("")).OrderID
	r := sessionRequest("")
	r.Email = "b@example.org"
	other := w.pledge(r).OrderID
	game := w.pledge(request("a@example.org", one("game__print"))).OrderID
	old := must[string](t)(w.svc.Links.Signer.Sign(token.Claims{Scope: token.Join, Email: "a@example.org",
		CampaignSlug: "film", Expires: w.clock()}))
	for name, all := range map[string]string{
		"pledge's link": w.link(b), "another address": w.joinToken(other),
		"another campaign": w.joinToken(game), "expired": old,
	} {
		_, err := w.svc.Join(w.ctx, checkout.JoinRequest{Token: w.link(b), All: all})
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "all" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.read(a).JoinedAt != nil || w.read(b).JoinedAt != nil {
		t.Error("a pledge is joined")
	}
	if _, err := w.svc.View(w.ctx, w.joinToken(b)); codeOf(err) != fault.Unauthorized {
		t.Errorf("View with a join token: %v", err)
	}
}

// Joining previews include the session's other pledges only until the pledge is joined, and only
// those that can be joined.
func TestJoining_SessionTooLate(t *testing.T) {
	w := newFixture(t)
	id, claimed := w.pledge(sessionRequest(here)).OrderID, w.pledge(sessionRequest(here)).OrderID
	must[*pledge.Pledge](t)(w.svc.Orders.Claim(w.ctx, claimed, "g", 1))
	if j := must[checkout.Joining](t)(w.svc.Joining(w.ctx,
		checkout.JoiningRequest{Token: w.link(id), Session: here})); j.Others != 0 {
		t.Errorf("with a pledge being charged: %+v", j)
	}
	w.advance(time.Minute)
	other := w.pledge(sessionRequest(here)).OrderID
	must[checkout.Joined](t)(w.svc.Join(w.ctx, checkout.JoinRequest{Token: w.link(other)}))
	if j := must[checkout.Joining](t)(w.svc.Joining(w.ctx,
		checkout.JoiningRequest{Token: w.link(id), Session: here})); j.Others != 1 || !j.OwnCard {
		t.Errorf("with a pledge joined from another browser: %+v", j)
	}
	must[checkout.Cancelled](t)(w.svc.Cancel(w.ctx, checkout.CancelRequest{Token: w.link(other)}))
	w.pledge(sessionRequest(here))
	must[checkout.Joined](t)(w.svc.Join(w.ctx, checkout.JoinRequest{Token: w.link(id)}))
	if j := must[checkout.Joining](t)(w.svc.Joining(w.ctx,
		checkout.JoiningRequest{Token: w.link(id), Session: here})); j.Others != 0 || j.Together {
		t.Errorf("after joining: %+v", j)
	}
}
