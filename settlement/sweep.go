package settlement

import "context"

// sweep makes sure, before the first charge of a campaign, that the campaign's totals include
// every pledge and every change. An update that a crash interrupted may belong to a charge, or
// have taken the campaign below its goal. It compares one part of the pledges, starting at
// number from, and returns where the next part starts, 0 after the last. Then it checks again
// that the campaign may be settled, and fails with code Conflict if not.
func (r *run) sweep(ctx context.Context, from int) (next int, err error) {
	if from == 0 && r.EndCheckouts != nil {
		if err := r.EndCheckouts(ctx, r.campaign.Slug); err != nil {
			return 0, err
		}
	}
	swept, err := r.Projector.Sweep(ctx, r.campaign.Slug, from, r.sweepSize())
	if err != nil || swept.Next != 0 {
		return swept.Next, err
	}
	if err := r.checkFunded(ctx, r.campaign); err != nil {
		return 0, err
	}
	return 0, r.checkPromises(ctx)
}

// sweepAll runs sweep over all pledges of the campaign, unless charging has already begun.
func (r *run) sweepAll(ctx context.Context) error {
	st, err := r.object.Overview(ctx)
	if err != nil || st.Begun {
		return err
	}
	for from := 0; ; {
		next, err := r.sweep(ctx, from)
		if err != nil || next == 0 {
			return err
		}
		from = next
	}
}
