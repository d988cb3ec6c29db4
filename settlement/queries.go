package settlement

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// runMissing returns the payments that no group records.
func runMissing(tx kv.Tx, _ time.Time, q missing) ([]paid, error) {
	lacks := []paid{}
	for _, p := range q.Payments {
		g, known, err := kv.Load[Group](tx, groupPrefix+p.Hash)
		if err != nil {
			return nil, err
		}
		if !known || !g.hasRecorded(p) {
			lacks = append(lacks, p)
		}
	}
	return lacks, nil
}

// groupPage is a page of a list of groups; Next is "" on the last page.
type groupPage struct {
	Groups []Group `json:"groups"`
	Next   string  `json:"next"`
}

func runFailures(tx kv.Tx, _ time.Time, q failures) (groupPage, error) {
	return listed(tx, failedPrefix, q.After, q.Limit)
}

func runUnbooked(tx kv.Tx, _ time.Time, q unbooked) (groupPage, error) {
	return listed(tx, unbookedPrefix, q.After, q.Limit)
}

func listed(tx kv.Tx, list, after string, limit int) (groupPage, error) {
	page := groupPage{Groups: []Group{}}
	entries, err := tx.List(list, after, limit)
	if err != nil {
		return groupPage{}, err
	}
	for _, e := range entries {
		g, _, err := kv.Load[Group](tx, groupPrefix+strings.TrimPrefix(e.Key, list))
		if err != nil {
			return groupPage{}, err
		}
		page.Groups, page.Next = append(page.Groups, g), e.Key
	}
	return page, nil
}

// groupRecords is what the object has about some groups, by their hashes.
type groupRecords struct {
	Records map[string]record `json:"records"`
	Held    *Held             `json:"held,omitempty"` // by the circuit breaker
}

// record is a group, if there is one, with the supporter's visit request and, if the group is the
// own group of a pledge, whatever blocks charging that pledge.
type record struct {
	Group        *Group        `json:"group"`
	Nonce        string        `json:"nonce,omitempty"`
	Disagreement *Disagreement `json:"disagreement,omitempty"`
}

func runGetGroup(tx kv.Tx, _ time.Time, q getGroup) (record, error) {
	g, ok, err := kv.Load[Group](tx, groupPrefix+q.Hash)
	if err != nil {
		return record{}, err
	}
	n, _, err := kv.Load[visitRequest](tx, wantPrefix+q.Hash)
	if !ok {
		return record{Nonce: n.Nonce}, err
	}
	return record{Group: &g, Nonce: n.Nonce}, err
}

func runGetGroups(tx kv.Tx, now time.Time, q getGroups) (groupRecords, error) {
	b, _, err := kv.Load[breaker](tx, breakerKey)
	if err != nil {
		return groupRecords{}, err
	}
	f := groupRecords{map[string]record{}, b.Held}
	held, err := tx.List(disagreementPrefix, "", 1)
	if err != nil {
		return groupRecords{}, err
	}
	for _, hash := range q.Hashes {
		rec, err := runGetGroup(tx, now, getGroup{Hash: hash})
		if err != nil {
			return groupRecords{}, err
		}
		if len(held) > 0 {
			if rec.Disagreement, err = loadIfAny[Disagreement](tx, disagreementKey(hash)); err != nil {
				return groupRecords{}, err
			}
		}
		if rec.Group != nil || rec.Nonce != "" || rec.Disagreement != nil {
			f.Records[hash] = rec
		}
	}
	return f, nil
}
