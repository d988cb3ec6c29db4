package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/hosts/schema"
)

// lanterns is a campaign file with an entry in each list and with report readers.
const lanterns = `---
title: Paper Lanterns
slug: tidepool-traders
charged: false
goal_amount: 4000
start_date: 2026-11-02
goal_deadline: 2026-12-18
tiers:
  - {id: lamp, name: Lamp, price: 30, category: digital}
support_items:
  - {id: glue, label: Glue, target: 200}
campaign_add_ons:
  - {id: wick, name: Wick, price: 4, category: digital}
diary:
  - {id: kiln, title: Kiln, date: 2026-11-03}
decisions:
  - {id: hue, title: Which hue, options: [{label: Red}, {label: Blue}]}
runner_report_emails: [reader@example.org]
runner_report_excluded_emails: [quiet@example.org]
_planning: meet on Monday
---

Lanterns of paper.
`

func lanternEdge(t *testing.T) *edge {
	return newEdge(t, memory.Options{Campaigns: fstest.MapFS{"campaigns/" + game + ".md": {Data: []byte(lanterns)}}})
}

// fieldsOf returns the described fields of a kind of file, including the fields of list entries.
func fieldsOf(t *testing.T, of string) map[string]schema.Field {
	t.Helper()
	var d schema.Document
	text, _ := schema.Described(of, "en")
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	all := map[string]schema.Field{}
	var walk func(above string, fields []schema.Field)
	walk = func(above string, fields []schema.Field) {
		for _, f := range fields {
			all[above+f.Path] = f
			walk(above+f.Path+"[0].", f.Fields)
		}
	}
	for _, s := range d.Sections {
		walk("", s.Fields)
	}
	return all
}

// samples are values for fields that accept only some values of their kind.
var samples = map[string]string{
	"instagram": `"paper.lanterns"`, "featured_tier_id": `"lamp"`, "shipping_preset": `"book"`,
	"hero_video": `"https://youtu.be/dQw4w9WgXcQ"`,
	"start_date": `"2026-11-03"`, "goal_deadline": `"2026-12-20"`, "recovery.retry_days": `[2,4]`,
	"recovery.attempts":    `2`,
	"runner_report_emails": `["all@example.com"]`, "runner_report_excluded_emails": `["all@example.com"]`,
	"faq": `[{"question":"Why?","answer":"Light."}]`, "creator_links": `[{"label":"Shop","url":"https://example.org/"}]`,
	"stretch_goals": `[{"title":"Two","threshold":6000}]`, "ongoing_items": `[{"label":"Rent","remaining":20}]`,
	"long_content": `[{"type":"text","text":"More."}]`,
}

var samplesOfKind = map[string]string{
	schema.Text: `"Sample"`, schema.Markdown: `"Sample"`, schema.Money: `700`, schema.Integer: `3`,
	schema.Boolean: `true`, schema.Media: `"https://example.org/a.jpg"`,
	schema.Countries: `["US"]`, schema.Choices: `["standard"]`,
}

// anotherValue returns an edit that changes a field.
func anotherValue(at string, f schema.Field, file opened) content.Edit {
	value := samples[at]
	switch {
	case value != "":
	case f.Kind == schema.Choice:
		value = string(mustJSON(f.Choices[len(f.Choices)-1].Value))
	case f.Kind == schema.Choices:
		value = string(mustJSON([]string{f.Choices[0].Value}))
	case f.Kind == schema.Objects:
		value = "null" // removes the list
	case f.Kind == schema.Boolean && string(f.Default) == "true":
		value = "false"
	default:
		value = samplesOfKind[f.Kind]
	}
	return content.Edit{Path: at, Was: file.value(at), Value: json.RawMessage(value)}
}

// value returns the file's value at a path such as custom_amount.min or tiers[0].price.
func (o opened) value(path string) json.RawMessage {
	var v any
	_ = json.Unmarshal(mustJSON(o.Fields), &v)
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		switch in := v.(type) {
		case map[string]any:
			v = in[key]
		case []any:
			v = in[0]
		default:
			return nil
		}
	}
	return mustJSON(v)
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// Every field of content and settings is tested with a user who lacks one of its permissions and
// with one who has all of them. The first user can neither see nor change the field, and the error
// names it.
//
// Proves SET-26.
func TestContentFields_Permissions(t *testing.T) {
	e := lanternEdge(t)
	lacking := map[access.Permission]*browser{}
	for _, p := range access.Permissions {
		lacking[p] = e.with("no-"+string(p)+"@example.com",
			slices.DeleteFunc(slices.Clone(access.Permissions), func(q access.Permission) bool { return p == q })...)
	}
	all, super := e.with("all@example.com", access.Permissions...), e.signedIn("super@example.com", access.SuperAdmin)
	e.wantStatus(super.ask("POST", "/admin/report-readers/confirm",
		httpapi.ReportReaderRequest{CampaignSlug: game, Email: "reader@example.org"}), 200)
	for _, d := range []struct{ of, path, slug string }{{schema.OfCampaign, "/admin/content", game},
		{schema.OfAddOns, "/admin/add-ons", ""}, {schema.OfSettings, "/admin/settings", ""}} {
		for at, f := range fieldsOf(t, d.of) {
			refused := func(b *browser) {
				t.Helper()
				before := e.kept()["repository"]
				for _, action := range []string{"/publish", "/preview"} {
					file := decode[opened](t, super.get(d.path, "campaignSlug="+game))
					r := b.ask("POST", d.path+action, httpapi.DraftBody{CampaignSlug: d.slug,
						Edits: []content.Edit{{Path: at, Was: file.value(at), Value: anotherValue(at, f, file).Value}}})
					e.wantStatus(r, 403)
					if may := b.get(d.path, "campaignSlug="+game).Status == 200; may && decode[failure](t, r).Field != at {
						t.Errorf("%s %s: the error does not name the field: %s", d.path+action, at, r.Body)
					}
				}
				if e.kept()["repository"] != before {
					t.Errorf("%s was rejected but written", at)
				}
			}
			writer := all
			switch {
			case len(f.Write) == 0:
				refused(all)
				continue
			case slices.Contains(f.Write, access.Platform):
				refused(all)
				writer = super
			}
			for _, p := range f.Write {
				if lacking[p] != nil {
					refused(lacking[p])
				}
			}
			file := decode[opened](t, writer.get(d.path, "campaignSlug="+game))
			draft := httpapi.DraftBody{CampaignSlug: d.slug, Edits: []content.Edit{anotherValue(at, f, file)}}
			if r := writer.ask("POST", d.path+"/preview", draft); r.Status != 200 &&
				!strings.Contains(at, "[") || r.Status == 403 {
				t.Errorf("preview of %s %s: status %d: %s", d.path, at, r.Status, r.Body)
			}
			started := f.Locked != nil && f.Locked.Rule == schema.Started // the campaign is live
			if d.of == schema.OfCampaign && !strings.Contains(at, "[") && !started {
				e.wantPublished(writer, draft, at)
			}
		}
	}
}

// wantRefused checks that a request is rejected because of a field.
func (e *edge) wantRefused(r httpapi.Response, field string) {
	e.t.Helper()
	e.wantStatus(r, 403)
	if got := decode[failure](e.t, r).Field; got != field {
		e.t.Errorf("rejected field %q, want %q", got, field)
	}
}

// wantPublished publishes a draft and restores the file.
func (e *edge) wantPublished(b *browser, draft httpapi.DraftBody, at string) {
	e.t.Helper()
	r := b.ask("POST", "/admin/content/publish", draft)
	if r.Status != 200 {
		e.t.Errorf("publishing %s: status %d: %s", at, r.Status, r.Body)
		return
	}
	made := decode[content.Published](e.t, r)
	file := decode[opened](e.t, b.get("/admin/content", "campaignSlug="+game))
	if want := string(draft.Edits[0].Value); !sameJSON(file.value(at), want) {
		e.t.Errorf("%s is %s after publishing %s", at, file.value(at), want)
	}
	if made.Revision != "" {
		e.wantStatus(b.ask("POST", "/admin/content/undo", httpapi.UndoBody{CampaignSlug: game, Revision: made.Revision}), 200)
	}
}

func sameJSON(a json.RawMessage, b string) bool {
	var x, y any
	_, _ = json.Unmarshal(a, &x), json.Unmarshal([]byte(b), &y)
	return cmp.Equal(x, y)
}

// No response about the file contains fields that the caller may not see.
func TestContentFields_Reading(t *testing.T) {
	e := lanternEdge(t)
	for name, tc := range map[string]struct {
		b    *browser
		want []string
	}{
		"content alone": {e.with("a@example.com", access.Content), nil},
		"without money": {e.with("b@example.com", access.Content, access.Supporters, access.Fulfilment, access.Mails),
			nil},
		"without supporters": {e.with("c@example.com", access.Content, access.Money, access.Fulfilment, access.Mails), nil},
		"money, supporters": {e.with("d@example.com", access.Content, access.Money, access.Supporters),
			[]string{"runner_report_emails", "runner_report_excluded_emails"}},
		"super admin": {e.signedIn("e@example.com", access.SuperAdmin),
			[]string{"_planning", "runner_report_emails", "runner_report_excluded_emails"}},
		"the service's secret": {nil, []string{"_planning", "runner_report_emails", "runner_report_excluded_emails"}},
	} {
		var r httpapi.Response
		if tc.b == nil {
			e.Advance(time.Minute) // the limit of clients without a session
			r = e.get("/admin/content", "campaignSlug="+game, e.admin()...)
		} else {
			r = tc.b.get("/admin/content", "campaignSlug="+game)
		}
		e.wantStatus(r, 200)
		var got []string
		file := decode[opened](t, r)
		for _, key := range []string{"_planning", "runner_report_emails", "runner_report_excluded_emails"} {
			if file.Fields[key] != nil {
				got = append(got, key)
			}
		}
		if !slices.Equal(got, tc.want) || string(file.Fields["goal_amount"]) != "4000" ||
			!strings.Contains(string(file.Fields["body"]), "Lanterns") {
			t.Errorf("%s reads %s", name, r.Body)
		}
		if tc.want == nil && strings.Contains(string(r.Body), "@example.org") {
			t.Errorf("%s returned an address: %s", name, r.Body)
		}
	}
}

// A user with only the content permission can see or change the report readers through no other
// dashboard route.
func TestContentFields_OtherPaths(t *testing.T) {
	e := lanternEdge(t)
	super, helper := e.signedIn("super@example.com", access.SuperAdmin), e.with("helper@example.com", access.Content)
	mine := json.RawMessage(`["helper@example.com"]`)
	listed := json.RawMessage(`["reader@example.org"]`)
	e.wantStatus(super.ask("POST", "/admin/report-readers/confirm",
		httpapi.ReportReaderRequest{CampaignSlug: game, Email: "secret@example.org"}), 200)
	change := edits(game, "runner_report_emails", string(listed), `["secret@example.org"]`)
	change.ChangeID = "the-owners"
	made := decode[content.Published](t, super.ask("POST", "/admin/content/publish", change))
	if made.Revision == "" {
		t.Fatalf("not published: %+v", made)
	}
	head := e.kept()["repository"]
	title := content.Edit{Path: "title", Was: json.RawMessage(`"Paper Lanterns"`), Value: json.RawMessage(`"Lamps"`)}
	for name, list := range map[string][]content.Edit{
		"the list":  {{Path: "runner_report_emails", Was: json.RawMessage(`["secret@example.org"]`), Value: mine}},
		"a guess":   {{Path: "runner_report_emails", Was: mine, Value: mine}},
		"a removal": {{Path: "runner_report_emails", Was: json.RawMessage(`["secret@example.org"]`)}},
		"an entry": {{Path: "runner_report_emails[0]", Was: json.RawMessage(`"secret@example.org"`),
			Value: json.RawMessage(`"helper@example.com"`)}},
		"a new entry": {{Path: "runner_report_emails[]", Value: json.RawMessage(`"helper@example.com"`)}},
		"below it":    {{Path: "runner_report_emails.x", Value: mine}},
		"beside the title": {title,
			{Path: "runner_report_excluded_emails", Was: json.RawMessage(`["quiet@example.org"]`), Value: mine}},
		"an undescribed key": {{Path: "_planning", Was: json.RawMessage(`"meet on Monday"`), Value: mine}},
	} {
		for _, path := range []string{"/admin/content/publish", "/admin/content/preview", "/admin/content/page"} {
			body := map[string]any{"campaignSlug": game, "edits": list}
			r := helper.ask("POST", path, body)
			if r.Status != 403 || !strings.HasPrefix(decode[failure](t, r).Field, list[len(list)-1].Path) ||
				strings.Contains(string(r.Body), "@example.org") {
				t.Errorf("%s to %s: %d %s", name, path, r.Status, r.Body)
			}
		}
	}
	e.wantRefused(helper.ask("POST", "/admin/content/undo", httpapi.UndoBody{CampaignSlug: game, Revision: made.Revision}),
		"runner_report_emails")
	own := edits(game, "goal_amount", "1", "2") // conflicts unless its change ID was published before
	own.ChangeID = change.ChangeID
	for what, r := range map[string]httpapi.Response{
		"a repeated change": helper.ask("POST", "/admin/content/publish", own),
		"the history":       helper.get("/admin/content/history", "campaignSlug="+game),
		"the page":          helper.get("/admin/campaign-preview/"+game, ""),
		"the launch list":   helper.get("/admin/campaigns/launch/"+game, ""),
		"the media":         helper.get("/admin/media/"+game, ""),
		"the summary":       helper.get("/admin/summary", ""),
	} {
		if r.Status >= 500 || strings.Contains(string(r.Body), "@example.org") {
			t.Errorf("%s returned the readers: status %d: %s", what, r.Status, r.Body)
		}
	}
	if now := e.kept()["repository"]; now != head {
		if c, err := e.Services.Campaigns().Campaign(game); err != nil ||
			!slices.Equal(c.ReportEmails, []string{"secret@example.org"}) || c.Title != "Paper Lanterns" {
			t.Errorf("the user changed the file: %+v, %v", c, err)
		}
	}
	for _, path := range []string{"/admin/campaigns/duplicate", "/admin/campaigns/create",
		"/admin/report-readers/confirm", "/admin/report-readers/revoke"} {
		e.wantStatus(helper.ask("POST", path,
			map[string]any{"campaignSlug": game, "title": "Copy", "email": "secret@example.org"}), 403)
	}
	e.wantStatus(super.ask("POST", "/admin/campaigns/duplicate", map[string]any{"campaignSlug": game, "title": "Copy"}),
		200)
	if c, err := e.Services.Campaigns().Campaign("copy"); err != nil || len(c.ReportEmails)+len(c.ReportExcluded) > 0 {
		t.Errorf("copy = %+v, %v", c, err)
	}
}

// With a YAML alias, two fields share one value, and changing one of them changes both.
func TestContentFields_Aliases(t *testing.T) {
	src := strings.Replace(lanterns, "runner_report_emails: [reader@example.org]",
		"short_blurb: &who reader@example.org\nrunner_report_emails: [*who]", 1)
	e := newEdge(t, memory.Options{Campaigns: fstest.MapFS{"campaigns/" + game + ".md": {Data: []byte(src)}}})
	helper := e.with("helper@example.com", access.Content)
	head := e.kept()["repository"]
	r := helper.ask("POST", "/admin/content/publish",
		edits(game, "short_blurb", `"reader@example.org"`, `"helper@example.com"`))
	e.wantRefused(r, "runner_report_emails")
	if e.kept()["repository"] != head {
		t.Error("the rejected change was written")
	}
	e.wantStatus(helper.ask("POST", "/admin/content/publish", edits(game, "title", `"Paper Lanterns"`, `"Lamps"`)), 200)
}

// A user who may not change the slug can change a title that the slug is derived from.
func TestContentFields_TitleWithoutSlug(t *testing.T) {
	src := strings.Replace(strings.Replace(lanterns, "slug: tidepool-traders\n", "", 1),
		"title: Paper Lanterns", "title: Tidepool Traders", 1)
	e := newEdge(t, memory.Options{Campaigns: fstest.MapFS{"campaigns/" + game + ".md": {Data: []byte(src)}}})
	helper := e.with("helper@example.com", access.Content)
	e.wantStatus(helper.ask("POST", "/admin/content/publish", edits(game, "title", `"Tidepool Traders"`, `"Lamps"`)), 200)
	if c, err := e.Services.Campaigns().Campaign(game); err != nil || c.Title != "Lamps" {
		t.Errorf("campaign = %+v, %v", c, err)
	}
	e.wantRefused(helper.ask("POST", "/admin/content/publish", edits(game, "slug", fmt.Sprintf("%q", game), `"x"`)),
		"slug")
}
