package settlement

import "context"

// SweepSize is how many pledges are held against their records in one part where the
// Service says nothing else.
const SweepSize = 500

// takeStock sees to it, before the first charge of a campaign, that its sums have
// every pledge and every change of one: what died on its way may belong to a charge, or have
// taken the campaign below its goal. It holds one part of the pledges against their records, from
// the one with a number on, and returns where the next begins, 0 behind the last. Then the
// campaign is asked again whether it may be settled; it fails with Conflict where not.
func (r *run) takeStock(ctx context.Context, from int) (next int, err error) {
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

// allStock takes stock of all pledges, unless somebody was charged already.
func (r *run) allStock(ctx context.Context) error {
	st, err := r.object.overview(ctx)
	if err != nil || st.Begun {
		return err
	}
	for from := 0; ; {
		next, err := r.takeStock(ctx, from)
		if err != nil || next == 0 {
			return err
		}
		from = next
	}
}
