package settlement

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Reopen records an operator's decision to reopen a campaign that was closed because it missed its
// goal. It takes effect when a second operator decides the same; then the campaign accepts pledges
// and is settled according to its file. Either operator may repeat the decision, for example after
// a crash.
//
// It fails with code NotFound for an unknown campaign, and with Invalid for a reason that
// state.CheckReason rejects. It fails with Conflict if the campaign is not closed or the deletion
// of its cards has started.
func (s *Service) Reopen(ctx context.Context, slug, operator, reason string) (state.Reopened, error) {
	if err := state.CheckReason(reason); err != nil {
		return state.Reopened{}, err
	}
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return state.Reopened{}, err
	}
	st, err := s.objectOf(slug).Overview(ctx)
	if err != nil {
		return state.Reopened{}, err
	}
	if err := state.MayReopen(operator, st.Closed, st.Detaching, st.Reopening); err != nil {
		return state.Reopened{}, err
	}
	nonce, err := s.nonce()
	if err != nil {
		return state.Reopened{}, err
	}
	w, err := evidence.Decision{Operator: operator, CampaignSlug: slug, Decision: "reopen",
		Reason: reason, At: s.Now()}.Write(nonce)
	if err != nil {
		return state.Reopened{}, err
	}
	if err := s.Store.Apply(ctx, []kv.Write{w}); err != nil {
		return state.Reopened{}, err
	}
	r, err := s.objectOf(slug).Reopen(ctx, operator, reason, nonce)
	if err != nil || r.ConfirmedBy == "" {
		return r, err
	}
	if err := s.Inventory.Reopen(ctx, slug); err != nil {
		return r, err
	}
	return r, s.Wake(ctx, slug)
}
