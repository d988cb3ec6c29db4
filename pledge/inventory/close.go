package inventory

import (
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

type closeCampaign struct{}

func (closeCampaign) Kind() string { return "close-campaign" }

type reopenCampaign struct{}

func (reopenCampaign) Kind() string { return "reopen-campaign" }

func runClose(tx kv.Tx, now time.Time, _ closeCampaign) (none, error) {
	if _, closed, err := kv.Load[time.Time](tx, closedKey); err != nil || closed {
		return none{}, err
	}
	holds, err := tx.List(holdPrefix, "", 1)
	if err != nil {
		return none{}, err
	}
	if len(holds) > 0 {
		return none{}, fault.New(fault.Conflict, "A checkout of the campaign is in progress")
	}
	return none{}, kv.PutValue(tx, closedKey, now)
}

func runReopen(tx kv.Tx, _ time.Time, _ reopenCampaign) (none, error) {
	return none{}, tx.Delete(closedKey)
}

// checkOpen fails with code Conflict if the campaign was closed.
func checkOpen(tx kv.Tx) error {
	value, err := tx.Get(closedKey)
	if err != nil || value == nil {
		return err
	}
	return fault.New(fault.Conflict, "The campaign has missed its goal and is closed")
}
