package state

import (
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// JobStatus is the state of a batched settlement.
type JobStatus string

// The statuses of a job. A job that ends with open groups needs attention; the next job visits
// them again.
const (
	JobRunning        JobStatus = "running"
	JobDone           JobStatus = "done"
	JobNeedsAttention JobStatus = "needs_attention"
)

// Stage is the list that a job's cursor refers to.
type Stage string

// The stages of a job, in their order.
const (
	StageOpen       Stage = "open"       // groups that earlier runs left open
	StageSupporters Stage = "supporters" // all supporters with an active pledge
	StageEnd        Stage = "end"        // after the last supporter
)

// Job is a batched settlement and its progress. Counts are numbers of pledges.
type Job struct {
	Version      int       `json:"version" kv:"version"`
	CampaignSlug string    `json:"campaignSlug"`
	Status       JobStatus `json:"status"`
	Currency     string    `json:"currency"`

	// Swept reports whether the accounts of all pledges were compared before the first charge,
	// and SweptTo is the number compared so far.
	Swept   bool   `json:"swept,omitempty"`
	SweptTo int    `json:"sweptTo,omitempty"`
	Stage   Stage  `json:"stage"`
	Cursor  string `json:"cursor"`
	Owner   string `json:"settlementLockOwner"` // of the last batch

	Total               int         `json:"total"` // pledges in the campaign when the job started
	Processed           int         `json:"processed"`
	TotalCharged        int         `json:"totalCharged"`
	TotalFailed         int         `json:"totalFailed"`
	TotalDropped        int         `json:"totalDropped"` // failed, then dropped
	TotalSkipped        int         `json:"totalSkipped"`
	TotalNeedsAttention int         `json:"totalNeedsAttention"`
	AmountCharged       money.Cents `json:"amountCharged"` // cents

	StartedAt        time.Time  `json:"startedAt" kv:"id"`
	LastBatchAt      time.Time  `json:"lastBatchAt"`
	EndedAt          *time.Time `json:"endedAt,omitempty"`
	CurrentBatch     int        `json:"currentBatch"` // from 1
	BatchesCompleted int        `json:"batchesCompleted"`
	// StaleResumeCount is the number of batches that started more than 30 minutes after the
	// previous one, which means that the chain of calls had broken.
	StaleResumeCount int `json:"staleResumeCount"`
}

// stale is the gap between batches above which StaleResumeCount is incremented.
const stale = 30 * time.Minute

const jobVersion = 1

func runStart(tx kv.Tx, now time.Time, cmd start) (Job, error) {
	if _, err := requireLease(tx, now, cmd.fence); err != nil {
		return Job{}, err
	}
	j, known, err := kv.Load[Job](tx, jobKey)
	if err != nil {
		return Job{}, err
	}
	switch {
	case known && j.Owner == cmd.Owner: // a repeated command
		return j, nil
	case known && j.Status == JobRunning:
		if now.Sub(j.LastBatchAt) > stale {
			j.StaleResumeCount++
		}
	case cmd.Fresh:
		j = Job{Version: jobVersion, CampaignSlug: cmd.Slug, Status: JobRunning, Currency: money.USD,
			Stage: StageOpen, Total: cmd.Total, StartedAt: now}
	case known:
		return j, nil
	default:
		return Job{}, fault.New(fault.Conflict, "No settlement is under way; dispatch one first")
	}
	j.Owner, j.LastBatchAt, j.CurrentBatch = cmd.Owner, now, j.BatchesCompleted+1
	return j, kv.PutValue(tx, jobKey, j)
}

func runCheckpoint(tx kv.Tx, now time.Time, cmd Checkpoint) (Job, error) {
	if _, err := requireLease(tx, now, cmd.fence); err != nil {
		return Job{}, err
	}
	j, _, err := kv.Load[Job](tx, jobKey)
	if err != nil {
		return Job{}, err
	}
	if j.Status != JobRunning || j.CurrentBatch != cmd.Batch || j.BatchesCompleted >= cmd.Batch {
		return j, nil
	}
	j = j.After(cmd, now)
	return j, kv.PutValue(tx, jobKey, j)
}

// After returns the job after a batch.
func (j Job) After(cmd Checkpoint, now time.Time) Job {
	j.Stage, j.Cursor, j.Status = cmd.Stage, cmd.Cursor, cmd.Status
	j.Swept, j.SweptTo = j.Swept || cmd.Swept, cmd.SweptTo
	j.Processed += cmd.Processed
	j.TotalSkipped += cmd.Skipped
	j.TotalNeedsAttention += cmd.NeedsAttention
	j.BatchesCompleted, j.LastBatchAt = cmd.Batch, now
	if j.Status != JobRunning {
		j.EndedAt = &now
	}
	return j
}

// countBooked adds a group to the running job in the same transaction that books it, so that a
// batch that crashes before its checkpoint does not lose the count.
func countBooked(tx kv.Tx, g Group) error {
	j, _, err := kv.Load[Job](tx, jobKey)
	if err != nil || j.Status != JobRunning {
		return err
	}
	switch {
	case g.DroppedAt != nil:
		j.TotalDropped += len(g.Orders)
	case g.Status == Succeeded:
		j.TotalCharged += len(g.Orders)
		j.AmountCharged += g.Amount
	default:
		j.TotalFailed += len(g.Orders)
	}
	return kv.PutValue(tx, jobKey, j)
}

// runComplete fails with code Conflict while a group is open. The time of the first completion is
// kept.
func runComplete(tx kv.Tx, now time.Time, cmd complete) (time.Time, error) {
	if _, err := requireLease(tx, now, cmd.fence); err != nil {
		return time.Time{}, err
	}
	open, err := tx.List(openPrefix, "", 1)
	if err != nil {
		return time.Time{}, err
	}
	if len(open) > 0 {
		return time.Time{}, fault.New(fault.Conflict, "A charge of the campaign is not finished")
	}
	at, known, err := kv.Load[time.Time](tx, completeKey)
	if err != nil || known {
		return at, err
	}
	return now, kv.PutValue(tx, completeKey, now)
}

// Overview is the state of a campaign's settlement without its groups.
type Overview struct {
	Lease    Lease      `json:"term"`
	Job      *Job       `json:"job,omitempty"`
	Open     bool       `json:"open"` // a group or a visit request is open
	Complete *time.Time `json:"complete,omitempty"`
	Begun    bool       `json:"begun"` // a charge was frozen or made
	// Closed is when the campaign was closed because it missed its goal.
	Closed   *time.Time `json:"closed,omitempty"`
	Held     *Held      `json:"held,omitempty"`
	Accepted *Accepted  `json:"accepted,omitempty"`
	// SucceededAt is the time of the last successful charge.
	SucceededAt time.Time  `json:"succeededAt,omitzero"`
	Unclosed    *Unclosed  `json:"unclosed,omitempty"`
	Reopening   *Reopened  `json:"reopening,omitempty"` // the last decision since the campaign was closed
	Detaching   *time.Time `json:"detaching,omitempty"` // when the deletion of a closed campaign's cards started
}

func runOverview(tx kv.Tx, _ time.Time, _ getOverview) (Overview, error) {
	lease, _, errLease := kv.Load[Lease](tx, leaseKey)
	job, errJob := loadIfAny[Job](tx, jobKey)
	complete, errComplete := loadIfAny[time.Time](tx, completeKey)
	closed, errClosed := loadIfAny[time.Time](tx, closedKey)
	accepted, errAccepted := loadIfAny[Accepted](tx, acceptedKey)
	reopening, errReopening := loadIfAny[Reopened](tx, reopeningKey)
	detaching, errDetaching := loadIfAny[time.Time](tx, detachingKey)
	unclosed, errUnclosed := loadIfAny[Unclosed](tx, unclosedKey)
	b, _, errBreaker := kv.Load[breaker](tx, breakerKey)
	groups, errGroups := tx.List(groupPrefix, "", 1)
	open, errOpen := runUnfinished(tx, time.Time{}, unfinished{Limit: 1})
	if err := errors.Join(errLease, errJob, errComplete, errClosed, errAccepted, errReopening,
		errDetaching, errUnclosed, errBreaker, errGroups, errOpen); err != nil {
		return Overview{}, err
	}
	return Overview{Lease: lease, Job: job, Open: len(open.Supporters) > 0, Complete: complete, Begun: len(groups) > 0,
		Closed: closed, Held: b.Held, Accepted: accepted, SucceededAt: b.SucceededAt, Reopening: reopening, Detaching: detaching, Unclosed: unclosed}, nil
}

// loadIfAny returns the value of a key, or nil if it has none.
func loadIfAny[T any](tx kv.Tx, key string) (*T, error) {
	v, known, err := kv.Load[T](tx, key)
	if err != nil || !known {
		return nil, err
	}
	return &v, nil
}

// Next returns the stage that follows. With onlyOpen, the supporters are left out.
func (s Stage) Next(onlyOpen bool) Stage {
	if s == StageOpen && !onlyOpen {
		return StageSupporters
	}
	return StageEnd
}
