package stripe

import (
	"encoding/json"
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
// time pass, and so is the secret, since it accepts an empty one. Of the event
// only what a Hint holds is read, so its API version does not matter.
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
	var e struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Type    string `json:"type"`
		Live    *bool  `json:"livemode"`
		Created int64  `json:"created"`
		Data    struct {
			Object struct {
				ID      string          `json:"id"`
				Payment json.RawMessage `json:"payment_intent"`
			} `json:"object"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &e) != nil || e.Object != "event" || e.ID == "" || e.Type == "" || e.Live == nil || e.Data.Object.ID == "" {
		return psp.Hint{}, fault.New(fault.Invalid, "The body is not an event")
	}
	return psp.Hint{
		EventID:   e.ID,
		Type:      psp.EventType(e.Type),
		ObjectID:  e.Data.Object.ID,
		PaymentID: nameOf(e.Data.Object.Payment),
		Mode:      modeFlag(*e.Live),
		Created:   time.Unix(e.Created, 0).UTC(),
	}, nil
}

// nameOf reads a reference that is an ID; anything else is none.
func nameOf(raw json.RawMessage) string {
	var id string
	_ = json.Unmarshal(raw, &id)
	return id
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
