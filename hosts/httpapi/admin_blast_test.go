package httpapi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

const blastPath = "/admin/broadcast/blast"

func blast(change func(*compose.NewsRequest)) compose.NewsRequest {
	r := told
	change(&r)
	return r
}

// The recipients of a blast to a segment are counted exactly, and the blast is sent to exactly
// those.
func TestBroadcast_Segment(t *testing.T) {
	e := newEdgeWithSupporters(t)
	for name, tt := range map[string]struct {
		segment broadcast.Segment
		want    int
	}{
		"all":             {broadcast.Segment{}, 5},
		"Spanish":         {broadcast.Segment{Languages: []string{"es"}}, 1},
		"English":         {broadcast.Segment{Languages: []string{"en"}}, 4},
		"both":            {broadcast.Segment{Languages: []string{"en", "es"}}, 5},
		"charged":         {broadcast.Segment{Statuses: []string{"charged"}}, 0},
		"active, Spanish": {broadcast.Segment{Statuses: []string{"active", "charged"}, Languages: []string{"es"}}, 1},
		"another country": {broadcast.Segment{Countries: []string{"JP"}}, 0},
	} {
		plan := e.mustBroadcast(blastPath, blast(func(r *compose.NewsRequest) { r.Audience, r.DryRun = tt.segment, true }))
		if plan.RecipientCount != tt.want {
			t.Errorf("%s: %d recipients, want %d", name, plan.RecipientCount, tt.want)
		}
	}
	for field, segment := range map[string]broadcast.Segment{
		"audience.rewards[0]": {Rewards: []string{"none"}}, "audience.statuses[1]": {Statuses: []string{"active", "happy"}},
		"audience.countries[0]": {Countries: []string{"XX"}}, "audience.languages[0]": {Languages: []string{"fr"}},
	} {
		e.wantField(e.call(blastPath, blast(func(r *compose.NewsRequest) { r.Audience, r.DryRun = segment, true })), field)
	}
	spanish := blast(func(r *compose.NewsRequest) {
		r.Audience, r.DryRun = broadcast.Segment{Languages: []string{"es"}}, true
	})
	plan := e.mustBroadcast(blastPath, spanish)
	spanish.DryRun, spanish.Hash = false, plan.Hash
	other := spanish
	other.Audience = broadcast.Segment{}
	if r := e.call(blastPath, other); r.Status != 409 || decode[failure](t, r).Field != "hash" {
		t.Errorf("hash from another segment's dry run: status %d: %s", r.Status, r.Body)
	}
	e.mustBroadcast(blastPath, spanish)
	sent := e.news()
	if len(sent) != 1 || !strings.HasPrefix(sent[0], "eva@example.org") {
		t.Errorf("%d mails: %+v", len(sent), sent)
	}
}

// A subject is only sent again if the request says so, and a repeated request sends nothing twice.
func TestBroadcast_Resend(t *testing.T) {
	e := newEdgeWithSupporters(t)
	send := func(change func(*compose.NewsRequest)) compose.NewsRequest {
		r := blast(change)
		dry := r
		dry.DryRun = true
		r.Hash = e.mustBroadcast(blastPath, dry).Hash
		return r
	}
	first := send(func(r *compose.NewsRequest) { r.ChangeID = "one" })
	for range 2 { // the second request is a repeat
		if r := e.mustBroadcast(blastPath, first); r.Broadcast == nil || r.Broadcast.Recipients != 5 {
			t.Errorf("the first blast: %+v", r)
		}
	}
	sent := len(e.news())
	for name, again := range map[string]compose.NewsRequest{
		"same message": send(func(r *compose.NewsRequest) { r.ChangeID = "two" }),
		"another text": send(func(r *compose.NewsRequest) { r.ChangeID, r.Body = "two", "Look again." }),
	} {
		answer := e.call(blastPath, again)
		f := decode[struct {
			Error   string
			Details struct{ Earlier compose.EarlierNews }
		}](t, answer)
		if answer.Status != 409 || f.Details.Earlier.Recipients != 5 || f.Details.Earlier.SentAt.IsZero() ||
			!strings.Contains(f.Error, "5 supporters") || len(e.news()) != sent {
			t.Errorf("%s: status %d: %+v", name, answer.Status, f)
		}
		dry := again
		dry.DryRun = true
		if plan := e.mustBroadcast(blastPath, dry); plan.Earlier == nil || plan.Earlier.Subject != told.Subject {
			t.Errorf("%s: dry run = %+v", name, plan.Earlier)
		}
	}
	e.wantField(e.call(blastPath, blast(func(r *compose.NewsRequest) { r.Resend, r.Hash = true, "x" })), "changeId")
	again := send(func(r *compose.NewsRequest) { r.ChangeID, r.Resend = "three", true })
	for range 2 {
		e.mustBroadcast(blastPath, again)
	}
	if n := len(e.news()) - sent; n != sent {
		t.Errorf("resent %d mails, want %d", n, sent)
	}
}

// A message's audience is counted before the message is written, and nothing is stored.
func TestBroadcast_Audience(t *testing.T) {
	e := newEdgeWithSupporters(t)
	before := e.kept()
	for name, tt := range map[string]struct {
		segment broadcast.Segment
		want    int
	}{
		"all":     {broadcast.Segment{}, 5},
		"Spanish": {broadcast.Segment{Languages: []string{"es"}}, 1},
		"charged": {broadcast.Segment{Statuses: []string{"charged"}}, 0},
	} {
		r := e.call("/admin/broadcast/audience", compose.AudienceRequest{CampaignSlug: game, Audience: tt.segment})
		e.wantStatus(r, 200)
		got := decode[compose.NewsAudience](t, r)
		if got.Recipients != tt.want || got.Supporters != 5 {
			t.Errorf("%s: %+v", name, got)
		}
		if diff := cmp.Diff([]broadcast.Group{{Value: "en", Supporters: 4}, {Value: "es", Supporters: 1}},
			got.Languages); diff != "" {
			t.Errorf("%s: languages (-want +got):\n%s", name, diff)
		}
	}
	e.wantField(e.call("/admin/broadcast/audience", compose.AudienceRequest{CampaignSlug: game,
		Audience: broadcast.Segment{Rewards: []string{"none"}}}), "audience.rewards[0]")
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("counting writes: %s", diff)
	}
	e.pledge("owner@example.org", gameCart(1), sim.CardOK)
	got := decode[compose.NewsAudience](t,
		e.call("/admin/broadcast/audience", compose.AudienceRequest{CampaignSlug: game}))
	if len(got.Rewards) != 1 || got.RewardNames[got.Rewards[0].Value] == "" {
		t.Errorf("rewards: %+v, named %v", got.Rewards, got.RewardNames)
	}
}

func TestBroadcast_Preview(t *testing.T) {
	e := newEdgeWithSupporters(t)
	before := e.kept()
	ask := map[string]any{"campaignSlug": game, "subject": told.Subject, "body": told.Body,
		"ctaLabel": told.Label, "ctaUrl": told.URL, "preferredLang": "es"}
	r := e.post("/admin/broadcast/preview", ask, e.admin()...)
	e.wantStatus(r, 200)
	p := decode[compose.NewsPreview](t, r)
	if p.Subject != told.Subject || p.From == "" || !strings.Contains(p.HTML, "<em>them</em>") ||
		!strings.Contains(p.Text, "Look at") || !strings.Contains(p.HTML, "/campaigns/"+game) {
		t.Errorf("preview = %+v", p)
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("preview wrote: %s", diff)
	}
	for body, want := range map[string]string{"![A boat](/assets/images/none.jpg)": "body", "": "content"} {
		ask["body"], ask["ctaLabel"], ask["ctaUrl"] = body, "", ""
		e.wantField(e.post("/admin/broadcast/preview", ask, e.admin()...), want)
	}
}

func TestBroadcast_SubjectErrors(t *testing.T) {
	e := newEdgeWithSupporters(t)
	for subject, want := range map[string]string{
		"":                          "Write a subject",
		"  ":                        "Write a subject",
		strings.Repeat("a", 212):    "The subject is too long: shorten it by 12 characters",
		strings.Repeat("é", 110):    "The subject is too long: shorten it by 10 characters",
		"One\nBcc: all@example.org": "Write the subject in one line, without control characters",
	} {
		r := e.call(blastPath, blast(func(r *compose.NewsRequest) { r.Subject, r.DryRun = subject, true }))
		if f := decode[failure](t, r); r.Status != 400 || f.Error != want || f.Field != "subject" {
			t.Errorf("subject %.20q: status %d: %+v", subject, r.Status, f)
		}
	}
}
