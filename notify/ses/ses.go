// Package ses is a notify.Sender on Amazon SES, by its API v2
// (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html).
//
// It speaks plain requests through a fetch.Sender, signed by some lines of its own, and takes
// no SDK. SES remembers nothing: it knows no idempotency keys, and it puts a Message-ID of
// its own in the place of ours. Where its answer is lost, nobody knows whether it took the
// mail, and one that goes out again is shown twice. Only an event tells afterwards that the
// first one was taken, if events are published.
package ses

import (
	"context"
	"encoding/json"
	"errors"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Options configure a Sender. All but ConfigurationSet and BaseURL are required.
type Options struct {
	Region string // such as "eu-west-1"
	KeyID  string // of an access key that may ses:SendEmail, and nothing else
	Secret string // of the same key
	// ConfigurationSet publishes what becomes of mails; "" for that of the sender's domain,
	// or none.
	ConfigurationSet string
	Fetch            fetch.Sender // how requests are sent
	Now              func() time.Time
	BaseURL          string // of SES in the region where it is ""
}

// Sender implements notify.Sender. It is safe for concurrent use if its Fetch is.
type Sender struct {
	opts   Options
	target *url.URL
}

// region is how Amazon names one.
var region = regexp.MustCompile(`^[a-z]{2,3}(-[a-z]+){1,3}-[0-9]{1,2}$`)

// New returns a Sender. It fails with code Invalid, and the name of what is missing.
func New(o Options) (*Sender, error) {
	switch {
	case !region.MatchString(o.Region):
		return nil, fault.New(fault.Invalid, "SES is in a region, such as eu-west-1").In("region")
	case o.KeyID == "":
		return nil, fault.New(fault.Invalid, "An access key has an ID").In("keyId")
	case o.Secret == "":
		return nil, fault.New(fault.Invalid, "An access key has a secret").In("secret")
	case o.Fetch == nil:
		return nil, fault.New(fault.Invalid, "Requests have to be sent").In("fetch")
	case o.Now == nil:
		return nil, fault.New(fault.Invalid, "A signature has a time").In("now")
	}
	if o.BaseURL == "" {
		o.BaseURL = "https://email." + o.Region + "." + domainOf(o.Region)
	}
	target, err := url.Parse(o.BaseURL + "/v2/email/outbound-emails")
	if err != nil {
		return nil, fault.New(fault.Invalid, "SES has an address").In("baseUrl")
	}
	return &Sender{o, target}, nil
}

// domainOf is where a region's services are.
func domainOf(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

// email is a request's body.
type email struct {
	From             string   `json:"FromEmailAddress"`
	To               to       `json:"Destination"`
	ReplyTo          []string `json:"ReplyToAddresses,omitempty"`
	Content          content
	Tags             []tag  `json:"EmailTags"`
	ConfigurationSet string `json:"ConfigurationSetName,omitempty"`
}

type to struct {
	Addresses []string `json:"ToAddresses"`
}

type content struct{ Simple simple }

type simple struct {
	Subject     text
	Body        body
	Headers     []notify.Header
	Attachments []file `json:",omitempty"`
}

type body struct {
	Text text
	HTML *text `json:"Html,omitempty"`
}

type text struct{ Data, Charset string }

// file is an attachment; its content travels in base64.
type file struct {
	FileName    string
	ContentType string
	Disposition string `json:"ContentDisposition"`
	Encoding    string `json:"ContentTransferEncoding"`
	Content     []byte `json:"RawContent"`
}

// tag comes back in events: by its key a mail is known, also where the answer to its
// request was lost.
type tag struct{ Name, Value string }

// tagText is what SES takes as a tag's value. It refuses a mail for any other.
var tagText = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

func (s *Sender) emailOf(m notify.Mail) email {
	message := simple{Subject: utf8(m.Subject), Body: body{Text: utf8(m.Text)}, Headers: []notify.Header{}}
	if m.HTML != "" {
		html := utf8(m.HTML)
		message.Body.HTML = &html
	}
	for _, h := range m.Headers() {
		if h.Name != "Message-ID" { // SES would put one of its own in its place
			message.Headers = append(message.Headers, h)
		}
	}
	if a := m.Attachment; a.Name != "" {
		message.Attachments = []file{{a.Name, notify.CSV, "ATTACHMENT", "BASE64", []byte(a.Text)}}
	}
	e := email{
		From: encoded(m.From), To: to{[]string{m.To}}, Content: content{message}, Tags: []tag{},
		ConfigurationSet: s.opts.ConfigurationSet,
	}
	if m.ReplyTo != "" {
		e.ReplyTo = []string{m.ReplyTo}
	}
	for _, t := range []tag{{"key", m.Key}, {"kind", string(m.Kind)}, {"stream", string(m.Stream)}, {"campaign", m.Campaign}} {
		if tagText.MatchString(t.Value) {
			e.Tags = append(e.Tags, t)
		}
	}
	return e
}

func utf8(s string) text { return text{s, "UTF-8"} }

// encoded is a sender as it stands in a header: SES takes names beyond ASCII as encoded
// words alone (RFC 2047).
func encoded(from string) string {
	a, err := mail.ParseAddress(from)
	if err != nil {
		return from // SES says what it thinks of it
	}
	if a.Name == "" {
		return a.Address
	}
	return a.String()
}

// Send implements notify.Sender.
func (s *Sender) Send(ctx context.Context, m notify.Mail) (notify.Receipt, error) {
	body, err := json.Marshal(s.emailOf(m))
	if err != nil {
		return notify.Receipt{}, err
	}
	r := fetch.Request{Method: "POST", URL: s.target.String(), Body: string(body), Header: map[string]string{"Content-Type": "application/json"}}
	key{s.opts.KeyID, s.opts.Secret, s.opts.Region, "ses"}.sign(&r, s.target, s.opts.Now())
	res, err := s.opts.Fetch.Send(ctx, r)
	if err != nil {
		return notify.Receipt{}, errors.New("ses: no answer")
	}
	return receipt(res)
}
