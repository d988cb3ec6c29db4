package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Accept allows charging the pledges of a campaign on the terms of its file, even if they were
// promised different ones, and returns the broken promises. If no promise is broken, it does
// nothing.
//
// It fails with code NotFound for an unknown campaign, and with Invalid for a reason that
// state.CheckReason rejects.
func (s *Service) Accept(ctx context.Context, slug, reason string) ([]inventory.Promised, error) {
	if err := state.CheckReason(reason); err != nil {
		return nil, err
	}
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return nil, err
	}
	broken, err := s.BrokenPromises(ctx, c)
	if err != nil || len(broken) == 0 {
		return broken, err
	}
	return broken, s.objectOf(slug).Accept(ctx, s.promiseOf(c), reason)
}
