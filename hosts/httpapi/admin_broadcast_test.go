package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// backed returns a cart that supports the game with the given amount in dollars.
func backed(dollars int) checkout.Cart {
	amount := int64(dollars)
	return checkout.Cart{CampaignSlug: game, CustomAmount: &amount}
}

// news returns the sent updates by recipient, sorted by address.
func (e *edge) news() []string {
	e.t.Helper()
	all, err := e.Mails(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	sent := []string{}
	for _, m := range all {
		if m.Stream == notify.Updates {
			sent = append(sent, m.To+" "+m.Lang+" "+m.Subject)
		}
	}
	slices.Sort(sent)
	return sent
}

// call posts as an operator, each time from another address to avoid the limit of five calls per
// minute.
func (e *edge) call(path string, body any) httpapi.Response {
	e.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		e.t.Fatal(err)
	}
	return e.from(fmt.Sprintf("198.51.%d.7", places.Add(1)%250), "POST", path, b, e.admin()...)
}

var places atomic.Int64

func (e *edge) mustBroadcast(path string, body any) compose.Broadcasting {
	e.t.Helper()
	r := e.call(path, body)
	e.wantStatus(r, 200)
	return decode[compose.Broadcasting](e.t, r)
}

// newEdgeWithSupporters returns an edge whose game has five supporters: two ordinary ones (one of
// them with two pledges), one who cancelled, one who unsubscribed, and one who reads Spanish.
func newEdgeWithSupporters(t *testing.T) *edge {
	return newEdgeWithSupportersAndOptions(t, memory.Options{})
}

func newEdgeWithSupportersAndOptions(t *testing.T, o memory.Options) *edge {
	e := newEdge(t, o)
	for _, email := range []string{"ada@example.org", "ben@example.org", "ben@example.org",
		"cid@example.org", "dan@example.org"} {
		e.pledge(email, backed(20), sim.CardOK)
	}
	_, token := e.pledge("gone@example.org", backed(20), sim.CardOK)
	e.wantStatus(e.post("/pledge/cancel", map[string]string{"token": token}), 200)
	r := e.post("/checkout-intent/start",
		checkout.StartRequest{Cart: backed(20), Email: "eva@example.org", PreferredLang: "es"})
	e.wantStatus(r, 200)
	started := decode[checkout.Started](t, r)
	if err := e.Sim.Complete(started.SessionID, sim.CardOK); err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.post("/checkout-intent/complete",
		checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID}), 200)
	stop := suppression.Scope{Topic: suppression.Updates, Campaign: game}
	if err := e.Services.Suppressions.Add(t.Context(), stop, e.Services.Suppressions.Address("dan@example.org"),
		"asked"); err != nil {
		t.Fatal(err)
	}
	return e
}

var told = compose.NewsRequest{CampaignSlug: game, Subject: "The boards are printed",
	Body: "Look at *them*.", Label: "See", URL: "/campaigns/" + game + "/"}

// Proves EML-11, EML-16, EML-17, EML-18: an announcement is sent once to each supporter with a
// pledge who has not unsubscribed, in their language.
func TestBroadcast_Announcement(t *testing.T) {
	e := newEdgeWithSupporters(t)
	e.pledge("fan@example.org", filmCart(), sim.CardOK) // to another campaign
	before := e.kept()
	dry := told
	dry.DryRun = true
	plan := e.mustBroadcast("/admin/broadcast/announcement", map[string]any{
		"campaignSlug": dry.CampaignSlug, "subject": dry.Subject, "body": dry.Body, "ctaLabel": dry.Label,
		"ctaUrl": dry.URL, "dryRun": true,
	})
	if plan.RecipientCount != 5 || !plan.DryRun || plan.Broadcast != nil || len(plan.Hash) != 64 {
		t.Errorf("dry run = %+v", plan)
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("the dry run wrote:\n%s", diff)
	}
	if named := e.mustBroadcast("/admin/broadcast/announcement", dry); named.Hash != plan.Hash {
		t.Errorf("with a struct body: %+v", named)
	}
	first := e.mustBroadcast("/admin/broadcast/announcement", told)
	want := []string{
		"ada@example.org en The boards are printed", "ben@example.org en The boards are printed",
		"cid@example.org en The boards are printed", "eva@example.org es The boards are printed",
	}
	if diff := cmp.Diff(want, e.news()); diff != "" {
		t.Errorf("the mails (-want +got):\n%s", diff)
	}
	if there := e.mustBroadcast("/admin/marketing/announcement", told); there.Broadcast.ID != first.Broadcast.ID ||
		len(e.news()) != 4 {
		t.Errorf("the dashboard's route created another broadcast: %+v", there)
	}
	if again := e.mustBroadcast("/admin/broadcast/announcement", told); again.Broadcast.ID != first.Broadcast.ID ||
		len(e.news()) != 4 {
		t.Errorf("a repeated request sent %+v", again)
	}
	status := decode[compose.BroadcastView](t, e.get("/admin/broadcast", "id="+first.Broadcast.ID, e.admin()...))
	counts := map[broadcast.State]int{broadcast.Accepted: 4, broadcast.Suppressed: 1}
	if diff := cmp.Diff(counts, status.States); diff != "" || status.Phase != broadcast.Done ||
		status.Subject != told.Subject {
		t.Errorf("%+v (-want +got):\n%s", status, diff)
	}
	for _, m := range sure(e.Mails(t.Context()))(t) {
		if m.Stream != notify.Updates {
			continue
		}
		if m.Unsubscribe == "" || !strings.Contains(m.Text, mailtext.UnsubscribePage(m.Unsubscribe)) ||
			strings.Contains(m.Text+m.HTML, "unsubscribe.invalid") ||
			strings.Contains(m.Text+m.HTML, broadcast.UnsubscribeLink) || !strings.Contains(m.HTML, "<em>them</em>") {
			t.Errorf("%s gets %s", m.To, m.Text)
		}
	}
}

// Links for mail clients and API clients use the service's own address, which can differ from the
// site's.
//
// Proves CFG-03.
func TestWorkerBase_SeparateOrigin(t *testing.T) {
	const worker = "https://api.shop.example"
	e := newEdge(t, memory.Options{Env: map[string]string{"SITE_BASE": "https://shop.example", "WORKER_BASE": worker}})
	e.pledge("ada@example.org", backed(20), sim.CardOK)
	e.mustBroadcast("/admin/broadcast/announcement", told)
	for _, m := range sure(e.Mails(t.Context()))(t) {
		if m.Stream == notify.Updates && !strings.HasPrefix(m.Unsubscribe, worker+"/") {
			t.Errorf("unsubscribe link = %s", m.Unsubscribe)
		}
	}
	if len(e.news()) != 1 {
		t.Errorf("mails = %v", e.news())
	}
	doc := decode[struct{ Servers []struct{ URL string } }](t, e.get("/openapi.json", ""))
	if len(doc.Servers) != 1 || doc.Servers[0].URL != worker {
		t.Errorf("OpenAPI servers = %+v", doc.Servers)
	}
}

// All supporters are counted and get broadcasts, even if the pledge index has several pages.
//
// Proves EML-22, BLA-04.
func TestBroadcast_SeveralIndexPages(t *testing.T) {
	e := newEdgeWithSupporters(t)
	ids, _, err := kv.Read[[]string](t.Context(), e.Services.Stores.Pledges, pledge.IndexKey(game, 0))
	if err != nil {
		t.Fatal(err)
	}
	for n, page := range [][]string{ids[:3], ids[3:4], ids[4:]} {
		if err := kv.Save(t.Context(), e.Services.Stores.Pledges, pledge.IndexKey(game, n), page); err != nil {
			t.Fatal(err)
		}
	}
	dry := told
	dry.DryRun = true
	for path, r := range map[string]compose.NewsRequest{"/admin/broadcast/announcement": told,
		"/admin/broadcast/blast": dry} {
		if plan := e.mustBroadcast(path, r); plan.RecipientCount != 5 {
			t.Errorf("%s: %d supporters, want 5", path, plan.RecipientCount)
		}
	}
	if n := len(e.news()); n != 4 { // one has unsubscribed
		t.Errorf("%d mails", n)
	}
}

func sure[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Proves BLA-03, BLA-05, BLA-11, EML-14: a blast is validated by its dry run and sent only with the
// hash of exactly that message and audience.
func TestBroadcast_Blast(t *testing.T) {
	e := newEdgeWithSupporters(t)
	const path = "/admin/broadcast/blast"
	dry := told
	dry.DryRun = true
	for name, bad := range map[string]struct {
		change func(*compose.NewsRequest)
		field  string
	}{
		"no subject":         {func(r *compose.NewsRequest) { r.Subject = "" }, "subject"},
		"two lines":          {func(r *compose.NewsRequest) { r.Subject += "\nBcc: all@example.org" }, "subject"},
		"empty message":      {func(r *compose.NewsRequest) { r.Body, r.Label, r.URL = " ", "", "" }, "content"},
		"a bad address":      {func(r *compose.NewsRequest) { r.URL = "javascript:alert(1)" }, "url"},
		"button without URL": {func(r *compose.NewsRequest) { r.URL = "" }, "url"},
	} {
		r := dry
		bad.change(&r)
		answer := e.call(path, r)
		if f := decode[failure](t, answer); answer.Status != 400 || f.Field != bad.field {
			t.Errorf("%s: status %d: %+v", name, answer.Status, f)
		}
	}
	plan := e.mustBroadcast(path, dry)
	for name, change := range map[string]func(*compose.NewsRequest){
		"no hash":         func(r *compose.NewsRequest) { r.Hash = "" },
		"another hash":    func(r *compose.NewsRequest) { r.Hash = strings.Repeat("0", 64) },
		"another message": func(r *compose.NewsRequest) { r.Body += "!" },
		"another button":  func(r *compose.NewsRequest) { r.Label = "Look" },
	} {
		live := told
		live.Hash = plan.Hash
		change(&live)
		r := e.call(path, live)
		if f := decode[failure](t, r); r.Status < 400 || r.Status > 409 || f.Field != "hash" || len(e.news()) != 0 {
			t.Errorf("%s: status %d: %+v, %d mails", name, r.Status, f, len(e.news()))
		}
	}
	e.pledge("new@example.org", backed(20), sim.CardOK)
	live := told
	live.Hash = plan.Hash
	if r := e.call(path, live); r.Status != 409 || len(e.news()) != 0 {
		t.Errorf("hash of another audience: status %d, %d mails", r.Status, len(e.news()))
	}
	live.Hash = e.mustBroadcast(path, dry).Hash
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { e.call(path, live) })
	}
	wg.Wait()
	if n := len(e.news()); n != 5 {
		t.Errorf("%d mails are sent", n)
	}
}

// Proves BLA-07, BLA-08, BLA-09: a dry run writes nothing, including audit events, lists nothing
// and sends nothing. Only the use of the secret is counted.
func TestBroadcast_DryRunWritesNothing(t *testing.T) {
	var ops []string
	watching := false
	e := newEdgeWithSupportersAndOptions(t, memory.Options{Fail: func(op memkv.Op) error {
		if watching && !slices.Contains([]memkv.OpKind{memkv.OpGet, memkv.OpQuery, memkv.OpIncrement}, op.Kind) {
			ops = append(ops, fmt.Sprint(op.Kind, " ", op.Key, op.Command.Kind))
		}
		return nil
	}})
	sent, before := len(sure(e.Mails(t.Context()))(t)), e.kept()
	dry := told
	dry.DryRun = true
	e.Advance(time.Minute) // the next request writes observations
	watching = true
	if plan := e.mustBroadcast("/admin/broadcast/blast", dry); plan.RecipientCount == 0 || plan.Broadcast != nil {
		t.Errorf("planned %+v", plan)
	}
	watching = false
	if diff := cmp.Diff(before, e.kept()); diff != "" || len(ops) != 0 {
		t.Errorf("dry run: error %v, changes:\n%s", ops, diff)
	}
	if n := len(sure(e.Mails(t.Context()))(t)); n != sent {
		t.Errorf("dry run sent %d mails", n-sent)
	}
	for _, b := range []*browser{e.signedIn("writer@example.com", access.CampaignUser, game),
		e.signedIn("super@example.com", access.SuperAdmin)} {
		noted := len(e.events("").Events)
		for path, in := range map[string]any{
			"/admin/broadcast/blast": dry, "/admin/broadcast/announcement": dry, "/admin/marketing/announcement": dry,
			"/admin/broadcast/diary": compose.DiaryRequest{CampaignSlug: game, DryRun: true},
		} {
			e.wantStatus(b.ask("POST", path, in), 200)
			if n := len(e.events("").Events); n != noted {
				t.Errorf("dry run of %s recorded %d events", path, n-noted)
			}
		}
	}
}

// Proves BLA-12: blasts are sent from the sender of updates that all campaigns share.
func TestBroadcast_UpdatesSender(t *testing.T) {
	e := newEdgeWithSupportersAndOptions(t,
		memory.Options{Env: map[string]string{"PLEDGES_EMAIL_FROM": "pledges@example.org",
			"UPDATES_EMAIL_FROM": "News <news@updates.example.org>"}})
	dry := told
	dry.DryRun = true
	live := told
	live.Hash = e.mustBroadcast("/admin/broadcast/blast", dry).Hash
	e.mustBroadcast("/admin/broadcast/blast", live)
	news := 0
	for _, m := range sure(e.Mails(t.Context()))(t) {
		if want := map[bool]string{true: "News <news@updates.example.org>",
			false: "pledges@example.org"}[m.Stream == notify.Updates]; m.From != want {
			t.Errorf("mail of stream %s has sender %s", m.Stream, m.From)
		}
		if m.Stream == notify.Updates {
			news++
		}
	}
	if news == 0 {
		t.Error("nothing was sent")
	}
}

// Proves AUD-13: a sent blast is one event; dry runs and refused blasts are none.
func TestBroadcast_BlastIsAudited(t *testing.T) {
	e := newEdgeWithSupporters(t)
	dry, stale := told, told
	dry.DryRun, stale.Hash = true, strings.Repeat("0", 64)
	live := told
	live.Hash = e.mustBroadcast("/admin/broadcast/blast", dry).Hash
	if got := e.call("/admin/broadcast/blast", stale); got.Status != 409 {
		t.Fatalf("blast with another hash: status %d", got.Status)
	}
	if got := e.events("").Events; len(got) != 0 {
		t.Errorf("recorded before anything was sent: %+v", got)
	}
	e.mustBroadcast("/admin/broadcast/blast", live)
	got := e.events("").Events
	if len(e.news()) != 4 || len(got) != 1 || got[0].Action != "broadcast.blast" || got[0].CampaignSlug != game ||
		got[0].Status != audit.Done || got[0].Reason != "" {
		t.Errorf("recorded %+v, with %d mails", got, len(e.news()))
	}
}

// Proves BLA-17, BLA-18, ERR-16: without the index of a campaign's pledges, nothing is counted and
// sent.
func TestBroadcast_MissingIndex(t *testing.T) {
	e := newEdgeWithSupporters(t)
	if err := e.Services.Stores.Pledges.Apply(t.Context(), []kv.Write{kv.Delete(pledge.IndexKey(game, 0))}); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		r := told
		r.DryRun, r.Hash = dry, strings.Repeat("0", 64)
		got := e.call("/admin/broadcast/blast", r)
		if f := decode[failure](t, got); got.Status != 409 || f.Code != "campaign_index_required" || len(e.news()) != 0 {
			t.Errorf("dry %t: %d %+v, %d mails", dry, got.Status, f, len(e.news()))
		}
	}
}

// Proves EML-12: a diary entry is sent once, however often it is requested.
func TestBroadcast_DiaryEntry(t *testing.T) {
	e := newEdgeWithSupporters(t)
	c, err := e.Services.Campaigns().Campaign(game)
	if err != nil || len(c.Diary) == 0 {
		t.Fatalf("%d entries, %v", len(c.Diary), err)
	}
	for range 3 {
		e.mustBroadcast("/admin/broadcast/diary", compose.DiaryRequest{CampaignSlug: game})
		e.Advance(time.Minute)
	}
	want := c.Title + ": " + c.Diary[0].Title
	if sent := e.news(); len(sent) != 4 || !strings.HasSuffix(sent[0], want) {
		t.Errorf("mails = %q, want %q", sent, want)
	}
	said, _, _ := strings.Cut(c.Diary[0].Content[0].Text, ",")
	for _, m := range sure(e.Mails(t.Context()))(t) {
		if m.Stream == notify.Updates && !strings.Contains(m.Text, said) {
			t.Errorf("mail about %q: %s", said, m.Text)
		}
	}
	mailed := decode[compose.DiaryMails](t, e.get("/admin/broadcast/diary", "campaignSlug="+game, e.admin()...))
	if len(mailed.Entries) != len(c.Diary) {
		t.Fatalf("%d entries, want %d", len(mailed.Entries), len(c.Diary))
	}
	for i, m := range mailed.Entries {
		want := compose.DiaryMail{EntryID: c.Diary[i].ID, Title: c.Diary[i].Title, Date: c.Diary[i].ID[:10]}
		if i == 0 {
			want.Phase, want.Recipients = broadcast.Done, 5
		}
		if diff := cmp.Diff(want, m); diff != "" {
			t.Errorf("entry %d (-want +got):\n%s", i, diff)
		}
	}
	if r := e.call("/admin/broadcast/diary", compose.DiaryRequest{CampaignSlug: game, EntryID: "none"}); r.Status != 404 {
		t.Errorf("missing entry: status %d", r.Status)
	}
}

// Proves AAU-33, CFG-43.
func TestBroadcast_ScopedSecret(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"ADMIN_BROADCAST_SECRET": "a secret for broadcasts only"}})
	path := "/admin/milestone-check/" + game
	tried := 0
	for _, r := range e.API.Routes() {
		if !slices.Contains([]string{"broadcast", "marketing", "milestone-check"}, strings.Split(r.Pattern+"//", "/")[2]) {
			continue
		}
		tried++
		if got := e.from(fmt.Sprintf("198.51.%d.7", places.Add(1)%250), r.Method,
			strings.Replace(r.Pattern, ":slug", game, 1), nil, e.admin()...); got.Status != 401 {
			t.Errorf("%s %s accepts the admin secret: %d", r.Method, r.Pattern, got.Status)
		}
	}
	if tried < 15 {
		t.Errorf("%d routes", tried)
	}
	e.wantStatus(e.post(path, nil, "Authorization", "Bearer a secret for broadcasts only"), 200)
	e.wantStatus(e.get("/admin/cron/status", "", "Authorization", "Bearer a secret for broadcasts only"), 401)
}
