package state

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Problems are the problems of a campaign that operators need to resolve, and its last job.
type Problems struct {
	Job  *Job  `json:"job,omitempty"`
	Held *Held `json:"held,omitempty"`
	// Attention reports whether a charge waits for two operators (see Resolve), and Disagreements
	// counts the pledges that wait because their terms differ from the processor's record (see
	// AcceptTerms).
	Attention     bool `json:"attention"`
	Disagreements int  `json:"disagreements"`
}

type listProblems struct{}

func (listProblems) Kind() string { return "problems" }

func runListProblems(tx kv.Tx, _ time.Time, _ listProblems) (p Problems, err error) {
	if p.Job, err = loadIfAny[Job](tx, jobKey); err != nil {
		return p, err
	}
	b, _, err := kv.Load[breaker](tx, breakerKey)
	if err != nil {
		return p, err
	}
	p.Held = b.Held
	if p.Attention, err = anyNeedsAttention(tx); err != nil {
		return p, err
	}
	err = eachDisagreement(tx, func(_ string, d Disagreement) error {
		if !d.Accepted() {
			p.Disagreements++
		}
		return nil
	})
	return p, err
}

// anyNeedsAttention reports whether one of the first kv.MaxPage open charges needs attention. Few
// charges are open between runs.
func anyNeedsAttention(tx kv.Tx) (bool, error) {
	open, err := tx.List(openPrefix, "", kv.MaxPage)
	if err != nil {
		return false, err
	}
	for _, e := range open {
		g, _, err := kv.Load[Group](tx, groupPrefix+strings.TrimPrefix(e.Key, openPrefix))
		if err != nil || g.Status == NeedsAttention {
			return err == nil, err
		}
	}
	return false, nil
}
