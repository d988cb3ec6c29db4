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
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Projector updates the accounts and projections after a pledge changed, and finds missed
// updates. Both calls can be repeated. projection.Projector implements it.
type Projector interface {
	Book(ctx context.Context, p *pledge.Pledge, holdID string) (*pledge.Pledge, error)
	BookIfStale(ctx context.Context, p *pledge.Pledge) error
	Sweep(ctx context.Context, slug string, from, limit int) (projection.Swept, error)
}

// Service settles campaigns. The fields up to Log are required. It is safe for concurrent use by
// any number of processes.
type Service struct {
	Store       kv.Store // primary namespace
	Coordinator kv.Coordinator
	Orders      order.Client
	Inventory   inventory.Client
	Projector   Projector
	Processor   psp.Processor
	Outbox      *notify.Outbox
	Links       mailtext.Links
	Catalogue   func() *campaign.Catalogue
	Zone        *time.Location // the platform's time zone
	Now         func() time.Time
	Rand        io.Reader
	Log         *slog.Logger
	// Holder identifies this program as the owner of leases. If it is nil, a crashed program's
	// leases are free only when they expire.
	Holder func() state.Holder
	// Together runs n calls concurrently, as many at a time as the host allows, and returns when
	// all have finished. The calls charge different supporters. If it is nil, they run one after
	// another.
	Together func(n int, do func(i int))
	// EndCheckouts ends a campaign's open checkouts and interrupted changes after its
	// deadline. It runs before the first charge, so that a pledge whose booking was
	// interrupted is either charged together with its supporter's other pledges or not at all.
	// If it is nil, the host has to end them first.
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
	// Mute is set if no mail can be sent. Nothing is charged then, because supporters have to be
	// emailed about charges and asked for another card after a decline.
	Mute bool
	// BatchSize is the number of pledges per batch, and SweepSize the number of pledges that
	// are compared with their accounts at once before the first charge. Hosts with a time or
	// operation limit per call set lower values. 0 means the constants of the same names.
	BatchSize, SweepSize int
}

// objectOf returns the settlement object of a campaign.
func (s *Service) objectOf(slug string) state.Client {
	return state.Client{Coordinator: s.Coordinator, Slug: slug}
}

func (s *Service) refundsOf(slug string) refund.Client {
	return refund.Client{Coordinator: s.Coordinator, Object: kv.Object{Class: state.ClassName, Name: slug}}
}

func (s *Service) batchSize() int { return cmp.Or(s.BatchSize, BatchSize) }

func (s *Service) sweepSize() int { return cmp.Or(s.SweepSize, SweepSize) }

// requestVisit asks the next run to process a supporter's charge groups again, for example
// after a new card.
func (s *Service) requestVisit(ctx context.Context, slug, supporter string) error {
	nonce, err := s.nonce()
	if err != nil {
		return err
	}
	return s.objectOf(slug).RequestVisit(ctx, supporter, nonce)
}

const day = 24 * time.Hour

// Margin is the time between a deadline and the start of settlement. By then all checkouts
// that were open at the deadline have ended, even if a clock is ahead by MaxClockError, and
// their webhooks had 15 minutes to arrive.
const Margin = 75 * time.Minute

// endedCampaign returns a campaign whose deadline, in the platform's zone, passed at least Margin
// ago. It fails with code NotFound for an unknown campaign, and with Conflict before that time.
func (s *Service) endedCampaign(slug string) (*campaign.Campaign, error) {
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

// checkFunded fails with code Conflict if a campaign is closed, or if the total in the
// campaign's object is below the goal. Once a charge was frozen or made, the goal is not
// checked again, so that a settlement that has started is completed.
func (s *Service) checkFunded(ctx context.Context, c *campaign.Campaign) error {
	st, err := s.objectOf(c.Slug).Overview(ctx)
	if err != nil || st.Begun {
		return err
	}
	if st.Closed != nil {
		return fault.New(fault.Conflict, "The campaign missed its goal and was closed on %s",
			st.Closed.UTC().Format(time.DateOnly))
	}
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	if err != nil || c.Funded(snap.Totals.Counted) {
		return err
	}
	return fault.New(fault.Conflict, "The campaign is not funded, so no card is charged: %s of %s",
		snap.Totals.Counted, c.Goal)
}

func (s *Service) mayBegin(c *campaign.Campaign) bool {
	return c.State(s.Now().Add(-Margin), s.Zone) == campaign.Ended
}

func (s *Service) holder() state.Holder {
	if s.Holder == nil {
		return state.Holder{}
	}
	return s.Holder()
}

func (s *Service) nonce() (string, error) {
	b := make([]byte, 16)
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "Could not read random bytes")
	}
	return hex.EncodeToString(b), nil
}

// readPledges returns the current pledges from their orders' objects.
func (s *Service) readPledges(ctx context.Context, ids []string) ([]*pledge.Pledge, error) {
	pledges := make([]*pledge.Pledge, 0, len(ids))
	for _, id := range ids {
		p, err := s.Orders.Pledge(ctx, id)
		if err != nil {
			return nil, err
		}
		pledges = append(pledges, p)
	}
	return pledges, nil
}

// messageOf returns an error's message for reports, or "Internal error" for an error that is not a
// fault.
func messageOf(err error) string {
	if f := fault.Of(err); f != nil {
		return f.Message
	}
	return "Internal error"
}

// BatchSize is the default number of pledges per batch. All pledges of a supporter are in the
// same batch, so a batch may be larger.
const BatchSize = 25

// SweepSize is the default number of pledges whose accounts are compared in one part.
const SweepSize = 500
