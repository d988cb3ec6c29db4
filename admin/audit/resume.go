//go:build !js

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

// Patience is how long an act that can go on is left to the program that began it.
const Patience = 5 * time.Minute

// CutOff is an act whose program died on the way, and what it takes to go on with it.
type CutOff struct {
	ID      string          `json:"id"`
	Since   time.Time       `json:"since"`
	Act     Act             `json:"act"`
	Request json.RawMessage `json:"request"`
	After   int             `json:"after"` // the newest event when it began
}

// CutOff returns the acts that can go on and that nobody has ended, oldest first, without
// those after which somebody did something of the same kind about the same campaign and
// order: what is newer stands.
func (l *Log) CutOff(ctx context.Context) ([]CutOff, error) {
	all, err := kv.Ask[[]CutOff](ctx, l.Coordinator, l.Object, cutOff{})
	if err != nil {
		return nil, err
	}
	left := all[:0]
	for _, c := range all {
		over, err := l.overtaken(ctx, c)
		if err != nil {
			return nil, err
		}
		if !over {
			left = append(left, c)
		}
	}
	return left, nil
}

func (l *Log) overtaken(ctx context.Context, c CutOff) (bool, error) {
	for e, err := range l.All(ctx, Filter{CampaignSlug: c.Act.CampaignSlug}) {
		if err != nil || e.Number <= c.After {
			return false, err
		}
		if e.CampaignSlug == c.Act.CampaignSlug && e.OrderID == c.Act.OrderID && kindOf(e.Action) == kindOf(c.Act.Action) {
			return true, nil
		}
	}
	return false, nil
}

// kindOf is what an action is about, such as "supporter".
func kindOf(action string) string {
	kind, _, _ := strings.Cut(action, ".")
	return kind
}

// Resume goes on with an act, and records how it ended. One that a rule refuses now may have
// changed something before: its end is unknown. One that fails on our side is left for later.
func (l *Log) Resume(ctx context.Context, c CutOff, act Act, run func() error) error {
	err := run()
	code := fault.CodeOf(err)
	if err != nil && (code == fault.Internal || code == fault.Unavailable) {
		return err
	}
	e := end{begin: begin{ID: c.ID, Act: c.Act}, Status: Unknown, Code: string(code)}
	if err == nil {
		e.Status = Done
		e.Act.Reason, e.Act.Target = cut(act.Reason), cut(act.Target)
	}
	if _, err := kv.Send[Event](ctx, l.Coordinator, l.Object, "audit-end:"+c.ID, e); err != nil {
		return err
	}
	return l.copy(ctx)
}

// registerResume adds what going on takes.
func registerResume(c *kv.Class) { kv.OnQuery(c, runCutOff) }

type cutOff struct{}

func (cutOff) Kind() string { return "audit-cut-off" }

func runCutOff(tx kv.Tx, now time.Time, _ cutOff) ([]CutOff, error) {
	entries, err := tx.List(underPrefix, "", atOnce)
	if err != nil {
		return nil, err
	}
	all := []CutOff{}
	for _, e := range entries {
		u, err := kv.Decode[underWay](e.Key, e.Value)
		if err != nil {
			return nil, err
		}
		if len(u.Request) > 0 && !now.Before(u.Since.Add(Patience)) {
			all = append(all, CutOff{strings.TrimPrefix(e.Key, underPrefix), u.Since, u.Act, u.Request, u.After})
		}
	}
	slices.SortStableFunc(all, func(x, y CutOff) int { return x.Since.Compare(y.Since) })
	return all, nil
}
