package visits

import (
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Register adds the commands to a class.
func Register(c *kv.Class) {
	kv.On(c, runAdd)
	kv.OnQuery(c, runRead)
}

// countsKey is the key of the visits of one breakdown.
func countsKey(d breakdown) string { return "visits/" + string(d) }

type add struct {
	Visits tally `json:"visits"`
}

func (add) Kind() string { return "add visits" }

type none struct{}

func runAdd(tx kv.Tx, _ time.Time, cmd add) (none, error) {
	for _, d := range breakdowns {
		kept, _, err := kv.Load[counts](tx, countsKey(d))
		if err != nil {
			return none{}, err
		}
		if err := kv.PutValue(tx, countsKey(d), d.merge(kept, cmd.Visits[d])); err != nil {
			return none{}, err
		}
	}
	return none{}, nil
}

type read struct{}

func (read) Kind() string { return "visits" }

func runRead(tx kv.Tx, _ time.Time, _ read) (tally, error) {
	t := tally{}
	for _, d := range breakdowns {
		kept, _, err := kv.Load[counts](tx, countsKey(d))
		if err != nil {
			return nil, err
		}
		t[d] = kept
	}
	return t, nil
}
