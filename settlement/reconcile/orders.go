package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// RecordLost records the lost orders of a campaign that a check of the processor's completed
// sessions found. The findings become open breaks, and open breaks for lost orders that the check
// did not find are resolved. Checks have increasing numbers; a check is ignored if a later one was
// recorded first.
func (s *Service) RecordLost(ctx context.Context, slug string, check int64, found []Finding) error {
	id := fmt.Sprintf("reconcile-lost:%d", check)
	if _, err := kv.Send[none](ctx, s.Coordinator, objectOf(slug), id,
		recordLost{Slug: slug, Check: check, Findings: found}); err != nil {
		return err
	}
	return s.copyBreaks(ctx, slug)
}

// lostKey holds the number of the last check.
const lostKey = "reconcile/lost"

// recordLost records the findings of a check of sessions.
type recordLost struct {
	Slug     string    `json:"slug"`
	Check    int64     `json:"look"`
	Findings []Finding `json:"findings"`
}

func (recordLost) Kind() string { return "reconcile-lost" }

func runRecordLost(tx kv.Tx, now time.Time, cmd recordLost) (none, error) {
	last, _, err := kv.Load[int64](tx, lostKey)
	if err != nil || last >= cmd.Check {
		return none{}, err
	}
	seen := map[string]bool{}
	for _, f := range cmd.Findings {
		seen[f.id()] = true
		if err := recordFinding(tx, cmd.Slug, f, int(cmd.Check), now); err != nil {
			return none{}, err
		}
	}
	err = eachBreak(tx, openPrefix, func(b Break) error {
		if b.Kind != OrderLost || seen[b.ID] {
			return nil
		}
		b.Status, b.ResolvedAt = Resolved, &now
		return saveBreak(tx, b)
	})
	if err != nil {
		return none{}, err
	}
	return none{}, kv.PutValue(tx, lostKey, cmd.Check)
}

// recordFinding opens a break for a finding of a pass or check, or updates it.
func recordFinding(tx kv.Tx, slug string, f Finding, pass int, now time.Time) error {
	b, known, err := kv.Load[Break](tx, breakPrefix+f.id())
	if err != nil {
		return err
	}
	if !known {
		b = Break{Version: breakVersion, ID: f.id(), CampaignSlug: slug, Severity: f.Kind.severity(), FirstSeenAt: now}
	}
	b.update(f, pass, now)
	return saveBreak(tx, b)
}
