// Package rehearsal forecasts a campaign's settlement. It runs the real settlement on a copy of the
// database with a simulated processor, whose cards behave as the real processor describes them. It
// charges no card, sends no email, and writes only the copy, which is deleted afterwards.
//
// The forecast contains what can be known in advance: missing or expiring cards, inconsistent
// amounts, and pledges that cannot be charged. It cannot predict issuers' decisions, so it returns
// the amount that may be declined before the total falls below the goal.
package rehearsal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/passkey/publickey"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/pace"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Options are the inputs of a rehearsal. All except Progress are required.
type Options struct {
	// Backup writes all data to an SQLite file.
	Backup    func(ctx context.Context, destPath string) error
	Dir       string        // directory for the copy, as private as the database
	Processor psp.Processor // the real processor; only cards are read
	Config    config.Config
	Catalogue *campaign.Catalogue
	Now       func() time.Time
	// Progress is called with the number of cards looked up.
	Progress func(done, of int)
}

// Forecast is the expected result of a settlement.
type Forecast struct {
	CampaignSlug string    `json:"campaignSlug"`
	At           time.Time `json:"at"` // simulated time of the settlement
	// Funded reports whether the goal is reached. If not, the forecast assumes that it is.
	Funded  bool        `json:"funded"`
	Goal    money.Cents `json:"goal"`
	Counted money.Cents `json:"counted"` // amount that counts toward the goal

	Supporters int `json:"supporters"` // supporters for whom a charge would be attempted
	Charged    int `json:"charged"`    // supporters whose charge would succeed
	Failed     int `json:"failed"`     // supporters whose charge would fail
	PassedOver int `json:"passedOver"` // pledges without a charge attempt
	Mails      int `json:"mails"`      // sent by the settlement
	// Funds are the expected funds, with the simulated processor's fees.
	Funds inventory.Funds `json:"funds"`
	// CountedCollected is the collected amount that counts toward the goal, and MayFail the amount
	// that may be declined before it falls below the goal.
	CountedCollected money.Cents `json:"countedCollected"`
	MayFail          money.Cents `json:"mayFail"`
	// AtLeast is the minimum duration of the charges, at the processor's rate limit.
	AtLeast  time.Duration `json:"atLeast"` // nanoseconds
	Findings []Finding     `json:"findings"`
}

// StaysFunded reports whether the collected amount reaches the goal.
func (f *Forecast) StaysFunded() bool { return f.CountedCollected >= f.Goal }

// Run rehearses a campaign's settlement at its earliest possible time or now, whichever is later.
// It fails with code NotFound for an unknown campaign, and with code Conflict if the settlement has
// already started.
func Run(ctx context.Context, o Options, slug string) (f Forecast, err error) {
	c, err := o.Catalogue.Campaign(slug)
	if err != nil {
		return Forecast{}, err
	}
	if err := sweep(o.Dir); err != nil {
		return Forecast{}, err
	}
	dir, err := os.MkdirTemp(o.Dir, copies)
	if err != nil {
		return Forecast{}, fmt.Errorf("creating a directory for the copy: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "copy.db")
	if err := o.Backup(ctx, file); err != nil {
		return Forecast{}, err
	}
	at := c.EndsAt(o.Config.Site.Timezone.Location()).Add(settlement.Margin)
	if now := o.Now(); now.After(at) {
		at = now
	}
	s, err := open(ctx, o, c, file, at.UTC())
	if err != nil {
		return Forecast{}, err
	}
	defer func() { err = errors.Join(err, s.db.Close()) }()
	return s.run(ctx)
}

// copies is the prefix of the directories for copies.
const copies = "rehearsal-"

// abandoned is the age at which a copy is considered abandoned.
const abandoned = 24 * time.Hour

// sweep deletes copies left by killed rehearsals, because they contain addresses.
func sweep(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, copies+"*"))
	if err != nil {
		return err
	}
	for _, one := range left {
		info, err := os.Stat(one)
		if err == nil && time.Since(info.ModTime()) > abandoned {
			err = os.RemoveAll(one)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing an old copy: %w", err)
		}
	}
	return nil
}

// stage is a service on the copy.
type stage struct {
	Options
	*compose.Services
	db        *sqlitekv.DB
	simulated *sim.Sim
	forecast  Forecast
}

// silent is a mail sender that sends nothing. Queued mails are counted instead.
type silent struct{}

func (silent) Send(context.Context, notify.Mail) (notify.Receipt, error) {
	return notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour, Reason: "this is a rehearsal"}, nil
}

func open(ctx context.Context, o Options, c *campaign.Campaign, file string, at time.Time) (*stage, error) {
	clock := func() time.Time { return at }
	db, err := sqlitekv.Open(ctx, file,
		sqlitekv.Options{Now: clock, Classes: compose.Classes(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	s := &stage{Options: o, db: db}
	if err := s.prepare(ctx, c, clock); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

func (s *stage) prepare(ctx context.Context, c *campaign.Campaign, clock func() time.Time) error {
	stock := inventory.Client{Coordinator: s.db.Coordinator()}
	snap, err := stock.Snapshot(ctx, c.Slug)
	if err != nil {
		return err
	}
	if st := snap.Totals.Statuses; st[pledge.Charged] > 0 || st[pledge.PaymentFailed] > 0 {
		return fault.New(fault.Conflict,
			"The settlement of %s has already started. See pledged settle --dry-run and pledged reconcile", c.Slug)
	}
	s.forecast = Forecast{CampaignSlug: c.Slug, At: clock(), Goal: c.Goal, Counted: snap.Totals.Counted,
		Funded: c.Funded(snap.Totals.Counted), Findings: []Finding{}}
	reached := *c
	reached.Goal = min(c.Goal, snap.Totals.Counted)
	catalogue := s.Catalogue.With(&reached)
	simulated := sim.Options{Mode: s.Config.Mode.App, Now: clock, NoLimits: true}
	if a, err := (state.Platform{Coordinator: s.db.Coordinator()}).Account(ctx); err != nil {
		return err
	} else if a != nil {
		simulated.Account = a.ID
	}
	s.simulated = sim.New(simulated)
	s.Services, err = compose.New(compose.Deps{
		VerifyKey: publickey.Verify,
		Stores: compose.Stores{
			Pledges: s.db.Store("pledges"), Votes: s.db.Store("votes"),
			RateLimit: memkv.New(memkv.Options{Now: clock}).Store("ratelimit"),
		},
		Coordinator: s.db.Coordinator(), Processor: s.simulated.Processor(), Sender: silent{},
		Campaigns: func() *campaign.Catalogue { return catalogue },
		Config:    s.Config, Now: clock, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	return err
}

func (s *stage) run(ctx context.Context) (Forecast, error) {
	f := &s.forecast
	if err := s.checkTotals(ctx); err != nil {
		return Forecast{}, err
	}
	if f.Counted == 0 {
		return *f, nil // nothing to settle
	}
	if err := s.acceptPromises(ctx); err != nil {
		return Forecast{}, err
	}
	preview, err := s.Settlement.Settle(ctx, f.CampaignSlug, true)
	if err != nil {
		return Forecast{}, err
	}
	f.Supporters = preview.SupporterCount
	limits := pace.LimitsOf(s.Config.Mode.App, s.Config.Processor.RequestsPerSecond)
	f.AtLeast = time.Duration(float64(f.Supporters) / limits.Operation * float64(time.Second))
	if err := s.inspect(ctx, preview); err != nil {
		return Forecast{}, err
	}
	queued, err := s.Outbox.Waiting(ctx)
	if err != nil {
		return Forecast{}, err
	}
	report, err := s.Settlement.Settle(ctx, f.CampaignSlug, false)
	if err != nil {
		return Forecast{}, err
	}
	f.Charged, f.Failed, f.Funds = report.SupportersCharged, report.SupportersFailed, report.Funds
	for _, d := range append(report.Skipped, report.Errors...) {
		f.PassedOver += len(d.OrderIDs)
		f.addFinding(Finding{Kind: PassedOver, Email: d.Email, OrderIDs: d.OrderIDs, Amount: d.Amount,
			Message: string(d.Status) + ": " + d.Reason})
	}
	after, err := s.Outbox.Waiting(ctx)
	if err != nil {
		return Forecast{}, err
	}
	f.Mails = after - queued
	if err := s.addUp(ctx); err != nil {
		return Forecast{}, err
	}
	return *f, s.reconcile(ctx)
}
