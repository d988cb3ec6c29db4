package resend

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
)

// How long a mail waits at least whose request was refused: for a rate without a time,
// for another request under its key, and for an operator who has to mend the key, the
// domain or the plan.
const (
	forRate     = time.Second
	forAnother  = time.Minute
	forOperator = 15 * time.Minute
)

// usedUp are the errors that come as 429 and are not about a rate.
var usedUp = []string{"daily_quota_exceeded", "monthly_quota_exceeded"}

// receipt says what an answer means for the mail. An answer of Resend's own trouble is
// none: the mail may have been taken.
func receipt(res fetch.Response) (notify.Receipt, error) {
	var body struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	_ = json.Unmarshal(res.Body, &body) // an answer that is not Resend's says no more than its status
	r := notify.Receipt{Outcome: notify.RetryLater, Quota: quota(res), Reason: "Resend answered " + strconv.Itoa(res.Status) + " " + body.Name}
	switch {
	case res.Status >= 200 && res.Status <= 299:
		r.Outcome, r.ProviderID, r.Reason = notify.Accepted, body.ID, ""
	case res.Status == 429 && slices.Contains(usedUp, body.Name):
		r.RetryAfter, r.Account = forOperator, true
	case res.Status == 429:
		r.RetryAfter = pause(res)
		if r.Quota == nil {
			r.Quota = &notify.Quota{Reset: r.RetryAfter}
		}
	case res.Status == 409 && body.Name == "invalid_idempotent_request":
		r.Outcome = notify.KeyReused
		r.Reason += ": it has another mail under this key"
	case res.Status == 409:
		r.RetryAfter = forAnother
	case res.Status == 400, res.Status == 413, res.Status == 422:
		r.Outcome = notify.Refused
	case res.Status >= 300 && res.Status <= 499:
		r.RetryAfter, r.Account = forOperator, true
	default:
		return notify.Receipt{}, errors.New("resend: " + r.Reason)
	}
	return r, nil
}

// pause is how long Resend asks to wait.
func pause(res fetch.Response) time.Duration {
	for _, name := range []string{"retry-after", "ratelimit-reset"} {
		if wait, ok := res.Seconds(name); ok && wait > 0 {
			return wait
		}
	}
	return forRate
}

// quota reads the rate that comes with every answer; nil where it is not told.
func quota(res fetch.Response) *notify.Quota {
	limit, told := res.Number("ratelimit-limit")
	left, also := res.Number("ratelimit-remaining")
	if !told || !also {
		return nil
	}
	reset, _ := res.Seconds("ratelimit-reset")
	return &notify.Quota{Limit: limit, Left: left, Reset: reset}
}
