package settlement

import (
	"context"
	"errors"

	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// position is a run's position among the campaign's charge groups: first those that earlier
// runs left open, then those of all supporters with an active pledge.
type position struct {
	stage  state.Stage
	cursor string // of the last supporter; "" at the start of a stage
}

// settleAll settles all charge groups, batch by batch. Groups that are still open after the first
// stage are reported in the second.
func (r *run) settleAll(ctx context.Context) error {
	if err := r.requestRecoveryVisits(ctx, r.campaign); err != nil {
		return err
	}
	for at := (position{stage: state.StageOpen}); at.stage != state.StageEnd; {
		var err error
		if at, err = r.settleBatch(ctx, at, false); err != nil {
			return err
		}
		if err := r.renewLease(ctx); err != nil {
			return err
		}
	}
	return nil
}

// settleBatch settles about one batch of pledges from a position on, and returns the next
// position. With onlyOpen, it skips the supporters with active pledges.
func (r *run) settleBatch(ctx context.Context, at position, onlyOpen bool) (position, error) {
	for start := r.pledges; at.stage != state.StageEnd && r.pledges-start < r.batchSize(); {
		var err error
		if r.quiet = at.stage == state.StageOpen && !onlyOpen; at.stage == state.StageOpen {
			at.cursor, err = r.settleFirstOpen(ctx, at.cursor)
		} else {
			at.cursor, err = r.settlePage(ctx, at.cursor, r.batchSize()-(r.pledges-start))
		}
		if err != nil {
			return at, err
		}
		if at.cursor == "" {
			at.stage = at.stage.Next(onlyOpen)
		}
	}
	return at, nil
}

// settleFirstOpen settles the first supporter after the cursor with an open group or a visit
// request, and returns the next cursor, "" at the end.
func (r *run) settleFirstOpen(ctx context.Context, cursor string) (string, error) {
	open, err := r.object.Unfinished(ctx, cursor, 1)
	if err != nil {
		return "", err
	}
	for _, supporter := range open.Supporters {
		if err := r.visit(ctx, supporter); err != nil {
			return "", err
		}
	}
	return open.Next, nil
}

// settlePage settles the supporters with active pledges after a cursor, about limit pledges of
// them, and returns the next cursor, "" at the end. All pledges of a supporter are in one page.
func (r *run) settlePage(ctx context.Context, cursor string, limit int) (string, error) {
	page, err := r.Inventory.Active(ctx, r.campaign.Slug, cursor, limit)
	if err != nil {
		return "", err
	}
	if err := errors.Join(r.ensureLease(ctx), r.checkBreaker(ctx)); err != nil {
		return "", err
	}
	errs := make([]error, len(page.Supporters))
	r.forEach(len(errs), func(i int) { errs[i] = r.settleSupporter(ctx, page.Supporters[i]) })
	for _, err := range errs {
		if err != nil {
			return "", err
		}
	}
	return page.Next, nil
}

func (r *run) forEach(n int, do func(i int)) {
	if r.Together != nil {
		r.Together(n, do)
		return
	}
	for i := range n {
		do(i)
	}
}
