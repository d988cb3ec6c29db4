package reminder

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// healthKey is the key of the counts over all carts. They are stored, because counting the carts
// would require listing them, and finished ones are deleted.
const healthKey = "abandoned-cart-health:v1"

// Health counts carts by their result. The figures are for information only: concurrent updates
// may lose a count.
type Health struct {
	Queued      int `json:"queued"`      // checkouts with consent to a reminder
	Sent        int `json:"sent"`        // mails added to the outbox
	Completed   int `json:"completed"`   // pledged after all
	AlreadySent int `json:"alreadySent"` // already reminded of the same campaigns
	Suppressed  int `json:"suppressed"`  // suppressed addresses
	Skipped     int `json:"skipped"`     // no campaign accepts pledges any longer
	Failed      int `json:"failed"`      // failed attempts, which are retried
}

func (h Health) plus(o Health) Health {
	return Health{
		h.Queued + o.Queued, h.Sent + o.Sent, h.Completed + o.Completed, h.AlreadySent + o.AlreadySent,
		h.Suppressed + o.Suppressed, h.Skipped + o.Skipped, h.Failed + o.Failed,
	}
}

// Health returns the counts since the installation was set up.
func (c *Carts) Health(ctx context.Context) (Health, error) {
	h, _, err := kv.Read[Health](ctx, c.Store, healthKey)
	return h, err
}

// countWrite returns the write that adds more to the counts.
func (c *Carts) countWrite(ctx context.Context, more Health) (kv.Write, error) {
	h, err := c.Health(ctx)
	if err != nil {
		return kv.Write{}, err
	}
	return kv.Record(healthKey, h.plus(more), time.Time{})
}
