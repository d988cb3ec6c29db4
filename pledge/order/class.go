package order

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	enlistedKey = "pledges"

	maxCardSessions = 20
	maxHistory      = 500
	maxEnlisted     = 10_000
)

// NewClass returns the class of order objects.
func NewClass() *kv.Class {
	c := kv.NewClass(ClassName)
	kv.OnRepeatable(c, runOpen)
	kv.OnRepeatable(c, runAttach)
	kv.OnQuery(c, runGet)
	kv.OnQuery(c, runGetAccepted)
	kv.OnQuery(c, runGetPledge)
	kv.OnQuery(c, runGetRevision)
	kv.OnRepeatable(c, runConfirm)
	kv.OnRepeatable(c, runAbandon)
	kv.On(c, runModify)
	kv.OnRepeatable(c, runCancel)
	kv.OnRepeatable(c, runJoin)
	kv.On(c, runStartCard)
	kv.OnRepeatable(c, runReplaceCard)
	kv.OnRepeatable(c, runFillCard)
	kv.OnRepeatable(c, runForgetCard)
	kv.OnRepeatable(c, runCardsDetached)
	kv.OnRepeatable(c, runClaim)
	kv.OnRepeatable(c, runCharge)
	kv.OnRepeatable(c, runFail)
	kv.OnRepeatable(c, runDrop)
	kv.OnRepeatable(c, runNoteRefund)
	kv.OnRepeatable(c, runNoteDispute)
	kv.OnRepeatable(c, runEnlist)
	kv.OnQuery(c, runEnlisted)
	registerActs(c)
	return c
}

func runOpen(tx kv.Tx, _ time.Time, cmd open) (string, error) {
	m, err := kv.Decode[Manifest](manifestKey, cmd.Manifest)
	if err != nil {
		return "", err
	}
	if err := m.Check(); err != nil {
		return "", err
	}
	hash := hashOf(cmd.Manifest)
	known, ok, err := kv.Load[head](tx, headKey)
	if err != nil || ok && known.Hash == hash {
		return hash, err
	}
	if ok {
		return "", fault.New(fault.Conflict, "The order already exists")
	}
	if err := tx.Put(manifestKey, cmd.Manifest); err != nil {
		return "", err
	}
	return hash, kv.PutValue(tx, headKey, head{Hash: hash, State: Open})
}

func runAttach(tx kv.Tx, _ time.Time, cmd attach) (none, error) {
	h, err := loadHead(tx)
	if err != nil {
		return none{}, err
	}
	if h.SessionID == cmd.SessionID {
		return none{}, nil
	}
	if h.State != Open || h.SessionID != "" {
		return none{}, fault.New(fault.Conflict, "The checkout has another session")
	}
	h.SessionID = cmd.SessionID
	return none{}, kv.PutValue(tx, headKey, h)
}

func runAbandon(tx kv.Tx, _ time.Time, cmd abandon) (none, error) {
	h, err := loadHead(tx)
	if err != nil {
		return none{}, err
	}
	if h.State == Confirmed {
		return none{}, fault.New(fault.Conflict, "The checkout is complete")
	}
	if h.SessionID != "" && h.SessionID != cmd.SessionID {
		return none{}, fault.New(fault.Conflict, "The checkout has another session")
	}
	h.State = Abandoned
	return none{}, kv.PutValue(tx, headKey, h)
}

func runGet(tx kv.Tx, _ time.Time, _ get) (json.RawMessage, error) {
	h, err := loadHead(tx)
	if err != nil {
		return nil, err
	}
	return partsText(tx, h.Pledges, false)
}

func runGetAccepted(tx kv.Tx, _ time.Time, _ getAccepted) (json.RawMessage, error) {
	if _, err := loadHead(tx); err != nil {
		return nil, err
	}
	text, err := tx.Get(manifestKey)
	return text, err
}

func runGetPledge(tx kv.Tx, _ time.Time, q getPledge) (json.RawMessage, error) {
	if _, err := loadHead(tx); err != nil {
		return nil, err
	}
	return pledgeText(tx, q.PledgeID)
}

func runGetRevision(tx kv.Tx, _ time.Time, q getRevision) (int, error) {
	b, err := tx.Get(pledgePrefix + q.PledgeID)
	if err != nil {
		return 0, err
	}
	if b == nil {
		return 0, fault.New(fault.NotFound, "Pledge not found")
	}
	return kv.Member[int](pledgePrefix+q.PledgeID, b, "revision")
}

func runEnlist(tx kv.Tx, _ time.Time, cmd enlist) ([]string, error) {
	ids, _, err := kv.Load[[]string](tx, enlistedKey)
	if err != nil {
		return nil, err
	}
	if slices.Contains(ids, cmd.PledgeID) {
		return ids, nil
	}
	if len(ids) >= maxEnlisted {
		return nil, fault.New(fault.Conflict, "A supporter can have at most %d pledges", maxEnlisted)
	}
	ids = append(ids, cmd.PledgeID)
	return ids, kv.PutValue(tx, enlistedKey, ids)
}

func runEnlisted(tx kv.Tx, _ time.Time, _ enlisted) ([]string, error) {
	ids, _, err := kv.Load[[]string](tx, enlistedKey)
	return ids, err
}
