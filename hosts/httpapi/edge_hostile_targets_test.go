package httpapi_test

import (
	"encoding/json"
	"maps"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

// target is a POST route with a valid body.
type target struct {
	path string // including the query
	body map[string]any
	with []string // headers
}

// noEdits are edits that change nothing because the field's old value is wrong.
var noEdits = []any{map[string]any{"path": "title", "was": "Nobody's", "value": "Mine"}}

func merge(fields map[string]any, name string, value any) map[string]any {
	out := maps.Clone(fields)
	out[name] = value
	return out
}

func (e *edge) targets() []target {
	started, token := e.pledge("owner@example.com", gameCart(1), cardOK)
	order := started.Campaigns[0].OrderID
	mine := e.signedIn("ada@example.com", access.CampaignUser, game).headers()
	asJSON := func(v any) map[string]any {
		b, err := json.Marshal(v)
		if err != nil {
			e.t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			e.t.Fatal(err)
		}
		return m
	}
	slug, admin := map[string]any{"campaignSlug": game}, e.signedIn("hostile@example.com", access.SuperAdmin).headers()
	was := e.revisions(mine, admin)
	return []target{
		{"/checkout-intent/start", asJSON(checkout.StartRequest{Cart: gameCart(1), Email: "a@example.com"}), nil},
		{"/checkout-intent/complete", asJSON(checkout.CompleteRequest{OrderID: orderID, SessionID: "cs_test_1"}), nil},
		{"/checkout-intent/abandon", asJSON(checkout.AbandonRequest{OrderID: orderID, Token: "x.y"}), nil},
		{"/checkout-intent/extend", asJSON(checkout.OpenRequest{OrderID: orderID, Token: "x.y"}), nil},
		{"/checkout-intent/resume", asJSON(checkout.OpenRequest{OrderID: orderID, Token: "x.y"}), nil},
		{"/tax/quote", asJSON(gameCart(1)), nil},
		{"/shipping/quote", asJSON(gameCart(1)), nil},
		{"/webhooks/psp", map[string]any{"id": "evt_1", "type": "checkout.session.completed"},
			[]string{"Psp-Signature", "t=1,v1=00"}},
		{"/unsubscribe", map[string]any{"token": e.mailToken(notify.Blast)}, nil},
		{"/launch-reminders/unsubscribe", map[string]any{"token": e.mailToken(notify.LaunchReminder)}, nil},
		{"/launch-reminders",
			map[string]any{"campaignSlug": "unknown", "email": "a@example.com", "consent": true, "challenge": "x"}, nil},
		{"/launch-reminders/confirm", map[string]any{"token": "x.y"}, nil},
		{"/abandoned-cart/resume", map[string]any{"token": "x.y"}, nil},
		{"/resubscribe", map[string]any{"token": e.mailToken(notify.Blast)}, nil},
		{"/admin/content/preview", merge(slug, "edits", noEdits), mine},
		{"/admin/content/publish", merge(slug, "edits", noEdits), mine},
		{"/admin/content/undo", merge(slug, "revision", was.content), mine},
		{"/admin/content/page", merge(slug, "edits", noEdits), mine},
		{"/admin/campaign-preview/publish", merge(slug, "base", was.base), mine},
		{"/admin/settings/preview", map[string]any{"edits": noEdits}, admin},
		{"/admin/settings/publish", map[string]any{"edits": noEdits}, admin},
		{"/admin/settings/undo", map[string]any{"revision": was.settings}, admin},
		{"/admin/add-ons/preview", map[string]any{"edits": noEdits}, admin},
		{"/admin/add-ons/publish", map[string]any{"edits": noEdits}, admin},
		{"/admin/add-ons/undo", map[string]any{"revision": was.addOns}, admin},
		{"/admin/campaigns/create", map[string]any{"title": ""}, admin},
		{"/admin/campaigns/duplicate", merge(slug, "title", ""), admin},
		{"/admin/campaigns/archive", slug, admin},
		{"/admin/campaigns/launch/" + game, map[string]any{"base": "x"}, mine},              // already public
		{"/admin/campaigns/withdraw/" + game, map[string]any{"visibility": "nobody"}, mine}, // not a visibility
		{"/admin/settings/logo-upload?filename=logo.png", map[string]any{}, admin},
		{"/admin/settings/image-upload?filename=boat.jpg&campaignSlug=" + game, map[string]any{}, mine},
		{"/admin/settings/audio-upload?filename=song.mp3&campaignSlug=" + game, map[string]any{}, mine},
		{"/admin/settings/video-upload?filename=film.mp4&campaignSlug=" + game, map[string]any{}, mine},
		{"/admin/media/grant?kind=video&filename=film.mp4&size=9&changeId=c1&campaignSlug=" + game, map[string]any{}, mine},
		{"/admin/media/take?kind=video&filename=film.mp4&changeId=c1&campaignSlug=" + game, map[string]any{}, mine},
		{"/admin/media/delete", merge(slug, "paths", []string{"/assets/images/campaigns/" + game + "/none.jpg"}), mine},
		{"/webhooks/email", map[string]any{"type": "email.bounced"}, nil},
		{"/pledge/links", map[string]any{"email": "nobody@example.com"}, nil},
		{"/pledge/cancel", map[string]any{"token": token, "orderId": order}, nil},
		{"/pledge/join", map[string]any{"token": token, "orderId": order}, nil},
		{"/pledge/modify", map[string]any{"token": token, "tipPercent": 7, "orderId": order}, nil},
		{"/pledge/payment-method/start", map[string]any{"token": token, "orderId": order}, nil},
		{"/pledge/payment/approve", map[string]any{"token": token, "orderId": order}, nil},
		{"/pledge/payment/approved", map[string]any{"token": token, "orderId": order}, nil},
		{"/votes", map[string]any{"token": token, "decisionId": "fifth-shell", "option": "none"}, nil},
		{"/stats/" + game + "/check", nil, e.admin()},
		{"/admin/settle-dispatch/" + game, nil, e.settler()},
		{"/admin/settle-pause/" + game, map[string]any{"reason": "a doubt"}, e.settler()},
		{"/admin/settle-release/" + game, nil, e.settler()},
		{"/admin/settlement/" + game + "/remind", map[string]any{"dryRun": true, "cursor": ""}, e.settler()},
		{"/admin/settle-rehearsal/" + game, nil, e.settler()},
		{"/admin/settle-accept", map[string]any{"campaignSlug": game, "reason": "a doubt"}, e.settler()},
		{"/admin/settle-stop", map[string]any{"reason": "a doubt"}, e.settler()},
		{"/admin/settle-resume", map[string]any{}, e.settler()},
		{"/admin/resolve/" + game, map[string]any{"group": "x", "nothingCharged": true}, key("ada")},
		{"/admin/terms/" + game, map[string]any{"orderId": order, "reason": "a doubt"}, key("ada")},
		{"/admin/reopen/" + game, map[string]any{"reason": "a doubt"}, key("ada")},
		{"/admin/refunds/" + game, refunding(order), mine},
		{"/admin/refunds/" + game + "/quote", refunding(order), mine},
		{"/admin/refunds/" + game + "/confirm", map[string]any{"id": "refund-1"}, mine},
		{"/admin/refunds/" + game + "/withdraw", map[string]any{"id": "refund-1"}, mine},
		{"/admin/refunds/" + game + "/repaid", map[string]any{"id": "refund-1"}, mine},
		{"/admin/refunds/" + game + "/run", map[string]any{"id": "cannot-deliver", "reason": "undelivered"}, mine},
		{"/admin/refunds/" + game + "/run/change", map[string]any{"id": "cannot-deliver", "change": "end"}, mine},
		{"/admin/settle-batch", slug, e.settler()},
		{"/admin/pledge-health/" + game + "/check", map[string]any{"limit": 1}, e.admin()},
		{"/admin/pledge-health/" + game + "/ask", map[string]any{"dryRun": false, "cursor": "", "limit": 1}, e.admin()},
		{"/admin/supporters", map[string]any{"campaignSlug": game, "q": "ada", "cursor": ""}, e.admin()},
		{"/admin/audit", map[string]any{"action": "x", "adminEmail": "ada@example.com", "campaignSlug": game,
			"from": "2026-01-31", "to": "2026-01-31", "q": "ada", "limit": 1, "cursor": 0, "lang": "en"}, e.admin()},
		{"/admin/audit.csv", map[string]any{"q": "ada"}, e.admin()},
		{"/admin/fulfilment/mark",
			map[string]any{"campaignSlug": game, "changeId": "", "marks": []any{}, "notify": false}, mine},
		{"/admin/fulfilment/import", map[string]any{"campaignSlug": game, "csv": "x", "dryRun": true, "notify": false}, mine},
		{"/admin/supporters/note",
			map[string]any{"campaignSlug": game, "orderId": order, "text": "x", "changeId": "x"}, mine},
		{"/admin/supporters/address", map[string]any{"campaignSlug": game, "orderId": order, "shippingAddress": home,
			"reason": "x", "changeId": "x", "expectedRevision": 1}, mine},
		{"/admin/disputes/" + game + "/evidence", map[string]any{"disputeId": "du_x"}, admin},
		{"/admin/disputes/" + game + "/parcels", map[string]any{"orderId": order, "choice": "release", "reason": "x",
			"changeId": "x"}, admin},
		{"/admin/disputes/" + game + "/warning", map[string]any{"warningId": "issfr_x", "reason": "x"}, admin},
		{"/admin/supporters/links", map[string]any{"campaignSlug": game, "orderId": order}, mine},
		{"/admin/settle/" + game, map[string]any{"dryRun": true}, e.settler()},
		{"/admin/broadcast/announcement",
			map[string]any{"campaignSlug": game, "subject": "News", "body": "Words", "dryRun": true}, e.admin()},
		{"/admin/marketing/announcement",
			map[string]any{"campaignSlug": game, "subject": "News", "body": "Words", "dryRun": true}, e.admin()},
		{"/admin/broadcast/blast",
			map[string]any{"campaignSlug": game, "subject": "News", "body": "Words", "dryRun": true, "hash": "x"}, e.admin()},
		{"/admin/broadcast/test", map[string]any{"campaignSlug": game, "subject": "News", "body": "Words"}, mine},
		{"/admin/broadcast/preview", map[string]any{"campaignSlug": game, "subject": "News", "body": "Words"}, mine},
		{"/admin/broadcast/audience", map[string]any{"campaignSlug": game}, mine},
		{"/admin/broadcast/diary", map[string]any{"campaignSlug": game, "dryRun": true}, e.admin()},
		{"/admin/broadcast/turn", map[string]any{"id": "x", "to": "stopped", "reason": "x"}, e.admin()},
		{"/admin/auth/start", map[string]any{"email": "nobody@example.com", "challenge": "x"}, nil},
		{"/admin/auth/setup", map[string]any{"token": "x", "email": "ada@example.com", "name": "Ada"}, nil},
		{"/admin/auth/sign-in", map[string]any{"token": "x"}, nil},
		{"/admin/auth/sign-out", nil, admin},
		{"/admin/sessions/revoke", map[string]any{"sessionId": "x"}, admin},
		{"/admin/users", map[string]any{"email": "a@example.com", "name": "A", "role": "campaign_user",
			"campaigns": []string{game}, "permissions": []string{"money"}, "preferredLang": "es", "revision": 0}, admin},
		{"/admin/users/reset-passkeys", map[string]any{"email": "nobody@example.com"}, admin},
		{"/admin/auth/passkey",
			map[string]any{"id": "eA", "clientDataJSON": "eA", "authenticatorData": "eA", "signature": "eA"}, mine},
		{"/admin/auth/recovery", map[string]any{"code": "x"}, mine},
		{"/admin/passkeys", map[string]any{"name": "x", "id": "eA", "clientDataJSON": "eA",
			"authenticatorData": "eA", "publicKey": "eA", "publicKeyAlgorithm": -7}, mine},
		{"/admin/passkeys/remove", map[string]any{"id": "eA"}, mine},
		{"/admin/passkeys/codes", nil, mine},
		{"/admin/users/delete", map[string]any{"email": "nobody@example.com"}, admin},
		{readersPath + "/confirm", merge(slug, "email", "nobody@"), admin},
		{readersPath + "/revoke", merge(slug, "email", "nobody@example.com"), admin},
		{"/admin/marketing/draft", map[string]any{"campaignSlug": game, "surface": "blast", "revision": was.draft,
			"subject": "News", "body": "Words", "ctaLabel": "x", "ctaUrl": "x"}, e.admin()},
		{"/admin/marketing/draft/clear",
			map[string]any{"campaignSlug": game, "surface": "blast", "revision": was.draft}, e.admin()},
		{"/admin/marketing/referrals", map[string]any{"campaignSlug": game, "code": "ada", "name": "Ada", "utmSource": "x",
			"utmMedium": "x", "utmCampaign": "x", "utmContent": "x", "revision": was.referral}, e.admin()},
		{"/admin/marketing/referrals/delete",
			map[string]any{"campaignSlug": game, "code": "ada", "revision": was.referral}, e.admin()},
		{"/admin/marketing/suppressions", map[string]any{"campaignSlug": game, "email": "nobody@example.com"}, e.admin()},
		{"/admin/marketing/suppressions/clear",
			map[string]any{"campaignSlug": game, "email": "nobody@example.com", "why": "operator"}, e.admin()},
		{"/admin/milestone-check/" + game, nil, e.admin()},
		{"/admin/recover-checkout", map[string]any{"sessionId": "cs_test_1"}, e.admin()},
		{"/admin/orders/adopt",
			map[string]any{"sessionId": "cs_test_1", "manifest": map[string]any{"orderId": orderID}}, e.admin()},
		{"/admin/orders/ask", map[string]any{"sessionId": "cs_test_1"}, e.admin()},
		{"/admin/pledges/cancel", map[string]any{"orderId": order}, e.admin()},
		{"/admin/projections/check", nil, e.admin()},
		{"/admin/reconciliation/" + game, nil, e.admin()},
		{"/admin/analytics/psp-financials/backfill", slug, e.admin()},
		{"/admin/backfill-customers/" + game, nil, e.admin()},
		{"/admin/projections/rebuild", map[string]any{"campaignSlug": "unknown"}, e.admin()},
		{"/test/setup", map[string]any{"email": "a@example.com", "campaignSlug": "unknown"}, nil},
	}
}

// refunding returns a request to refund a pledge.
func refunding(order string) map[string]any {
	return map[string]any{"id": "refund-1", "orderId": order, "choice": map[string]any{"all": true},
		"reason": "requested", "message": "x"}
}

// revisions contains the revisions used in the bodies of targets: of a commit in each kind of file,
// of a campaign file, of a referral code and of a draft.
type revisions struct {
	content, settings, addOns, base, draft string
	referral                               int
}

func (e *edge) revisions(mine, admin []string) (out revisions) {
	e.t.Helper()
	publish := func(path, slug, field, value string, with []string) string {
		e.t.Helper()
		query := ""
		if slug != "" {
			query = "campaignSlug=" + slug
		}
		file := decode[opened](e.t, e.get(path, query, with...))
		was, ok := file.Fields[field]
		if !ok {
			was = file.at(field)
		}
		r := e.post(path+"/publish", edits(slug, field, string(was), value), with...)
		e.wantStatus(r, 200)
		return decode[content.Published](e.t, r).Revision
	}
	out.content = publish("/admin/content", game, "category", `"Book"`, mine)
	out.settings = publish("/admin/settings", "", "platform.name", `"Curtain"`, admin)
	out.addOns = publish("/admin/add-ons", "", "low_stock_threshold", "3", admin)
	out.base = decode[opened](e.t, e.get("/admin/content", "campaignSlug="+game, mine...)).Base
	draft := e.post("/admin/marketing/draft", httpapi.DraftRequest{CampaignSlug: game, Surface: broadcast.Blasts,
		Words: broadcast.Words{Subject: "News"}}, admin...)
	out.draft = decode[broadcast.Draft](e.t, draft).Revision
	referral := e.post("/admin/marketing/referrals",
		httpapi.ReferralRequest{CampaignSlug: game, Code: "ada", Name: "Ada"}, admin...)
	out.referral = decode[struct{ Revision int }](e.t, referral).Revision
	return out
}
