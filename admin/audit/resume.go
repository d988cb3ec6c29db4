package audit

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// ResumeAfter is the age at which an unfinished action counts as interrupted.
const ResumeAfter = 5 * time.Minute

// Interrupted is an interrupted action with the data to resume it.
type Interrupted struct {
	ID      string          `json:"id"`
	Since   time.Time       `json:"since"`
	Act     Act             `json:"act"`
	Request json.RawMessage `json:"request"`
	After   int             `json:"after"` // the number of the newest event when the action began
}

// Interrupted returns the interrupted resumable actions, oldest first. It omits an action if a
// later event has the same campaign and order and the same kind of action, such as "supporter".
func (l *Log) Interrupted(ctx context.Context) ([]Interrupted, error) {
	all, err := kv.Ask[[]Interrupted](ctx, l.Coordinator, l.Object, listInterrupted{})
	if err != nil {
		return nil, err
	}
	left := all[:0]
	for _, c := range all {
		over, err := l.superseded(ctx, c)
		if err != nil {
			return nil, err
		}
		if !over {
			left = append(left, c)
		}
	}
	return left, nil
}

func (l *Log) superseded(ctx context.Context, c Interrupted) (bool, error) {
	for e, err := range l.All(ctx, Filter{CampaignSlug: c.Act.CampaignSlug}) {
		if err != nil || e.Number <= c.After {
			return false, err
		}
		if e.CampaignSlug == c.Act.CampaignSlug && e.OrderID == c.Act.OrderID &&
			actionKind(e.Action) == actionKind(c.Act.Action) {
			return true, nil
		}
	}
	return false, nil
}

// actionKind returns the part of an action before the dot, for example "supporter".
func actionKind(action string) string {
	kind, _, _ := strings.Cut(action, ".")
	return kind
}

// Resume calls run, which repeats an interrupted action, and records the result. If run rejects the
// action, the recorded status is Unknown, because it may have changed something before the crash.
// After an error with code Internal or Unavailable, nothing is recorded, and the action can be
// resumed later.
func (l *Log) Resume(ctx context.Context, c Interrupted, act Act, run func() error) error {
	err := run()
	code := fault.CodeOf(err)
	if err != nil && (code == fault.Internal || code == fault.Unavailable) {
		return err
	}
	e := end{begin: begin{ID: c.ID, Act: c.Act}, Status: Unknown, Code: string(code)}
	if err == nil {
		e.Status = Done
		e.Act.Reason, e.Act.Target = truncate(act.Reason), truncate(act.Target)
	}
	if _, err := kv.Send[Event](ctx, l.Coordinator, l.Object, "audit-end:"+c.ID, e); err != nil {
		return err
	}
	return l.copy(ctx)
}

// registerResume adds the commands for resuming.
func registerResume(c *kv.Class) { kv.OnQuery(c, runListInterrupted) }

type listInterrupted struct{}

func (listInterrupted) Kind() string { return "audit-cut-off" }

func runListInterrupted(tx kv.Tx, now time.Time, _ listInterrupted) ([]Interrupted, error) {
	entries, err := tx.List(pendingPrefix, "", batchSize)
	if err != nil {
		return nil, err
	}
	all := []Interrupted{}
	for _, e := range entries {
		u, err := kv.Decode[pending](e.Key, e.Value)
		if err != nil {
			return nil, err
		}
		if len(u.Request) > 0 && !now.Before(u.Since.Add(ResumeAfter)) {
			all = append(all, Interrupted{strings.TrimPrefix(e.Key, pendingPrefix), u.Since, u.Act, u.Request, u.After})
		}
	}
	slices.SortStableFunc(all, func(x, y Interrupted) int { return x.Since.Compare(y.Since) })
	return all, nil
}
