package state

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// VisitRequest asks the next run to process a supporter's charge groups. The nonce distinguishes it
// from a later request for the same supporter.
type VisitRequest struct {
	Supporter string `json:"supporter"`
	Nonce     string `json:"nonce" kv:"id"`
}

func runRequestVisit(tx kv.Tx, _ time.Time, cmd requestVisit) (none, error) {
	return none{}, kv.PutValue(tx, wantPrefix+cmd.Hash, VisitRequest{Supporter: cmd.Supporter, Nonce: cmd.Nonce})
}

func runClearVisit(tx kv.Tx, now time.Time, cmd clearVisit) (none, error) {
	if _, err := requireLease(tx, now, cmd.fence); err != nil {
		return none{}, err
	}
	n, _, err := kv.Load[VisitRequest](tx, wantPrefix+cmd.Hash)
	if err != nil || n.Nonce != cmd.Nonce {
		return none{}, err
	}
	return none{}, tx.Delete(wantPrefix + cmd.Hash)
}

// SupporterPage lists supporters with open groups or visit requests; Next is "" on the last page.
type SupporterPage struct {
	Supporters []string `json:"supporters"`
	Next       string   `json:"next"`
}

// runUnfinished pages through the open groups and then the visit requests.
func runUnfinished(tx kv.Tx, _ time.Time, q unfinished) (SupporterPage, error) {
	page := SupporterPage{Supporters: []string{}}
	if !strings.HasPrefix(q.After, wantPrefix) {
		entries, err := tx.List(openPrefix, q.After, q.Limit)
		if err != nil {
			return SupporterPage{}, err
		}
		for _, e := range entries {
			page.Supporters = append(page.Supporters, string(e.Value))
			page.Next = e.Key
		}
		if len(entries) == 0 {
			q.After = ""
		}
	}
	if len(page.Supporters) > 0 {
		return page, nil
	}
	entries, err := tx.List(wantPrefix, q.After, q.Limit)
	if err != nil {
		return SupporterPage{}, err
	}
	for _, e := range entries {
		n, _, err := kv.Load[VisitRequest](tx, e.Key)
		if err != nil {
			return SupporterPage{}, err
		}
		page.Supporters = append(page.Supporters, n.Supporter)
		page.Next = e.Key
	}
	return page, nil
}
