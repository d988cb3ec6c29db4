package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Release resumes a campaign's settlement that the breaker stopped. Requests that were rejected
// as invalid and not emailed are repeated; other outcomes that were held back are emailed. It
// returns the reason of the stop, or nil. It fails with code NotFound for an unknown
// campaign.
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
