package order

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	orderKey    = "order"
	enlistedKey = "pledges"

	maxCardSessions = 20
	maxHistory      = 500
	maxEnlisted     = 10_000
)

// NewClass returns the behaviour of order objects.
func NewClass() *kv.Class {
	c := kv.NewClass(ClassName)
	kv.On(c, runOpen)
	kv.On(c, runAttach)
	kv.OnQuery(c, runGet)
	kv.OnQuery(c, runGetPledge)
	kv.On(c, runConfirm)
	kv.On(c, runAbandon)
	kv.On(c, runModify)
	kv.On(c, runCancel)
	kv.On(c, runStartCard)
	kv.On(c, runReplaceCard)
	kv.On(c, runClaim)
	kv.On(c, runCharge)
	kv.On(c, runFail)
	kv.On(c, runEnlist)
	kv.OnQuery(c, runEnlisted)
	return c
}

func runOpen(tx kv.Tx, _ time.Time, cmd open) (string, error) {
	if _, known, err := kv.Load[Order](tx, orderKey); err != nil || known {
		return "", orTaken(err)
	}
	if err := cmd.Manifest.Check(); err != nil {
		return "", err
	}
	hash, err := cmd.Manifest.Hash()
	if err != nil {
		return "", err
	}
	o := Order{Manifest: cmd.Manifest, Hash: hash, State: Open}
	return hash, kv.Keep(tx, orderKey, o)
}

func orTaken(err error) error {
	if err != nil {
		return err
	}
	return fault.New(fault.Conflict, "The order exists already")
}

func runAttach(tx kv.Tx, _ time.Time, cmd attach) (none, error) {
	o, err := load(tx)
	if err != nil {
		return none{}, err
	}
	if o.State != Open || o.SessionID != "" && o.SessionID != cmd.SessionID {
		return none{}, fault.New(fault.Conflict, "The checkout has another session")
	}
	o.SessionID = cmd.SessionID
	return none{}, kv.Keep(tx, orderKey, o)
}

func runGet(tx kv.Tx, _ time.Time, _ get) (Order, error) { return load(tx) }

func runGetPledge(tx kv.Tx, _ time.Time, q getPledge) (*pledge.Pledge, error) {
	o, err := load(tx)
	if err != nil {
		return nil, err
	}
	return o.find(q.PledgeID)
}

func runAbandon(tx kv.Tx, _ time.Time, _ abandon) (none, error) {
	o, err := load(tx)
	if err != nil {
		return none{}, err
	}
	if o.State == Confirmed {
		return none{}, fault.New(fault.Conflict, "The checkout is complete")
	}
	o.State = Abandoned
	return none{}, kv.Keep(tx, orderKey, o)
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
		return nil, fault.New(fault.TooMany, "One supporter has at most %d pledges", maxEnlisted)
	}
	ids = append(ids, cmd.PledgeID)
	return ids, kv.Keep(tx, enlistedKey, ids)
}

func runEnlisted(tx kv.Tx, _ time.Time, _ enlisted) ([]string, error) {
	ids, ok, err := kv.Load[[]string](tx, enlistedKey)
	if !ok && err == nil {
		ids = []string{}
	}
	return ids, err
}

func load(tx kv.Tx) (Order, error) {
	o, ok, err := kv.Load[Order](tx, orderKey)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "Order not found")
	}
	return o, err
}

func (o *Order) find(pledgeID string) (*pledge.Pledge, error) {
	if p := o.Pledge(pledgeID); p != nil {
		return p, nil
	}
	return nil, fault.New(fault.NotFound, "Pledge not found")
}

// edit loads a pledge, lets fn change it and keeps the order when it did.
func edit(tx kv.Tx, pledgeID string, fn func(o *Order, p *pledge.Pledge) (changed bool, err error)) (*pledge.Pledge, error) {
	o, err := load(tx)
	if err != nil {
		return nil, err
	}
	p, err := o.find(pledgeID)
	if err != nil {
		return nil, err
	}
	changed, err := fn(&o, p)
	if err != nil || !changed {
		return p, err
	}
	return p, kv.Keep(tx, orderKey, o)
}
