package reminder

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// healthKey holds what became of all carts, so that nobody has to list them.
const healthKey = "abandoned-cart-health:v1"

// Health counts carts by what became of them. Where several servers count at once, one
// count may be lost: it is for looking at.
type Health struct {
	Queued      int `json:"queued"`      // checkouts whose supporter asked for a reminder
	Sent        int `json:"sent"`        // mails that were handed to the outbox
	Completed   int `json:"completed"`   // pledged after all
	AlreadySent int `json:"alreadySent"` // reminded of the same campaigns before
	Suppressed  int `json:"suppressed"`  // of addresses that get no more reminders
	Skipped     int `json:"skipped"`     // of campaigns that take no pledges any more
	Failed      int `json:"failed"`      // attempts that are repeated
}

func (h Health) plus(o Health) Health {
	return Health{
		h.Queued + o.Queued, h.Sent + o.Sent, h.Completed + o.Completed, h.AlreadySent + o.AlreadySent,
		h.Suppressed + o.Suppressed, h.Skipped + o.Skipped, h.Failed + o.Failed,
	}
}

// Health returns the counts of all time.
func (c *Carts) Health(ctx context.Context) (Health, error) {
	h, _, err := kv.Read[Health](ctx, c.Store, healthKey)
	return h, err
}

// count returns the write that adds to the counts.
func (c *Carts) count(ctx context.Context, more Health) (kv.Write, error) {
	h, err := c.Health(ctx)
	if err != nil {
		return kv.Write{}, err
	}
	return kv.Record(healthKey, h.plus(more), time.Time{})
}
