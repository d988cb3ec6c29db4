package notify

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// refusedKey holds the last refusal of the account, for a day.
const refusedKey = "email-refused:v1"

const refusedLife = 24 * time.Hour

// Refusal is what the provider said when it took nothing from this account: its key does not
// hold, the sender's domain is not authorised for it, or the plan is used up.
type Refusal struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// Refused returns the last refusal of the account; nil where there was none for a day, or
// where a mail that had to wait has left since.
func (o *Outbox) Refused(ctx context.Context) (*Refusal, error) {
	r, ok, err := kv.Read[Refusal](ctx, o.Store, refusedKey)
	if err != nil || !ok {
		return nil, err
	}
	return &r, nil
}

// refused keeps a mail whose account was refused, and why.
func (t *try) refused(ctx context.Context, r Receipt) error {
	if err := t.retry(ctx, r); err != nil {
		return err
	}
	now := t.Now().UTC()
	w, err := kv.Rewrite(ctx, t.Store, refusedKey, Refusal{t.Reason, now}, now.Add(refusedLife))
	if err != nil {
		return err
	}
	return t.Store.Apply(ctx, []kv.Write{w})
}
