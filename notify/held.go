package notify

import (
	"context"
	"time"
)

// Held is a Sender that leaves every mail in the outbox: what a live installation has
// until an email provider is set.
type Held struct{}

// Send takes no mail.
func (Held) Send(context.Context, Mail) (Receipt, error) {
	return Receipt{Outcome: RetryLater, RetryAfter: time.Hour, Reason: "no email provider is set"}, nil
}
