package state

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// runMissing returns the payments that their groups do not record completely (see hasRecorded).
func runMissing(tx kv.Tx, _ time.Time, q missing) ([]ListedPayment, error) {
	lacks := []ListedPayment{}
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

// GroupPage is a page of a list of groups; Next is "" on the last page.
type GroupPage struct {
	Groups []Group `json:"groups"`
	Next   string  `json:"next"`
}

func runFailures(tx kv.Tx, _ time.Time, q failures) (GroupPage, error) {
	return listGroups(tx, failedPrefix, q.After, q.Limit)
}

var failureCursors = regexp.MustCompile(`^(` + failedPrefix + `[0-9a-f]{` + strconv.Itoa(hashDigits) + `})?$`)

// IsFailureCursor reports whether a cursor is valid for Failures: "" or the cursor of a group.
func IsFailureCursor(cursor string) bool { return failureCursors.MatchString(cursor) }

// FailureCursor returns the cursor with which Failures continues after a group.
func FailureCursor(hash string) string { return failedPrefix + hash }

func runUnbooked(tx kv.Tx, _ time.Time, q unbooked) (GroupPage, error) {
	return listGroups(tx, unbookedPrefix, q.After, q.Limit)
}

// listGroups returns a page of the groups in a list, after a cursor.
func listGroups(tx kv.Tx, list, after string, limit int) (GroupPage, error) {
	page := GroupPage{Groups: []Group{}}
	entries, err := tx.List(list, after, limit)
	if err != nil {
		return GroupPage{}, err
	}
	for _, e := range entries {
		g, _, err := kv.Load[Group](tx, groupPrefix+strings.TrimPrefix(e.Key, list))
		if err != nil {
			return GroupPage{}, err
		}
		page.Groups, page.Next = append(page.Groups, g), e.Key
	}
	return page, nil
}

// GroupRecords has the object's records of some groups, by their hashes.
type GroupRecords struct {
	Records map[string]GroupRecord `json:"records"`
	Held    *Held                  `json:"held,omitempty"` // by the circuit breaker
}

// GroupRecord is a group, if there is one, with the supporter's visit request. If the group is
// a pledge's own group, it also has the disagreement that blocks charging that pledge.
type GroupRecord struct {
	Group        *Group        `json:"group"`
	Nonce        string        `json:"nonce,omitempty"`
	Disagreement *Disagreement `json:"disagreement,omitempty"`
}

func runGetGroup(tx kv.Tx, _ time.Time, q getGroup) (GroupRecord, error) {
	g, ok, err := kv.Load[Group](tx, groupPrefix+q.Hash)
	if err != nil {
		return GroupRecord{}, err
	}
	n, _, err := kv.Load[VisitRequest](tx, wantPrefix+q.Hash)
	if !ok {
		return GroupRecord{Nonce: n.Nonce}, err
	}
	return GroupRecord{Group: &g, Nonce: n.Nonce}, err
}

func runGetGroups(tx kv.Tx, now time.Time, q getGroups) (GroupRecords, error) {
	b, _, err := kv.Load[breaker](tx, breakerKey)
	if err != nil {
		return GroupRecords{}, err
	}
	f := GroupRecords{map[string]GroupRecord{}, b.Held}
	held, err := tx.List(disagreementPrefix, "", 1)
	if err != nil {
		return GroupRecords{}, err
	}
	for _, hash := range q.Hashes {
		rec, err := runGetGroup(tx, now, getGroup{Hash: hash})
		if err != nil {
			return GroupRecords{}, err
		}
		if len(held) > 0 {
			if rec.Disagreement, err = loadIfAny[Disagreement](tx, disagreementKey(hash)); err != nil {
				return GroupRecords{}, err
			}
		}
		if rec.Group != nil || rec.Nonce != "" || rec.Disagreement != nil {
			f.Records[hash] = rec
		}
	}
	return f, nil
}
