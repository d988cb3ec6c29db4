package settlement

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The brake stops a settlement in which an unusual share of first charges fails:
// of the last brakeWindow that ended, brakeFailures. Cards of a good campaign fail
// at a few in a hundred; more than every second is a fault of ours, and nobody
// must be told to give another card for that. Later attempts don't count: of
// cards that were refused most are refused again. One refusal of our own key or
// account is enough, since no other charge will do better.
const (
	brakeWindow   = 50
	brakeFailures = 30
)

const brakeKey = "brake"

// Held says that a settlement was stopped, and what for.
type Held struct {
	Since  time.Time      `json:"since"`
	Failed int            `json:"failed"` // of the last charges
	Of     int            `json:"of"`
	Codes  map[string]int `json:"codes"` // why, as the processor says
	// Barred says that the processor refuses the service's key or account.
	Barred bool `json:"barred,omitempty"`
}

// errHeld ends a run: what it has not looked at is looked at after the release.
var errHeld = errors.New("settlement: held")

func (h *Held) error() error {
	if h.Barred {
		return fault.Wrap(errHeld, fault.Conflict, "Settlement is held since %s: the processor refuses the service's key or account (%s). Mend that, then release it",
			h.Since.UTC().Format(time.RFC3339), h.code())
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

// brake is what is remembered of the last charges: "s" or "f" for each.
type brake struct {
	Last  string         `json:"last"`
	Codes map[string]int `json:"codes"`
	Held  *Held          `json:"held,omitempty"`
}

// watchCharge counts the end of a first charge, and any that was barred.
func watchCharge(tx kv.Tx, now time.Time, was Status, g Group, barred bool) error {
	ended := g.Status == Succeeded || g.Status == Failed
	counts := g.Generation == 1 && ended && was != Succeeded && was != Failed
	if !counts && !barred {
		return nil
	}
	b, _, err := kv.Load[brake](tx, brakeKey)
	if err != nil {
		return err
	}
	switch {
	case counts:
		b.count(g, now)
	case b.Held == nil:
		b.Held = &Held{Since: now, Failed: 1, Of: 1, Codes: map[string]int{g.Code: 1}, Barred: true}
	}
	return kv.Keep(tx, brakeKey, b)
}

func (b *brake) count(g Group, now time.Time) {
	end := "s"
	if g.Status == Failed {
		end = "f"
		if b.Codes == nil {
			b.Codes = map[string]int{}
		}
		b.Codes[strings.Trim(g.Code+" "+g.DeclineCode, " ")]++
	}
	b.Last += end
	b.Last = b.Last[max(0, len(b.Last)-brakeWindow):]
	if failed := strings.Count(b.Last, "f"); b.Held == nil && failed >= brakeFailures {
		b.Held = &Held{Since: now, Failed: failed, Of: len(b.Last), Codes: b.Codes}
	}
}

// releaseBrake lets a held settlement go on, counting anew.
type releaseBrake struct{}

func (releaseBrake) Kind() string { return "release-brake" }

func runReleaseBrake(tx kv.Tx, _ time.Time, _ releaseBrake) (none, error) {
	return none{}, tx.Delete(brakeKey)
}

// notHeld fails with code Conflict while the campaign's settlement is held.
func (r *run) notHeld(ctx context.Context) error {
	st, err := r.object.overview(ctx)
	if err == nil && st.Held != nil {
		err = st.Held.error()
	}
	return err
}

// Release lets a campaign's settlement go on that was held because too many
// charges failed. What was not told yet is told then. It fails with code NotFound
// for an unknown campaign; where nothing is held it does nothing.
func (s *Service) Release(ctx context.Context, slug string) (*Held, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return nil, err
	}
	object := client{s.Coordinator, slug}
	st, err := object.overview(ctx)
	if err != nil || st.Held == nil {
		return nil, err
	}
	_, err = kv.Send[none](ctx, s.Coordinator, object.object(), "release-brake:"+st.Held.Since.UTC().Format(time.RFC3339Nano), releaseBrake{})
	return st.Held, err
}
