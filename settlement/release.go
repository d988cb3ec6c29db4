package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Pause holds the charges of one campaign until Release, and returns the hold in force: the
// breaker's if it is open because of results. Requests that were already sent are completed.
//
// It fails with code NotFound for an unknown campaign, with Invalid for a reason that
// state.CheckReason rejects, and with Conflict if the campaign is settled or missed its goal.
func (s *Service) Pause(ctx context.Context, slug, reason string) (state.Held, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return state.Held{}, err
	}
	if err := state.CheckReason(reason); err != nil {
		return state.Held{}, err
	}
	if c.State(s.Now(), s.Zone) == campaign.Ended {
		if err := s.checkFunded(ctx, c); err != nil {
			return state.Held{}, err
		}
	}
	object := s.objectOf(slug)
	st, err := object.Overview(ctx)
	if err != nil {
		return state.Held{}, err
	}
	if st.Complete != nil {
		return state.Held{}, fault.New(fault.Conflict, "The campaign is settled: there are no charges to pause")
	}
	nonce, err := s.nonce()
	if err != nil {
		return state.Held{}, err
	}
	return object.Pause(ctx, nonce, reason)
}

// Release resumes a campaign's settlement after the breaker stopped it or an operator paused it.
// Requests that were rejected as invalid are repeated if the supporter was not emailed yet; other
// outcomes that were held back are emailed. It returns the hold that it ended, or nil. It fails
// with code NotFound for an unknown campaign.
func (s *Service) Release(ctx context.Context, slug string) (*state.Held, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return nil, err
	}
	object := s.objectOf(slug)
	st, err := object.Overview(ctx)
	if err != nil || st.Held == nil && !st.Open {
		return nil, err
	}
	nonce, err := s.nonce()
	if err != nil {
		return nil, err
	}
	return st.Held, object.ResetBreaker(ctx, nonce)
}
