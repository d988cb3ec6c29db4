package stripe

import (
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v82/webhook"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// SignatureHeader is the header in which the processor signs its webhooks.
const SignatureHeader = "Stripe-Signature"

// Verify implements psp.Processor. The library checks the signature; the age
// is checked here, since the library reads the wall clock and lets any future
// time pass, and so is the secret, since it accepts an empty one.
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

// signedAt reads the one time of a signature header, which has one way to be
// written. Several times are none: the signature would hold for one of them and
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
