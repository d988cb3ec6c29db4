package httpapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// find searches, and fails where anything is written.
func (b *browser) find(slug, text, cursor string) httpapi.Response {
	b.e.t.Helper()
	before := b.e.kept()
	r := b.ask("POST", "/admin/supporters", supporters.Query{CampaignSlug: slug, Text: text, Cursor: cursor}, "Origin", string(b.e.Config.Site.Base))
	if diff := cmp.Diff(before, b.e.kept()); diff != "" {
		b.e.t.Errorf("a search for %q writes: %s", text, diff)
	}
	return r
}

func (b *browser) found(slug, text string) (out []supporters.Supporter) {
	b.e.t.Helper()
	for cursor := ""; ; {
		r := b.find(slug, text, cursor)
		b.e.wantStatus(r, 200)
		page := decode[supporters.Found](b.e.t, r)
		out = append(out, page.Supporters...)
		if cursor = page.Next; cursor == "" {
			return out
		}
	}
}

// with is a campaign user of game with some permissions, who is signed in.
func (e *edge) with(email string, may ...access.Permission) *browser {
	e.t.Helper()
	e.user(access.User{Email: email, Role: access.CampaignUser, Campaigns: []string{game}, Permissions: may})
	b := e.browser()
	b.signIn(email)
	return b
}

// crowd is people who pledged to two campaigns.
func crowd(t *testing.T) *edge {
	t.Helper()
	e := newEdge(t, memory.Options{})
	for i, name := range []string{"Zoë Müller", "Ada Lovelace", "Ada B."} {
		cart := gameCart(1)
		address := home
		address.Name, cart.ShippingAddress = name, &address
		e.pledge(string(rune('a'+i))+"+x@example.com", cart, cardOK)
	}
	e.pledge("a+x@example.com", filmCart(), cardOK)
	if err := e.Services.Minute(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// Proves CON-08, RPT-01.
func TestSupportersAreFound(t *testing.T) {
	e := crowd(t)
	super, packer := e.signedIn("ada@example.org", access.SuperAdmin), e.with("packer@example.org", access.Supporters)
	all := super.found(game, "")
	if len(all) != 3 || all[0].Name != "Zoë Müller" || all[0].Email != "a+x@example.com" || all[0].Amount == nil || *all[0].Amount == 0 {
		t.Fatalf("everybody: %+v", all)
	}
	for text, want := range map[string]int{
		"": 3, "muller": 1, "LOVELACE A": 1, "a+X@": 1, "a+x@example.com": 1, "nobody": 0, all[1].OrderID: 1, " " + strings.ToUpper(all[1].OrderID): 1, "a": 3, "ada": 2,
	} {
		if got := super.found(game, text); len(got) != want {
			t.Errorf("%q finds %+v", text, got)
		}
		for _, row := range packer.found(game, text) {
			if row.Amount != nil {
				t.Errorf("who sees no sums sees %v", row)
			}
		}
	}
	if got := super.found("", "a+x@example.com"); len(got) != 2 || !slices.ContainsFunc(got, func(s supporters.Supporter) bool { return s.CampaignSlug == film }) {
		t.Errorf("in all campaigns an address finds %+v", got)
	}
	e.wantField(super.find("", "muller", ""), "q")
	e.wantField(super.find(game, strings.Repeat("x", 300), ""), "q")
	e.wantField(super.find(game, "x", "x"), "cursor")
	e.wantStatus(super.find("unknown", "a", ""), 404)
}

// Of a campaign that is not theirs, users find what they find of none.
//
// Proves AAU-27.
func TestSupportersOfAnotherCampaignAreNotFound(t *testing.T) {
	e := crowd(t)
	order := e.signedIn("ada@example.org", access.SuperAdmin).found(film, "")[0].OrderID
	b := e.with("ben@example.org", access.Supporters, access.Money)
	for _, text := range []string{"", "a+x@example.com", order} {
		theirs, none := b.find(film, text, ""), b.find("no-such-campaign", text, "")
		if theirs.Status != 404 || string(theirs.Body) != string(none.Body) {
			t.Errorf("%q: %d %s, and of none %s", text, theirs.Status, theirs.Body, none.Body)
		}
		e.wantField(b.find("", text, ""), "campaignSlug")
		for _, row := range b.found(game, text) {
			if row.CampaignSlug != game {
				t.Errorf("%q finds %+v", text, row)
			}
		}
	}
	if got := b.found(game, order); len(got) != 0 {
		t.Errorf("another campaign's order: %+v", got)
	}
	if r := e.with("eve@example.org", access.Fulfilment, access.Money).find(game, "a", ""); r.Status != 403 {
		t.Errorf("who may not see supporters: %d", r.Status)
	}
}
