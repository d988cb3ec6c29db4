package compose

import (
	"context"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// backupKey stores the time of the last backup.
const backupKey = "backup:last"

// NoteBackup records the time of a backup.
func NoteBackup(ctx context.Context, s kv.Store, at time.Time) error {
	return kv.Save(ctx, s, backupKey, at.UTC())
}

// LastBackup returns the time of the last backup, or nil if it is not known.
func (s *Services) LastBackup(ctx context.Context) (*time.Time, error) {
	at, known, err := kv.Read[time.Time](ctx, s.Stores.Pledges, backupKey)
	if err != nil || !known {
		return nil, err
	}
	return &at, nil
}

// HealthDeps returns the health checks' dependencies that the services supply. A host adds its own
// checks.
func (s *Services) HealthDeps() health.Deps {
	m := ConfigHealthDeps(s.Config)
	m.Now, m.Log = s.Now, s.Log
	m.Account, m.Clock = s.plainProcessor.Account, s.Clock.Check
	m.RefundAccount = s.RefundAccount
	m.Bound = func(ctx context.Context) (*state.Account, error) {
		return state.Platform{Coordinator: s.Coordinator}.Account(ctx)
	}
	m.Storage = s.checkReads
	if s.CheckWrite != nil {
		m.Writes = s.checkWrites
	}
	m.Charging, m.Disabled = s.Settlement.Switch().Stopped, !s.Config.Settlement.Enabled
	m.Cron = func(ctx context.Context) (*time.Time, error) {
		status, err := s.CronStatus(ctx)
		return status.LastRun, err
	}
	m.Content = func(context.Context) (int, error) { return len(s.Campaigns().Campaigns()), nil }
	m.Campaigns = s.openWork
	m.SuperAdmins, m.Readers = s.superAdmins, s.readerChecks()
	_, held := s.Sender.(notify.Held)
	m.Mail = &health.Mail{
		Held: held, Kept: s.Config.Mode.App != psp.Live, Reports: s.Reports != nil || s.Config.Secrets.SMTP.IsSet(),
		StopRecord: s.Outbox.Switch().StopRecord, RateProblem: s.Feedback.RateProblem,
		Refused: s.Outbox.Refused, Overdue: s.Outbox.Overdue,
	}
	return m
}

// ConfigHealthDeps returns the part of the checks' dependencies that comes from the configuration.
func ConfigHealthDeps(c config.Config) health.Deps {
	m := health.Deps{Mode: c.Mode.App, Domains: mailDomains(c)}
	for _, w := range c.Warnings {
		m.Warnings = append(m.Warnings, w.Name+" "+w.Problem)
	}
	for _, o := range []config.Origin{c.Site.Base, c.Site.Worker} {
		host, secure := strings.CutPrefix(string(o), "https://")
		if secure && (len(m.Hosts) == 0 || m.Hosts[0] != host) {
			m.Hosts = append(m.Hosts, host)
		}
	}
	return m
}

// mailDomains returns the sender domains with the DNS names that the mail provider uses. Resend
// signs with the selector "resend" and receives bounces at "send.", Postmark receives them at
// "pm-bounces.", SES at an Amazon domain. Postmark and SES generate a selector for each domain, so
// it is unknown. For SMTP the selector is known only if we sign the mails ourselves.
func mailDomains(c config.Config) []health.Domain {
	selector, path := "", ""
	switch {
	case c.Secrets.EmailAPIKey.IsSet():
		selector, path = "resend", "send."
	case c.Secrets.Postmark.IsSet():
		path = "pm-bounces."
	case c.Secrets.SMTP.IsSet():
		selector = c.Mail.DKIMSelector
	case !c.Secrets.SES.IsSet():
		return nil
	}
	var all []health.Domain
	for _, from := range []string{c.Site.PledgesSender(), c.Site.UpdatesSender()} {
		_, name, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(from), ">"), "@")
		if name == "" || len(all) > 0 && all[0].Name == name {
			continue
		}
		d := health.Domain{Name: name, Selector: selector}
		if path != "" {
			d.ReturnPaths = append(d.ReturnPaths, path+name)
		}
		if !c.Secrets.SES.IsSet() {
			d.ReturnPaths = append(d.ReturnPaths, name)
		}
		all = append(all, d)
	}
	return all
}

// openWork returns the campaigns with findings, by kind of finding. It checks the campaigns that
// have started and are not idle.
func (s *Services) openWork(ctx context.Context) (health.Campaigns, error) {
	var all health.Campaigns
	awake, err := s.Settlement.ActiveCampaigns(ctx)
	if err != nil {
		return all, err
	}
	zone := s.Config.Site.Timezone.Location()
	for _, c := range awake {
		state := c.State(s.Now(), zone)
		if state == campaign.Upcoming {
			continue
		}
		v, err := s.vitalsOf(ctx, c.Slug, state == campaign.Ended)
		if err != nil {
			return all, err
		}
		broken, err := s.Settlement.BrokenPromises(ctx, c)
		if err != nil {
			return all, err
		}
		for _, of := range []struct {
			is   bool
			into *[]string
		}{
			{v.CriticalBreaks > 0, &all.Critical}, {v.OpenBreaks > v.CriticalBreaks, &all.Breaks},
			{len(broken) > 0, &all.Broken},
			{v.Attention || needsAttention(v.Problems), &all.Attention}, {!v.InSync, &all.Drifted},
			{v.Held != nil && !v.Held.Refused, &all.Held}, {v.Held != nil && v.Held.Refused, &all.Refused},
			{v.Disagreements > 0, &all.Terms},
		} {
			if of.is {
				*of.into = append(*of.into, c.Slug)
			}
		}
	}
	return all, nil
}

// needsAttention reports whether the last job left pledges to operators for other reasons than
// differing terms, which are a separate finding.
func needsAttention(p state.Problems) bool {
	return p.Job != nil && p.Job.Status == state.JobNeedsAttention && p.Job.TotalNeedsAttention > p.Disagreements
}

func (s *Services) superAdmins(ctx context.Context) (int, error) {
	users, err := s.Access.Users(ctx)
	n := 0
	for _, u := range users {
		if u.Role == access.SuperAdmin {
			n++
		}
	}
	return n, err
}
