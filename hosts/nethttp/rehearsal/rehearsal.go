// Package rehearsal plays a campaign's settlement before it happens: the real
// pledges and the real settlement, on a copy of the database, with the simulated
// processor holding the cards as the real one describes them. Nothing is written
// but the copy, which is removed, and nobody is charged or told.
//
// It knows what can be known before: cards that are gone or will have run out,
// amounts that disagree, pledges that cannot be charged. It does not know what
// issuers will say, so it tells how much they may refuse.
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
)

// Options are what a rehearsal is made of. All but Progress is required.
type Options struct {
	// Backup writes everything that is kept into an SQLite file.
	Backup    func(ctx context.Context, destPath string) error
	Dir       string        // where the copy lies for a while: as private as the database
	Processor psp.Processor // the real one; only cards are read
	Config    config.Config
	Catalogue *campaign.Catalogue
	Now       func() time.Time
	// Progress hears how many of the cards have been read.
	Progress func(done, of int)
}

// Forecast is what a settlement would come to.
type Forecast struct {
	CampaignSlug string    `json:"campaignSlug"`
	At           time.Time `json:"at"` // the moment that was rehearsed
	// Funded tells whether the goal is reached now. Where it is not, the rest is
	// what would be if it were.
	Funded  bool        `json:"funded"`
	Goal    money.Cents `json:"goal"`
	Counted money.Cents `json:"counted"` // toward the goal

	Supporters int `json:"supporters"` // who would be charged
	Charged    int `json:"charged"`
	Failed     int `json:"failed"`
	PassedOver int `json:"passedOver"` // pledges that nothing is begun for
	Mails      int `json:"mails"`      // that the night would send
	// Funds are as they would be afterwards, by the simulated processor's fees.
	Funds inventory.Funds `json:"funds"`
	// CountedCollected is what of the goal would be collected, and MayFail how much
	// of that issuers may refuse before it falls below the goal.
	CountedCollected money.Cents `json:"countedCollected"`
	MayFail          money.Cents `json:"mayFail"`
	// AtLeast is how long the charges take at the processor's rate.
	AtLeast  time.Duration `json:"atLeast"` // nanoseconds
	Findings []Finding     `json:"findings"`
}

// StaysFunded reports whether what would be collected reaches the goal.
func (f *Forecast) StaysFunded() bool { return f.CountedCollected >= f.Goal }

// Run rehearses a campaign's settlement, at its first possible moment or now,
// whichever is later. It fails with code NotFound for an unknown campaign and with
// Conflict once its settlement has begun, which a dry run and the reconciliation
// tell about.
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
		return Forecast{}, fmt.Errorf("making room for a copy: %w", err)
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
	return s.play(ctx)
}

// copies begins the names of the folders that copies lie in for a while.
const copies = "rehearsal-"

// abandoned is how old a copy is that nobody works on any more.
const abandoned = 24 * time.Hour

// sweep removes what a rehearsal left that was killed: it holds addresses.
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

// stage is the copy with a service on it.
type stage struct {
	Options
	*compose.Services
	db        *sqlitekv.DB
	simulated *sim.Sim
	forecast  Forecast
}

// silent takes no mail: what is queued is counted instead.
type silent struct{}

func (silent) Send(context.Context, notify.Mail) (notify.Receipt, error) {
	return notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Hour, Reason: "this is a rehearsal"}, nil
}

func open(ctx context.Context, o Options, c *campaign.Campaign, file string, at time.Time) (*stage, error) {
	clock := func() time.Time { return at }
	db, err := sqlitekv.Open(ctx, file, sqlitekv.Options{Now: clock, Classes: compose.Classes(), Log: slog.New(slog.DiscardHandler)})
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
		return fault.New(fault.Conflict, "The settlement of %s has begun: see pledged settle --dry-run and pledged reconcile", c.Slug)
	}
	s.forecast = Forecast{CampaignSlug: c.Slug, At: clock(), Goal: c.Goal, Counted: snap.Totals.Counted,
		Funded: c.Funded(snap.Totals.Counted), Findings: []Finding{}}
	reached := *c
	reached.Goal = min(c.Goal, snap.Totals.Counted)
	catalogue := s.Catalogue.With(&reached)
	simulated := sim.Options{Mode: s.Config.Mode.App, Now: clock, NoLimits: true}
	if a, err := settlement.AccountOf(ctx, s.db.Coordinator()); err != nil {
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

func (s *stage) play(ctx context.Context) (Forecast, error) {
	f := &s.forecast
	if err := s.drift(ctx); err != nil {
		return Forecast{}, err
	}
	if f.Counted == 0 {
		return *f, nil // there is nothing to settle
	}
	if err := s.promises(ctx); err != nil {
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
		f.found(Finding{Kind: PassedOver, Email: d.Email, OrderIDs: d.OrderIDs, Amount: d.Amount, Message: string(d.Status) + ": " + d.Reason})
	}
	after, err := s.Outbox.Waiting(ctx)
	if err != nil {
		return Forecast{}, err
	}
	f.Mails = after - queued
	if err := s.weigh(ctx); err != nil {
		return Forecast{}, err
	}
	return *f, s.reconcile(ctx)
}
