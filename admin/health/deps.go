package health

import (
	"context"
	"log/slog"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Deps holds the checks' dependencies, which the host provides. Now is required. A check whose
// function is nil or whose data is empty is skipped.
type Deps struct {
	Now     func() time.Time
	Log     *slog.Logger
	Version string
	// Faults and Warnings are the errors and warnings about the configuration, without the values
	// of settings.
	Faults, Warnings []string

	// Mode is the service's mode. Account returns the Stripe account that the key belongs to.
	Mode    psp.Mode
	Account func(ctx context.Context) (psp.Account, error)
	// RefundAccount returns the account of the key for refunds; nil if there is none.
	RefundAccount func(ctx context.Context) (psp.Account, error)
	// Clock returns an error if changes are rejected because of a wrong clock. It works
	// without the payment processor.
	Clock func(ctx context.Context) error
	// Bound returns the account that the database is bound to, nil before its first use.
	Bound    func(ctx context.Context) (*state.Account, error)
	Webhooks func(ctx context.Context) (Webhooks, error)

	// Storage returns an error if the database or the objects do not respond. Writes
	// returns an error if the database cannot be written to. Schema returns the engine and
	// schema version.
	Storage func(ctx context.Context) error
	Writes  func(ctx context.Context) error
	Schema  func(ctx context.Context) (string, error)
	// Disk returns the free space and the size of the data disk in bytes.
	Disk func(ctx context.Context) (free, size uint64, err error)
	// Backup returns the time of the last backup, nil if there is none.
	Backup func(ctx context.Context) (*time.Time, error)

	Mail *Mail
	// Resolver looks up the DNS records of Domains.
	Resolver Resolver
	Domains  []Domain

	// Cron returns when the hourly job last ran, nil if it has not run yet.
	Cron func(ctx context.Context) (*time.Time, error)
	// Charging returns why charging is stopped, nil if it is not.
	Charging func(ctx context.Context) (*state.Stopped, error)
	// Disabled is set if the configuration disables charging.
	Disabled bool
	// Content returns the number of campaigns, or an error that lists the content's problems, one
	// per line.
	Content func(ctx context.Context) (campaigns int, err error)
	// Repository returns an error if the content repository is not accessible. Otherwise it returns
	// the newest revision if that was rejected because of problems, and "" if not.
	Repository func(ctx context.Context) (refused string, err error)
	// ReadOnly is set if campaigns cannot be edited, because no content repository is configured.
	ReadOnly bool
	// Films returns an error if videos and recordings cannot be uploaded to their bucket.
	Films     func(ctx context.Context) error
	Campaigns func(ctx context.Context) (Campaigns, error)

	// Readers returns the campaigns with report addresses that may not receive reports.
	Readers func(ctx context.Context) (campaigns []string, err error)
	// SuperAdmins returns the number of super admins.
	SuperAdmins func(ctx context.Context) (int, error)
	// Hosts are the host names whose certificates are checked. Certificate returns when one
	// expires.
	Hosts       []string
	Certificate func(ctx context.Context, host string) (ends time.Time, err error)
}

// Webhooks summarizes the payment processor's recent deliveries.
type Webhooks struct {
	Days       int        // the number of days to which the counts apply
	Last       *time.Time // the last one with a valid signature, or nil
	Postponed  bool       // the last one could not be processed
	Signatures int        // number of deliveries with an invalid signature
	Mode       int        // number of events of the other mode
}

// Mail provides the state of the outbox.
type Mail struct {
	// Held is set in live mode if no mails are sent. Kept is set in test mode, in which mails are
	// stored instead of sent.
	Held, Kept bool
	// Reports is set if the provider's bounce reports are received.
	Reports bool
	// StopRecord returns why a stream, or with "" all mail, is stopped; nil if it is not.
	StopRecord func(ctx context.Context, s notify.Stream) (*notify.Stopped, error)
	// RateProblem describes excessive bounces or spam complaints, "" if there are none.
	RateProblem func(ctx context.Context) (string, error)
	// Refused returns the provider's last rejection of the account, nil if it accepts
	// mails.
	Refused func(ctx context.Context) (*notify.Refusal, error)
	// Overdue returns how many unsent mails were due before a time, up to some limit.
	Overdue func(ctx context.Context, before time.Time) (int, error)
}

// Campaigns lists the slugs of campaigns that need attention, by reason.
type Campaigns struct {
	Breaks    []string // unresolved differences from the payment processor's records that are not critical
	Critical  []string // unresolved critical differences
	Attention []string // charges that need an operator
	Broken    []string // the file contradicts the terms of existing pledges
	Held      []string // charging is on hold because too many charges failed or got no response
	Refused   []string // charging is on hold because the payment processor rejects the charges as invalid
	Terms     []string // pledges whose terms differ from those at the payment processor
	Drifted   []string // the displayed data differs from the recorded pledges
}

// checks returns the checks that the Deps support.
func (m Deps) checks() []check {
	all := []check{{"configuration", m.checkConfiguration}}
	add := func(has bool, name string, run func(context.Context) []Finding) {
		if has {
			all = append(all, check{name, run})
		}
	}
	add(m.Storage != nil, "database", m.checkDatabase)
	add(m.Disk != nil, "disk", m.checkDisk)
	add(m.Backup != nil, "backup", m.checkBackup)
	add(m.Account != nil, "processor", m.checkProcessor)
	add(m.Webhooks != nil, "webhooks", m.checkWebhooks)
	add(m.Charging != nil, "charging", m.checkCharging)
	add(m.Cron != nil, "cron", m.checkCron)
	add(m.Content != nil, "content", m.checkContent)
	add(m.Repository != nil, "repository", m.checkRepository)
	add(m.ReadOnly, "repository", func(context.Context) []Finding { return []Finding{repositoryNone.finding()} })
	add(m.Films != nil, "films", m.checkFilms)
	add(m.Campaigns != nil, "campaigns", m.checkCampaigns)
	add(m.Mail != nil, "mail", m.checkMail)
	for _, d := range m.Domains {
		add(m.Resolver != nil, "domain "+d.Name, func(ctx context.Context) []Finding { return m.checkDomain(ctx, d) })
	}
	add(m.Readers != nil, "reports", m.checkReports)
	add(m.SuperAdmins != nil, "people", m.checkPeople)
	for _, h := range m.Hosts {
		add(m.Certificate != nil, "certificate "+h, func(ctx context.Context) []Finding { return m.checkCertificate(ctx, h) })
	}
	return all
}
