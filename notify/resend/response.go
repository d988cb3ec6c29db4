package resend

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
)

// Minimum waits after a refused request: after a rate limit without a stated wait, during another
// request under the same key, and until an operator can fix the API key, the domain or the plan.
const (
	rateWait       = time.Second
	concurrentWait = time.Minute
	operatorWait   = 15 * time.Minute
)

// quotaErrors lists the 429 errors that are about a quota, not about the request rate.
var quotaErrors = []string{"daily_quota_exceeded", "monthly_quota_exceeded"}

// receipt converts a response to a receipt. It fails for a status below 200 or above 499, because
// the mail may have been accepted.
func receipt(res fetch.Response) (notify.Receipt, error) {
	var body struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	_ = json.Unmarshal(res.Body, &body) // a proxy's response has only a status
	r := notify.Receipt{Outcome: notify.RetryLater, Quota: quota(res),
		Reason: "Resend answered " + strconv.Itoa(res.Status) + " " + body.Name}
	switch {
	case res.Status >= 200 && res.Status <= 299:
		r.Outcome, r.ProviderID, r.Reason = notify.Accepted, body.ID, ""
	case res.Status == 429 && slices.Contains(quotaErrors, body.Name):
		r.RetryAfter, r.Account = operatorWait, true
	case res.Status == 429:
		r.RetryAfter = retryAfter(res)
		if r.Quota == nil {
			r.Quota = &notify.Quota{Reset: r.RetryAfter}
		}
	case res.Status == 409 && body.Name == "invalid_idempotent_request":
		r.Outcome = notify.KeyReused
		r.Reason += ": the key was used with other content"
	case res.Status == 409:
		r.RetryAfter = concurrentWait
	case res.Status == 400, res.Status == 413, res.Status == 422:
		r.Outcome = notify.Refused
	case res.Status >= 300 && res.Status <= 499:
		r.RetryAfter, r.Account = operatorWait, true
	default:
		return notify.Receipt{}, errors.New("resend: " + r.Reason)
	}
	return r, nil
}

// retryAfter returns how long Resend asks to wait, or rateWait if it states no wait.
func retryAfter(res fetch.Response) time.Duration {
	for _, name := range []string{"retry-after", "ratelimit-reset"} {
		if wait, ok := res.Seconds(name); ok && wait > 0 {
			return wait
		}
	}
	return rateWait
}

// quota reads the rate limit headers; nil if there are none.
func quota(res fetch.Response) *notify.Quota {
	limit, hasLimit := res.Number("ratelimit-limit")
	left, hasLeft := res.Number("ratelimit-remaining")
	if !hasLimit || !hasLeft {
		return nil
	}
	reset, _ := res.Seconds("ratelimit-reset")
	return &notify.Quota{Limit: limit, Left: left, Reset: reset}
}
