package broadcast

import (
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// ClassName is the class of this package's objects. Each broadcast is an object, named by its ID.
// Others hold the list of active broadcasts, each campaign's drafts and its sent messages.
const ClassName = "broadcast"

// activeName is the name of the object that lists broadcasts. No broadcast has this ID.
const activeName = "active"

// The keys of an object's state.
const (
	headKey      = "head"
	chunkPrefix  = "chunk/"
	openPrefix   = "open/"   // units without a final result
	activePrefix = "active/" // IDs, in the listing object
	endedPrefix  = "ended/"  // end time and ID of a broadcast, in the listing object
)

// Class returns the class that implements broadcasts.
func Class() *kv.Class {
	c := kv.NewClass(ClassName)
	kv.OnRepeatable(c, runStartDrafting)
	kv.OnRepeatable(c, runAddChunk)
	kv.OnRepeatable(c, runSeal)
	kv.OnRepeatable(c, runAttempt)
	kv.OnRepeatable(c, runAttemptResult)
	kv.OnRepeatable(c, runSetPhase)
	kv.OnRepeatable(c, runMemberEvent)
	kv.OnRepeatable(c, runFinishStop)
	kv.OnRepeatable(c, runForgetAddresses)
	kv.OnQuery(c, runListEnded)
	kv.OnRepeatable(c, runRemoveEnded)
	kv.OnQuery(c, runGetBroadcast)
	kv.OnQuery(c, runNextUnit)
	kv.OnQuery(c, runGetChunk)
	kv.OnRepeatable(c, runAddActive)
	kv.OnRepeatable(c, runRemoveActive)
	kv.OnQuery(c, runListActive)
	kv.OnQuery(c, runReadDraft)
	kv.OnRepeatable(c, runWriteDraft)
	registerSent(c)
	return c
}

type none struct{}

func chunkKey(n int) string { return fmt.Sprintf("%s%06d", chunkPrefix, n) }

func loadBroadcast(tx kv.Tx) (Broadcast, error) {
	b, ok, err := kv.Load[Broadcast](tx, headKey)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "No such broadcast")
	}
	return b, err
}

// startDrafting starts to freeze an audience, replacing an earlier launch that was not sealed. It
// returns the broadcast, which is unchanged if it was sealed or stopped before.
type startDrafting struct {
	Broadcast Broadcast `json:"broadcast"`
}

func (startDrafting) Kind() string { return "draft" }

func runStartDrafting(tx kv.Tx, _ time.Time, cmd startDrafting) (Broadcast, error) {
	b, ok, err := kv.Load[Broadcast](tx, headKey)
	if err != nil || ok && b.Phase != Drafting {
		return b, err
	}
	return cmd.Broadcast, kv.PutValue(tx, headKey, cmd.Broadcast)
}

// addChunk stores a chunk of the audience and opens a unit for it.
type addChunk struct {
	By      string   `json:"by"`
	N       int      `json:"n"`
	Members []Member `json:"members"`
}

func (addChunk) Kind() string { return "add" }

func runAddChunk(tx kv.Tx, now time.Time, cmd addChunk) (none, error) {
	b, err := loadDrafting(tx, cmd.By)
	if err != nil || b.Phase != Drafting {
		return none{}, err
	}
	b.Chunks = max(b.Chunks, cmd.N+1) // Forget then also removes the addresses of an abandoned draft
	if err := kv.PutValue(tx, headKey, b); err != nil {
		return none{}, err
	}
	items := make([]int, len(cmd.Members))
	for i := range items {
		items[i] = i
	}
	if err := kv.PutValue(tx, chunkKey(cmd.N), chunk{cmd.Members}); err != nil {
		return none{}, err
	}
	u := newUnit(cmd.N, items, now)
	return none{}, kv.PutValue(tx, openPrefix+u.Name, u)
}

// loadDrafting returns the broadcast. It fails with code Conflict if another launch has taken over
// from the launch by.
func loadDrafting(tx kv.Tx, by string) (Broadcast, error) {
	b, err := loadBroadcast(tx)
	if err == nil && b.DraftBy != by {
		err = fault.New(fault.Conflict, "Another launch of this broadcast is in progress")
	}
	return b, err
}

// seal completes the audience, removes the rest of an earlier draft and starts sending.
type seal struct {
	By         string `json:"by"`
	Recipients int    `json:"recipients"`
	Size       int    `json:"size"` // members per chunk
	Chunks     int    `json:"chunks"`
}

func (seal) Kind() string { return "seal" }

func runSeal(tx kv.Tx, now time.Time, cmd seal) (Broadcast, error) {
	b, err := loadDrafting(tx, cmd.By)
	if err != nil || b.Phase != Drafting {
		return b, err
	}
	b.Recipients, b.Chunks, b.Phase = cmd.Recipients, cmd.Chunks, Sending
	if err := dropStale(tx, b, cmd.Size); err != nil {
		return b, err
	}
	if b.Chunks == 0 {
		b.Phase, b.EndedAt = Done, now
	}
	return b, kv.PutValue(tx, headKey, b)
}

// dropStale removes the units and chunks of an earlier draft that were not replaced by this one.
func dropStale(tx kv.Tx, b Broadcast, size int) error {
	for u, err := range openUnits(tx) {
		if err != nil {
			return err
		}
		want := min(size, b.Recipients-u.Chunk*size)
		if want > 0 && len(u.Items) == want {
			continue
		}
		if err := tx.Delete(openPrefix + u.Name); err != nil {
			return err
		}
		if want > 0 {
			continue
		}
		if err := tx.Delete(chunkKey(u.Chunk)); err != nil {
			return err
		}
	}
	return nil
}

// openUnits iterates over the units without a final result.
func openUnits(tx kv.Tx) func(func(unit, error) bool) {
	return func(yield func(unit, error) bool) {
		after := ""
		for {
			page, err := tx.List(openPrefix, after, 100)
			if err != nil {
				yield(unit{}, err)
				return
			}
			for _, e := range page {
				u, err := kv.Decode[unit](e.Key, e.Value)
				if !yield(u, err) || err != nil {
					return
				}
				after = e.Key
			}
			if len(page) < 100 {
				return
			}
		}
	}
}

// setPhase pauses, resumes or stops a broadcast.
type setPhase struct {
	To     Phase  `json:"to"`
	Reason string `json:"reason"`
}

func (setPhase) Kind() string { return "turn" }

func runSetPhase(tx kv.Tx, now time.Time, cmd setPhase) (Broadcast, error) {
	b, err := loadBroadcast(tx)
	if err != nil || b.Phase == cmd.To {
		return b, err
	}
	if b.Phase == Done || b.Phase == Stopped || b.Phase == Drafting && cmd.To != Stopped {
		return b, fault.New(fault.Conflict, "The broadcast is %s", b.Phase)
	}
	b.Phase, b.Reason = cmd.To, cmd.Reason
	if cmd.To != Stopped {
		return b, kv.PutValue(tx, headKey, b)
	}
	b.EndedAt = now
	if err := kv.PutValue(tx, headKey, b); err != nil {
		return b, err
	}
	_, err = closeOpenUnits(tx, b, now)
	return b, err
}

type getBroadcast struct{}

func (getBroadcast) Kind() string { return "overview" }

func runGetBroadcast(tx kv.Tx, _ time.Time, _ getBroadcast) (Broadcast, error) {
	return loadBroadcast(tx)
}

type getChunk struct {
	N int `json:"n"`
}

func (getChunk) Kind() string { return "chunk" }

func runGetChunk(tx kv.Tx, _ time.Time, cmd getChunk) (chunk, error) {
	c, _, err := kv.Load[chunk](tx, chunkKey(cmd.N))
	return c, err
}

type addActive struct {
	ID string `json:"id"`
}

func (addActive) Kind() string { return "enlist" }

func runAddActive(tx kv.Tx, _ time.Time, cmd addActive) (none, error) {
	return none{}, tx.Put(activePrefix+cmd.ID, []byte("{}"))
}

type removeActive struct {
	ID string    `json:"id"`
	At time.Time `json:"at"` // when it ended; zero if it was never launched
}

func (removeActive) Kind() string { return "delist" }

func runRemoveActive(tx kv.Tx, _ time.Time, cmd removeActive) (none, error) {
	if !cmd.At.IsZero() {
		if err := tx.Put(endedKey(cmd.ID, cmd.At), []byte("{}")); err != nil {
			return none{}, err
		}
	}
	return none{}, tx.Delete(activePrefix + cmd.ID)
}

// listActive lists the active IDs after the given one, sorted.
type listActive struct {
	After string `json:"after"`
}

func (listActive) Kind() string { return "active" }

// activePage is the maximum number of IDs in an answer.
const activePage = 100

func runListActive(tx kv.Tx, _ time.Time, cmd listActive) ([]string, error) {
	after := ""
	if cmd.After != "" {
		after = activePrefix + cmd.After
	}
	page, err := tx.List(activePrefix, after, activePage)
	ids := []string{}
	for _, e := range page {
		ids = append(ids, e.Key[len(activePrefix):])
	}
	return ids, err
}
