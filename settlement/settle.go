package settlement

import (
	"cmp"
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Settle settles a whole campaign in one call or, with dryRun, returns a preview without writing
// anything. Errors of single supporters are in the report.
//
// It fails with code NotFound for an unknown campaign, and with Conflict if the campaign is not
// funded or must not be charged now. It fails with Busy while another run holds the lease, and with
// Unavailable if the processor does not answer.
func (s *Service) Settle(ctx context.Context, slug string, dryRun bool) (Report, error) {
	c, err := s.endedCampaign(slug)
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
	if err := r.settleAll(ctx); err != nil {
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

// RetryCard charges a supporter who replaced their card after a failed charge. email is the address
// as stored in their pledges. If another run holds the lease, or charging is held or stopped,
// RetryCard leaves a visit request for the next run. It does nothing for a campaign that has not
// ended or is not funded.
func (s *Service) RetryCard(ctx context.Context, slug, email string) error {
	c, err := s.endedCampaign(slug)
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

// settleRequested settles one supporter after requesting a visit. If another run holds the
// lease, that run handles the request when it ends; if charging is held or stopped, the next
// run does.
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

// Group returns the group with a hash in a campaign, or nil if there is none.
func (s *Service) Group(ctx context.Context, slug, hash string) (*state.Group, error) {
	rec, err := s.objectOf(slug).Group(ctx, hash)
	return rec.Group, err
}

// Job returns the campaign's latest batched settlement, or nil.
func (s *Service) Job(ctx context.Context, slug string) (*state.Job, error) {
	st, err := s.objectOf(slug).Overview(ctx)
	return st.Job, err
}

// LastChargeAt returns the time of a campaign's latest successful charge, or the zero time.
func (s *Service) LastChargeAt(ctx context.Context, slug string) (time.Time, error) {
	st, err := s.objectOf(slug).Overview(ctx)
	return st.SucceededAt, err
}

// Approved handles the notice that a supporter confirmed a waiting payment: it reads the
// payment and books the result. It fails as RetryCard does.
func (s *Service) Approved(ctx context.Context, p *pledge.Pledge) error {
	object := s.objectOf(p.CampaignSlug)
	rec, err := object.Group(ctx, cmp.Or(p.Group, jointHash(p))) // its order may have been restored to before the claim
	if err != nil || rec.Group == nil || rec.Group.Done() && !rec.Group.Confirmable {
		return err
	}
	if rec.Group.Confirmable {
		found, err := s.Processor.Payment(ctx, rec.Group.PaymentIntentID)
		if err != nil {
			return err
		}
		if _, err := object.RecordResult(ctx, state.Lease{}, *rec.Group, s.lookupResult(*rec.Group, found)); err != nil {
			return err
		}
	}
	// Do this even if the group already has the result, because another run may have held the
	// lease when it was recorded.
	return s.RetryCard(ctx, p.CampaignSlug, p.Email)
}
