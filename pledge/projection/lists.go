package projection

import (
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// manyLists is the maximum number of remembered list lengths.
const manyLists = 10_000

// listLengths remembers the lengths of the written lists. Lists only grow, so a shorter one
// is older and must not overwrite a longer one.
type listLengths struct {
	mu sync.Mutex
	of map[string]int // by email
}

// writes returns the lists of a batch, the longest for each supporter.
func (l *listLengths) writes(batch []*job) ([]kv.Write, error) {
	var writes []kv.Write
	chosen := map[string]int{"": 0}
	for _, j := range batch {
		if n, done := chosen[j.email]; done && n >= len(j.list) || l.lengthOf(j.email) > len(j.list) {
			continue
		}
		w, err := kv.Record(pledge.EmailKey(j.email), j.list, time.Time{})
		if err != nil {
			return nil, err
		}
		writes, chosen[j.email] = append(writes, w), len(j.list)
	}
	return writes, nil
}

func (l *listLengths) lengthOf(email string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[email]
}

// note remembers the written lengths.
func (l *listLengths) note(batch []*job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil || len(l.of) > manyLists {
		l.of = map[string]int{}
	}
	for _, j := range batch {
		if j.email != "" {
			l.of[j.email] = max(l.of[j.email], len(j.list))
		}
	}
}
