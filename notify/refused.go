package notify

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// refusedKey is the key of the last Refusal, which is kept for a day.
const refusedKey = "email-refused:v1"

const refusedLife = 24 * time.Hour

// Refusal is the provider's reason for rejecting all mails from the account, such as an invalid
// API key, an unverified sender domain or a used-up quota.
type Refusal struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// Refused returns the account's last refusal. It is nil if there was none in the last 24 hours,
// or if a retried mail has been sent since.
func (o *Outbox) Refused(ctx context.Context) (*Refusal, error) {
	r, ok, err := kv.Read[Refusal](ctx, o.Store, refusedKey)
	if err != nil || !ok {
		return nil, err
	}
	return &r, nil
}

// retryAfterRefusal schedules a retry and records that the account was refused.
func (a *attempt) retryAfterRefusal(ctx context.Context, r Receipt) error {
	if err := a.retry(ctx, r); err != nil {
		return err
	}
	now := a.Now().UTC()
	w, err := kv.Rewrite(ctx, a.Store, refusedKey, Refusal{a.Reason, now}, now.Add(refusedLife))
	if err != nil {
		return err
	}
	return a.Store.Apply(ctx, []kv.Write{w})
}
