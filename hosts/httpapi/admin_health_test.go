package httpapi_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// problems returns the report and the IDs of the findings that are not OK.
func (e *edge) problems() (ids []string, all health.Report) {
	e.t.Helper()
	all = decode[health.Report](e.t, e.get("/admin/health", "", e.admin()...))
	for _, f := range all.Findings {
		if f.Severity != health.OK {
			ids = append(ids, f.ID)
		}
	}
	return ids, all
}

func TestHealth(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.confirmListed()
	_, err := e.Services.Settlement.Bind(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e.pledge("ada@example.com", gameCart(1), cardOK)
	e.Deliver(t.Context())
	if _, err := e.Services.Cron(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, all := e.problems(); !slices.Equal(got, []string{"people.none"}) ||
		len(all.Findings) != 12 || all.Severity != health.Warning {
		t.Errorf("report of a new service = %+v", all)
	}

	e.user(access.User{Email: "super@example.com", Role: access.SuperAdmin})
	e.user(access.User{Email: "second@example.com", Name: "Second", Role: access.SuperAdmin})
	secret := e.Config.PSPWebhookSecret().Reveal()
	e.wantStatus(e.hook(anEvent("evt_live", psp.PaymentFailed, "true"), secret), 200)
	e.wantStatus(e.hook(anEvent("evt_forged", psp.PaymentFailed, "false"), "whsec_another"), 401)
	if _, err := e.Services.Settlement.Switch().Stop(t.Context(), "Ada said so"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Services.Outbox.Switch().Stop(t.Context(), "", "ada@example.com asked"); err != nil {
		t.Fatal(err)
	}
	e.Advance(7 * time.Hour)
	if err := e.Services.Evidence.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored := func() any { // except the request counters
		s := e.DB.Snapshot()
		delete(s.Stores, "RATELIMIT")
		delete(s.Expires, "RATELIMIT")
		return s
	}
	before := stored()
	got, all := e.problems()
	if err := e.Services.Evidence.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"cron.dead", "charging.stopped", "mail.stopped", "webhook.mode",
		"webhook.forged"}; !slices.Equal(got, want) || all.Severity != health.Critical {
		t.Errorf("%v, want %v: %+v", got, want, all)
	}
	if diff := cmp.Diff(before, stored()); diff != "" {
		t.Errorf("health check wrote (-before +after):\n%s", diff)
	}
	r := e.get("/admin/health", "", e.admin()...)
	for _, private := range []string{"@", "Ada", secret, e.Config.Secrets.Admin.Reveal(),
		e.Config.PSPSecretKey().Reveal(), e.Config.Secrets.MagicLink.Reveal()} {
		if strings.Contains(string(r.Body), private) {
			t.Errorf("it shows %q: %s", private, r.Body)
		}
	}
	if _, err := e.Services.Outbox.Switch().Resume(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	super := e.browser()
	super.signIn("super@example.com")
	e.wantStatus(super.ask("GET", "/admin/health", nil), 200)
	e.wantFailure(e.get("/admin/health", ""), 401, "Unauthorized")
	e.wantStatus(e.signedIn("user@example.com", access.CampaignUser, game).ask("GET", "/admin/health", nil), 403)
}

// campaignProblems returns the IDs of the findings about campaigns.
func (e *edge) campaignProblems() []string {
	e.t.Helper()
	e.Advance(time.Minute)
	e.confirmListed()
	ids, _ := e.problems()
	return slices.DeleteFunc(ids,
		func(id string) bool { return strings.HasPrefix(id, "people.") || strings.HasPrefix(id, "webhook.") })
}

// Decisions that operators must make are findings until they are made.
func TestHealth_WaitingForOperators(t *testing.T) {
	t.Run("terms differ", func(t *testing.T) {
		e, id, _ := newEdgeAfterRestore(t, memory.Options{})
		e.Advance(48 * time.Hour)
		e.cron()
		if got := e.campaignProblems(); !slices.Equal(got, []string{"terms.differ"}) {
			t.Errorf("found %v", got)
		}
		for _, operator := range []string{"ada", "ben"} {
			e.wantStatus(e.post("/admin/terms/"+game, httpapi.TermsRequest{OrderID: id, Reason: "a test"}, key(operator)...),
				200)
		}
		e.Advance(12 * time.Hour)
		e.cron()
		if got := e.campaignProblems(); len(got) != 0 {
			t.Errorf("decided: found %v", got)
		}
	})
	for name, tc := range map[string]struct {
		faults []sim.Fault
		want   string
	}{
		"another amount": {[]sim.Fault{{Kind: sim.PartialCapture, Op: sim.CreateIntent}}, "charge.attention"},
		"another charge": {[]sim.Fault{{Kind: sim.OtherCustomer, Op: sim.CreateIntent}, {Kind: sim.OtherCustomer,
			Op: sim.ListIntents}, {Kind: sim.OtherCustomer, Op: sim.ListIntents}}, "charge.attention"},
		"refused key": {[]sim.Fault{{Kind: sim.APIKeyRevoked, Op: sim.CreateIntent}}, "settlement.held"},
		"refused as invalid": {[]sim.Fault{{Kind: sim.Refuse, Op: sim.CreateIntent}, {Kind: sim.Refuse, Op: sim.CreateIntent},
			{Kind: sim.Refuse, Op: sim.CreateIntent}}, "settlement.refused"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, memory.Options{Env: map[string]string{"PAYMENT_RECONCILIATION_ENABLED": "false"}})
			for _, who := range []string{"a", "b", "c"} {
				e.pledge(who+"@example.com", gameCart(7), cardOK)
			}
			e.Advance(48 * time.Hour)
			if err := e.Sim.InjectFaults(tc.faults...); err != nil {
				t.Fatal(err)
			}
			_, _ = e.Services.Cron(t.Context()) // fails if a settlement is held
			_ = e.Settle(t.Context())
			if got := e.campaignProblems(); !slices.Equal(got, []string{tc.want}) {
				t.Errorf("found %v, want %s", got, tc.want)
			}
		})
	}
}

// A closed campaign is not a finding, even while it can be reopened.
func TestHealth_ClosedCampaign(t *testing.T) {
	e, _ := newEdgeWithClosedCampaign(t, memory.Options{})
	if got := e.campaignProblems(); len(got) != 0 {
		t.Errorf("found %v", got)
	}
}

// The configured domains and hosts are looked up.
func TestHealth_LooksUpConfiguredDomains(t *testing.T) {
	for name, tt := range map[string]struct {
		env   map[string]string
		want  []health.Domain
		hosts []string
	}{
		"no provider": {map[string]string{"PLEDGES_EMAIL_FROM": "pledges@example.org"}, nil, nil},
		"Resend": {map[string]string{"EMAIL_API_KEY": "re_0123456789abcdef",
			"PLEDGES_EMAIL_FROM": "Pledges <pledges@example.org>", "UPDATES_EMAIL_FROM": "news@news.example.org"},
			[]health.Domain{{Name: "example.org", ReturnPaths: []string{"send.example.org", "example.org"}, Selector: "resend"},
				{Name: "news.example.org", ReturnPaths: []string{"send.news.example.org", "news.example.org"}, Selector: "resend"}},
			nil},
		"Postmark": {map[string]string{"POSTMARK_SERVER_TOKEN": "0123456789abcdef",
			"PLEDGES_EMAIL_FROM": "help@example.org", "UPDATES_EMAIL_FROM": "help@example.org"},
			[]health.Domain{{Name: "example.org", ReturnPaths: []string{"pm-bounces.example.org", "example.org"}}}, nil},
		"SES": {map[string]string{"SES_SECRET_ACCESS_KEY": "0123456789abcdef", "SES_ACCESS_KEY_ID": "AKIDEXAMPLE",
			"SES_REGION": "eu-west-1", "PLEDGES_EMAIL_FROM": "help@example.org", "UPDATES_EMAIL_FROM": "help@example.org"},
			[]health.Domain{{Name: "example.org"}}, nil},
		"a mail server": {map[string]string{"SMTP_URL": "smtp://mail.example.org:587",
			"PLEDGES_EMAIL_FROM": "help@example.org", "UPDATES_EMAIL_FROM": "help@example.org"},
			[]health.Domain{{Name: "example.org", ReturnPaths: []string{"example.org"}}}, nil},
		"a mail server without DKIM": {map[string]string{"SMTP_URL": "smtp://mail.example.org:587",
			"SMTP_DKIM_SELECTOR": "mail2026", "SMTP_DKIM_KEY": "a key", "PLEDGES_EMAIL_FROM": "help@example.org",
			"UPDATES_EMAIL_FROM": "help@example.org"},
			[]health.Domain{{Name: "example.org", ReturnPaths: []string{"example.org"}, Selector: "mail2026"}}, nil},
		"two origins": {map[string]string{"SITE_BASE": "https://example.org", "WORKER_BASE": "https://api.example.org:8443"},
			nil, []string{"example.org", "api.example.org:8443"}},
		"one origin": {map[string]string{"SITE_BASE": "https://example.org", "WORKER_BASE": "https://example.org"},
			nil, []string{"example.org"}},
	} {
		e := newEdge(t, memory.Options{Env: tt.env})
		m := e.Services.HealthDeps()
		if diff := cmp.Diff(tt.want, m.Domains); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(tt.hosts, m.Hosts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	c := config.Config{Warnings: config.SettingErrors{{Name: "X", Problem: "is missing", Remedy: "set it"}}}
	e := newEdge(t, memory.Options{})
	e.Services.Config.Warnings = c.Warnings
	if got := e.Services.HealthDeps().Warnings; !slices.Equal(got, []string{"X is missing"}) {
		t.Errorf("warnings %q", got)
	}
}

// Findings are in the requested language.
func TestHealth_Language(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for query, want := range map[string]string{"": "Charging is enabled", "lang=en": "Charging is enabled",
		"lang=es": "Se puede cobrar"} {
		if r := e.get("/admin/health", query, e.admin()...); r.Status != 200 || !strings.Contains(string(r.Body), want) {
			t.Errorf("%q: %s", query, r.Body)
		}
	}
	e.wantField(e.get("/admin/health", "lang=fr", e.admin()...), "lang")
}
