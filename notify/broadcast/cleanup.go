package broadcast

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// addressLife is how long members' addresses are kept after their broadcast ended.
const addressLife = 30 * 24 * time.Hour

// closeOpenUnits closes the units of a stopped broadcast, except those whose attempt may still be
// running, and returns how many are left. Members who may have received the mail become Ambiguous.
// The others stay Pending.
func closeOpenUnits(tx kv.Tx, b Broadcast, now time.Time) (left int, err error) {
	for u, err := range openUnits(tx) {
		switch {
		case err != nil:
			return left, err
		case u.By != "" && now.Before(u.DueAt):
			left++
		case u.By != "" || !u.UnknownSince.IsZero():
			err = closeUnit(tx, b, u, Ambiguous, noAnswer, now)
		default:
			err = tx.Delete(openPrefix + u.Name)
		}
		if err != nil {
			return left, err
		}
	}
	return left, nil
}

// finishStop closes the units that were still being attempted when the broadcast was stopped. It
// returns how many may still be running.
type finishStop struct{}

func (finishStop) Kind() string { return "wind-up" }

func runFinishStop(tx kv.Tx, now time.Time, _ finishStop) (int, error) {
	b, err := loadBroadcast(tx)
	if err != nil || b.Phase != Stopped {
		return 0, err
	}
	return closeOpenUnits(tx, b, now)
}

// forgetAddresses removes the addresses from up to Limit more chunks.
type forgetAddresses struct {
	Limit int `json:"limit"`
}

func (forgetAddresses) Kind() string { return "forget" }

func runForgetAddresses(tx kv.Tx, now time.Time, cmd forgetAddresses) (Broadcast, error) {
	b, err := loadBroadcast(tx)
	if err != nil || b.EndedAt.IsZero() || now.Before(b.EndedAt.Add(addressLife)) {
		return b, err
	}
	for range cmd.Limit {
		if b.Forgotten == b.Chunks {
			break
		}
		err := updateChunk(tx, b.Forgotten, func(_ int, m *Member) { m.Email, m.Unsubscribe = "", "" })
		if err != nil {
			return b, err
		}
		b.Forgotten++
	}
	return b, kv.PutValue(tx, headKey, b)
}

// listEnded returns the IDs of at most 100 broadcasts that ended before a time and still hold
// addresses, oldest first.
type listEnded struct {
	Before time.Time `json:"before"`
}

func (listEnded) Kind() string { return "ended" }

func runListEnded(tx kv.Tx, _ time.Time, cmd listEnded) ([]string, error) {
	page, err := tx.List(endedPrefix, "", 100)
	ids := []string{}
	for _, e := range page {
		at, id, _ := strings.Cut(strings.TrimPrefix(e.Key, endedPrefix), "/")
		if at < cmd.Before.UTC().Format(time.RFC3339) {
			ids = append(ids, id)
		}
	}
	return ids, err
}

func endedKey(id string, at time.Time) string {
	return endedPrefix + at.UTC().Format(time.RFC3339) + "/" + id
}

// removeEnded removes a broadcast from the list of those that still hold addresses.
type removeEnded struct {
	ID string    `json:"id"`
	At time.Time `json:"at"` // when it ended
}

func (removeEnded) Kind() string { return "forgotten" }

func runRemoveEnded(tx kv.Tx, _ time.Time, cmd removeEnded) (none, error) {
	return none{}, tx.Delete(endedKey(cmd.ID, cmd.At))
}
