package settlement

import (
	"cmp"
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
)

// Projector takes a changed pledge into the accounts and the projections, and
// finds those that were not taken. Both can be repeated; projection.Projector is
// one.
type Projector interface {
	Book(ctx context.Context, p *pledge.Pledge, holdID string) (*pledge.Pledge, error)
	Sweep(ctx context.Context, slug string, from, limit int) (projection.Swept, error)
}

// Service settles campaigns. All fields but Holder, Together, EndCheckouts, Next, Grouping and the sizes are
// required. It is safe for concurrent use, by any number of processes.
type Service struct {
	Store       kv.Store // the primary namespace
	Coordinator kv.Coordinator
	Orders      order.Client
	Inventory   inventory.Client
	Projector   Projector
	Processor   psp.Processor
	Outbox      *notify.Outbox
	Links       notify.Links
	Catalogue   func() *campaign.Catalogue
	Zone        *time.Location // the platform's
	Now         func() time.Time
	Rand        io.Reader
	Log         *slog.Logger
	// Holder says as whom this program holds locks. It may be nil: then what a
	// program that died held is free when its lease has lapsed.
	Holder func() Holder
	// Together runs a number of calls side by side, as many at a time as the host
	// can take, and returns when all are done. They are charges of different
	// supporters. It may be nil: then they run one after another.
	Together func(n int, do func(i int))
	// EndCheckouts ends the checkouts of a campaign whose time is over, and the changes that
	// were cut off. It is called before the first charge: a pledge whose booking was
	// cut off is charged with its supporter's others, or never. It may be nil: then somebody
	// else has to have ended them all.
	EndCheckouts func(ctx context.Context, slug string) error
	// Next has the host call Batch for the campaign soon, when a job has more
	// to do. It may be nil: then somebody else goes on.
	Next func(ctx context.Context, slug string) error
	// Leases are what this process remembers of the leases that it held. nil remembers
	// nothing: then every run lists the processor's payments before it charges.
	Leases *Leases
	// Grouping says which pledges of an address are charged together. It is the same on every
	// server, and does not change while a campaign is being settled.
	Grouping pledge.Grouping
	// Disabled switches charging off: whoever asks for a settlement is refused.
	Disabled bool
	// Mute says that no mail can be sent. Then nobody is charged either: who is has to be
	// told, and whose card is refused has to be asked for another.
	Mute bool
	// BatchSize is how many pledges one batch looks at, and SweepSize how many are held
	// against their records at once before the first charge. A host that gives a call
	// little time or few effects wants less; 0 stands for the constants of these names.
	BatchSize, SweepSize int
}

func (s *Service) batchSize() int { return cmp.Or(s.BatchSize, BatchSize) }

func (s *Service) sweepSize() int { return cmp.Or(s.SweepSize, SweepSize) }

// Settle settles a whole campaign in one call, or shows what that would do. It
// fails with code NotFound for an unknown campaign, Conflict before the
// deadline or when the campaign is not funded, and Busy while another run
// holds the campaign. What goes wrong with single supporters is in the report.
// A dry run writes nothing.
func (s *Service) Settle(ctx context.Context, slug string, dryRun bool) (Report, error) {
	c, err := s.ended(slug)
	if err != nil {
		return Report{}, err
	}
	if dryRun {
		if err := s.checkFunded(ctx, c); err != nil {
			return Report{}, err
		}
		report, err := s.preview(ctx, c)
		if err != nil {
			return Report{}, err
		}
		return s.withFunds(ctx, report)
	}
	r, err := s.begin(ctx, c)
	if err != nil {
		return Report{}, err
	}
	defer r.end(ctx)
	if err := s.checkFunded(ctx, c); err != nil { // payments that were imported count as begun
		return Report{}, err
	}
	r.brief = true
	if err := r.allStock(ctx); err != nil {
		return Report{}, err
	}
	if err := r.everything(ctx); err != nil {
		return Report{}, err
	}
	completed, err := r.finish(ctx)
	if err != nil {
		return Report{}, err
	}
	return s.withFunds(ctx, r.report(completed))
}

func (s *Service) withFunds(ctx context.Context, r Report) (Report, error) {
	snap, err := s.Inventory.Snapshot(ctx, r.CampaignSlug)
	r.Funds = snap.Totals.Funds
	return r, err
}

// RetryCard charges a supporter again whose card was replaced after a failure. Email is the
// address as their pledges have it.
// While another run holds the campaign, or charging is held or stopped, it leaves a note
// for the next one; for
// a campaign that is not to be settled it does nothing.
func (s *Service) RetryCard(ctx context.Context, slug, email string) error {
	c, err := s.ended(slug)
	if err == nil {
		err = s.checkFunded(ctx, c)
	}
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := pledge.ParseEmail(email); err != nil {
		return err
	}
	supporter := pledge.EmailHash(email)
	if err := s.Wake(ctx, slug); err != nil {
		return err
	}
	if err := s.leaveNote(ctx, slug, supporter); err != nil {
		return err
	}
	return s.goOn(ctx, c, supporter)
}

// goOn looks at a supporter about whom a note was left, unless another run has the
// campaign, which looks at it when it ends, or charging is held or stopped: then the note
// is for the next one.
func (s *Service) goOn(ctx context.Context, c *campaign.Campaign, supporter string) error {
	r, err := s.begin(ctx, c)
	if err == nil {
		err = r.turn(ctx, supporter)
		r.end(ctx)
	}
	if isRefusedAct(err) {
		return nil
	}
	return err
}

// Group returns a supporter's charge in a campaign by its GroupHash, nil where
// there is none.
func (s *Service) Group(ctx context.Context, slug, hash string) (*Group, error) {
	rec, err := client{s.Coordinator, slug}.get(ctx, hash)
	return rec.Group, err
}

// Job returns a campaign's last batched settlement, nil where there was none.
func (s *Service) Job(ctx context.Context, slug string) (*Job, error) {
	st, err := client{s.Coordinator, slug}.overview(ctx)
	return st.Job, err
}

// LastChargeAt returns when a charge of a campaign succeeded last, the zero time if none did.
func (s *Service) LastChargeAt(ctx context.Context, slug string) (time.Time, error) {
	st, err := client{s.Coordinator, slug}.overview(ctx)
	return st.SucceededAt, err
}

// leaveNote makes the wish to look at a supporter durable.
func (s *Service) leaveNote(ctx context.Context, slug, supporter string) error {
	nonce, err := s.nonce()
	if err != nil {
		return err
	}
	return client{s.Coordinator, slug}.want(ctx, want{Hash: hashOf(slug, supporter), Supporter: supporter, Nonce: nonce})
}

// DueCampaigns lists the campaigns with something to settle: ended, funded, and
// with active pledges, charges without a known end, failed ones for which
// something is due, or no completion yet.
func (s *Service) DueCampaigns(ctx context.Context) ([]string, error) {
	due := []string{}
	awake, err := s.Awake(ctx)
	if err != nil {
		return due, err
	}
	restored, err := s.restoredAt(ctx)
	if err != nil {
		return due, err
	}
	for _, c := range awake {
		if !s.mayBegin(c) {
			continue
		}
		is, err := s.isDue(ctx, c, restored)
		if err != nil {
			return due, err
		}
		if is {
			due = append(due, c.Slug)
		}
	}
	return due, nil
}

// Stalled lists the campaigns whose job is running while nobody is at it: the
// server that was has stopped, or died.
func (s *Service) Stalled(ctx context.Context) ([]string, error) {
	stalled := []string{}
	awake, err := s.Awake(ctx)
	if err != nil {
		return stalled, err
	}
	for _, c := range awake {
		if !s.mayBegin(c) {
			continue
		}
		st, err := client{s.Coordinator, c.Slug}.overview(ctx)
		if err != nil {
			return stalled, err
		}
		asks := s.holder()
		if st.Closed == nil && st.Job != nil && st.Job.Status == JobRunning && (!st.Lease.heldAt(s.Now()) || st.Lease.survivedBy(asks)) {
			stalled = append(stalled, c.Slug)
		}
	}
	return stalled, nil
}

// isDue also has payments imported that a restore, which was at a time, may have lost.
func (s *Service) isDue(ctx context.Context, c *campaign.Campaign, restored time.Time) (bool, error) {
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	if err != nil {
		return false, err
	}
	st, err := client{s.Coordinator, c.Slug}.overview(ctx)
	if err != nil || st.Closed != nil || !c.Funded(snap.Totals.Counted) && !st.Begun {
		return false, err
	}
	if err := s.noteRecoveries(ctx, c); err != nil {
		return false, err
	}
	if snap.Totals.Statuses[pledge.Active] > 0 || !restored.Equal(st.Lease.ImportedAfter) {
		return true, nil
	}
	st, err = client{s.Coordinator, c.Slug}.overview(ctx)
	if err != nil || st.Open || st.Complete == nil || st.Job != nil && st.Job.Status == JobRunning {
		return true, err
	}
	// The marker follows the completion. One that was lost between is written again.
	_, marked, err := kv.Read[time.Time](ctx, s.Store, pledge.ChargedKey(c.Slug))
	return !marked, err
}

// Margin is how long after a deadline settlement begins. Checkouts that were under way at
// the deadline have ended by then, also by a clock that is MaxClockError ahead, and their
// webhooks have had a quarter of an hour.
const Margin = 75 * time.Minute

// ended returns a campaign whose settlement may begin: its deadline passed at least Margin ago,
// in the platform's zone.
func (s *Service) ended(slug string) (*campaign.Campaign, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return nil, err
	}
	if c.State(s.Now(), s.Zone) != campaign.Ended {
		return nil, fault.New(fault.Conflict, "The campaign's deadline has not passed")
	}
	if !s.mayBegin(c) {
		return nil, fault.New(fault.Conflict, "The campaign has only just ended; settlement begins at %s",
			c.EndsAt(s.Zone).Add(Margin).UTC().Format(time.RFC3339))
	}
	return c, nil
}

// checkFunded fails with code Conflict if a campaign is closed, or if the goal is not reached by
// what is committed in the campaign's object. The first charge decides that: a settlement that
// has begun is completed.
func (s *Service) checkFunded(ctx context.Context, c *campaign.Campaign) error {
	st, err := client{s.Coordinator, c.Slug}.overview(ctx)
	if err != nil || st.Begun {
		return err
	}
	if st.Closed != nil {
		return fault.New(fault.Conflict, "The campaign missed its goal and was closed on %s", st.Closed.UTC().Format(time.DateOnly))
	}
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	if err != nil || c.Funded(snap.Totals.Counted) {
		return err
	}
	return fault.New(fault.Conflict, "The campaign is not funded: %s of %s", snap.Totals.Counted, c.Goal)
}

func (s *Service) mayBegin(c *campaign.Campaign) bool {
	return c.State(s.Now().Add(-Margin), s.Zone) == campaign.Ended
}

func (s *Service) holder() Holder {
	if s.Holder == nil {
		return Holder{}
	}
	return s.Holder()
}

func (s *Service) nonce() (string, error) {
	b := make([]byte, 16)
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "No randomness for a lock's owner")
	}
	return hex.EncodeToString(b), nil
}
