// Package ses is a notify.Sender for Amazon SES, API v2
// (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html).
//
// It sends requests through a fetch.Sender and signs them itself, without the AWS SDK. SES does not
// support idempotency keys, and it replaces the Message-ID. If a response is lost, it is unknown
// whether the mail was accepted, and a retry arrives as a second mail. If event publishing is set
// up, an event may still reveal that the first attempt was accepted.
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

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Options configure a Sender. All but ConfigurationSet and BaseURL are required.
type Options struct {
	Region string // such as "eu-west-1"
	KeyID  string // ID of an access key with only the permission ses:SendEmail
	Secret string // of the same access key
	// ConfigurationSet determines where events are published; "" for the default of the
	// sender's domain, if any.
	ConfigurationSet string
	Fetch            fetch.Sender // sends the requests
	Now              func() time.Time
	BaseURL          string // "" for SES in the region
}

// Sender implements notify.Sender. It is safe for concurrent use if its Fetch is.
type Sender struct {
	opts   Options
	target *url.URL
}

// region matches the names of AWS regions.
var region = regexp.MustCompile(`^[a-z]{2,3}(-[a-z]+){1,3}-[0-9]{1,2}$`)

// New returns a Sender. It fails with code Invalid, and the option's name, for a missing or
// invalid option.
func New(o Options) (*Sender, error) {
	switch {
	case !region.MatchString(o.Region):
		return nil, fault.New(fault.Invalid, "A region must be an AWS region such as eu-west-1").In("region")
	case o.KeyID == "":
		return nil, fault.New(fault.Invalid, "An access key ID is required").In("keyId")
	case o.Secret == "":
		return nil, fault.New(fault.Invalid, "An access key secret is required").In("secret")
	case o.Fetch == nil:
		return nil, fault.New(fault.Invalid, "A fetch.Sender is required").In("fetch")
	case o.Now == nil:
		return nil, fault.New(fault.Invalid, "A clock is required").In("now")
	}
	if o.BaseURL == "" {
		o.BaseURL = "https://email." + o.Region + "." + domainOf(o.Region)
	}
	target, err := url.Parse(o.BaseURL + "/v2/email/outbound-emails")
	if err != nil {
		return nil, fault.New(fault.Invalid, "The base URL is not valid").In("baseUrl")
	}
	return &Sender{o, target}, nil
}

// domainOf returns the domain of a region's services.
func domainOf(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

// email is the body of a request.
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

// file is an attachment. Its content is encoded as base64.
type file struct {
	FileName    string
	ContentType string
	Disposition string `json:"ContentDisposition"`
	Encoding    string `json:"ContentTransferEncoding"`
	Content     []byte `json:"RawContent"`
}

// tag is included in events. The tag "key" identifies the mail even if the response to the
// request was lost.
type tag struct{ Name, Value string }

// tagText matches valid tag values. SES refuses mails with others.
var tagText = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

func (s *Sender) emailOf(m notify.Mail) email {
	message := simple{Subject: utf8Text(m.Subject), Body: body{Text: utf8Text(m.Text)}, Headers: []notify.Header{}}
	if m.HTML != "" {
		html := utf8Text(m.HTML)
		message.Body.HTML = &html
	}
	for _, h := range m.Headers() {
		if h.Name != "Message-ID" { // SES sets its own
			message.Headers = append(message.Headers, h)
		}
	}
	if a := m.Attachment; a.Name != "" {
		message.Attachments = []file{{a.Name, notify.CSV, "ATTACHMENT", "BASE64", []byte(a.Text)}}
	}
	e := email{
		From: encodeSender(m.From), To: to{[]string{m.To}}, Content: content{message}, Tags: []tag{},
		ConfigurationSet: s.opts.ConfigurationSet,
	}
	if m.ReplyTo != "" {
		e.ReplyTo = []string{m.ReplyTo}
	}
	for _, t := range []tag{{"key", m.Key}, {"kind", string(m.Kind)}, {"stream", string(m.Stream)},
		{"campaign", m.Campaign}} {
		if tagText.MatchString(t.Value) {
			e.Tags = append(e.Tags, t)
		}
	}
	return e
}

func utf8Text(s string) text { return text{s, "UTF-8"} }

// encodeSender returns a sender's address for the From header: SES requires names beyond
// ASCII as encoded words (RFC 2047).
func encodeSender(from string) string {
	a, err := mail.ParseAddress(from)
	if err != nil {
		return from // SES will report it as invalid
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
	r := fetch.Request{Method: "POST", URL: s.target.String(), Body: string(body),
		Header: map[string]string{"Content-Type": "application/json"}}
	key{s.opts.KeyID, s.opts.Secret, s.opts.Region, "ses"}.sign(&r, s.target, s.opts.Now())
	res, err := s.opts.Fetch.Send(ctx, r)
	if err != nil {
		return notify.Receipt{}, errors.New("ses: no answer")
	}
	return receipt(res)
}
