package settlement

import (
	"context"
)

// Release resumes a campaign's settlement that the breaker stopped. Requests that were rejected
// as invalid and not emailed are repeated; other outcomes that were held back are emailed. It
// returns the reason of the stop, or nil. It fails with code NotFound for an unknown
// campaign.
func (s *Service) Release(ctx context.Context, slug string) (*Held, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return nil, err
	}
	object := s.objectOf(slug)
	st, err := object.overview(ctx)
	if err != nil || st.Held == nil && !st.Open {
		return nil, err
	}
	nonce, err := s.nonce()
	if err != nil {
		return nil, err
	}
	return st.Held, object.resetBreaker(ctx, nonce)
}
