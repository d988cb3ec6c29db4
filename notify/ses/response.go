package ses

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
)

// Minimum waits after a refused request: after a rate limit, which is per second and not reported
// by SES, and until an operator can fix the access key, the sender's domain or the account.
const (
	rateWait     = time.Second
	operatorWait = 15 * time.Minute
)

// Errors about the mail and errors about the rate. For any other error the mail is kept and
// retried until an operator has fixed the problem.
var (
	mailErrors = []string{"BadRequestException", "MessageRejected", "ValidationException"}
	rateErrors = []string{"TooManyRequestsException", "ThrottlingException", "Throttling"}
)

// Prefixes of SES's messages about problems that an operator can fix: an unverified sender (or
// recipient, in the sandbox), and a used-up daily quota. The rest of a message is not used,
// because it contains addresses.
const (
	unverified  = "Email address is not verified"
	quotaUsedUp = "Daily message quota exceeded"
)

// descriptions explains errors to the operator.
var descriptions = map[string]string{
	"AccountSuspendedException":          "the account is permanently suspended",
	"BadRequestException":                "the request is not valid",
	"MailFromDomainNotVerifiedException": "the custom MAIL FROM domain is not verified",
	"MessageRejected":                    "the mail is not valid",
	"NotFoundException":                  "unknown configuration set",
	"SendingPausedException":             "sending is paused for the account or the configuration set",
	"TooManyRequestsException":           "too many requests",
	"AccessDeniedException":              "the access key lacks the permission ses:SendEmail",
	"InvalidSignatureException":          "the access key's secret is wrong, or this machine's clock is wrong",
	"SignatureDoesNotMatch":              "the access key's secret is wrong",
	"UnrecognizedClientException":        "unknown access key",
	"InvalidClientTokenId":               "unknown access key",
}

// errorType matches SES's error types.
var errorType = regexp.MustCompile(`^[A-Za-z]{1,64}$`)

// apiError is an error response.
type apiError struct {
	status int
	kind   string // such as "MessageRejected"; "" if the response is not from SES
	text   string
}

// parseError parses an error response. SES and its gateway put the error type in different places.
func parseError(res fetch.Response) apiError {
	var body struct {
		Type string `json:"__type"`
		Text string `json:"message"` // or "Message"
	}
	_ = json.Unmarshal(res.Body, &body) // a proxy's response has only a status
	kind := res.Header("x-amzn-ErrorType")
	if kind == "" {
		kind = body.Type[strings.LastIndexByte(body.Type, '#')+1:]
	}
	if kind, _, _ = strings.Cut(kind, ":"); !errorType.MatchString(kind) {
		kind = ""
	}
	return apiError{res.Status, kind, body.Text}
}

func (r apiError) String() string {
	switch {
	case r.kind == "":
		return "SES answered " + strconv.Itoa(r.status)
	case strings.HasPrefix(r.text, unverified):
		return "SES answered " + r.kind +
			": the sender's domain is not verified in this region, or the account is in the sandbox"
	case strings.HasPrefix(r.text, quotaUsedUp):
		return "SES answered " + r.kind + ": the daily quota is used up"
	case descriptions[r.kind] == "":
		return "SES answered " + r.kind
	}
	return "SES answered " + r.kind + ": " + descriptions[r.kind]
}

// receipt converts a response to a receipt. It fails for a server error, and for a success without
// a message ID, because the mail may have been accepted.
func receipt(res fetch.Response) (notify.Receipt, error) {
	if res.Status >= 200 && res.Status <= 299 {
		var accepted struct {
			MessageID string `json:"MessageId"`
		}
		if err := json.Unmarshal(res.Body, &accepted); err != nil || accepted.MessageID == "" {
			return notify.Receipt{}, errors.New("ses: the response has no message ID")
		}
		return notify.Receipt{Outcome: notify.Accepted, ProviderID: accepted.MessageID}, nil
	}
	apiErr := parseError(res)
	if res.Status < 300 || res.Status > 499 {
		return notify.Receipt{}, errors.New("ses: " + apiErr.String())
	}
	r := notify.Receipt{Outcome: notify.RetryLater, Reason: apiErr.String()}
	switch {
	case strings.HasPrefix(apiErr.text, unverified), strings.HasPrefix(apiErr.text, quotaUsedUp):
		r.RetryAfter, r.Account = operatorWait, true
	case res.Status == 429, slices.Contains(rateErrors, apiErr.kind):
		r.RetryAfter, r.Quota = rateWait, &notify.Quota{Reset: rateWait}
	case res.Status == 413, slices.Contains(mailErrors, apiErr.kind):
		r.Outcome = notify.Refused
	default:
		r.RetryAfter, r.Account = operatorWait, true
	}
	return r, nil
}
