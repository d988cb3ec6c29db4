package httpapi_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

// announced returns the mutation that sends an announcement to the game's supporters.
func announced(path string) mutation {
	return func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeWithSupportersAndOptions(t, o)
		b, dry, live := e.super(), told, told
		dry.DryRun = true
		live.Hash = decode[compose.Broadcasting](t, b.ask("POST", path, dry)).Hash
		return e, b.does(path, live)
	}
}

var newsMutations = map[string]mutation{
	"broadcast.announcement": announced("/admin/broadcast/announcement"),
	"marketing.announcement": announced("/admin/marketing/announcement"),
	"broadcast.blast":        announced("/admin/broadcast/blast"),
	"broadcast.diary": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeWithSupportersAndOptions(t, o)
		return e, e.super().does("/admin/broadcast/diary", compose.DiaryRequest{CampaignSlug: game})
	},
	"broadcast.milestone": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		e.pledge("a@example.com", backed(400), cardOK)
		return e, e.super().does("/admin/milestone-check/"+game, nil)
	},
	"broadcast.turn": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeWithSupportersAndOptions(t, o)
		b := e.super()
		r := b.ask("POST", "/admin/broadcast/announcement", told)
		e.wantStatus(r, 200)
		id := decode[compose.Broadcasting](t, r).Broadcast.ID
		return e, b.does("/admin/broadcast/turn", compose.TurnRequest{ID: id, To: broadcast.Stopped, Reason: "a mistake"})
	},
	"broadcast.test": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeWithSupportersAndOptions(t, o)
		return e, e.super().does("/admin/broadcast/test",
			map[string]any{"campaignSlug": game, "subject": "Rain", "body": "It rains.", "changeId": "one"})
	},
	"draft.save": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		return e, e.super().does("/admin/marketing/draft", httpapi.DraftRequest{CampaignSlug: game,
			Surface: broadcast.Blasts, Words: broadcast.Words{Subject: "News", Body: "One"}})
	},
	"draft.clear": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		b := e.super()
		r := b.ask("POST", "/admin/marketing/draft", httpapi.DraftRequest{CampaignSlug: game,
			Surface: broadcast.Blasts, Words: broadcast.Words{Subject: "News", Body: "One"}})
		e.wantStatus(r, 200)
		return e, b.does("/admin/marketing/draft/clear", httpapi.ClearRequest{CampaignSlug: game,
			Surface: broadcast.Blasts, Revision: decode[broadcast.Draft](t, r).Revision})
	},
	"referral.save": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		return e, e.super().does("/admin/marketing/referrals",
			httpapi.ReferralRequest{CampaignSlug: game, Code: "ada", Name: "Ada"})
	},
	"referral.delete": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		b := e.super()
		e.wantStatus(b.ask("POST", "/admin/marketing/referrals",
			httpapi.ReferralRequest{CampaignSlug: game, Code: "ada", Name: "Ada"}), 200)
		return e, b.does("/admin/marketing/referrals/delete",
			httpapi.ReferralDeletion{CampaignSlug: game, Code: "ada", Revision: 1})
	},
	"suppression.add": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		return e, e.super().does(suppressionsPath, httpapi.SuppressionRequest{CampaignSlug: game, Email: "a@example.com"})
	},
	"suppression.clear": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		b := e.super()
		e.wantStatus(b.ask("POST", suppressionsPath, httpapi.SuppressionRequest{CampaignSlug: game, Email: "a@example.com"}),
			200)
		return e, b.does(suppressionsPath+"/clear", httpapi.SuppressionClearance{CampaignSlug: game, Email: "a@example.com"})
	},
	"pledge_health.ask": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdgeWithFailingCardsAndOptions(t, o)
		live := false
		return e, e.super().does(healthPath+"/ask", httpapi.AskForCards{DryRun: &live, Limit: 50})
	},
}
