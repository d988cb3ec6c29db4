// Package resend is a notify.Sender for Resend (https://resend.com/docs/api-reference).
//
// It sends requests through a fetch.Sender, so that it runs on servers and on Cloudflare
// Workers. A mail's key is Resend's idempotency key: a mail that is sent again under it within
// 24 hours is delivered once.
package resend

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Base is the base URL of Resend's API.
const Base = "https://api.resend.com"

// keyMemory is how long Resend remembers an idempotency key
// (https://resend.com/docs/dashboard/emails/idempotency-keys).
const keyMemory = 24 * time.Hour

// userAgent is the User-Agent; Resend refuses requests without one.
const userAgent = "pledgeworks"

// Options configure a Sender. All but BaseURL are required.
type Options struct {
	Key     string       // API key, starting with "re_"; sending access is sufficient
	Fetch   fetch.Sender // sends the requests
	BaseURL string       // "" for Base
}

// Sender implements notify.Rememberer and notify.Batcher. It is safe for concurrent use if
// its Fetch is.
type Sender struct{ opts Options }

// New returns a Sender. It fails with code Invalid, and the option's name, if a required
// option is missing.
func New(o Options) (*Sender, error) {
	switch {
	case o.Key == "":
		return nil, fault.New(fault.Invalid, "An API key is required").In("key")
	case o.Fetch == nil:
		return nil, fault.New(fault.Invalid, "A fetch.Sender is required").In("fetch")
	}
	if o.BaseURL == "" {
		o.BaseURL = Base
	}
	return &Sender{o}, nil
}

// Remembers implements notify.Rememberer.
func (s *Sender) Remembers() time.Duration { return keyMemory }

// email is the body of a request, or one mail of a batch.
type email struct {
	From    string            `json:"from"`
	To      []string          `json:"to"`
	ReplyTo string            `json:"reply_to,omitempty"`
	Subject string            `json:"subject"`
	Text    string            `json:"text"`
	HTML    string            `json:"html,omitempty"`
	Headers map[string]string `json:"headers"`
	Tags    []tag             `json:"tags"`
	Files   []file            `json:"attachments,omitempty"`
}

// file is an attachment. Its content is encoded as base64.
type file struct {
	Name    string `json:"filename"`
	Type    string `json:"content_type"`
	Content []byte `json:"content"`
}

// tag is included in Resend's webhooks. The tag "key" identifies the mail even if the response
// to the request was lost.
type tag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// tagText matches valid tag values. Resend refuses mails with others.
var tagText = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

const maxTag = 256

func emailOf(m notify.Mail) email {
	e := email{
		From: m.From, To: []string{m.To}, ReplyTo: m.ReplyTo, Subject: m.Subject, Text: m.Text, HTML: m.HTML,
		Headers: map[string]string{}, Tags: []tag{},
	}
	if a := m.Attachment; a.Name != "" {
		e.Files = []file{{a.Name, notify.CSV, []byte(a.Text)}}
	}
	for _, h := range m.Headers() {
		e.Headers[h.Name] = h.Value
	}
	for _, t := range []tag{{"category", string(m.Kind)}, {"key", m.Key}, {"stream", string(m.Stream)},
		{"campaign", m.Campaign}} {
		if len(t.Value) <= maxTag && tagText.MatchString(t.Value) {
			e.Tags = append(e.Tags, t)
		}
	}
	return e
}

// Send implements notify.Sender.
func (s *Sender) Send(ctx context.Context, m notify.Mail) (notify.Receipt, error) {
	res, err := s.post(ctx, "/emails", m.Key, emailOf(m))
	if err != nil {
		return notify.Receipt{}, err
	}
	return receipt(res)
}

func (s *Sender) post(ctx context.Context, path, key string, v any) (fetch.Response, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return fetch.Response{}, err
	}
	res, err := s.opts.Fetch.Send(ctx,
		fetch.Request{Method: "POST", URL: s.opts.BaseURL + path, Body: string(body), Header: map[string]string{
			"Authorization":   "Bearer " + s.opts.Key,
			"Content-Type":    "application/json",
			"Idempotency-Key": key,
			"User-Agent":      userAgent,
		}})
	if err != nil {
		return fetch.Response{}, errors.New("resend: no answer")
	}
	return res, nil
}
