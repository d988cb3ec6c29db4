package broadcast

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/kv"
)

// leftOut is a member that was removed from a unit after an attempt with an unknown result:
// the provider may have accepted their mail.
type leftOut struct {
	Item  int    `json:"item"` // index in the chunk
	Why   string `json:"why"`
	After int    `json:"after"` // number of the unit's attempts before it was removed
}

// leaveOut removes the members whose addresses are suppressed from a unit.
//
// If the provider has certainly not accepted the unit, they become Suppressed, and the others are
// sent under a new key.
//
// If the provider may have accepted the unit, the others are retried under the same key. A provider
// that accepted the complete unit rejects different content under that key, so the retry delivers
// no duplicates.
func leaveOut(tx kv.Tx, u unit, skip map[int]string) (unit, error) {
	if len(skip) == 0 {
		return u, nil
	}
	out := func(i int) bool { _, out := skip[i]; return out }
	if !u.UnknownSince.IsZero() {
		for _, i := range u.Items {
			if out(i) {
				u.LeftOut = append(u.LeftOut, leftOut{i, skip[i], u.Attempts})
			}
		}
		u.Items = slices.DeleteFunc(u.Items, out)
		return u, nil
	}
	u.Cut = u.Attempts
	u.Items = slices.DeleteFunc(u.Items, out)
	return u, updateChunk(tx, u.Chunk, func(i int, m *Member) {
		if why, out := skip[i]; out && m.State == Pending {
			m.State, m.Reason = Suppressed, why
		}
	})
}

// finalState returns the final state of a pending member of the chunk, given the result of the
// unit's last attempt. Members of other units stay Pending. A member that was left out has received
// the mail only if the provider accepted an earlier attempt: certainly if the member was part of
// all earlier attempts, possibly if the member was part of some.
func (u unit) finalState(i int, s State, reason string) (State, string) {
	if slices.Contains(u.Items, i) {
		return s, reason
	}
	at := slices.IndexFunc(u.LeftOut, func(l leftOut) bool { return l.Item == i })
	switch {
	case at < 0:
		return Pending, ""
	case s == Ambiguous:
		return s, reason
	case s == Accepted && u.LeftOut[at].After < u.LeftOut[len(u.LeftOut)-1].After:
		return Ambiguous, noAnswer
	case s == Accepted:
		return Accepted, ""
	}
	return Suppressed, u.LeftOut[at].Why
}
