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

// Projector updates the accounts and projections after a pledge changed, and finds updates that
// were missed. Both calls can be repeated. The implementation is projection.Projector.
type Projector interface {
	Book(ctx context.Context, p *pledge.Pledge, holdID string) (*pledge.Pledge, error)
	Sweep(ctx context.Context, slug string, from, limit int) (projection.Swept, error)
}

// Service settles campaigns. All fields except Holder, Together, EndCheckouts, Next, Grouping and
// the sizes are required. It is safe for concurrent use by any number of processes.
type Service struct {
	Store       kv.Store // primary namespace
	Coordinator kv.Coordinator
	Orders      order.Client
	Inventory   inventory.Client
	Projector   Projector
	Processor   psp.Processor
	Outbox      *notify.Outbox
	Links       notify.Links
	Catalogue   func() *campaign.Catalogue
	Zone        *time.Location // the platform's time zone
	Now         func() time.Time
	Rand        io.Reader
	Log         *slog.Logger
	// Holder identifies this program as the owner of leases. If it is nil, the leases of a
	// crashed program are free only when they expire.
	Holder func() Holder
	// Together runs n calls concurrently, as many at a time as the host allows, and returns when
	// all have finished. The calls charge different supporters. If it is nil, they run one after
	// another.
	Together func(n int, do func(i int))
	// EndCheckouts ends the open checkouts and interrupted changes of a campaign after its
	// deadline. It runs before the first charge, so that a pledge whose booking was interrupted
	// is charged with its supporter's other pledges or not at all. If it is nil, the host has to
	// have ended them before.
	EndCheckouts func(ctx context.Context, slug string) error
	// Next asks the host to call Batch for the campaign soon, because its job has more to do. If
	// it is nil, the caller has to continue the job.
	Next func(ctx context.Context, slug string) error
	// Leases records the leases that this process has held. With nil, every run lists the
	// processor's payments before it charges.
	Leases *Leases
	// Grouping decides which pledges of an address are charged together. It has to be the same on
	// every server and must not change while a campaign is being settled.
	Grouping pledge.Grouping
	// Disabled switches charging off: every request to settle is refused.
	Disabled bool
	// Mute reports that no mail can be sent. Nothing is charged then, because supporters have to
	// be emailed about charges and asked for another card after a decline.
	Mute bool
	// BatchSize is the number of pledges per batch, and SweepSize the number of pledges that are
	// compared with their accounts at once before the first charge. Hosts with little time or few
	// operations per call set lower values. 0 means the constants of the same names.
	BatchSize, SweepSize int
}

func (s *Service) batchSize() int { return cmp.Or(s.BatchSize, BatchSize) }

func (s *Service) sweepSize() int { return cmp.Or(s.SweepSize, SweepSize) }

// Settle settles a whole campaign in one call or, with dryRun, previews that without writing
// anything. It fails with code NotFound for an unknown campaign, Conflict before the deadline or
// if the campaign is not funded, and Busy while another run holds the lease. Errors of single
// supporters are in the report.
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
	r, err := s.startRun(ctx, c)
	if err != nil {
		return Report{}, err
	}
	defer r.release(ctx)
	if err := s.checkFunded(ctx, c); err != nil { // imported payments start the settlement
		return Report{}, err
	}
	r.brief = true
	if err := r.sweepAll(ctx); err != nil {
		return Report{}, err
	}
	if err := r.runAll(ctx); err != nil {
		return Report{}, err
	}
	completed, err := r.completeIfDone(ctx)
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

// RetryCard charges a supporter again who replaced their card after a failed charge. email is the
// address as their pledges have it. If another run holds the lease, or charging is held or
// stopped, RetryCard leaves a visit request for the next run. For a campaign that must not be
// settled it does nothing.
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
	if err := s.requestVisit(ctx, slug, supporter); err != nil {
		return err
	}
	return s.settleRequested(ctx, c, supporter)
}

// settleRequested settles one supporter with a visit request. If another run holds the lease, that run
// handles the request when it ends; if charging is held or stopped, the next run does.
func (s *Service) settleRequested(ctx context.Context, c *campaign.Campaign, supporter string) error {
	r, err := s.startRun(ctx, c)
	if err == nil {
		err = r.settleOne(ctx, supporter)
		r.release(ctx)
	}
	if isRefusedAct(err) {
		return nil
	}
	return err
}

// Group returns a supporter's group in a campaign by its GroupHash, or nil.
func (s *Service) Group(ctx context.Context, slug, hash string) (*Group, error) {
	rec, err := client{s.Coordinator, slug}.get(ctx, hash)
	return rec.Group, err
}

// Job returns the campaign's latest batched settlement, or nil.
func (s *Service) Job(ctx context.Context, slug string) (*Job, error) {
	st, err := client{s.Coordinator, slug}.overview(ctx)
	return st.Job, err
}

// LastChargeAt returns the time of a campaign's latest successful charge, or the zero time.
func (s *Service) LastChargeAt(ctx context.Context, slug string) (time.Time, error) {
	st, err := client{s.Coordinator, slug}.overview(ctx)
	return st.SucceededAt, err
}

// requestVisit stores a visit request for a supporter.
func (s *Service) requestVisit(ctx context.Context, slug, supporter string) error {
	nonce, err := s.nonce()
	if err != nil {
		return err
	}
	return client{s.Coordinator, slug}.requestVisit(ctx, requestVisit{Hash: hashOf(slug, supporter), Supporter: supporter, Nonce: nonce})
}

// DueCampaigns lists the campaigns that need settling: ended, funded, and with active pledges,
// open groups, failed groups for which a step is due, or no completion.
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

// Stalled lists the campaigns whose job is running although no server holds their lease.
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

// isDue reports whether a campaign needs settling, also because its payments were not imported
// since the last restore.
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
	// The marker is written after the completion. If a crash lost it, write it again.
	_, marked, err := kv.Read[time.Time](ctx, s.Store, pledge.ChargedKey(c.Slug))
	return !marked, err
}

// Margin is the time between a deadline and the start of settlement. By then the checkouts that
// were open at the deadline have ended, even by a clock that is MaxClockError ahead, and their
// webhooks had 15 minutes to arrive.
const Margin = 75 * time.Minute

// ended returns a campaign that may be settled: its deadline, in the platform's zone, passed at
// least Margin ago.
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

// checkFunded fails with code Conflict if a campaign is closed, or if the total in the campaign's
// object is below the goal. The first charge decides that: a settlement that has started is
// completed.
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
		return "", fault.Wrap(err, fault.Unavailable, "Could not generate the owner of a lease")
	}
	return hex.EncodeToString(b), nil
}
