package httpapi_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
)

const readersPath = "/admin/report-readers"

func readerAt(email string) httpapi.ReportReaderRequest {
	return httpapi.ReportReaderRequest{CampaignSlug: game, Email: email}
}

// confirmListed confirms the readers listed in campaign files.
func (e *edge) confirmListed() {
	e.t.Helper()
	for _, c := range e.Services.Campaigns().Campaigns() {
		for _, email := range c.ReportEmails {
			if _, err := e.Services.Access.ConfirmReader(e.t.Context(), "", c.Slug, email); err != nil {
				e.t.Fatal(err)
			}
		}
	}
}

// A campaign file may list users with access to a report, and addresses that a super admin has
// confirmed for the campaign.
func TestReportReaders_Publish(t *testing.T) {
	e := lanternEdge(t)
	b, super := e.with("clerk@example.com", access.Content, access.Money, access.Supporters),
		e.signedIn("super@example.com", access.SuperAdmin)
	e.user(access.User{Email: "packer@example.com", Role: access.CampaignUser, Campaigns: []string{game},
		Permissions: []access.Permission{access.Fulfilment}})
	e.user(access.User{Email: "half@example.com", Role: access.CampaignUser, Campaigns: []string{game},
		Permissions: []access.Permission{access.Money, access.Content, access.Mails}})
	e.user(access.User{Email: "elsewhere@example.com", Role: access.CampaignUser, Campaigns: []string{"another"}})
	was := `["reader@example.org"]`
	publish := func(addresses string) httpapi.Response {
		t.Helper()
		return b.ask("POST", "/admin/content/publish", edits(game, "runner_report_emails", was, addresses))
	}
	for _, addresses := range []string{
		`["books@example.net"]`, `["half@example.com"]`, `["elsewhere@example.com"]`,
		`["clerk@example.com","books@example.net"]`,
		`["reader@example.org","clerk@example.com"]`, `["clerk@example.com.evil.example"]`,
	} {
		head := e.kept()["repository"]
		e.wantField(publish(addresses), "runner_report_emails")
		if r := b.ask("POST", "/admin/content/preview", edits(game, "runner_report_emails", was,
			addresses)); !strings.Contains(string(r.Body), "ask a super admin to confirm") {
			t.Errorf("preview of %s = %s", addresses, r.Body)
		}
		if e.kept()["repository"] != head {
			t.Errorf("%s was rejected but written", addresses)
		}
	}
	// another field
	e.wantStatus(b.ask("POST", "/admin/content/publish", edits(game, "short_blurb", "null", `"Of paper."`)), 200)
	e.wantStatus(super.ask("POST", readersPath+"/confirm", readerAt("Books@bücher.example")), 200)
	e.wantStatus(super.ask("POST", readersPath+"/confirm", readerAt("jos\u00e9@example.net")), 200)
	for _, addresses := range []string{`["clerk@example.com"]`, `["packer@example.com","super@example.com"]`,
		`["books@xn--bcher-kva.example"]`, `["jose\u0301@example.net"]`, `[]`} {
		e.wantStatus(publish(addresses), 200)
		was = addresses
	}
	e.wantStatus(super.ask("POST", readersPath+"/revoke", readerAt("books@bücher.example")), 200)
	e.wantField(publish(`["books@xn--bcher-kva.example"]`), "runner_report_emails")
}

// A confirmation records its author and time, and requires a super admin with a recent sign-in.
func TestReportReaders_Confirm(t *testing.T) {
	e := lanternEdge(t)
	super, clerk := e.signedIn("super@example.com", access.SuperAdmin), e.with("clerk@example.com", access.Permissions...)
	for _, step := range []string{"/confirm", "/revoke"} {
		e.wantStatus(clerk.ask("POST", readersPath+step, readerAt("a@example.net")), 403)
		e.wantField(super.ask("POST", readersPath+step, readerAt("a@")), "email")
		e.wantStatus(super.ask("POST", readersPath+step,
			httpapi.ReportReaderRequest{CampaignSlug: "none", Email: "a@example.net"}), 404)
	}
	e.wantStatus(clerk.get(readersPath, "campaignSlug="+game), 403)
	e.wantStatus(super.ask("POST", readersPath+"/revoke", readerAt("a@example.net")), 404)
	at := e.Now()
	e.wantStatus(super.ask("POST", readersPath+"/confirm", readerAt("A@Example.net")), 200)
	e.Advance(5 * time.Minute)
	e.user(access.User{Email: "second@example.com", Role: access.SuperAdmin})
	second := e.browser()
	second.signIn("second@example.com")
	e.wantStatus(second.ask("POST", readersPath+"/confirm", readerAt("a@example.net")), 200)
	both := []notify.ReportTopic{notify.PledgeReport, notify.FulfillmentReport}
	want := []compose.ReportReader{
		{Email: "reader@example.org", Listed: true, Reports: []notify.ReportTopic{}},
		{Email: "a@example.net", Reports: both, ConfirmedBy: "super@example.com", ConfirmedAt: &at},
	}
	if diff := cmp.Diff(want,
		decode[httpapi.ReportReaders](t, super.get(readersPath, "campaignSlug="+game)).Readers); diff != "" {
		t.Errorf("readers (-want +got):\n%s", diff)
	}
	var actions []string
	for ev, err := range e.Services.Audit.All(t.Context(), audit.Filter{Action: "report_reader.confirm"}) {
		if err != nil {
			t.Fatal(err)
		}
		actions = append(actions, ev.AdminEmail+" "+ev.CampaignSlug+" "+string(ev.Status))
	}
	if !slices.Contains(actions, "super@example.com "+game+" done") {
		t.Errorf("audit log = %v", actions)
	}
	e.Advance(access.FreshLife)
	super.wantCode(super.ask("POST", readersPath+"/confirm", readerAt("b@example.net")), "sign_in_again")
}

// reportMails returns the recipients of each mailed report by file name.
func (e *edge) reportMails() map[string][]string {
	e.t.Helper()
	got := map[string][]string{}
	for _, m := range e.sent(notify.RunnerReport) {
		got[m.Attachment.Name] = append(got[m.Attachment.Name], m.To)
	}
	for _, to := range got {
		slices.Sort(to)
	}
	return got
}

// A report is mailed exactly to those who could download it at that moment: with all combinations
// of permissions, and after users were deleted or lost a permission or the campaign.
//
// Proves RPT-04.
func TestReportReaders_Sending(t *testing.T) {
	sets := 1 << len(access.Permissions)
	others := []string{"bookkeeper@example.net", "super@example.com", "stranger@example.net"}
	listed := slices.Clone(others)
	for set := 1; set < sets; set++ {
		listed = append(listed, fmt.Sprintf("p%02d@example.com", set))
	}
	src := strings.Replace(strings.Replace(lanterns, "reader@example.org", strings.Join(listed, ", "), 1),
		"goal_amount: 4000", "goal_amount: 20", 1)
	e := newEdge(t, memory.Options{
		Campaigns: fstest.MapFS{"campaigns/" + game + ".md": {Data: []byte(src)}},
		Start:     time.Date(2026, 12, 15, 13, 0, 0, 0, time.UTC),
	})
	super := e.signedIn("super@example.com", access.SuperAdmin)
	e.wantStatus(super.ask("POST", readersPath+"/confirm", readerAt("bookkeeper@example.net")), 200)
	one := 1
	e.pledge("backer@example.com",
		checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__lamp", Quantity: &one}}}, sim.CardOK)
	may := map[string][]string{"pledges": slices.Clone(others[:2]), "fulfillment": slices.Clone(others[:2])}
	for set := 1; set < sets; set++ {
		var permissions []access.Permission
		for i, p := range access.Permissions {
			if set>>i&1 == 1 {
				permissions = append(permissions, p)
			}
		}
		email := fmt.Sprintf("p%02d@example.com", set)
		b := e.with(email, permissions...)
		for report, readers := range may {
			if b.get("/admin/reports/"+game+"/"+report, "").Status == 200 {
				may[report] = append(readers, email)
			}
		}
	}
	slices.Sort(may["pledges"])
	slices.Sort(may["fulfillment"])
	if len(may["pledges"]) != 2+16 || len(may["fulfillment"]) != 2+32 {
		t.Fatalf("users who may download reports: %v", may)
	}
	e.Advance(2 * time.Hour)
	e.cron()
	want := map[string][]string{"pledges-" + game + "-2026-12-15.csv": may["pledges"]}
	if diff := cmp.Diff(want, e.reportMails()); diff != "" {
		t.Errorf("first day (-want +got):\n%s", diff)
	}

	gone := []string{"p07@example.com", "p15@example.com", "p31@example.com", "bookkeeper@example.net"}
	user := func(email string) access.User {
		u, ok, err := e.Services.Access.User(t.Context(), email)
		if err != nil || !ok {
			t.Fatal(email, err)
		}
		return u
	}
	if err := e.Services.Access.Remove(t.Context(), "", gone[0]); err != nil {
		t.Fatal(err)
	}
	less, elsewhere := user(gone[1]), user(gone[2])
	less.Permissions = []access.Permission{access.Supporters, access.Content}
	elsewhere.Campaigns = []string{"another"}
	e.user(less)
	e.user(elsewhere)
	if err := e.Services.Access.RevokeReader(t.Context(), "", game, gone[3]); err != nil {
		t.Fatal(err)
	}
	left := func(readers []string) []string {
		return slices.DeleteFunc(slices.Clone(readers), func(r string) bool { return slices.Contains(gone, r) })
	}
	e.Advance(24 * time.Hour)
	e.cron()
	want["pledges-"+game+"-2026-12-16.csv"] = left(may["pledges"])
	if diff := cmp.Diff(want, e.reportMails()); diff != "" {
		t.Errorf("second day (-want +got):\n%s", diff)
	}

	e.Advance(4 * 24 * time.Hour)
	e.cron()
	e.Advance(24 * time.Hour)
	e.cron()
	want["fulfillment-"+game+"-2026-12-20.csv"] = left(may["fulfillment"])
	if diff := cmp.Diff(want, e.reportMails()); diff != "" {
		t.Errorf("after the settlement (-want +got):\n%s", diff)
	}
}

// Reports that are not sent are counted in the log, without addresses, and produce a finding.
func TestReportReaders_Reported(t *testing.T) {
	var log strings.Builder
	e := newEdge(t, memory.Options{
		Campaigns: fstest.MapFS{"campaigns/" + game + ".md": {Data: []byte(lanterns)}},
		Start:     time.Date(2026, 12, 15, 15, 0, 0, 0, time.UTC),
		Log:       slog.New(slog.NewJSONHandler(&log, nil)),
	})
	one := 1
	e.pledge("backer@example.com",
		checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__lamp", Quantity: &one}}}, sim.CardOK)
	e.cron()
	if line := `"campaign":"` + game + `","report":"pledges","addresses":1`; !strings.Contains(log.String(), line) ||
		strings.Contains(log.String(), "reader@") {
		t.Errorf("log lacks %s, or contains an address: %s", line, log.String())
	}
	if ids, _ := e.problems(); !slices.Contains(ids, "reports.refused") || len(e.reportMails()) > 0 {
		t.Errorf("findings = %v, sent %v", ids, e.reportMails())
	}
	if _, err := e.Services.Access.ConfirmReader(t.Context(), "", game, "reader@example.org"); err != nil {
		t.Fatal(err)
	}
	e.cron()
	if ids, _ := e.problems(); slices.Contains(ids, "reports.refused") || len(e.reportMails()) != 1 {
		t.Errorf("after the confirmation: findings = %v, sent %v", ids, e.reportMails())
	}
}

// If a report waits because mails are stopped, it is not sent to a reader who was removed in the
// meantime.
func TestReportReaders_WaitingMail(t *testing.T) {
	src := strings.Replace(lanterns, "reader@example.org",
		"kept@example.com, removed@example.com, unlisted@example.com", 1)
	e := newEdge(t, memory.Options{
		Campaigns: fstest.MapFS{"campaigns/" + game + ".md": {Data: []byte(src)}},
		Start:     time.Date(2026, 12, 15, 15, 0, 0, 0, time.UTC),
	})
	for _, name := range []string{"kept", "removed", "unlisted"} {
		e.user(access.User{Email: name + "@example.com", Role: access.CampaignUser, Campaigns: []string{game}})
	}
	super := e.signedIn("super@example.com", access.SuperAdmin)
	one := 1
	e.pledge("backer@example.com",
		checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__lamp", Quantity: &one}}}, sim.CardOK)
	if _, err := e.Services.Outbox.Switch().Stop(t.Context(), "", "A test"); err != nil {
		t.Fatal(err)
	}
	e.cron()
	draft := edits(game, "runner_report_emails", `["kept@example.com","removed@example.com","unlisted@example.com"]`,
		`["kept@example.com","removed@example.com"]`)
	e.wantStatus(super.ask("POST", "/admin/content/publish", draft), 200)
	if err := e.Services.Access.Remove(t.Context(), "", "removed@example.com"); err != nil {
		t.Fatal(err)
	}
	e.Advance(time.Hour)
	if got := e.reportMails(); len(got) > 0 {
		t.Fatalf("sent while mails were stopped: %v", got)
	}
	if _, err := e.Services.Outbox.Switch().Resume(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	e.cron()
	want := map[string][]string{"pledges-" + game + "-2026-12-15.csv": {"kept@example.com"}}
	if diff := cmp.Diff(want, e.reportMails()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
