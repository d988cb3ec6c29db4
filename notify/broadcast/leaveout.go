package broadcast

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/kv"
)

// leftOut is a member whom a unit was without since an attempt whose end is not known: the
// provider may have taken their mail with it.
type leftOut struct {
	Item  int    `json:"item"` // of the chunk
	Why   string `json:"why"`
	After int    `json:"after"` // how many attempts there were by then
}

// leaveOut takes members out of a unit that want no mail.
//
// Where the provider has nothing of the unit, they are done with, and the others are
// another request from then on. Where it may have it, the others are asked for under the
// same key: a provider that has taken the unit with everybody in it refuses to take
// another under that key, so that nobody gets a mail twice and none after they said no.
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
	return u, change(tx, u.Chunk, func(i int, m *Member) {
		if why, out := skip[i]; out && m.State == Pending {
			m.State, m.Reason = Suppressed, why
		}
	})
}

// became tells what became of a waiting member of the chunk when the unit's mails came to a
// state. Whoever was left out has the mail only if the provider has an earlier request:
// surely, where they were in all of those, and in doubt, where they were in some.
func (u unit) became(i int, s State, reason string) (State, string) {
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
