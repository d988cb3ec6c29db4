package notify

import (
	"context"
	"time"
)

// Held is a Sender that leaves every mail in the outbox, for live installations without an
// email provider.
type Held struct{}

// Send returns RetryLater.
func (Held) Send(context.Context, Mail) (Receipt, error) {
	return Receipt{Outcome: RetryLater, RetryAfter: time.Hour, Reason: "no email provider is set"}, nil
}
