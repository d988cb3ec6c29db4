package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Lost records the lost orders of a campaign: findings of a check of the processor's completed
// sessions become open breaks, and breaks that the check did not find are resolved. Checks have
// growing numbers; a check that was overtaken by a later one does not count.
func (s *Service) Lost(ctx context.Context, slug string, look int64, found []Finding) error {
	id := fmt.Sprintf("reconcile-lost:%d", look)
	if _, err := kv.Send[none](ctx, s.Coordinator, at(slug), id, lost{Slug: slug, Look: look, Findings: found}); err != nil {
		return err
	}
	return s.copyBreaks(ctx, slug)
}

// lostKey holds the number of the last check.
const lostKey = "reconcile/lost"

// lost records the findings of a check of sessions.
type lost struct {
	Slug     string    `json:"slug"`
	Look     int64     `json:"look"`
	Findings []Finding `json:"findings"`
}

func (lost) Kind() string { return "reconcile-lost" }

func runLost(tx kv.Tx, now time.Time, cmd lost) (none, error) {
	last, _, err := kv.Load[int64](tx, lostKey)
	if err != nil || last >= cmd.Look {
		return none{}, err
	}
	seen := map[string]bool{}
	for _, f := range cmd.Findings {
		seen[f.id()] = true
		if err := found(tx, cmd.Slug, f, int(cmd.Look), now); err != nil {
			return none{}, err
		}
	}
	err = each(tx, openPrefix, func(b Break) error {
		if b.Kind != OrderLost || seen[b.ID] {
			return nil
		}
		b.Status, b.ResolvedAt = Resolved, &now
		return keep(tx, b)
	})
	if err != nil {
		return none{}, err
	}
	return none{}, kv.Keep(tx, lostKey, cmd.Look)
}

// found records a finding of a pass or check.
func found(tx kv.Tx, slug string, f Finding, pass int, now time.Time) error {
	b, known, err := kv.Load[Break](tx, breakPrefix+f.id())
	if err != nil {
		return err
	}
	if !known {
		b = Break{Version: breakVersion, ID: f.id(), CampaignSlug: slug, Severity: f.Kind.severity(), FirstSeenAt: now}
	}
	b.see(f, pass, now)
	return keep(tx, b)
}
