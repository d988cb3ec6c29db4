package health

import (
	"context"
	"log/slog"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Means are what a host can look with. Now is required; where another is nil or empty, what
// it is for is not looked at.
type Means struct {
	Now     func() time.Time
	Log     *slog.Logger
	Version string
	// Faults and Warnings are those of the configuration. They show no values.
	Faults, Warnings []string

	// Mode is that of the service, and Account asks the processor whose key it is.
	Mode    psp.Mode
	Account func(ctx context.Context) (psp.Account, error)
	// Clock fails if changes are refused because of the clock, which is known without the
	// processor too.
	Clock func(ctx context.Context) error
	// Bound is the account that the database belongs to, nil before its first use.
	Bound    func(ctx context.Context) (*settlement.Account, error)
	Webhooks func(ctx context.Context) (Webhooks, error)

	// Storage fails where the database or the objects do not answer, and Schema says which
	// engine and version of the tables that is. Writes fails if nothing can be written.
	Storage func(ctx context.Context) error
	Writes  func(ctx context.Context) error
	Schema  func(ctx context.Context) (string, error)
	// Disk returns what is free of the data's disk, and its size, in bytes.
	Disk func(ctx context.Context) (free, size uint64, err error)
	// Backup is when the last backup was made, nil where none is known.
	Backup func(ctx context.Context) (*time.Time, error)

	Mail *Mail
	// Resolver asks for the records of Domains.
	Resolver Resolver
	Domains  []Domain

	// Cron is when the hour's work ran last, nil before the first time.
	Cron func(ctx context.Context) (*time.Time, error)
	// Charging is why nobody is charged, nil where charging goes on.
	Charging func(ctx context.Context) (*settlement.Stopped, error)
	// Disabled says that the configuration lets nobody be charged.
	Disabled bool
	// Content fails where the content has problems, and returns how many campaigns it has.
	Content func(ctx context.Context) (campaigns int, err error)
	// Repository fails where the place that campaigns are kept in can't be asked, and
	// returns the newest revision where that is refused, as it has problems.
	Repository func(ctx context.Context) (refused string, err error)
	// Films fails where films and recordings can't be sent to the bucket that is for them.
	Films     func(ctx context.Context) error
	Campaigns func(ctx context.Context) (Campaigns, error)

	// Readers returns the campaigns whose files name addresses for reports that may get none.
	Readers func(ctx context.Context) (campaigns []string, err error)
	// SuperAdmins counts those who may sign in and see everything.
	SuperAdmins func(ctx context.Context) (int, error)
	// Hosts are the names whose certificates Certificate looks up.
	Hosts       []string
	Certificate func(ctx context.Context, host string) (ends time.Time, err error)
}

// Webhooks are the processor's deliveries of the last days.
type Webhooks struct {
	Days       int
	Last       *time.Time // of those whose signature held; nil where there was none
	Postponed  bool       // the last one could not be applied
	Signatures int        // that did not hold
	Mode       int        // events of the other mode
}

// Mail is how mails leave.
type Mail struct {
	// Held says that none leave in live mode, and Kept that test mode keeps them.
	Held, Kept bool
	// Reports says that the provider's reports are read.
	Reports bool
	// Standing returns what stops a stream, or with "" all mails.
	Standing func(ctx context.Context, s notify.Stream) (*notify.Stopped, error)
	// Trouble says whether too many mails bounce or are called spam, "" where they don't.
	Trouble func(ctx context.Context) (string, error)
	// Refused returns what the provider has against the account, nil where it takes mails.
	Refused func(ctx context.Context) (*notify.Refusal, error)
	// Overdue counts mails that should have left before a time, up to some number.
	Overdue func(ctx context.Context, before time.Time) (int, error)
}

// Campaigns are those on which work is left, by their slugs.
type Campaigns struct {
	Breaks    []string // open differences from the processor's books that are not critical
	Critical  []string // open critical ones
	Attention []string // charges that need an operator
	Broken    []string // their files promise something else than their pledges rely on
	Held      []string // no charges are sent, because too many failed or got no answer
	Refused   []string // no charges are sent, because the processor refuses them as invalid
	Terms     []string // the processor has other terms for some of their pledges
	Drifted   []string // what is shown is not what is booked
}

// checks are those that there are means for.
func (m Means) checks() []check {
	all := []check{{"configuration", m.configuration}}
	add := func(has bool, name string, look func(context.Context) []Finding) {
		if has {
			all = append(all, check{name, look})
		}
	}
	add(m.Storage != nil, "database", m.database)
	add(m.Disk != nil, "disk", m.disk)
	add(m.Backup != nil, "backup", m.backup)
	add(m.Account != nil, "processor", m.processor)
	add(m.Webhooks != nil, "webhooks", m.webhooks)
	add(m.Charging != nil, "charging", m.charging)
	add(m.Cron != nil, "cron", m.cron)
	add(m.Content != nil, "content", m.content)
	add(m.Repository != nil, "repository", m.repository)
	add(m.Films != nil, "films", m.films)
	add(m.Campaigns != nil, "campaigns", m.campaigns)
	add(m.Mail != nil, "mail", m.mail)
	for _, d := range m.Domains {
		add(m.Resolver != nil, "domain "+d.Name, func(ctx context.Context) []Finding { return m.domain(ctx, d) })
	}
	add(m.Readers != nil, "reports", m.reports)
	add(m.SuperAdmins != nil, "people", m.people)
	for _, h := range m.Hosts {
		add(m.Certificate != nil, "certificate "+h, func(ctx context.Context) []Finding { return m.certificate(ctx, h) })
	}
	return all
}
