package notify

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Overdue counts mails that were due before the given time, at most one page per priority.
// Mails of a stopped stream are not counted.
func (o *Outbox) Overdue(ctx context.Context, before time.Time) (int, error) {
	n := 0
	for _, p := range priorities {
		stopped, err := o.Switch().Stopped(ctx, p.stream())
		if err != nil {
			return 0, err
		}
		if stopped != nil {
			continue
		}
		page, err := o.Store.List(ctx, kv.Query{Prefix: queuePrefixOf(p), Limit: kv.MaxPage, KeysOnly: true})
		if err != nil {
			return 0, err
		}
		for _, e := range page.Entries {
			if due, _, ok := parseMarker(e.Key); ok && due.Before(before) {
				n++
			}
		}
	}
	return n, nil
}
