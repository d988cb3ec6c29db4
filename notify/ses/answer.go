package ses

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
)

// How long a mail waits at least whose request was refused: for a rate, which SES counts by
// the second and does not tell, and for an operator who has to mend the key, the sender's
// domain or the account.
const (
	forRate     = time.Second
	forOperator = 15 * time.Minute
)

// The errors that are about the mail, and those that are about the rate. Whatever else there
// is has to be looked at, and no mail is given up for it.
var (
	aboutMail = []string{"BadRequestException", "MessageRejected", "ValidationException"}
	aboutRate = []string{"TooManyRequestsException", "ThrottlingException", "Throttling"}
)

// How SES begins what it says of a mail whose sender it does not know, or whose recipient
// while the account is in the sandbox, and of an account that has sent as many mails as it
// may in a day. An operator can mend both. Its other words are left out: they hold addresses.
const (
	unverified = "Email address is not verified"
	usedUp     = "Daily message quota exceeded"
)

// meaning says an error in words, for the operator.
var meaning = map[string]string{
	"AccountSuspendedException":          "the account may never send again",
	"BadRequestException":                "the request is not valid",
	"MailFromDomainNotVerifiedException": "the custom MAIL FROM domain is not verified",
	"MessageRejected":                    "the mail is not valid",
	"NotFoundException":                  "there is no such configuration set",
	"SendingPausedException":             "sending is paused for the account or the configuration set",
	"TooManyRequestsException":           "too many requests",
	"AccessDeniedException":              "the access key may not ses:SendEmail",
	"InvalidSignatureException":          "the secret of the access key is another, or this machine's clock is wrong",
	"SignatureDoesNotMatch":              "the secret of the access key is another",
	"UnrecognizedClientException":        "there is no such access key",
	"InvalidClientTokenId":               "there is no such access key",
}

// word is what SES names an error by.
var word = regexp.MustCompile(`^[A-Za-z]{1,64}$`)

// refusal is an error of SES's.
type refusal struct {
	status int
	kind   string // such as "MessageRejected"; "" in an answer that is not SES's
	text   string
}

// read takes an answer's kind of error from where SES, and what stands before it, write it.
func read(res fetch.Response) refusal {
	var body struct {
		Type string `json:"__type"`
		Text string `json:"message"` // or "Message"
	}
	_ = json.Unmarshal(res.Body, &body) // an answer that is not SES's says no more than its status
	kind := res.Header("x-amzn-ErrorType")
	if kind == "" {
		kind = body.Type[strings.LastIndexByte(body.Type, '#')+1:]
	}
	if kind, _, _ = strings.Cut(kind, ":"); !word.MatchString(kind) {
		kind = ""
	}
	return refusal{res.Status, kind, body.Text}
}

func (r refusal) String() string {
	switch {
	case r.kind == "":
		return "SES answered " + strconv.Itoa(r.status)
	case strings.HasPrefix(r.text, unverified):
		return "SES answered " + r.kind + ": the sender's domain is not verified in this region, or the account is in the sandbox"
	case strings.HasPrefix(r.text, usedUp):
		return "SES answered " + r.kind + ": the day's mails are used up"
	case meaning[r.kind] == "":
		return "SES answered " + r.kind
	}
	return "SES answered " + r.kind + ": " + meaning[r.kind]
}

// receipt says what an answer means for the mail. An answer of SES's own trouble is none,
// and neither is one that does not name the mail: it may have been taken.
func receipt(res fetch.Response) (notify.Receipt, error) {
	if res.Status >= 200 && res.Status <= 299 {
		var taken struct {
			MessageID string `json:"MessageId"`
		}
		if err := json.Unmarshal(res.Body, &taken); err != nil || taken.MessageID == "" {
			return notify.Receipt{}, errors.New("ses: the answer does not name the mail")
		}
		return notify.Receipt{Outcome: notify.Accepted, ProviderID: taken.MessageID}, nil
	}
	said := read(res)
	if res.Status < 300 || res.Status > 499 {
		return notify.Receipt{}, errors.New("ses: " + said.String())
	}
	r := notify.Receipt{Outcome: notify.RetryLater, Reason: said.String()}
	switch {
	case strings.HasPrefix(said.text, unverified), strings.HasPrefix(said.text, usedUp):
		r.RetryAfter, r.Account = forOperator, true
	case res.Status == 429, slices.Contains(aboutRate, said.kind):
		r.RetryAfter, r.Quota = forRate, &notify.Quota{Reset: forRate}
	case res.Status == 413, slices.Contains(aboutMail, said.kind):
		r.Outcome = notify.Refused
	default:
		r.RetryAfter, r.Account = forOperator, true
	}
	return r, nil
}
