package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/hosts/schema"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// edits returns a draft that changes one field.
func edits(slug, path, was, value string) httpapi.DraftBody {
	return httpapi.DraftBody{CampaignSlug: slug,
		Edits: []content.Edit{{Path: path, Was: json.RawMessage(was), Value: json.RawMessage(value)}}}
}

// opened is the response of the routes that open a file for editing.
type opened struct {
	File, Base  string
	Fields      map[string]json.RawMessage
	Problems    []any
	Publishable bool
}

// A campaign's editor opens the file, previews a draft and publishes it. The change appears on the
// site, in the history and in the audit log. The editor cannot do this for other campaigns.
//
// Proves CON-01, CON-02, CON-10, CON-13, CON-14.
func TestContent_Editing(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	file := decode[opened](t, b.get("/admin/content", "campaignSlug="+game))
	if string(file.Fields["goal_amount"]) != "900" || file.File != "campaigns/"+game+".md" ||
		!file.Publishable || len(file.Problems) > 0 {
		t.Fatalf("file = %+v", file)
	}
	_, token := e.pledge("owner@example.com", gameCart(1), cardOK)
	e.wantStatus(b.ask("POST", "/admin/content/publish",
		edits(game, "short_blurb", string(file.Fields["short_blurb"]), `"A game."`)), 200)
	draft := edits(game, "goal_amount", "900", "950")
	before := e.kept()
	review := decode[content.Review](t, b.ask("POST", "/admin/content/preview", draft))
	if len(review.Changes) != 1 || review.Changes[0].Words != "goal: $900 to $950" ||
		review.Pledges != 1 || !review.NeedsReason {
		t.Errorf("review = %+v", review)
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("preview wrote: %s", diff)
	}
	e.wantField(b.ask("POST", "/admin/content/publish", draft), "reason")
	draft.ChangeID = "a b"
	e.wantField(b.ask("POST", "/admin/content/publish", draft), "changeId")
	draft.Reason, draft.ChangeID = "The printer asks for more.", "change-1"
	r := b.ask("POST", "/admin/content/publish", draft)
	e.wantStatus(r, 200)
	made := decode[content.Published](t, r)
	if again := decode[content.Published](t,
		b.ask("POST", "/admin/content/publish", draft)); again.Revision != made.Revision {
		t.Errorf("repeated request = %+v, want %+v", again, made)
	}
	c, err := e.Services.Campaigns().Campaign(game)
	if err != nil || c.Goal != 95000 {
		t.Errorf("catalogue has %+v, %v", c, err)
	}
	history := decode[httpapi.History](t, b.get("/admin/content/history", "campaignSlug="+game+"&limit=1"))
	if v := history.Versions[0]; v.Revision != made.Revision || v.Author.Email != "ada@example.com" ||
		v.Trailer("Reason") != draft.Reason || !strings.Contains(v.Trailer("Audit-Head"), ":") {
		t.Errorf("history = %+v", history)
	}
	for ev, err := range e.Services.Audit.All(context.Background(), audit.Filter{Action: "content.publish"}) {
		if err != nil || ev.CampaignSlug != game || ev.AdminEmail != "ada@example.com" {
			t.Errorf("audit event = %+v, %v", ev, err)
		}
	}
	since := decode[httpapi.Amendments](t, e.get("/pledge/changes", "token="+token))
	if want := (content.Amendment{At: e.Now(), Kind: "goal", Before: "$900", After: "$950",
		Reason: draft.Reason}); !since.Known || !cmp.Equal(since.Changes, []content.Amendment{want}) {
		t.Errorf("changes shown to the supporter = %+v", since)
	}
	spanish := decode[httpapi.Amendments](t, e.get("/pledge/changes", "lang=es&token="+token))
	if len(spanish.Changes) != 1 || spanish.Changes[0].Before != "900\u00a0US$" ||
		spanish.Changes[0].After != "950\u00a0US$" {
		t.Errorf("changes shown in Spanish = %+v", spanish)
	}
	e.wantStatus(e.get("/pledge/changes", "token=x.y"), 401)
	stale := b.ask("POST", "/admin/content/publish", edits(game, "goal_amount", "900", "1000"))
	e.wantStatus(stale, 409)
	var refusal struct{ Details content.Reasons }
	if err := json.Unmarshal(stale.Body, &refusal); err != nil || len(refusal.Details.Conflicts) != 1 ||
		string(refusal.Details.Conflicts[0].Is) != "950" || refusal.Details.Conflicts[0].By.Email != "ada@example.com" {
		t.Errorf("conflict = %s", stale.Body)
	}
	e.wantStatus(b.ask("POST", "/admin/content/undo",
		httpapi.UndoBody{CampaignSlug: game, Revision: made.Revision, Reason: "A mistake."}), 200)
	if c, _ := e.Services.Campaigns().Campaign(game); c.Goal != 90000 {
		t.Errorf("goal after undo = %s", c.Goal)
	}
	for _, path := range []string{"/admin/content/preview", "/admin/content/publish"} {
		e.wantStatus(b.ask("POST", path, edits("night-ferry", "goal_amount", "1", "2")), 404)
		e.wantStatus(b.ask("POST", path, edits("", "goal_amount", "1", "2")), 400)
		e.wantStatus(b.ask("POST", path, draft, "X-Svc-Admin-Csrf", ""), 403)
	}
	e.wantStatus(b.get("/admin/content", "campaignSlug=night-ferry"), 404)
	e.wantStatus(b.get("/admin/settings", ""), 403)
	e.wantStatus(b.ask("POST", "/admin/settings/publish", edits("", "platform.name", `""`, `"X"`)), 403)
}

// Every publication is in the audit log with its author.
//
// Proves AUD-10, AUD-11.
func TestContent_PublicationsAreAudited(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("super@example.com", access.SuperAdmin)
	name := decode[opened](t, b.get("/admin/settings", "")).at("platform.name")
	e.wantStatus(b.ask("POST", "/admin/settings/publish", edits("", "platform.name", string(name), `"Curtain"`)), 200)
	e.wantStatus(b.ask("POST", "/admin/add-ons/publish", edits("", "low_stock_threshold",
		string(decode[opened](t, b.get("/admin/add-ons", "")).Fields["low_stock_threshold"]), "3")), 200)
	e.wantStatus(b.ask("POST", "/admin/content/publish", edits(game, "category",
		string(decode[opened](t, b.get("/admin/content", "campaignSlug="+game)).Fields["category"]), `"Book"`)), 200)
	e.wantStatus(b.ask("POST", "/admin/content/publish", edits(game, "goal_amount", "1", "2")), 409)
	e.wantStatus(b.ask("POST", "/admin/campaigns/create", map[string]any{"title": "Glass Orchard"}), 200)
	var got []string
	for ev, err := range e.Services.Audit.All(t.Context(), audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.AdminEmail == "super@example.com" &&
			(strings.HasSuffix(ev.Action, ".publish") || ev.Action == "campaign.create") {
			got = append(got, ev.Action+" "+ev.CampaignSlug+" "+string(ev.Status))
		}
	}
	slices.Sort(got)
	want := []string{"add_ons.publish  done", "campaign.create  done", "content.publish " + game + " done",
		"settings.publish  done"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Proves CON-13, CON-14, STG-13, STG-14, STG-15.
func TestContent_SettingsAndAddOns(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("super@example.com", access.SuperAdmin)
	file := decode[opened](t, b.get("/admin/settings", ""))
	var platform struct{ Name string }
	if err := json.Unmarshal(file.Fields["platform"], &platform); err != nil || platform.Name == "" {
		t.Fatalf("settings = %+v, %v", file, err)
	}
	was := `"` + platform.Name + `"`
	for path, value := range map[string]string{"platform.nonsense": "1", "secrets.psp": `"x"`,
		"platform.timezone": `"Mars/Base"`} {
		body := httpapi.DraftBody{Edits: []content.Edit{{Path: path, Was: file.at(path), Value: json.RawMessage(value)}}}
		e.wantStatus(b.ask("POST", "/admin/settings/publish", body), 400)
		if r := decode[content.Review](t, b.ask("POST", "/admin/settings/preview", body)); len(r.Problems) == 0 {
			t.Errorf("preview accepted %s", path)
		}
	}
	kept := e.kept()
	seen := decode[content.Review](t,
		b.ask("POST", "/admin/settings/preview", edits("", "platform.name", was, `"Curtain"`)))
	if len(seen.Changes) != 1 || seen.Changes[0].Path != "platform.name" || len(seen.Problems) > 0 || !seen.Publishable {
		t.Errorf("previewed: %+v", seen)
	}
	if diff := cmp.Diff(kept, e.kept()); diff != "" {
		t.Errorf("preview wrote: %s", diff)
	}
	e.wantStatus(b.ask("POST", "/admin/settings/publish", edits("", "platform.name", was, `"Curtain"`)), 200)
	if file = decode[opened](t,
		b.get("/admin/settings", "")); !strings.Contains(string(file.Fields["platform"]), "Curtain") {
		t.Errorf("settings = %+v", file)
	}
	e.wantStatus(b.ask("POST", "/admin/add-ons/publish", httpapi.DraftBody{
		Edits: []content.Edit{{Path: "products[]", Value: json.RawMessage(`{"name":"Mug","price":12}`)}}}), 200)
	if !slices.ContainsFunc(e.Services.Campaigns().AddOns(), hasName("Mug")) {
		t.Error("the add-on is not for sale")
	}
}

// Proves CON-03, CON-23, CON-24, CON-25, CON-26, CON-28, CON-29, CON-30, EML-07.
func TestCampaigns_Create(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("super@example.com", access.SuperAdmin)
	e.user(access.User{Email: "ada@example.com", Role: access.CampaignUser, Campaigns: []string{game}})
	e.user(access.User{Email: "ben@example.com", Role: access.CampaignUser, Campaigns: []string{film, game}})
	const path = "/admin/campaigns/create"
	e.wantStatus(e.signedIn("user@example.com", access.CampaignUser, game).ask("POST", path,
		httpapi.CampaignRequest{Title: "Mine"}), 403)
	e.wantField(b.ask("POST", path, httpapi.CampaignRequest{}), "title")
	before := e.kept()
	e.wantField(b.ask("POST", path,
		httpapi.CampaignRequest{Title: "New", Users: []httpapi.CampaignUser{{Email: "new@example.com"}}}), "users[0].name")
	e.wantField(b.ask("POST", path, httpapi.CampaignRequest{Title: "New",
		Users: []httpapi.CampaignUser{{Email: "ada@example.com"}, {Email: "x", Name: "X"}}}), "users[1].email")
	if after := e.kept(); after["repository"] != before["repository"] {
		t.Error("a campaign was created for an invalid user")
	}
	ask := httpapi.CampaignRequest{Title: "New", ChangeID: "one", Users: []httpapi.CampaignUser{{Email: "ada@example.com"},
		{Email: "new@example.com", Name: "Nia"}, {Email: "ben@example.com"}}}
	r := b.ask("POST", path, ask)
	e.wantStatus(r, 200)
	made := decode[httpapi.CampaignCreated](t, r)
	was, _ := e.Services.Access.Users(t.Context())
	e.wantStatus(b.ask("POST", path, ask), 200)
	if now, err := e.Services.Access.Users(t.Context()); err != nil || !cmp.Equal(was, now) {
		t.Errorf("repeated request saved the users again: %v, %v", now, err)
	}
	if made.Slug != "new" || !slices.Equal(made.Users, []string{"ada@example.com", "new@example.com", "ben@example.com"}) {
		t.Errorf("made %+v", made)
	}
	users, _, err := kv.Read[[]access.User](t.Context(), e.Services.Stores.Pledges, "admin-users:v1")
	if err != nil || len(users) != len(was) {
		t.Fatalf("admin-users:v1 = %+v, %v", users, err)
	}
	for _, u := range users {
		if slices.Contains(made.Users, u.Email) && !u.HasAccess("new") {
			t.Errorf("campaign is missing for %s: %v", u.Email, u.Campaigns)
		}
	}
	mailed := map[string]int{}
	for _, m := range append(e.sent(notify.AdminInvitation), e.sent(notify.AdminCampaign)...) {
		if strings.Contains(m.Text, string(e.Config.Site.Base)+"/admin/") {
			mailed[string(m.Kind)+" "+m.To]++
		}
	}
	want := map[string]int{"admin_invitation new@example.com": 1, "admin_campaign ada@example.com": 1,
		"admin_campaign ben@example.com": 1}
	for _, before := range []string{"ada", "ben", "super", "user"} {
		want["admin_invitation "+before+"@example.com"] = 1
	}
	if diff := cmp.Diff(want, mailed); diff != "" {
		t.Errorf("mailed (-want +got):\n%s", diff)
	}
	c, err := e.Services.Campaigns().Campaign("new")
	if err != nil || c.Public() {
		t.Errorf("campaign = %+v, %v", c, err)
	}
	e.wantStatus(b.ask("POST", path, httpapi.CampaignRequest{Title: "Alone"}), 200)
	e.wantStatus(b.ask("POST", path, httpapi.CampaignRequest{Title: "Alone"}), 409)
	e.wantStatus(b.ask("POST", "/admin/campaigns/duplicate",
		httpapi.CampaignCopy{CampaignSlug: game, Title: "Another Game"}), 200)
	l := decode[content.Launch](t, b.get("/admin/campaigns/launch/another-game", ""))
	if l.Ready || len(l.Items) == 0 {
		t.Errorf("list = %+v", l)
	}
}

// Launching a campaign and taking it off the site are separate acts, each with a dry run.
func TestCampaigns_LaunchAndWithdraw(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("user@example.com", access.CampaignUser, game)
	e.pledge("s@example.com", gameCart(1), sim.CardOK)
	const launch, withdraw = "/admin/campaigns/launch/" + game, "/admin/campaigns/withdraw/" + game
	e.wantStatus(e.signedIn("other@example.com", access.CampaignUser, "slow-weather").ask("POST",
		launch, httpapi.LaunchRequest{DryRun: true}), 404)
	e.wantStatus(b.ask("POST", launch, httpapi.LaunchRequest{Base: "x"}), 409) // it is public
	dry := decode[httpapi.Withdrawn](t,
		b.ask("POST", withdraw+"?lang=es", httpapi.WithdrawRequest{Visibility: "hidden", DryRun: true}))
	if r := dry.Review; r == nil || !r.NeedsReason || len(r.Changes) != 1 || r.Changes[0].Label != "Visibilidad" ||
		r.Changes[0].AfterText != "Oculta" || r.Changes[0].Affected.Supporters != 1 {
		t.Errorf("review = %+v", dry.Review)
	}
	e.wantField(b.ask("POST", withdraw, httpapi.WithdrawRequest{Visibility: "hidden"}), "reason")
	e.wantStatus(b.ask("POST", withdraw, httpapi.WithdrawRequest{Visibility: "hidden", Reason: "The parts do not fit."}),
		200)
	l := decode[httpapi.Launched](t, b.ask("POST", launch, httpapi.LaunchRequest{DryRun: true})).Launch
	if l == nil || l.Visibility != content.Hidden || l.Goal == 0 || len(l.Rewards) == 0 || l.EndsAt == nil {
		t.Fatalf("dry run = %+v", l)
	}
	if c, err := e.Services.Campaigns().Campaign(game); err != nil || c.Public() {
		t.Errorf("the campaign is public: %v", err)
	}
	claims := decode[content.Claims](t, b.get("/admin/campaigns/claims/"+game, ""))
	if claims.Supporters != 1 || len(claims.Tiers) == 0 || claims.Rewards+claims.Custom == 0 {
		t.Errorf("claims = %+v", claims)
	}
	e.wantStatus(b.get("/admin/add-ons/claims", ""), 403)
	e.wantStatus(e.signedIn("super@example.com", access.SuperAdmin).get("/admin/add-ons/claims", ""), 200)
}

// Proves ARC-01, ARC-02, ARC-03.
func TestCampaigns_Archive(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("super@example.com", access.SuperAdmin)
	const path = "/admin/campaigns/archive"
	ask := httpapi.CampaignArchival{CampaignSlug: "slow-weather"}
	e.wantStatus(e.signedIn("user@example.com", access.CampaignUser, "slow-weather").ask("POST", path, ask), 403)
	e.wantStatus(b.ask("POST", path, ask, "X-Svc-Admin-Csrf", ""), 403)
	e.wantStatus(b.ask("POST", path, httpapi.CampaignArchival{CampaignSlug: game}), 409) // the campaign is live
	r := b.ask("POST", path, ask)
	e.wantStatus(r, 200)
	m := decode[content.Manifest](t, r)
	if len(m.Moved) == 0 || m.Moved[0].To != "archive/campaigns/slow-weather/slow-weather.md" {
		t.Errorf("moved %+v", m)
	}
	if c, err := e.Services.Campaigns().Campaign("slow-weather"); err != nil || c.Public() {
		t.Errorf("campaign is still public: %v", err)
	}
}

// A campaign with recoverable failed charges cannot be archived.
func TestCampaigns_ArchiveWithFailedCharges(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("super@example.com", access.SuperAdmin)
	for i := range 9 {
		e.pledge(fmt.Sprintf("s%d@example.com", i), gameCart(3), sim.CardChargeDeclined)
	}
	e.Advance(48 * time.Hour)
	e.wantStatus(e.post("/admin/settle/"+game, map[string]any{"dryRun": false}, e.settler()...), 200)
	if err := e.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.signIn("super@example.com")
	snap, err := e.Services.Settlement.Inventory.Snapshot(t.Context(), game)
	if err != nil || snap.Totals.Statuses[pledge.PaymentFailed] != 9 {
		t.Fatalf("pledges = %+v, %v", snap.Totals.Statuses, err)
	}
	e.wantStatus(b.ask("POST", "/admin/campaigns/archive", httpapi.CampaignArchival{CampaignSlug: game}), 409)
}

// Proves STG-02, STG-03.
func TestSettings_SecretsAreHidden(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("super@example.com", access.SuperAdmin)
	r := b.get("/admin/settings/secrets", "")
	all := map[string]bool{}
	for _, s := range decode[httpapi.SecretStatuses](t, r).Secrets {
		all[s.Name] = s.Configured
	}
	if !all["ADMIN_SECRET"] || !all["MAGIC_LINK_SECRET"] || all["EMAIL_API_KEY"] || all["SMTP_URL"] || len(all) < 20 {
		t.Errorf("statuses = %v", all)
	}
	shown := string(r.Body) + string(b.get("/admin/settings", "").Body) + string(b.get("/admin/settings/history", "").Body)
	for name, secret := range map[string]string{"ADMIN_SECRET": e.Config.Secrets.Admin.Reveal(),
		"MAGIC_LINK_SECRET": e.Config.Secrets.MagicLink.Reveal()} {
		if len(secret) < 16 || strings.Contains(shown, secret) {
			t.Errorf("%s is shown", name)
		}
	}
	e.wantStatus(b.ask("POST", "/admin/settings/publish",
		edits("", "platform.admin_secret", "", `"0123456789abcdef0123456789abcdef"`)), 400)
	e.wantStatus(e.signedIn("user@example.com", access.CampaignUser, game).get("/admin/settings/secrets", ""), 403)
}

// Proves CON-17, CON-18, CON-19, CON-20, CON-21, CON-22, ERR-19.
func TestContent_NoRepository(t *testing.T) {
	e := newEdge(t, memory.Options{WithoutRepository: true})
	b := e.signedIn("super@example.com", access.SuperAdmin)
	refused := b.ask("POST", "/admin/content/publish", edits(game, "goal_amount", "900", "950"))
	e.wantStatus(refused, 409)
	if !strings.Contains(string(refused.Body), "CONTENT_REPOSITORY") ||
		!strings.Contains(string(refused.Body), `"code":"editing_off"`) {
		t.Errorf("error does not name the missing setting: %s", refused.Body)
	}
	for _, do := range []httpapi.Response{
		b.get("/admin/content", "campaignSlug="+game),
		b.get("/admin/settings", ""),
		b.get("/admin/add-ons", ""),
		b.ask("POST", "/admin/content/preview", edits(game, "goal_amount", "900", "950")),
		b.ask("POST", "/admin/settings/preview", edits("", "platform.name", `""`, `"Curtain"`)),
		b.ask("POST", "/admin/add-ons/preview", edits("", "products[]", "", `{"name":"Mug","price":12}`)),
		b.ask("POST", "/admin/content/page", httpapi.PageRequest{CampaignSlug: game}),
		b.get("/admin/campaign-preview/"+game, ""),
		b.ask("POST", "/admin/marketing/draft",
			httpapi.DraftRequest{CampaignSlug: game, Surface: broadcast.Blasts, Words: broadcast.Words{Subject: "News"}}),
		b.ask("POST", "/admin/users",
			httpapi.UserRequest{Email: "new@example.com", Name: "Nia", Role: access.CampaignUser, Campaigns: []string{game}}),
		b.ask("POST", "/admin/marketing/referrals", httpapi.ReferralRequest{CampaignSlug: game, Code: "ada", Name: "Ada"}),
		b.get("/admin/marketing/referrals", "campaignSlug="+game),
		b.ask("POST", "/admin/marketing/referrals/delete",
			httpapi.ReferralDeletion{CampaignSlug: game, Code: "ada", Revision: 1}),
	} {
		e.wantStatus(do, 200)
	}
}

// Every signed-in user can get the form descriptions, in both languages.
func TestContent_Schema(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.wantStatus(e.get("/admin/content/schema", "of=campaign"), 401)
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	for query, label := range map[string]string{"of=campaign": "Settings", "of=campaign&lang=es": "Ajustes",
		"of=addon&lang=en": "Settings", "of=settings&lang=es": "Plataforma"} {
		r := b.get("/admin/content/schema", query)
		e.wantStatus(r, 200)
		if d := decode[schema.Document](t, r); d.Sections[0].Label != label || len(d.Sections[0].Fields) == 0 {
			t.Errorf("%s is %+v", query, d.Sections[0])
		}
	}
	for _, query := range []string{"", "of=pledge", "of=campaign&lang=fr"} {
		e.wantField(b.get("/admin/content/schema", query), "of")
	}
}

// Fields that inherit a setting have its value as their default.
func TestContent_SchemaInheritedDefaults(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"SHIPPING_FALLBACK_FLAT_RATE": "9.50",
		"SHIPPING_FREE_SHIPPING_DEFAULT": "true"}})
	r := e.signedIn("ada@example.com", access.CampaignUser, game).get("/admin/content/schema", "of=campaign")
	got := map[string]string{}
	for _, s := range decode[schema.Document](t, r).Sections {
		for _, f := range s.Fields {
			if f.Inherits != "" {
				got[f.Path] = string(f.Default)
			}
		}
	}
	want := map[string]string{"shipping_fallback_flat_rate": "950", "free_shipping": `"true"`,
		"shipping_options": `["standard"]`, "creator_name": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// at returns the value at a path of the form section.key.
func (o opened) at(path string) json.RawMessage {
	section, key, _ := strings.Cut(path, ".")
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(o.Fields[section], &fields) // a missing key has no value
	return fields[key]
}

func hasName(name string) func(campaign.AddOn) bool {
	return func(a campaign.AddOn) bool { return a.Name == name }
}
