package stripe

import (
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v82/webhook"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// SignatureHeader is the header with a webhook's signature.
const SignatureHeader = "Stripe-Signature"

// Verify implements psp.Processor. The library checks the signature. The age is checked here,
// because the library uses the system clock and accepts any future time. An empty secret is
// rejected here, because the library accepts it.
func (p *Processor) Verify(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
	if secret == "" {
		return psp.Hint{}, unauthorized()
	}
	if webhook.ValidatePayloadIgnoringTolerance(body, signature, secret) != nil {
		return psp.Hint{}, unauthorized()
	}
	at, ok := signedAt(signature)
	if !ok || at.Before(now.Add(-psp.Tolerance)) || at.After(now.Add(psp.Tolerance)) {
		return psp.Hint{}, unauthorized()
	}
	return psp.ReadHint(body)
}

func unauthorized() error { return fault.New(fault.Unauthorized, "Invalid signature") }

// signedAt parses a signature header's timestamp, which has exactly one valid
// form. Several timestamps are rejected: the signature could be valid for one and
// the age for another.
func signedAt(signature string) (time.Time, bool) {
	var found []string
	for part := range strings.SplitSeq(signature, ",") {
		if t, ok := strings.CutPrefix(strings.TrimSpace(part), "t="); ok {
			found = append(found, t)
		}
	}
	if len(found) != 1 {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(found[0], 10, 64)
	return time.Unix(seconds, 0), err == nil && strconv.FormatInt(seconds, 10) == found[0]
}
