package notify

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Overdue counts the mails that should have left before a time, up to a page of each lane.
// Those of a stream that is stopped wait as they should, and are not counted.
func (o *Outbox) Overdue(ctx context.Context, before time.Time) (int, error) {
	n := 0
	for _, l := range lanes {
		stopped, err := o.Switch().Stopped(ctx, l.stream())
		if err != nil {
			return 0, err
		}
		if stopped != nil {
			continue
		}
		page, err := o.Store.List(ctx, kv.Query{Prefix: queueOf(l), Limit: kv.MaxPage, KeysOnly: true})
		if err != nil {
			return 0, err
		}
		for _, e := range page.Entries {
			if due, _, ok := marked(e.Key); ok && due.Before(before) {
				n++
			}
		}
	}
	return n, nil
}
