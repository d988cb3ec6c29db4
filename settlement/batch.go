package settlement

import (
	"cmp"
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// BatchRequest names the campaign whose next batch is to run.
type BatchRequest struct {
	CampaignSlug string `json:"campaignSlug"`
}

// Progress is the result of one batch and the state of its job.
type Progress struct {
	CampaignSlug   string          `json:"campaignSlug"`
	BatchProcessed int             `json:"batchProcessed"` // pledges visited
	BatchResult    BatchResult     `json:"batchResult"`
	Progress       state.Job       `json:"progress"`
	Status         state.JobStatus `json:"status"`
}

// BatchResult counts the pledges of one batch by outcome.
type BatchResult struct {
	Charged        int      `json:"charged"`
	Failed         int      `json:"failed"`
	Dropped        int      `json:"dropped"`
	Skipped        int      `json:"skipped"`
	Pending        int      `json:"pending"`
	NeedsAttention int      `json:"needsAttention"`
	Errors         int      `json:"errors"`
	Details        []Detail `json:"details"`
}

// Dispatch starts a campaign's settlement in batches, or continues a running job: it runs one batch
// and requests the following one with Next. It fails as Settle does.
func (s *Service) Dispatch(ctx context.Context, slug string) (Progress, error) {
	return s.batch(ctx, slug, true)
}

// Batch runs the next batch of a job. A job that has ended is returned unchanged. It fails as
// Settle does, with code Conflict if no job was dispatched, and with Invalid without a campaign.
func (s *Service) Batch(ctx context.Context, req BatchRequest) (Progress, error) {
	if req.CampaignSlug == "" {
		return Progress{}, fault.New(fault.Invalid, "A batch needs a campaign").In("campaignSlug")
	}
	return s.batch(ctx, req.CampaignSlug, false)
}

func (s *Service) batch(ctx context.Context, slug string, fresh bool) (Progress, error) {
	c, err := s.endedCampaign(slug)
	if err != nil {
		return Progress{}, err
	}
	r, err := s.startRun(ctx, c)
	if err != nil {
		return Progress{}, err
	}
	var p Progress
	if err = r.checkBatch(ctx); err == nil {
		p, err = r.batch(ctx, fresh)
	}
	r.release(ctx) // release the lease before the next batch is requested, which needs it
	if err != nil || p.Status != state.JobRunning || s.Next == nil {
		return p, err
	}
	if err := s.Next(ctx, slug); err != nil {
		s.Log.Warn("settlement: could not request the next batch, the hourly run continues", "campaign", slug, "error", err)
	}
	return p, nil
}

// checkBatch fails with code Conflict if the campaign is not funded. While the accounts are
// being compared, a campaign that seems to have missed its goal continues, because the
// comparison may still change its total.
func (r *run) checkBatch(ctx context.Context) error {
	refused := r.checkFunded(ctx, r.campaign)
	if !fault.Is(refused, fault.Conflict) {
		return refused
	}
	st, err := r.object.Overview(ctx)
	if err != nil || st.Job != nil && st.Job.Status == state.JobRunning && st.Job.SweptTo > 0 {
		return err
	}
	return refused
}

func (r *run) batch(ctx context.Context, fresh bool) (Progress, error) {
	snap, err := r.Inventory.Snapshot(ctx, r.campaign.Slug)
	if err != nil {
		return Progress{}, err
	}
	job, err := r.object.Start(ctx, r.currentLease(), fresh, snap.Totals.Listed)
	if err != nil {
		return Progress{}, err
	}
	if job.Status != state.JobRunning {
		return r.progress(job), nil
	}
	if over, p, err := r.sweepNext(ctx, job); err != nil || !over {
		return p, err
	}
	if job.Stage == state.StageOpen && job.Cursor == "" {
		if err := r.requestRecoveryVisits(ctx, r.campaign); err != nil {
			return Progress{}, err
		}
	}
	at, err := r.settleBatch(ctx, position{job.Stage, job.Cursor}, snap.Totals.Statuses[pledge.Active] == 0)
	if err != nil {
		return Progress{}, err
	}
	status, err := r.finishJobAt(ctx, at)
	if err != nil {
		return Progress{}, err
	}
	job,
		err = r.checkpoint(ctx, state.Checkpoint{Batch: job.CurrentBatch, Stage: at.stage, Cursor: at.cursor, Status: status,
		Processed: r.pledges, Skipped: r.byStatus[DetailSkipped], NeedsAttention: r.byStatus[DetailAttention]})
	return r.progress(job), err
}

// sweepNext compares the accounts of the next part of the pledges, one part per batch, and reports
// whether the comparison is complete: all parts are done, or a charge was already made. If the
// campaign cannot be settled after the comparison, the job ends and needs attention.
func (r *run) sweepNext(ctx context.Context, job state.Job) (over bool, p Progress, err error) {
	st, err := r.object.Overview(ctx)
	if err != nil || st.Begun || job.Swept {
		return true, Progress{}, err
	}
	at := state.Checkpoint{Stage: job.Stage, Cursor: job.Cursor, Status: state.JobRunning, Batch: job.CurrentBatch}
	next, failed := r.sweep(ctx, job.SweptTo)
	switch {
	case fault.Is(failed, fault.Conflict):
		at.Status = state.JobNeedsAttention
	case failed != nil:
		return false, Progress{}, failed
	case next == 0 && job.SweptTo == 0:
		return true, Progress{}, nil
	}
	at.SweptTo, at.Swept = next, next == 0
	job, err = r.checkpoint(ctx, at)
	return false, r.progress(job), cmp.Or(failed, err)
}

// checkpoint ends a batch. It writes the Store's copy of the job before the object, because a job
// that has ended is not visited again.
func (r *run) checkpoint(ctx context.Context, at state.Checkpoint) (state.Job, error) {
	st, err := r.object.Overview(ctx)
	if err != nil {
		return state.Job{}, err
	}
	if st.Job == nil { // the database was restored to before the job started, so the lease is lost too
		return state.Job{}, fault.New(fault.Busy, "The settlement job no longer exists: the database was restored to an earlier time")
	}
	w, err := kv.Rewrite(ctx, r.Store, state.JobKey(r.campaign.Slug), st.Job.After(at, r.Now()),
		r.Now().Add(psp.EvidenceLife))
	if err != nil {
		return state.Job{}, err
	}
	if err := r.Store.Apply(ctx, []kv.Write{w}); err != nil {
		return state.Job{}, err
	}
	return r.object.Checkpoint(ctx, r.currentLease(), at)
}

// finishJobAt returns the status of the job at a position. After the last supporter, it completes
// the settlement if nothing is left; otherwise the job needs attention, and the next job visits the
// rest again.
func (r *run) finishJobAt(ctx context.Context, at position) (state.JobStatus, error) {
	if at.stage != state.StageEnd {
		return state.JobRunning, nil
	}
	completed, err := r.completeIfDone(ctx)
	if err != nil {
		return "", err
	}
	if completed == nil {
		return state.JobNeedsAttention, nil
	}
	return state.JobDone, nil
}

func (r *run) progress(j state.Job) Progress {
	return Progress{
		CampaignSlug:   r.campaign.Slug,
		BatchProcessed: r.pledges,
		BatchResult: BatchResult{
			Charged:        r.byStatus[DetailCharged],
			Failed:         r.byStatus[DetailFailed],
			Dropped:        r.byStatus[DetailDropped],
			Skipped:        r.byStatus[DetailSkipped],
			Pending:        r.byStatus[DetailPending],
			NeedsAttention: r.byStatus[DetailAttention],
			Errors:         r.byStatus[DetailError],
			Details: r.pick(DetailCharged, DetailFailed, DetailDropped, DetailSkipped,
				DetailPending, DetailAttention, DetailError),
		},
		Progress: j,
		Status:   j.Status,
	}
}
