package postmark

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
)

// Minimum waits after a refused request: after a rate limit, whose window Postmark does not report;
// during Postmark's maintenance; and until an operator can fix the token, the sender's address or
// the account.
const (
	rateWait        = 10 * time.Second
	maintenanceWait = 5 * time.Minute
	operatorWait    = 15 * time.Minute
)

// Error codes that are not about the account
// (https://postmarkapp.com/developer/api/overview#error-codes). For any other code the mail
// is kept and retried until an operator has fixed the problem.
const (
	accepted      = 0
	maintenance   = 100
	internalError = 101
	invalid       = 300
	notJSON       = 402
	wrongFields   = 403
	inactive      = 406
	tooManyMails  = 410
	tooFast       = 429
)

// descriptions explains error codes to the operator. Postmark's own messages are not used, because
// they contain addresses.
var descriptions = map[int]string{
	10:           "not a valid server token",
	maintenance:  "maintenance",
	invalid:      "the mail is not valid",
	400:          "no sender signature for the sender's address",
	401:          "the sender signature for the sender's address is not confirmed",
	notJSON:      "the request could not be parsed",
	wrongFields:  "a field of the mail is not valid",
	405:          "the account has no sending credits left",
	inactive:     "the address is on Postmark's suppression list, after a bounce, a complaint or an unsubscribe",
	tooManyMails: "too many mails in a batch",
	412:          "the account is not approved yet",
	413:          "the account is not allowed to send",
	422:          "the server or the account is not valid",
	tooFast:      "too many requests",
	1235:         "the server has no such message stream",
	1236:         "this type of message stream cannot send",
	1480:         "requests from this IP address are not allowed",
}

// mailResult is Postmark's result for one mail.
type mailResult struct {
	Code *int   `json:"ErrorCode"`
	ID   string `json:"MessageID"`
	Text string `json:"Message"`
}

// senderError matches messages that reject the sender's address, which an operator can fix. Only
// the start of a message is examined: the rest may contain the recipient's address.
var senderError = regexp.MustCompile(`^(Invalid|Error parsing|Invalid request field\(s\):) 'From'`)

// receipt converts a response to a receipt. It fails for a server error other than maintenance, and
// for a success without a message ID, because the mail may have been accepted.
func receipt(res fetch.Response) (notify.Receipt, error) {
	var v mailResult
	// A response without a code is from a proxy: only its status counts.
	known := json.Unmarshal(res.Body, &v) == nil && v.Code != nil
	switch {
	case known && (succeeded(res) || *v.Code == maintenance):
		return v.receipt()
	case res.Status == 429:
		return rateLimited(res), nil
	case res.Status == 413:
		return notify.Receipt{Outcome: notify.Refused, Reason: "Postmark answered 413: the request is too long"}, nil
	case known && res.Status >= 400 && res.Status <= 499 && *v.Code != accepted:
		return v.receipt()
	case res.Status >= 300 && res.Status <= 499:
		return accountProblem(describe(res.Status, v)), nil
	}
	return notify.Receipt{}, errors.New("postmark: " + describe(res.Status, v))
}

func succeeded(res fetch.Response) bool { return res.Status >= 200 && res.Status <= 299 }

// receipt converts the code to a receipt. It fails if the mail may have been accepted.
func (v mailResult) receipt() (notify.Receipt, error) {
	r := notify.Receipt{Outcome: notify.RetryLater, Reason: describe(0, v)}
	switch *v.Code {
	case accepted:
		if v.ID == "" {
			return notify.Receipt{}, errors.New("postmark: the response has no message ID")
		}
		return notify.Receipt{Outcome: notify.Accepted, ProviderID: v.ID}, nil
	case internalError:
		return notify.Receipt{}, errors.New("postmark: " + r.Reason)
	case invalid, wrongFields:
		if senderError.MatchString(v.Text) {
			return accountProblem(r.Reason + ", for its sender's address"), nil
		}
		r.Outcome = notify.Refused
	case notJSON, inactive, tooManyMails:
		r.Outcome = notify.Refused
	case maintenance:
		r.RetryAfter = maintenanceWait
	case tooFast:
		r.RetryAfter, r.Quota = rateWait, &notify.Quota{Reset: rateWait}
	default:
		return accountProblem(r.Reason), nil
	}
	return r, nil
}

func accountProblem(reason string) notify.Receipt {
	return notify.Receipt{Outcome: notify.RetryLater, RetryAfter: operatorWait, Account: true, Reason: reason}
}

// rateLimited returns a receipt with a Quota, so that the Pace delays all mails.
func rateLimited(res fetch.Response) notify.Receipt {
	wait, ok := res.Seconds("retry-after")
	if !ok || wait == 0 {
		wait = rateWait
	}
	return notify.Receipt{Outcome: notify.RetryLater, RetryAfter: wait, Quota: &notify.Quota{Reset: wait},
		Reason: "Postmark answered 429: " + descriptions[tooFast]}
}

// describe returns an explanation of the code, or of the status if there is no code.
func describe(status int, v mailResult) string {
	if v.Code == nil || *v.Code == accepted {
		return "Postmark answered " + strconv.Itoa(status)
	}
	s := "Postmark answered error " + strconv.Itoa(*v.Code)
	if why := descriptions[*v.Code]; why != "" {
		s += ": " + why
	}
	return s
}
