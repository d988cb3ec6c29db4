package audit

import (
	"slices"
	"sort"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// maxRead is how many events one search reads. If the filter matches few of them, the
// caller continues with the cursor.
const maxRead = 1000

// Page is a page of events, newest first.
type Page struct {
	Events []Event `json:"events"`
	// Next is the cursor of the next page, 0 after the last. An empty page can have a next page.
	Next int `json:"next"`
}

// search reads events before a number, newest first; 0 starts with the newest.
type search struct {
	Filter Filter `json:"filter"`
	Before int    `json:"before,omitempty"`
	Limit  int    `json:"limit"`
}

func (search) Kind() string { return "audit-search" }

func runSearch(tx kv.Tx, _ time.Time, q search) (Page, error) {
	page := Page{Events: []Event{}}
	s, _, err := kv.Load[state](tx, stateKey)
	if err != nil {
		return page, err
	}
	before := s.Number + 1
	if q.Before > 0 {
		before = min(before, q.Before)
	}
	if before, err = beforeTime(tx, s, q.Filter.To, before); err != nil {
		return page, err
	}
	for read := 0; before > s.Dropped.Number+1; {
		if read >= maxRead {
			page.Next = before
			return page, nil
		}
		after := max(s.Dropped.Number, before-1-batchSize)
		entries, err := tx.List(linkPrefix, linkKey(after), before-1-after)
		if err != nil {
			return page, err
		}
		read += len(entries)
		for _, entry := range slices.Backward(entries) {
			e, err := decodeEvent(entry)
			if err != nil || e.At.Before(q.Filter.From) {
				return page, err
			}
			if !q.Filter.matches(e) {
				continue
			}
			if len(page.Events) == q.Limit {
				page.Next = e.Number + 1
				return page, nil
			}
			page.Events = append(page.Events, e)
		}
		before = after + 1
	}
	return page, nil
}

// beforeTime returns the number of the first event at or after a time, at most before. It
// uses a binary search, because event times never decrease.
func beforeTime(tx kv.Tx, s state, to time.Time, before int) (int, error) {
	if to.IsZero() {
		return before, nil
	}
	first := s.Dropped.Number + 1
	var failed error
	n := sort.Search(max(before-first, 0), func(i int) bool {
		l, ok, err := kv.Load[link](tx, linkKey(first+i))
		if err != nil || !ok {
			failed = err
			return true
		}
		e, err := l.event()
		if err != nil {
			failed = err
		}
		return !e.At.Before(to)
	})
	return first + n, failed
}
