package broadcast

import (
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// ClassName is the class of broadcast objects. Each broadcast has one, named by its ID, and
// one more lists the active broadcasts.
const ClassName = "broadcast"

// activeName is the name of the object that lists broadcasts. It cannot be an ID.
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
	kv.OnRepeatable(c, runDraft)
	kv.OnRepeatable(c, runAdd)
	kv.OnRepeatable(c, runSeal)
	kv.OnRepeatable(c, runAttempt)
	kv.OnRepeatable(c, runTell)
	kv.OnRepeatable(c, runTurn)
	kv.OnRepeatable(c, runNote)
	kv.OnRepeatable(c, runWindUp)
	kv.OnRepeatable(c, runForget)
	kv.OnQuery(c, runEnded)
	kv.OnRepeatable(c, runForgotten)
	kv.OnQuery(c, runOverview)
	kv.OnQuery(c, runNext)
	kv.OnQuery(c, runChunk)
	kv.OnRepeatable(c, runEnlist)
	kv.OnRepeatable(c, runDelist)
	kv.OnQuery(c, runActive)
	kv.OnQuery(c, runReadDraft)
	kv.OnRepeatable(c, runWriteDraft)
	registerSent(c)
	return c
}

type none struct{}

func chunkKey(n int) string { return fmt.Sprintf("%s%06d", chunkPrefix, n) }

func head(tx kv.Tx) (Broadcast, error) {
	b, ok, err := kv.Load[Broadcast](tx, headKey)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "No such broadcast")
	}
	return b, err
}

// draft starts to freeze an audience. It starts over if an earlier launch was not sealed.
type draft struct {
	Broadcast Broadcast `json:"broadcast"`
}

func (draft) Kind() string { return "draft" }

func runDraft(tx kv.Tx, _ time.Time, cmd draft) (Broadcast, error) {
	b, ok, err := kv.Load[Broadcast](tx, headKey)
	if err != nil || ok && b.Phase != Drafting {
		return b, err
	}
	return cmd.Broadcast, kv.Keep(tx, headKey, cmd.Broadcast)
}

// add stores a chunk of the audience.
type add struct {
	By      string   `json:"by"`
	N       int      `json:"n"`
	Members []Member `json:"members"`
}

func (add) Kind() string { return "add" }

func runAdd(tx kv.Tx, now time.Time, cmd add) (none, error) {
	b, err := drafted(tx, cmd.By)
	if err != nil || b.Phase != Drafting {
		return none{}, err
	}
	b.Chunks = max(b.Chunks, cmd.N+1) // so that Forget covers the addresses of an abandoned draft
	if err := kv.Keep(tx, headKey, b); err != nil {
		return none{}, err
	}
	items := make([]int, len(cmd.Members))
	for i := range items {
		items[i] = i
	}
	if err := kv.Keep(tx, chunkKey(cmd.N), chunk{cmd.Members}); err != nil {
		return none{}, err
	}
	u := newUnit(cmd.N, items, now)
	return none{}, kv.Keep(tx, openPrefix+u.Name, u)
}

// drafted returns the broadcast if by is the launch that is freezing its audience.
func drafted(tx kv.Tx, by string) (Broadcast, error) {
	b, err := head(tx)
	if err == nil && b.DraftBy != by {
		err = fault.New(fault.Conflict, "Another launch of this broadcast is in progress")
	}
	return b, err
}

// seal completes the audience and removes what an earlier draft left behind.
type seal struct {
	By         string `json:"by"`
	Recipients int    `json:"recipients"`
	Size       int    `json:"size"` // members per chunk
	Chunks     int    `json:"chunks"`
}

func (seal) Kind() string { return "seal" }

func runSeal(tx kv.Tx, now time.Time, cmd seal) (Broadcast, error) {
	b, err := drafted(tx, cmd.By)
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
	return b, kv.Keep(tx, headKey, b)
}

// dropStale removes the units and chunks of an earlier draft that this one did not replace.
func dropStale(tx kv.Tx, b Broadcast, size int) error {
	for u, err := range open(tx) {
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

// open iterates over the units without a final result.
func open(tx kv.Tx) func(func(unit, error) bool) {
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

// turn pauses, resumes or stops a broadcast.
type turn struct {
	To     Phase  `json:"to"`
	Reason string `json:"reason"`
}

func (turn) Kind() string { return "turn" }

func runTurn(tx kv.Tx, now time.Time, cmd turn) (Broadcast, error) {
	b, err := head(tx)
	if err != nil || b.Phase == cmd.To {
		return b, err
	}
	if b.Phase == Done || b.Phase == Stopped || b.Phase == Drafting && cmd.To != Stopped {
		return b, fault.New(fault.Conflict, "The broadcast is %s", b.Phase)
	}
	b.Phase, b.Reason = cmd.To, cmd.Reason
	if cmd.To != Stopped {
		return b, kv.Keep(tx, headKey, b)
	}
	b.EndedAt = now
	if err := kv.Keep(tx, headKey, b); err != nil {
		return b, err
	}
	_, err = abandon(tx, b, now)
	return b, err
}

type overview struct{}

func (overview) Kind() string { return "overview" }

func runOverview(tx kv.Tx, _ time.Time, _ overview) (Broadcast, error) { return head(tx) }

type getChunk struct {
	N int `json:"n"`
}

func (getChunk) Kind() string { return "chunk" }

func runChunk(tx kv.Tx, _ time.Time, cmd getChunk) (chunk, error) {
	c, _, err := kv.Load[chunk](tx, chunkKey(cmd.N))
	return c, err
}

type enlist struct {
	ID string `json:"id"`
}

func (enlist) Kind() string { return "enlist" }

func runEnlist(tx kv.Tx, _ time.Time, cmd enlist) (none, error) {
	return none{}, tx.Put(activePrefix+cmd.ID, []byte("{}"))
}

type delist struct {
	ID string    `json:"id"`
	At time.Time `json:"at"` // when it ended; zero if it was never launched
}

func (delist) Kind() string { return "delist" }

func runDelist(tx kv.Tx, _ time.Time, cmd delist) (none, error) {
	if !cmd.At.IsZero() {
		if err := tx.Put(endedKey(cmd.ID, cmd.At), []byte("{}")); err != nil {
			return none{}, err
		}
	}
	return none{}, tx.Delete(activePrefix + cmd.ID)
}

// active lists the active IDs after the given one, sorted.
type active struct {
	After string `json:"after"`
}

func (active) Kind() string { return "active" }

// activePage is the maximum number of IDs in an answer.
const activePage = 100

func runActive(tx kv.Tx, _ time.Time, cmd active) ([]string, error) {
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
