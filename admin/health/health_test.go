package health_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func before(d time.Duration) *time.Time {
	at := noon.Add(-d)
	return &at
}

// records are the TXT records of each name.
type records map[string][]string

func (r records) LookupTXT(_ context.Context, name string) ([]string, error) {
	if name == "send.down.example" {
		return nil, errors.New("down")
	}
	return r[name], nil
}

var zone = records{
	"send.example.org":              {"v=spf1 include:amazonses.com ~all", "some other text"},
	"resend._domainkey.example.org": {"p=MIGfMA0"}, "_dmarc.example.org": {"v=DMARC1; p=reject"},
}

func returns[T any](v T, err error) func(context.Context) (T, error) {
	return func(context.Context) (T, error) { return v, err }
}

// healthy returns Deps for which all checks pass.
func healthy() health.Deps {
	return health.Deps{
		Now: func() time.Time { return noon }, Version: "1", Mode: psp.Live,
		Account:  returns(psp.Account{ID: "acct_1", At: noon}, nil),
		Bound:    returns(&state.Account{Mode: psp.Live, ID: "acct_1"}, nil),
		Webhooks: returns(health.Webhooks{Days: 7, Last: before(time.Minute)}, nil),
		Storage:  func(context.Context) error { return nil }, Schema: returns("SQLite, schema version 1", nil),
		Disk:   func(context.Context) (uint64, uint64, error) { return 50 << 30, 100 << 30, nil },
		Backup: returns(before(time.Hour), nil), Cron: returns(before(time.Hour), nil),
		Charging: returns[*state.Stopped](nil, nil),
		Content:  returns(2, nil), Campaigns: returns(health.Campaigns{}, nil), SuperAdmins: returns(2, nil),
		Readers: returns[[]string](nil, nil),
		Mail: &health.Mail{
			Reports:     true,
			StopRecord:  func(context.Context, notify.Stream) (*notify.Stopped, error) { return nil, nil }, //nolint:nilnil // nothing is stopped
			Refused:     returns[*notify.Refusal](nil, nil),
			RateProblem: returns("", nil), Overdue: func(context.Context, time.Time) (int, error) { return 0, nil },
		},
		Resolver: zone, Domains: []health.Domain{{Name: "example.org",
			ReturnPaths: []string{"send.example.org", "example.org"}, Selector: "resend"}},
		Hosts:       []string{"example.org"},
		Certificate: func(context.Context, string) (time.Time, error) { return noon.AddDate(0, 2, 0), nil },
	}
}

func problems(r health.Report) (ids []string) {
	for _, f := range r.Findings {
		if f.Severity != health.OK {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func TestRun_Healthy(t *testing.T) {
	r := healthy().Run(t.Context(), nil)
	if got := problems(r); got != nil || r.Severity != health.OK || r.Version != "1" || !r.At.Equal(noon) {
		t.Errorf("%+v", r)
	}
	if len(r.Findings) != 16 {
		t.Errorf("%d checks: %+v", len(r.Findings), r.Findings)
	}
	only := health.Deps{Now: healthy().Now}.Run(t.Context(), nil)
	if len(only.Findings) != 1 {
		t.Errorf("with no dependencies: %+v", only.Findings)
	}
}

var errDown = errors.New("the secret cause")

// cases are problems and the resulting findings.
var cases = []struct {
	name string
	set  func(m *health.Deps)
	want []string
	text string
}{
	{"invalid configuration", func(m *health.Deps) { m.Faults = []string{"ADMIN_SECRET is missing"} },
		[]string{"config.faulty"}, "ADMIN_SECRET is missing"},
	{"configuration warnings", func(m *health.Deps) { m.Warnings = []string{"1", "2", "3", "4", "5", "6", "7"} },
		[]string{"config.warning"}, "1; 2; 3; 4; 5 and 2 more"},
	{"no database", func(m *health.Deps) { m.Storage = func(context.Context) error { return errDown } },
		[]string{"database.silent"}, "does not respond: see the server's log for the cause"},
	{"a database that cannot be written", func(m *health.Deps) {
		m.Writes = func(context.Context) error { return fault.New(fault.Unavailable, "the database's disk is full") }
	}, []string{"database.unwritable"}, "The database cannot be written to: the database's disk is full"},
	{"unknown schema version", func(m *health.Deps) { m.Schema = returns("", errDown) },
		[]string{"check.unseen"}, "see the server's log for the cause"},
	{"a low disk", func(m *health.Deps) {
		m.Disk = func(context.Context) (uint64, uint64, error) { return 2<<30 - 1, 100 << 30, nil }
	}, []string{"disk.low"}, "2047 MB of 100 GB free"},
	{"a small disk with enough free space", func(m *health.Deps) {
		m.Disk = func(context.Context) (uint64, uint64, error) { return 1 << 30, 10 << 30, nil }
	}, nil, ""},
	{"a full disk", func(m *health.Deps) {
		m.Disk = func(context.Context) (uint64, uint64, error) { return 256<<20 - 1, 1 << 30, nil }
	}, []string{"disk.full"}, ""},
	{"no disk", func(m *health.Deps) {
		m.Disk = func(context.Context) (uint64, uint64, error) { return 0, 0, errDown }
	}, []string{"check.unseen"}, "disk"},
	{"no backup", func(m *health.Deps) { m.Backup = returns[*time.Time](nil, nil) }, []string{"backup.unknown"}, ""},
	{"an old backup", func(m *health.Deps) { m.Backup = returns(before(49*time.Hour), nil) },
		[]string{"backup.old"}, "2 days ago"},
	{"a backup that can't be read", func(m *health.Deps) { m.Backup = returns[*time.Time](nil, errDown) },
		[]string{"check.unseen"}, ""},
	{"no processor", func(m *health.Deps) { m.Account = returns(psp.Account{}, errDown) },
		[]string{"processor.silent"}, ""},
	{"another mode", func(m *health.Deps) {
		m.Bound = returns(&state.Account{Mode: psp.Test, ID: "acct_1"}, nil)
	}, []string{"processor.mode"}, "test mode"},
	{"another mode, and no processor", func(m *health.Deps) {
		m.Bound, m.Account = returns(&state.Account{Mode: psp.Test}, nil), returns(psp.Account{}, errDown)
	}, []string{"processor.mode", "processor.silent"}, ""},
	{"another account", func(m *health.Deps) {
		m.Bound = returns(&state.Account{Mode: psp.Live, ID: "acct_2"}, nil)
	}, []string{"processor.account"}, "acct_2"},
	{"a refund key of another account", func(m *health.Deps) {
		m.RefundAccount = returns(psp.Account{ID: "acct_2"}, nil)
	}, []string{"refundkey.account"}, "acct_2"},
	{"a refund key without rights", func(m *health.Deps) { m.RefundAccount = returns(psp.Account{}, errDown) },
		[]string{"refundkey.silent"}, ""},
	{"a refund key of the same account", func(m *health.Deps) { m.RefundAccount = returns(psp.Account{ID: "acct_1"}, nil) },
		nil, ""},
	{"a new database", func(m *health.Deps) { m.Bound = returns[*state.Account](nil, nil) },
		[]string{"processor.unbound"}, ""},
	{"no database to bind", func(m *health.Deps) { m.Bound = nil }, nil, ""},
	{"unknown account of the database", func(m *health.Deps) { m.Bound = returns[*state.Account](nil, errDown) },
		[]string{"check.unseen"}, ""},
	{"no processor and a wrong clock", func(m *health.Deps) {
		m.Account = returns(psp.Account{}, errDown)
		m.Clock = func(context.Context) error { return errDown }
	}, []string{"processor.silent", "clock.unknown"}, "differs from the last hourly run"},
	{"a clock that is ahead", func(m *health.Deps) {
		m.Account = returns(psp.Account{ID: "acct_1", At: *before(5*time.Minute + time.Second)}, nil)
	}, []string{"clock.wrong"}, "5m1s"},
	{"a clock that is behind", func(m *health.Deps) {
		m.Account = returns(psp.Account{ID: "acct_1", At: *before(-5 * time.Minute)}, nil)
	}, []string{"clock.drifts"}, "-5m0s"},
	{"a clock within the tolerance", func(m *health.Deps) {
		m.Account = returns(psp.Account{ID: "acct_1", At: *before(10 * time.Second)}, nil)
	}, nil, ""},
	{"no webhook", func(m *health.Deps) { m.Webhooks = returns(health.Webhooks{Days: 7}, nil) },
		[]string{"webhook.none"}, ""},
	{"webhooks with another secret", func(m *health.Deps) {
		m.Webhooks = returns(health.Webhooks{Days: 7, Signatures: 3}, nil)
	}, []string{"webhook.refused"}, "None of 3 webhooks"},
	{"some forged webhooks", func(m *health.Deps) {
		m.Webhooks = returns(health.Webhooks{Days: 7, Signatures: 3, Last: before(0)}, nil)
	}, []string{"webhook.forged"}, "3 webhooks"},
	{"webhooks of the other mode", func(m *health.Deps) {
		m.Webhooks = returns(health.Webhooks{Mode: 2, Last: before(0)}, nil)
	}, []string{"webhook.mode"}, ""},
	{"a postponed webhook", func(m *health.Deps) {
		m.Webhooks = returns(health.Webhooks{Postponed: true, Last: before(3 * time.Hour)}, nil)
	}, []string{"webhook.postponed"}, "3 hours ago"},
	{"unknown webhooks", func(m *health.Deps) { m.Webhooks = returns(health.Webhooks{}, errDown) },
		[]string{"check.unseen"}, ""},
	{"charging is stopped", func(m *health.Deps) {
		m.Charging = returns(&state.Stopped{Since: noon, Reason: "Ada said so"}, nil)
	}, []string{"charging.stopped"}, "2026-11-20T12:00:00Z"},
	{"a restored database", func(m *health.Deps) {
		m.Charging = returns(&state.Stopped{Since: *before(time.Hour), Restored: true}, nil)
	}, []string{"charging.stopped"}, "a backup was restored, 60 minutes ago"},
	{"charging is off", func(m *health.Deps) { m.Disabled = true }, []string{"charging.off"}, ""},
	{"unknown charging state", func(m *health.Deps) { m.Charging = returns[*state.Stopped](nil, errDown) },
		[]string{"check.unseen"}, ""},
	{"no cron", func(m *health.Deps) { m.Cron = returns[*time.Time](nil, nil) }, []string{"cron.never"}, ""},
	{"a late cron", func(m *health.Deps) { m.Cron = returns(before(91*time.Minute), nil) },
		[]string{"cron.late"}, "for 91 minutes"},
	{"a dead cron", func(m *health.Deps) { m.Cron = returns(before(6*time.Hour+1), nil) }, []string{"cron.dead"}, ""},
	{"an unknown cron", func(m *health.Deps) {
		m.Cron = returns[*time.Time](nil, fault.New(fault.Unavailable, "the storage is closed"))
	}, []string{"check.unseen"}, "the storage is closed"},
	{"content with problems", func(m *health.Deps) {
		m.Content = returns(0, errors.New("film.md:3: goal\nfilm.md:4: title"))
	}, []string{"content.broken"}, "film.md:3: goal; film.md:4: title"},
	{"no content", func(m *health.Deps) { m.Content = returns(0, nil) }, []string{"content.empty"}, ""},
	{"an inaccessible repository", func(m *health.Deps) {
		m.Repository = returns("", fault.New(fault.Unauthorized, "The token does not hold"))
	}, []string{"repository.down"}, "The token does not hold"},
	{"a revision with problems", func(m *health.Deps) { m.Repository = returns("0123abc", nil) },
		[]string{"repository.refused"}, "0123abc"},
	{"no repository", func(m *health.Deps) { m.ReadOnly = true }, []string{"repository.none"}, "cannot be edited"},
	{"a repository", func(m *health.Deps) { m.Repository = returns("", nil) }, nil, ""},
	{"a bucket without CORS rule", func(m *health.Deps) {
		m.Films = func(context.Context) error { return fault.New(fault.Forbidden, "Give it a CORS rule") }
	}, []string{"films.refused"}, "CORS rule"},
	{"a bucket", func(m *health.Deps) { m.Films = func(context.Context) error { return nil } }, nil, ""},
	{"open work", func(m *health.Deps) {
		m.Campaigns = returns(health.Campaigns{Breaks: []string{"a"}, Critical: []string{"b"},
			Attention: []string{"c"}, Held: []string{"g"}, Refused: []string{"h"}, Terms: []string{"i"},
			Broken: []string{"d"}, Drifted: []string{"e", "f"}}, nil)
	}, []string{"break.critical", "break.open", "charge.attention", "settlement.held", "settlement.refused",
		"terms.differ", "promise.broken", "projection.drift"}, "recorded pledges: e, f"},
	{"unknown work", func(m *health.Deps) { m.Campaigns = returns(health.Campaigns{}, errDown) },
		[]string{"check.unseen"}, ""},
	{"no mail", func(m *health.Deps) { m.Mail.Held = true }, []string{"mail.none"}, ""},
	{"stopped mails", func(m *health.Deps) {
		m.Mail.StopRecord = func(_ context.Context, s notify.Stream) (*notify.Stopped, error) {
			if s == notify.Updates {
				return &notify.Stopped{Since: noon, Reason: "ben@example.org"}, nil
			}
			return nil, nil //nolint:nilnil // it is not stopped
		}
	}, []string{"mail.stopped"}, "stream update have been stopped since 2026-11-20T12:00:00Z"},
	{"bounces", func(m *health.Deps) { m.Mail.RateProblem = returns("5 of 100 mails bounced", nil) },
		[]string{"mail.trouble"}, "5 of 100"},
	{"late mails", func(m *health.Deps) {
		m.Mail.Overdue = func(_ context.Context, at time.Time) (int, error) { return int(noon.Sub(at) / time.Minute), nil }
	}, []string{"mail.late"}, "15 mails"},
	{"a rejected mail account", func(m *health.Deps) {
		m.Mail.Refused = returns(&notify.Refusal{Reason: "Resend answered 403 validation_error", At: noon}, nil)
	}, []string{"mail.refused"}, "At 2026-11-20T12:00:00Z the email provider rejected all emails: Resend answered 403"},
	{"unreadable rejections", func(m *health.Deps) { m.Mail.Refused = returns[*notify.Refusal](nil, errDown) },
		[]string{"check.unseen"}, ""},
	{"no bounce reports", func(m *health.Deps) { m.Mail.Reports = false }, []string{"mail.deaf"}, ""},
	{"test mode", func(m *health.Deps) { m.Mail.Reports, m.Mail.Kept = false, true }, nil, ""},
	{"mails that can't be counted", func(m *health.Deps) {
		m.Mail.Overdue = func(context.Context, time.Time) (int, error) { return 0, errDown }
	}, []string{"check.unseen"}, ""},
	{"readers without permission", func(m *health.Deps) {
		m.Readers = returns([]string{"night-ferry", "slow-weather"}, nil)
	}, []string{"reports.refused"}, "night-ferry, slow-weather"},
	{"unknown readers", func(m *health.Deps) { m.Readers = returns[[]string](nil, errDown) },
		[]string{"check.unseen"}, ""},
	{"no super admin", func(m *health.Deps) { m.SuperAdmins = returns(0, nil) }, []string{"people.none"}, ""},
	{"one super admin", func(m *health.Deps) { m.SuperAdmins = returns(1, nil) }, []string{"people.one"}, ""},
	{"unknown super admins", func(m *health.Deps) { m.SuperAdmins = returns(0, errDown) }, []string{"check.unseen"}, ""},
	{"no certificate", func(m *health.Deps) {
		m.Certificate = func(context.Context, string) (time.Time, error) { return noon, errDown }
	}, []string{"certificate.silent"}, "example.org"},
	{"an expired certificate", func(m *health.Deps) {
		m.Certificate = func(context.Context, string) (time.Time, error) { return noon, nil }
	}, []string{"certificate.ended"}, "2026-11-20"},
	{"a certificate that expires soon", func(m *health.Deps) {
		m.Certificate = func(context.Context, string) (time.Time, error) { return noon.Add(14*24*time.Hour - 1), nil }
	}, []string{"certificate.soon"}, "13 days"},
	{"a bare domain", func(m *health.Deps) { m.Resolver = records{} }, []string{"mail.spf", "mail.dkim", "mail.dmarc"},
		"send.example.org, or example.org"},
	{"a resolver that is down", func(m *health.Deps) { m.Domains[0].ReturnPaths[0] = "send.down.example" },
		[]string{"dns.silent"}, ""},
	{"SPF at the domain itself, and a policy above it", func(m *health.Deps) {
		m.Domains = []health.Domain{{Name: "news.example.org",
			ReturnPaths: []string{"send.news.example.org", "news.example.org"}, Selector: "s1"}}
		m.Resolver = records{"news.example.org": {"v=spf1 -all"}, "s1._domainkey.news.example.org": {"v=DKIM1; k=rsa; p=MIG"},
			"_dmarc.example.org": {"v=DMARC1;p=quarantine"}}
	}, nil, ""},
	{"two SPF records", func(m *health.Deps) {
		m.Resolver = records{"send.example.org": {"v=spf1 a", "v=spf1 b"}, "resend._domainkey.example.org": {"p=M"},
			"_dmarc.example.org": {"v=DMARC1; p=reject"}}
	}, []string{"mail.spf.twice"}, "2 SPF records"},
	{"a revoked key and a policy of none", func(m *health.Deps) {
		m.Resolver = records{"send.example.org": {"v=spf1 a"}, "resend._domainkey.example.org": {"v=DKIM1; p="},
			"_dmarc.example.org": {"v=DMARC1; p=none; rua=mailto:a@example.org"}}
	}, []string{"mail.dkim", "mail.dmarc.none"}, "p=none"},
	{"bounces that go to the provider's domain", func(m *health.Deps) {
		m.Domains = []health.Domain{{Name: "example.org", Selector: "s1"}}
		m.Resolver = records{"s1._domainkey.example.org": {"p=M"}, "_dmarc.example.org": {"v=DMARC1; p=reject"}}
	}, nil, ""},
	{"an unknown selector", func(m *health.Deps) { m.Domains[0].Selector = "" }, []string{"mail.dkim.unknown"}, ""},
}

func TestRun_Findings(t *testing.T) {
	finding := problems(health.Report{Findings: []health.Finding{health.DatabaseMissing("data"),
		health.Closed(errDown), health.ServerSilent(errDown)}})
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			m := healthy()
			tt.set(&m)
			r := m.Run(t.Context(), nil)
			got := problems(r)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Fatalf("(-want +got):\n%s\n%+v", diff, r.Findings)
			}
			worst, texts := health.OK, ""
			for _, f := range r.Findings {
				texts += f.Found + "\n"
				if health.CompareSeverity(f.Severity, worst) > 0 {
					worst = f.Severity
				}
				if (f.Remedy == "") != (f.Severity == health.OK) {
					t.Errorf("%s has the remedy %q", f.ID, f.Remedy)
				}
			}
			if r.Severity != worst {
				t.Errorf("the most severe finding is %s, but the report's severity is %s", worst, r.Severity)
			}
			if !strings.Contains(texts, tt.text) {
				t.Errorf("no finding contains %q:\n%s", tt.text, texts)
			}
			for _, private := range []string{"secret cause", "Ada", "@"} {
				if strings.Contains(texts, private) {
					t.Errorf("a finding shows %q:\n%s", private, texts)
				}
			}
			finding = append(finding, got...)
		})
	}
	for _, k := range health.Kinds() {
		if !slices.Contains(finding, k.ID) {
			t.Errorf("no case has the finding %s", k.ID)
		}
	}
}

// A check that hangs is canceled at its time limit and does not prevent the others.
func TestRun_HangingCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := healthy()
		m.Cron = func(ctx context.Context) (*time.Time, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		began := time.Now()
		r := m.Run(t.Context(), nil)
		if got := problems(r); !slices.Equal(got, []string{"check.unseen"}) || len(r.Findings) != 16 {
			t.Errorf("%+v", r.Findings)
		}
		if took := time.Since(began); took != health.CheckTimeout {
			t.Errorf("took %s", took)
		}
		order := []int{}
		backward := func(n int, do func(int)) {
			for i := n - 1; i >= 0; i-- {
				order = append(order, i)
				do(i)
			}
		}
		if again := m.Run(t.Context(), backward); len(order) != 15 ||
			cmp.Diff(r.Findings, again.Findings, cmpopts.IgnoreUnexported(health.Finding{})) != "" {
			t.Errorf("%d checks in a different order: %+v", len(order), again.Findings)
		}
	})
}

// docs/operations.md lists every finding with its severity and remedy.
func TestKinds_Documented(t *testing.T) {
	guide, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed, is []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z.]+)` \\| (notice|warning|critical) \\| (.+) \\|$").
		FindAllStringSubmatch(string(guide), -1) {
		listed = append(listed, strings.Join(row[1:], " | "))
	}
	for _, k := range health.Kinds() {
		is = append(is, strings.Join([]string{k.ID, string(k.Severity), k.Remedy}, " | "))
		if !strings.HasSuffix(k.Remedy, ".") || k.ID == "" {
			t.Errorf("%s has the remedy %q", k.ID, k.Remedy)
		}
	}
	if diff := cmp.Diff(is, listed); diff != "" {
		t.Errorf("(-code +docs):\n%s", diff)
	}
}
