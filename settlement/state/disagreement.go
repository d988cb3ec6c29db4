package state

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const disagreementPrefix = "disagreement/" // hash of the pledge's own group → Disagreement

func disagreementKey(hash string) string { return disagreementPrefix + hash }

// Disagreement is a pledge whose terms at the processor do not permit its charge.
type Disagreement struct {
	PledgeID string          `json:"orderId" kv:"id"`
	Amount   money.Cents     `json:"amount"`   // cents, of the pledge in our records
	Recorded agreement.Terms `json:"recorded"` // at the processor
	FoundAt  time.Time       `json:"foundAt"`
	SeenAt   time.Time       `json:"seenAt"`           // when an import last found it
	SeenBy   string          `json:"seenBy,omitempty"` // the owner of that import's lease; not returned by queries
	// The decision of two operators that the pledge may be charged its Amount.
	StatedBy    string     `json:"statedBy,omitempty"`
	Reason      string     `json:"reason,omitempty"`
	ConfirmedBy string     `json:"confirmedBy,omitempty"`
	ConfirmedAt *time.Time `json:"confirmedAt,omitempty"`
}

// Accepted reports whether two operators decided that the pledge may be charged.
func (d *Disagreement) Accepted() bool { return d != nil && d.ConfirmedBy != "" }

// IsSame reports whether two disagreements are about the same amount and terms of a pledge.
func (d *Disagreement) IsSame(o Disagreement) bool {
	return d.PledgeID == o.PledgeID && d.Amount == o.Amount && d.Recorded == o.Recorded
}

type noteDisagreement struct {
	fence
	Hash         string       `json:"hash"` // of the pledge's own group
	Disagreement Disagreement `json:"disagreement"`
}

func (noteDisagreement) Kind() string { return "disagreement" }

// runNoteDisagreement keeps the operators' decisions while the difference is unchanged.
func runNoteDisagreement(tx kv.Tx, now time.Time, cmd noteDisagreement) (none, error) {
	if _, err := requireLease(tx, now, cmd.fence); err != nil {
		return none{}, err
	}
	d := cmd.Disagreement
	last, known, err := kv.Load[Disagreement](tx, disagreementKey(cmd.Hash))
	if err != nil {
		return none{}, err
	}
	if known && last.IsSame(d) {
		d = last
	} else {
		d.FoundAt = now
	}
	d.SeenAt, d.SeenBy = now, cmd.Owner
	return none{}, kv.PutValue(tx, disagreementKey(cmd.Hash), d)
}

// pruneDisagreements removes the disagreements that the import under this lease did not find
// again.
type pruneDisagreements struct {
	fence
}

func (pruneDisagreements) Kind() string { return "prune-disagreements" }

func runPruneDisagreements(tx kv.Tx, now time.Time, cmd pruneDisagreements) (none, error) {
	if _, err := requireLease(tx, now, cmd.fence); err != nil {
		return none{}, err
	}
	return none{}, eachDisagreement(tx, func(key string, d Disagreement) error {
		if d.SeenBy != cmd.Owner {
			return tx.Delete(key)
		}
		return nil
	})
}

// listDisagreements requests all disagreements.
type listDisagreements struct{}

func (listDisagreements) Kind() string { return "disagreements" }

func runListDisagreements(tx kv.Tx, _ time.Time, _ listDisagreements) ([]Disagreement, error) {
	all := []Disagreement{}
	err := eachDisagreement(tx, func(_ string, d Disagreement) error {
		d.SeenBy = ""
		all = append(all, d)
		return nil
	})
	return all, err
}

func eachDisagreement(tx kv.Tx, do func(key string, d Disagreement) error) error {
	for after := ""; ; {
		entries, err := tx.List(disagreementPrefix, after, kv.MaxPage)
		if err != nil {
			return err
		}
		for _, e := range entries {
			after = e.Key
			d, err := kv.Decode[Disagreement](e.Key, e.Value)
			if err != nil {
				return err
			}
			if err := do(e.Key, d); err != nil {
				return err
			}
		}
		if len(entries) < kv.MaxPage {
			return nil
		}
	}
}

type acceptTerms struct {
	Hash     string `json:"hash"`
	Operator string `json:"operator"`
	Reason   string `json:"reason"`
	// About is the disagreement that the decision is about.
	About Disagreement `json:"about"`
}

func (acceptTerms) Kind() string { return "accept-terms" }

// runAcceptTerms also records a disagreement that no run has recorded yet.
func runAcceptTerms(tx kv.Tx, now time.Time, cmd acceptTerms) (Disagreement, error) {
	d, known, err := kv.Load[Disagreement](tx, disagreementKey(cmd.Hash))
	if err != nil {
		return d, err
	}
	if !known {
		d = cmd.About
	}
	switch {
	case !d.IsSame(cmd.About):
		return d, fault.New(fault.Conflict, "The terms have changed in the meantime: list them again")
	case d.Accepted(), d.StatedBy == cmd.Operator:
		return d, nil
	case d.StatedBy == "":
		d.StatedBy, d.Reason = cmd.Operator, cmd.Reason
	default:
		d.ConfirmedBy, d.ConfirmedAt = cmd.Operator, &now
	}
	return d, kv.PutValue(tx, disagreementKey(cmd.Hash), d)
}
