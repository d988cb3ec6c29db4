// Package resend is a notify.Sender on Resend (https://resend.com/docs/api-reference).
//
// It speaks plain requests through a fetch.Sender, so that it runs on servers and on
// Cloudflare Workers alike. A mail's key is Resend's idempotency key: whatever is sent
// again under it within a day is delivered once.
package resend

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Base is Resend's own address.
const Base = "https://api.resend.com"

// memory is how long Resend knows an idempotency key
// (https://resend.com/docs/dashboard/emails/idempotency-keys).
const memory = 24 * time.Hour

// agent names the sender of a request; Resend refuses requests without one.
const agent = "pledgeworks"

// How long a mail waits at least whose request was refused: for a rate without a time,
// for another request under its key, and for an operator who has to mend the key, the
// domain or the plan.
const (
	forRate     = time.Second
	forAnother  = time.Minute
	forOperator = 15 * time.Minute
)

// Options configure a Sender. All but BaseURL are required.
type Options struct {
	Key     string       // begins with "re_"; may be one that only sends
	Fetch   fetch.Sender // how requests are sent
	BaseURL string       // Base where it is ""
}

// Sender implements notify.Sender and notify.Rememberer. It is safe for concurrent use if
// its Fetch is.
type Sender struct{ opts Options }

// New returns a Sender. It fails with code Invalid, and the name of what is missing.
func New(o Options) (*Sender, error) {
	switch {
	case o.Key == "":
		return nil, fault.New(fault.Invalid, "Resend has a key").In("key")
	case o.Fetch == nil:
		return nil, fault.New(fault.Invalid, "Requests have to be sent").In("fetch")
	}
	if o.BaseURL == "" {
		o.BaseURL = Base
	}
	return &Sender{o}, nil
}

// Remembers implements notify.Rememberer.
func (s *Sender) Remembers() time.Duration { return memory }

// email is the request's body.
type email struct {
	From    string            `json:"from"`
	To      []string          `json:"to"`
	ReplyTo string            `json:"reply_to,omitempty"`
	Subject string            `json:"subject"`
	Text    string            `json:"text"`
	HTML    string            `json:"html,omitempty"`
	Headers map[string]string `json:"headers"`
	Tags    []tag             `json:"tags"`
}

// tag comes back in Resend's events: by its key a mail is known, also where the answer
// to its request was lost.
type tag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Send implements notify.Sender.
func (s *Sender) Send(ctx context.Context, m notify.Mail) (notify.Receipt, error) {
	e := email{
		From: m.From, To: []string{m.To}, ReplyTo: m.ReplyTo, Subject: m.Subject, Text: m.Text, HTML: m.HTML, Headers: map[string]string{},
		Tags: []tag{{"category", string(m.Kind)}, {"key", m.Key}},
	}
	for _, h := range m.Headers() {
		e.Headers[h.Name] = h.Value
	}
	body, err := json.Marshal(e)
	if err != nil {
		return notify.Receipt{}, err
	}
	res, err := s.opts.Fetch.Send(ctx, fetch.Request{Method: "POST", URL: s.opts.BaseURL + "/emails", Body: string(body), Header: map[string]string{
		"Authorization":   "Bearer " + s.opts.Key,
		"Content-Type":    "application/json",
		"Idempotency-Key": m.Key,
		"User-Agent":      agent,
	}})
	if err != nil {
		return notify.Receipt{}, errors.New("resend: no answer")
	}
	return receipt(res)
}

// receipt says what an answer means for the mail. An answer of Resend's own trouble is
// none: the mail may have been taken.
func receipt(res fetch.Response) (notify.Receipt, error) {
	var body struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	_ = json.Unmarshal(res.Body, &body) // an answer that is not Resend's says no more than its status
	r := notify.Receipt{Outcome: notify.Refused, Quota: quota(res), Reason: "Resend answered " + strconv.Itoa(res.Status) + " " + body.Name}
	switch {
	case res.Status >= 200 && res.Status <= 299:
		r.Outcome, r.ProviderID, r.Reason = notify.Accepted, body.ID, ""
	case res.Status == 429:
		r.Outcome, r.RetryAfter = notify.RetryLater, pause(res)
		r.Account = true // the next mail would be answered so too
	case res.Status == 409 && body.Name == "invalid_idempotent_request":
		r.Reason += ": it has another mail under this key"
	case res.Status == 409:
		r.Outcome, r.RetryAfter = notify.RetryLater, forAnother
	case res.Status == 400, res.Status == 422:
	case res.Status >= 300 && res.Status <= 499:
		r.Outcome, r.RetryAfter, r.Account = notify.RetryLater, forOperator, true
	default:
		return notify.Receipt{}, errors.New("resend: " + r.Reason)
	}
	return r, nil
}

// quota is what an answer says about the rate
// (https://resend.com/docs/api-reference/rate-limit); nil where it says nothing.
func quota(res fetch.Response) *notify.Quota {
	var n [3]int
	for i, name := range []string{"ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"} {
		var err error
		if n[i], err = strconv.Atoi(res.Header(name)); err != nil || n[i] < 0 {
			return nil
		}
	}
	return &notify.Quota{Limit: n[0], Left: n[1], Reset: time.Duration(min(n[2], maxPause)) * time.Second}
}

// maxPause is the longest pause that an answer may ask for, in seconds.
const maxPause = 24 * 60 * 60

// pause is how long Resend asks to wait.
func pause(res fetch.Response) time.Duration {
	for _, name := range []string{"retry-after", "ratelimit-reset"} {
		if seconds, err := strconv.Atoi(res.Header(name)); err == nil && seconds > 0 {
			return time.Duration(min(seconds, maxPause)) * time.Second
		}
	}
	return forRate
}
