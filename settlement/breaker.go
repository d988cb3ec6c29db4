package settlement

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The circuit breaker stops a settlement in which an unusual share of first charges fails:
// of the last breakerWindow that ended, breakerFailures. Cards of a good campaign fail
// at a few in a hundred; more than every second is a fault of ours, and nobody
// must be told to give another card for that. Later attempts don't count: of
// cards that were refused most are refused again. One refusal of our own key or
// account is enough, since no other charge will do better. And where so many charges in a
// row get no answer, the rest of the campaign is spared: each would become a charge in
// doubt. Every so often one is sent all the same, and its answer ends that. A request that the
// processor refuses as invalid is a fault of ours too: a few alike in a row are enough.
const (
	breakerWindow   = 50
	breakerFailures = 30
	breakerSilence  = 20
	breakerRefusals = 3
	probeEvery      = 30 * time.Minute
)

const breakerKey = "brake"

// Held says that a settlement was stopped, and what for.
type Held struct {
	Since  time.Time      `json:"since"`
	Failed int            `json:"failed"` // of the last charges
	Of     int            `json:"of"`
	Codes  map[string]int `json:"codes"` // why, as the processor says
	// Barred says that the processor refuses the service's key or account.
	Barred bool `json:"barred,omitempty"`
	// Refused reports whether the processor refuses our requests as invalid, all alike.
	Refused bool `json:"refused,omitempty"`
	// Unanswered is how many charges in a row got no answer, where that is why, and ProbeAt
	// when the next one is tried.
	Unanswered int        `json:"unanswered,omitempty"`
	ProbeAt    *time.Time `json:"probeAt,omitempty"`
}

// silentAt reports whether charges get no answer, and it is not time to try another.
func (h *Held) silentAt(now time.Time) bool {
	return h != nil && h.Unanswered > 0 && now.Before(*h.ProbeAt)
}

// forbidsAt reports whether no new charge may be begun. One whose turn it is to be tried again may.
func (h *Held) forbidsAt(now time.Time) bool {
	return h != nil && (h.Unanswered == 0 || h.silentAt(now))
}

func (h *Held) error() error {
	if h.Unanswered > 0 {
		return fault.Wrap(errHeld, fault.Conflict, "Settlement is held since %s: %d charges in a row got no answer. One is tried again at %s; release it to try all",
			h.Since.UTC().Format(time.RFC3339), h.Unanswered, h.ProbeAt.UTC().Format(time.RFC3339))
	}
	if h.Barred {
		return fault.Wrap(errHeld, fault.Conflict, "Settlement is held since %s: the processor refuses the service's key or account (%s). Mend that, then release it",
			h.Since.UTC().Format(time.RFC3339), h.code())
	}
	if h.Refused {
		return fault.Wrap(errHeld, fault.Conflict, "Settlement is held since %s: the processor refused the last %d charges as invalid (%s). Fix the cause, then release it: they are charged again, and no supporter is asked for another card",
			h.Since.UTC().Format(time.RFC3339), h.Failed, h.code())
	}
	return fault.Wrap(errHeld, fault.Conflict, "Settlement is held since %s: %d of the last %d charges failed (%s). Find out why, then release it",
		h.Since.UTC().Format(time.RFC3339), h.Failed, h.Of, h.why())
}

func (h *Held) why() string { return fmt.Sprintf("%s %d times", h.code(), h.Codes[h.code()]) }

// code is the most frequent one.
func (h *Held) code() string {
	most := ""
	for code, n := range h.Codes {
		if most == "" || n > h.Codes[most] || n == h.Codes[most] && code < most {
			most = code
		}
	}
	return most
}

// breaker is what is remembered of the last charges: "s" or "f" for each.
type breaker struct {
	Last  string         `json:"last"`
	Codes map[string]int `json:"codes"`
	Held  *Held          `json:"held,omitempty"`
	// Unanswered counts the charges since the last one that was answered.
	Unanswered int `json:"unanswered,omitempty"`
	// Refused counts the last charges in a row that were refused as invalid with RefusedCode.
	Refused     int    `json:"refused,omitempty"`
	RefusedCode string `json:"refusedCode,omitempty"`
	// SucceededAt is when a charge succeeded last.
	SucceededAt time.Time `json:"succeededAt,omitzero"`
}

// watchCharge counts the end of a first charge, any that was barred, and those in a row
// that got no answer.
func watchCharge(tx kv.Tx, now time.Time, was Status, g Group, f fact) error {
	ended := g.Status == Succeeded || g.Status == Failed
	counts := g.Generation == 1 && ended && was != Succeeded && was != Failed
	b, _, err := kv.Load[breaker](tx, breakerKey)
	if err != nil {
		return err
	}
	changed := b.listen(f, now)
	if g.refusedBefore() == nil { // else it would keep the others from being charged
		changed = b.countRefusals(f, now) || changed
	}
	if g.Status == Succeeded && was != Succeeded {
		b.SucceededAt, changed = now, true
	}
	if !counts && !f.Barred {
		if !changed {
			return nil
		}
		return kv.Keep(tx, breakerKey, b)
	}
	switch {
	case counts:
		b.count(g, now)
	case b.Held == nil || b.Held.Unanswered > 0:
		b.Held = &Held{Since: now, Failed: 1, Of: 1, Codes: map[string]int{g.Code: 1}, Barred: true}
	}
	return kv.Keep(tx, breakerKey, b)
}

// refusedBefore returns when the attempt before was refused as invalid, if operators had it made
// again; else nil.
func (g *Group) refusedBefore() *time.Time {
	if n := len(g.History); n > 0 && g.History[n-1].Void && g.History[n-1].Refused {
		return g.History[n-1].SettledAt
	}
	return nil
}

// mayTell fails with errSilent for a request that was refused again after a release, for a day,
// while no other charge has succeeded: the cause may not lie with its supporter.
func (a *admission) mayTell(ctx context.Context, g Group) error {
	before := g.refusedBefore()
	if !g.Refused || before == nil || a.Now().Sub(g.chargedAt()) > day {
		return nil
	}
	st, err := a.object.overview(ctx)
	if err == nil && st.SucceededAt.Before(*before) {
		err = errSilent
	}
	return err
}

// listen counts charges without an answer, and reports whether that changes anything. An
// answer to a question says nothing about charges, nor does one that was never sent.
func (b *breaker) listen(f fact, now time.Time) bool {
	switch {
	case f.Asked, f.Status == psp.NotStarted && f.RequestID == "":
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
	if h := b.Held; h != nil && b.Unanswered >= breakerSilence && h.Failed == 0 {
		at := now.Add(probeEvery)
		h.Unanswered, h.ProbeAt = b.Unanswered, &at
	}
	return true
}

// countRefusals counts requests in a row that were refused alike, and reports whether that
// changes anything.
func (b *breaker) countRefusals(f fact, now time.Time) bool {
	switch {
	case f.Asked, f.saysNothing():
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

// maySend fails with code Conflict while charges get no answer. One that is tried all the
// same puts the next one off.
func maySend(tx kv.Tx, now time.Time) error {
	b, _, err := kv.Load[breaker](tx, breakerKey)
	if err != nil || b.Held == nil || b.Held.Unanswered == 0 {
		return err
	}
	if b.Held.silentAt(now) {
		return b.Held.error()
	}
	at := now.Add(probeEvery)
	b.Held.ProbeAt = &at
	return kv.Keep(tx, breakerKey, b)
}

func (b *breaker) count(g Group, now time.Time) {
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

// resetBreaker lets a held settlement go on, counting anew.
type resetBreaker struct{}

func (resetBreaker) Kind() string { return "release-brake" }

// runResetBreaker also ends the attempts that were refused as invalid and of which no supporter
// was told: they are made again.
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
			if err := keepGroup(tx, g); err != nil {
				return none{}, err
			}
		}
		if len(open) < kv.MaxPage {
			b, _, err := kv.Load[breaker](tx, breakerKey)
			if err != nil {
				return none{}, err
			}
			return none{}, kv.Keep(tx, breakerKey, breaker{SucceededAt: b.SucceededAt})
		}
	}
}

// checkBreaker fails with code Conflict while the breaker is open for the results of charges.
// While charges get no answer, those that were sent are still looked up, and known results are
// booked.
func (a *admission) checkBreaker(ctx context.Context) error {
	st, err := a.object.overview(ctx)
	if err == nil && st.Held != nil && st.Held.Unanswered == 0 {
		err = st.Held.error()
	}
	return err
}

// errSilent leaves a charge for later that is not sent while charges get no answer, or of which
// its supporter is not told yet.
var errSilent = errors.New("settlement: the charge waits")

// silent makes errSilent of the object's refusal to send.
func (r *run) silent(ctx context.Context, refused error) error {
	if !fault.Is(refused, fault.Conflict) {
		return refused
	}
	st, err := r.object.overview(ctx)
	if err == nil && st.Held.silentAt(r.Now()) {
		return errSilent
	}
	return refused
}

// Release lets a campaign's settlement go on that was held because too many charges failed, and
// has requests made again that were refused as invalid and of which no supporter was told. What
// else was not told yet is told then. It returns what had held the settlement, nil if nothing
// had. It fails with code NotFound for an unknown campaign.
func (s *Service) Release(ctx context.Context, slug string) (*Held, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return nil, err
	}
	object := client{s.Coordinator, slug}
	st, err := object.overview(ctx)
	if err != nil || st.Held == nil && !st.Open {
		return nil, err
	}
	nonce, err := s.nonce()
	if err != nil {
		return nil, err
	}
	_, err = kv.Send[none](ctx, s.Coordinator, object.object(), "release-brake:"+nonce, resetBreaker{})
	return st.Held, err
}
