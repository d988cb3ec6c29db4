package httpapi_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/pledgehealth"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// endsSoon is a card that expires at the end of November, before the film's deadline.
const endsSoon = sim.CardExpires + ":24h"

const healthPath = "/admin/pledge-health/" + film

// health adds up all pages of the film's pledge health.
func (b *browser) health(limit int) (all pledgehealth.Page) {
	b.e.t.Helper()
	for cursor := ""; ; {
		r := b.get(healthPath, fmt.Sprintf("limit=%d&cursor=%s", limit, cursor))
		b.e.wantStatus(r, 200)
		page := decode[pledgehealth.Page](b.e.t, r)
		all.CampaignSlug, all.ChargeAt = page.CampaignSlug, page.ChargeAt
		all.Charges, all.Amount, all.AtRisk = all.Charges+page.Charges, all.Amount+page.Amount, all.AtRisk+page.AtRisk
		all.Findings = append(all.Findings, page.Findings...)
		if cursor = page.Next; cursor == "" {
			slices.SortStableFunc(all.Findings, func(x, y pledgehealth.Finding) int { return strings.Compare(x.Email, y.Email) })
			return all
		}
	}
}

// askAll asks the supporters on all pages and adds up the results.
func (b *browser) askAll(limit int, dryRun bool) (all pledgehealth.Requested) {
	b.e.t.Helper()
	for cursor := ""; ; {
		r := b.ask("POST", healthPath+"/ask", httpapi.AskForCards{DryRun: &dryRun, Cursor: cursor, Limit: limit},
			"Origin", string(b.e.Config.Site.Base))
		b.e.wantStatus(r, 200)
		page := decode[pledgehealth.Requested](b.e.t, r)
		all.DryRun = page.DryRun
		all.Asked, all.AlreadyAsked, all.Unreachable = all.Asked+page.Asked, all.AlreadyAsked+page.AlreadyAsked,
			all.Unreachable+page.Unreachable
		if cursor = page.Next; cursor == "" {
			return all
		}
	}
}

// newEdgeWithFailingCards returns an edge with supporters of the film: ok has no open problem,
// soon's cards expire, gone's card is detached, dead's card expires and mails to dead bounce, and
// mails to mute bounce.
func newEdgeWithFailingCards(t *testing.T) *edge {
	return newEdgeWithFailingCardsAndOptions(t, memory.Options{})
}

func newEdgeWithFailingCardsAndOptions(t *testing.T, o memory.Options) *edge {
	t.Helper()
	e := newEdge(t, o)
	e.pledge("ok@example.com", filmCart(), cardOK)
	e.pledge("soon@example.com", filmCart(), endsSoon)
	e.pledge("soon@example.com", filmCart(), endsSoon)
	e.pledge("soon@example.com", filmCart(), cardOK)
	gone, _ := e.pledge("gone@example.com", filmCart(), cardOK)
	e.pledge("dead@example.com", filmCart(), endsSoon)
	e.pledge("mute@example.com", filmCart(), cardOK)
	_, token := e.pledge("ok@example.com", filmCart(), endsSoon)
	e.wantStatus(e.post("/pledge/cancel", map[string]any{"token": token}), 200)
	p, _, err := e.read(gone.Campaigns[0].OrderID)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Sim.Detach(p.PaymentMethodID); err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"dead@example.com", "mute@example.com"} {
		if err := e.Services.Suppressions.Add(t.Context(), suppression.Scope{}, e.Services.Suppressions.Address(email),
			suppression.Bounced); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// Pledges likely to fail are found before the deadline, with every page size. No card data is
// stored.
func TestPledgeHealth(t *testing.T) {
	e := newEdgeWithFailingCards(t)
	b := e.signedIn("ada@example.org", access.SuperAdmin)
	before := e.kept()
	one := money.Cents(0)
	type trouble = pledgehealth.Trouble
	for _, limit := range []int{1, 2, 3, 50} {
		got := b.health(limit)
		one = got.Amount / 7
		finding := func(email, expires string, troubles ...trouble) pledgehealth.Finding {
			return pledgehealth.Finding{Email: email, Amount: one, Troubles: troubles, CardExpires: expires}
		}
		// the day after the deadline in Denver, plus the margin
		ends := time.Date(2026, time.December, 19, 8, 15, 0, 0, time.UTC)
		want := pledgehealth.Page{CampaignSlug: film, ChargeAt: ends, Charges: 7, Amount: 7 * one,
			AtRisk: 5 * one, Findings: []pledgehealth.Finding{
				finding("dead@example.com", "2026-11", pledgehealth.CardExpires, pledgehealth.Unreachable),
				finding("gone@example.com", "", pledgehealth.CardGone),
				finding("mute@example.com", got.Findings[2].CardExpires, pledgehealth.Unreachable),
				finding("soon@example.com", "2026-11", pledgehealth.CardExpires),
				finding("soon@example.com", "2026-11", pledgehealth.CardExpires),
			}}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(pledgehealth.Finding{}),
			cmpopts.IgnoreFields(pledgehealth.Finding{}, "OrderIDs")); diff != "" {
			t.Errorf("page size %d (-want +got): %s", limit, diff)
		}
		for _, f := range got.Findings {
			if len(f.OrderIDs) != 1 {
				t.Errorf("%s has orders %v", f.Email, f.OrderIDs)
			}
		}
	}
	if one <= 0 {
		t.Errorf("amount of a pledge = %s", one)
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("looking writes: %s", diff)
	}
	for query, field := range map[string]string{"limit=0": "limit", "limit=51": "limit",
		"cursor=x": "cursor", "cursor=" + strings.Repeat("a", 200): "cursor"} {
		e.wantField(b.get(healthPath, query), field)
	}
	e.wantStatus(b.get("/admin/pledge-health/unknown", ""), 404)
	e.Advance(30 * 24 * time.Hour)
	e.wantStatus(e.get(healthPath, "", e.admin()...), 409)
}

// A processor error is not a card problem, and does not hide other findings.
func TestPledgeHealth_CardLookupFails(t *testing.T) {
	e := newEdgeWithFailingCards(t)
	b := e.signedIn("ada@example.org", access.SuperAdmin)
	read, n := e.Services.PledgeHealth.Card, 0
	e.Services.PledgeHealth.Card = func(ctx context.Context, id string) (psp.Card, error) {
		switch n++; n {
		case 1:
			return psp.Card{}, fault.New(fault.Unavailable, "No answer")
		case 2:
			return psp.Card{}, fault.New(fault.NotFound, "No such card")
		}
		return read(ctx, id)
	}
	got := b.health(50)
	unread := 0
	for _, f := range got.Findings {
		if slices.Contains(f.Troubles, pledgehealth.CardUnread) {
			unread++
		}
	}
	if unread != 1 || !slices.ContainsFunc(got.Findings, func(f pledgehealth.Finding) bool {
		return slices.Equal(f.Troubles, []pledgehealth.Trouble{pledgehealth.CardGone})
	}) || got.Charges != 7 {
		t.Errorf("%d card lookups failed: %+v", unread, got)
	}
}

// A supporter gets one mail per reason, with a link to each pledge that needs a card. A dry run
// sends none, and a new card resolves the finding.
func TestPledgeHealth_AskOnce(t *testing.T) {
	e := newEdgeWithFailingCards(t)
	b := e.signedIn("ada@example.org", access.SuperAdmin)
	before := e.kept()
	want := pledgehealth.Requested{DryRun: true, Asked: 2, Unreachable: 1}
	if diff := cmp.Diff(want, b.askAll(2, true)); diff != "" {
		t.Errorf("dry run (-want +got): %s", diff)
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("dry run wrote: %s", diff)
	}
	want.DryRun = false
	if diff := cmp.Diff(want, b.askAll(2, false)); diff != "" {
		t.Errorf("asked (-want +got): %s", diff)
	}
	for _, limit := range []int{1, 50} {
		if diff := cmp.Diff(pledgehealth.Requested{AlreadyAsked: 2, Unreachable: 1}, b.askAll(limit, false)); diff != "" {
			t.Errorf("asked again (-want +got): %s", diff)
		}
	}
	mails := e.sent(notify.NewCard)
	slices.SortFunc(mails, func(x, y notify.Mail) int { return strings.Compare(x.To, y.To) })
	if len(mails) != 2 || mails[0].To != "gone@example.com" || mails[1].To != "soon@example.com" ||
		strings.Count(mails[0].Text, "/manage/#t=") != 1 || strings.Count(mails[1].Text, "/manage/#t=") != 2 ||
		!strings.Contains(mails[1].Text, "expires before") {
		t.Fatalf("mails = %+v", mails)
	}
	asked := 0
	for _, f := range b.health(50).Findings {
		if f.Asked {
			asked++
		}
	}
	if asked != 3 {
		t.Errorf("%d findings have a supporter who was asked", asked)
	}
	_, after, _ := strings.Cut(mails[0].Text, "/manage/#t=")
	link, _, _ := strings.Cut(after, "\n")
	e.newCard(link)
	if got := b.health(50); slices.ContainsFunc(got.Findings,
		func(f pledgehealth.Finding) bool { return f.Email == "gone@example.com" }) || got.Charges != 7 {
		t.Errorf("with a new card: %+v", got)
	}
	act := e.events("action=pledge_health.ask").Events
	if len(act) == 0 {
		t.Error("the audit log does not name the operator")
	}
}

// The card that counts is the one that will be charged: for joined pledges, the newest card added
// through the manage link.
func TestPledgeHealth_JoinedPledges(t *testing.T) {
	e := newEdge(t, memory.Options{})
	_, first := e.pledge("a@example.com", filmCart(), endsSoon)
	_, second := e.pledge("a@example.com", filmCart(), cardOK)
	for _, token := range []string{first, second} {
		e.wantStatus(e.post("/pledge/join", checkout.JoinRequest{Token: token}), 200)
	}
	b := e.signedIn("ada@example.org", access.SuperAdmin)
	if got := b.health(50); len(got.Findings) == 0 {
		t.Fatalf("before a card was added through the manage link: %+v", got)
	}
	e.newCard(second)
	if got := b.health(50); got.Charges != 1 || len(got.Findings) != 0 {
		t.Errorf("joined pledges with a good card: %+v", got)
	}
}

// checkCards checks a page of the film's cards.
func (b *browser) checkCards(cursor string, limit int) httpapi.Response {
	b.e.t.Helper()
	return b.ask("POST", healthPath+"/check", httpapi.CardCheckRequest{Cursor: cursor, Limit: limit},
		"Origin", string(b.e.Config.Site.Base))
}

// A check adds up its pages and stores the totals after the last one, without cards and addresses.
func TestPledgeHealth_StoredResult(t *testing.T) {
	e := newEdgeWithFailingCards(t)
	b := e.signedIn("ada@example.org", access.SuperAdmin)
	first := pledgehealth.Result{}
	for _, limit := range []int{1, 50} {
		var got *pledgehealth.Result
		for cursor := ""; got == nil; {
			r := b.checkCards(cursor, limit)
			e.wantStatus(r, 200)
			page := decode[pledgehealth.Checked](t, r)
			cursor, got = page.Next, page.Result
			if (cursor == "") != (got != nil) {
				t.Fatalf("cursor %q, result %+v", cursor, got)
			}
		}
		one := got.Amount / 7
		want := pledgehealth.Result{
			CheckedAt: e.Now().UTC(), Charges: 7, Amount: 7 * one, AtRisk: 5, AtRiskAmount: 5 * one, Askable: 2,
			Causes: []pledgehealth.Cause{
				{Trouble: pledgehealth.CardExpires, Charges: 3, Amount: 3 * one},
				{Trouble: pledgehealth.Unreachable, Charges: 2, Amount: 2 * one},
				{Trouble: pledgehealth.CardGone, Charges: 1, Amount: one},
			},
		}
		byTrouble := cmpopts.SortSlices(func(x, y pledgehealth.Cause) bool { return x.Trouble < y.Trouble })
		if diff := cmp.Diff(want, *got, byTrouble); diff != "" {
			t.Errorf("by pages of %d (-want +got): %s", limit, diff)
		}
		first = *got
	}
	e.Advance(time.Minute)
	next := decode[pledgehealth.Checked](t, b.checkCards("", 1)).Next
	stored, err := pledgehealth.LastResult(t.Context(), e.Services.Stores.Pledges, film)
	if err != nil || stored == nil {
		t.Fatal(stored, err)
	}
	if diff := cmp.Diff(first, *stored); diff != "" {
		t.Errorf("an unfinished check changed the result: %s", diff)
	}
	e.wantStatus(b.checkCards("", 2), 200)
	if r := b.checkCards(next, 1); r.Status != 409 {
		t.Errorf("continued a replaced check: status %d: %s", r.Status, r.Body)
	}
	packer := e.with("packer@example.org", access.Supporters)
	if r := packer.ask("POST", "/admin/pledge-health/"+game+"/check", nil, "Origin",
		string(e.Config.Site.Base)); r.Status != 403 {
		t.Errorf("without the money permission: status %d", r.Status)
	}
}
