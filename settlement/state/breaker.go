package state

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The circuit breaker stops a settlement if an unusual share of first charges fails:
// breakerFailures of the last breakerWindow results. In a normal campaign a few percent of the
// cards are declined; if more than half are, the service itself is probably at fault, and
// supporters must not be asked for another card. Later attempts do not count, because most
// declined cards are declined again.
//
// One rejection of the service's key or account is enough, because no other charge would
// succeed.
//
// After several charges in a row without an answer, the others wait, because each of them
// would end with an unknown outcome. A probe is sent at intervals, and its answer closes the
// breaker.
//
// Requests that the processor rejects as invalid also indicate a fault of the service: a few
// in a row with the same code open the breaker.
const (
	breakerWindow   = 50
	breakerFailures = 30
	breakerSilence  = 20
	breakerRefusals = 3
	probeEvery      = 30 * time.Minute
)

const breakerKey = "brake"

// Held describes why a settlement is held.
type Held struct {
	Since  time.Time      `json:"since"`
	Failed int            `json:"failed"` // failed charges among the last Of
	Of     int            `json:"of"`
	Codes  map[string]int `json:"codes"` // the processor's codes and their counts
	// Barred reports whether the processor refuses the service's key or account.
	Barred bool `json:"barred,omitempty"`
	// Refused reports whether the processor rejects requests as invalid, all with the same code.
	Refused bool `json:"refused,omitempty"`
	// Unanswered is the number of charges in a row without an answer if that opened the breaker.
	// ProbeAt is when the next one is sent.
	Unanswered int        `json:"unanswered,omitempty"`
	ProbeAt    *time.Time `json:"probeAt,omitempty"`
	// Paused is an operator's reason for holding the settlement; "" if the breaker opened.
	Paused string `json:"paused,omitempty"`
}

// SilentAt reports whether charges get no answer and the next probe is not due yet.
func (h *Held) SilentAt(now time.Time) bool {
	return h != nil && h.Unanswered > 0 && now.Before(*h.ProbeAt)
}

// ForbidsAt reports whether new charges are blocked at now. A due probe is not.
func (h *Held) ForbidsAt(now time.Time) bool {
	return h != nil && (h.Unanswered == 0 || h.SilentAt(now))
}

// Err returns the error, with code Conflict and ErrHeld, for callers that must not charge.
func (h *Held) Err() error {
	if h.Paused != "" {
		return fault.Wrap(ErrHeld, fault.Conflict,
			"Settlement has been held since %s: an operator paused it (%s). Release the settlement to continue",
			h.Since.UTC().Format(time.RFC3339), h.Paused)
	}
	if h.Unanswered > 0 {
		return fault.Wrap(ErrHeld, fault.Conflict,
			"Settlement has been held since %s: %d charges in a row got no answer. One is tried again at %s; release it to try all",
			h.Since.UTC().Format(time.RFC3339), h.Unanswered, h.ProbeAt.UTC().Format(time.RFC3339))
	}
	if h.Barred {
		return fault.Wrap(ErrHeld, fault.Conflict,
			"Settlement has been held since %s: the processor refuses the service's key or account (%s). Fix the key, then release it",
			h.Since.UTC().Format(time.RFC3339), h.code())
	}
	if h.Refused {
		return fault.Wrap(ErrHeld, fault.Conflict,
			"Settlement has been held since %s: the processor refused the last %d charges as invalid (%s). Fix the cause, then release it: they are charged again, and no supporter is asked for another card",
			h.Since.UTC().Format(time.RFC3339), h.Failed, h.code())
	}
	return fault.Wrap(ErrHeld, fault.Conflict,
		"Settlement has been held since %s: %d of the last %d charges failed (%s). Find out why, then release it",
		h.Since.UTC().Format(time.RFC3339), h.Failed, h.Of, h.why())
}

func (h *Held) why() string { return fmt.Sprintf("%s %d times", h.code(), h.Codes[h.code()]) }

// code returns the most frequent code.
func (h *Held) code() string {
	most := ""
	for code, n := range h.Codes {
		if most == "" || n > h.Codes[most] || n == h.Codes[most] && code < most {
			most = code
		}
	}
	return most
}

// breaker is the state of the circuit breaker. Last has the results of the last first charges, "s"
// for a success and "f" for a failure, and Codes counts the codes of all failures.
type breaker struct {
	Last  string         `json:"last"`
	Codes map[string]int `json:"codes"`
	Held  *Held          `json:"held,omitempty"`
	// Unanswered is the number of charges without an answer since the last answered one.
	Unanswered int `json:"unanswered,omitempty"`
	// Refused counts the last charges in a row that were rejected as invalid with RefusedCode.
	Refused     int    `json:"refused,omitempty"`
	RefusedCode string `json:"refusedCode,omitempty"`
	// SucceededAt is the time of the last successful charge.
	SucceededAt time.Time `json:"succeededAt,omitzero"`
}

// watchCharge updates the breaker with a result: the outcome of a first charge, a rejection of the
// key or account, a request rejected as invalid, or a charge without an answer. It also records the
// time of the last success.
func watchCharge(tx kv.Tx, now time.Time, was GroupStatus, g Group, f Result) error {
	ended := g.Status == Succeeded || g.Status == Failed
	counts := g.Generation == 1 && ended && was != Succeeded && was != Failed
	b, _, err := kv.Load[breaker](tx, breakerKey)
	if err != nil {
		return err
	}
	changed := b.countUnanswered(f, now)
	if g.RefusedBefore() == nil { // otherwise one card could stop all charges
		changed = b.countRefusals(f, now) || changed
	}
	if g.Status == Succeeded && was != Succeeded {
		b.SucceededAt, changed = now, true
	}
	if !counts && !f.Barred {
		if !changed {
			return nil
		}
		return kv.PutValue(tx, breakerKey, b)
	}
	switch {
	case counts:
		b.countOutcome(g, now)
	case b.Held == nil || b.Held.Unanswered > 0:
		b.Held = &Held{Since: now, Failed: 1, Of: 1, Codes: map[string]int{g.Code: 1}, Barred: true}
	}
	return kv.PutValue(tx, breakerKey, b)
}

// RefusedBefore returns when the previous attempt was rejected as invalid, if an operator's release
// repeated it, otherwise nil.
func (g *Group) RefusedBefore() *time.Time {
	if n := len(g.History); n > 0 && g.History[n-1].Void && g.History[n-1].Refused {
		return g.History[n-1].SettledAt
	}
	return nil
}

// countUnanswered counts charges without an answer, and reports whether the breaker changed. Any
// other response to a charge resets the count and closes a breaker that opened because of silence.
// Lookups and requests that were never sent do not count.
func (b *breaker) countUnanswered(f Result, now time.Time) bool {
	switch {
	case f.FromLookup, f.Status == psp.NotStarted && f.RequestID == "":
		return false
	case f.Status != psp.Unknown:
		was := b.Unanswered
		b.Unanswered = 0
		if b.Held != nil && b.Held.Unanswered > 0 {
			b.Held = nil
		}
		return was > 0
	}
	b.Unanswered++
	if b.Held == nil && b.Unanswered >= breakerSilence {
		b.Held = &Held{Since: now, Codes: map[string]int{}}
	}
	if h := b.Held; h != nil && b.Unanswered >= breakerSilence && h.Failed == 0 && h.Paused == "" {
		at := now.Add(probeEvery)
		h.Unanswered, h.ProbeAt = b.Unanswered, &at
	}
	return true
}

// countRefusals counts requests in a row that were rejected with the same code, and reports
// whether the breaker changed.
func (b *breaker) countRefusals(f Result, now time.Time) bool {
	switch {
	case f.FromLookup, f.isInconclusive():
		return false
	case f.Status != psp.Refused:
		changed := b.Refused > 0
		b.Refused, b.RefusedCode = 0, ""
		return changed
	case f.Code != b.RefusedCode:
		b.Refused, b.RefusedCode = 0, f.Code
	}
	if b.Refused++; b.Refused >= breakerRefusals && (b.Held == nil || b.Held.Unanswered > 0) {
		b.Held = &Held{Since: now, Failed: b.Refused, Of: b.Refused, Codes: map[string]int{f.Code: b.Refused}, Refused: true}
	}
	return true
}

// admitRequest fails with code Conflict while charges get no answer and the next probe is not due.
// If the probe is due, admitRequest admits it and sets the time of the one after it.
func admitRequest(tx kv.Tx, now time.Time) error {
	b, _, err := kv.Load[breaker](tx, breakerKey)
	if err != nil || b.Held == nil || b.Held.Unanswered == 0 {
		return err
	}
	if b.Held.SilentAt(now) {
		return b.Held.Err()
	}
	at := now.Add(probeEvery)
	b.Held.ProbeAt = &at
	return kv.PutValue(tx, breakerKey, b)
}

// countOutcome adds a group's success or failure to the last outcomes, and stops the campaign's
// charges if too many of these are failures.
func (b *breaker) countOutcome(g Group, now time.Time) {
	end := "s"
	if g.Status == Failed {
		end = "f"
		if b.Codes == nil {
			b.Codes = map[string]int{}
		}
		b.Codes[strings.Trim(g.Code+" "+g.DeclineCode, " ")]++
	}
	b.Last += end
	b.Last = b.Last[max(0, len(b.Last)-breakerWindow):]
	if failed := strings.Count(b.Last, "f"); (b.Held == nil || b.Held.Unanswered > 0) && failed >= breakerFailures {
		b.Held = &Held{Since: now, Failed: failed, Of: len(b.Last), Codes: b.Codes}
	}
}

// resetBreaker closes the breaker and clears its counts.
type resetBreaker struct{}

func (resetBreaker) Kind() string { return "release-brake" }

// runResetBreaker also voids the attempts that were rejected as invalid and not emailed to the
// supporter yet, so that they are repeated.
func runResetBreaker(tx kv.Tx, now time.Time, _ resetBreaker) (none, error) {
	for after := ""; ; {
		open, err := tx.List(openPrefix, after, kv.MaxPage)
		if err != nil {
			return none{}, err
		}
		for _, e := range open {
			after = e.Key
			g, _, err := kv.Load[Group](tx, groupPrefix+strings.TrimPrefix(e.Key, openPrefix))
			if err != nil {
				return none{}, err
			}
			if g.Status != Failed || !g.Refused || g.Booked {
				continue
			}
			g.void(now)
			if err := saveGroup(tx, g); err != nil {
				return none{}, err
			}
		}
		if len(open) < kv.MaxPage {
			b, _, err := kv.Load[breaker](tx, breakerKey)
			if err != nil {
				return none{}, err
			}
			return none{}, kv.PutValue(tx, breakerKey, breaker{SucceededAt: b.SucceededAt})
		}
	}
}

// ErrHeld marks an error that ends a run or forbids an irreversible action until an operator, the clock or
// the processor's answer removes the cause. Nothing is lost by waiting.
var ErrHeld = errors.New("settlement: held")
