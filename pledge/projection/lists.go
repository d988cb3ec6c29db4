package projection

import (
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// maxListLengths is the number of remembered lengths above which listLengths forgets all.
const maxListLengths = 10_000

// listLengths remembers the lengths of the supporters' lists that this process has written. Lists
// only grow, so a shorter list is older and must not overwrite a longer one.
type listLengths struct {
	mu sync.Mutex
	of map[string]int // by email
}

// writes returns the writes of a batch's lists. It omits a list that is shorter than one already
// written for the supporter, or not longer than an earlier one in the batch.
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

// remember records the lengths of a batch's lists. It is called after they were written.
func (l *listLengths) remember(batch []*job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil || len(l.of) > maxListLengths {
		l.of = map[string]int{}
	}
	for _, j := range batch {
		if j.email != "" {
			l.of[j.email] = max(l.of[j.email], len(j.list))
		}
	}
}
