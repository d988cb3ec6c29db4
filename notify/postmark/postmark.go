// Package postmark is a notify.Sender on Postmark (https://postmarkapp.com/developer).
//
// It speaks plain requests through a fetch.Sender, so that it runs on servers and on
// Cloudflare Workers alike. Postmark knows no idempotency keys: where its answer is lost,
// nobody knows whether it took the mail. A mail that goes out again has the same
// Message-ID, by which many mailboxes show it once.
//
// What somebody's own pledge needs and what they may stop leave by two message streams.
// Postmark has to leave unsubscribing in the second one to us ("Manage unsubscribes on your
// own"): otherwise it puts links and headers of its own in the place of the mail's.
package postmark

import (
	"context"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Base is Postmark's own address.
const Base = "https://api.postmarkapp.com"

// The message streams that every server at Postmark begins with.
const (
	Outbound  = "outbound"
	Broadcast = "broadcast"
)

// Options configure a Sender. Token and Fetch are required.
type Options struct {
	Token string       // of one server, not of the account
	Fetch fetch.Sender // how requests are sent
	// TransactionalStream takes what is about somebody's own pledge; Outbound where it is "".
	TransactionalStream string
	// BroadcastStream takes reminders and updates; Broadcast where it is "".
	BroadcastStream string
	BaseURL         string // Base where it is ""
}

// Sender implements notify.Batcher. It is safe for concurrent use if its Fetch is.
type Sender struct{ opts Options }

// New returns a Sender. It fails with code Invalid, and the name of what is missing.
func New(o Options) (*Sender, error) {
	switch {
	case o.Token == "":
		return nil, fault.New(fault.Invalid, "A server at Postmark has a token").In("token")
	case o.Fetch == nil:
		return nil, fault.New(fault.Invalid, "Requests have to be sent").In("fetch")
	}
	for _, or := range []struct {
		option  *string
		without string
	}{{&o.TransactionalStream, Outbound}, {&o.BroadcastStream, Broadcast}, {&o.BaseURL, Base}} {
		if *or.option == "" {
			*or.option = or.without
		}
	}
	return &Sender{o}, nil
}

// email is a request's body, or one of a batch.
type email struct {
	From          string
	To            string
	ReplyTo       string `json:",omitempty"`
	Subject       string
	TextBody      string
	HTMLBody      string `json:"HtmlBody,omitempty"`
	MessageStream string
	Headers       []notify.Header
	Tag           string
	// Metadata comes back in Postmark's reports: by its key a mail is known, also where the
	// answer to its request was lost.
	Metadata map[string]string
	// Both are said, since a server's own settings may be others. Links have to stay as
	// they were written, and nobody is watched.
	TrackOpens  bool
	TrackLinks  string
	Attachments []file `json:",omitempty"`
}

// file is an attachment; its content travels in base64.
type file struct {
	Name        string
	ContentType string
	Content     []byte
}

// maxMetadata is how many characters Postmark takes as a value of Metadata. It refuses a
// mail for a longer one.
const maxMetadata = 80

func (s *Sender) emailOf(m notify.Mail) email {
	e := email{
		From: m.From, To: m.To, ReplyTo: m.ReplyTo, Subject: m.Subject, TextBody: m.Text, HTMLBody: m.HTML,
		MessageStream: s.stream(m), Tag: string(m.Kind), Metadata: map[string]string{}, TrackLinks: "None",
	}
	if a := m.Attachment; a.Name != "" {
		e.Attachments = []file{{a.Name, notify.CSV, []byte(a.Text)}}
	}
	// Postmark would put a Message-ID of its own in the place of ours.
	e.Headers = append(m.Headers(), notify.Header{Name: "X-PM-KeepID", Value: "true"})
	for name, value := range map[string]string{"key": m.Key, "kind": string(m.Kind), "stream": string(m.Stream), "campaign": m.Campaign} {
		if value != "" && utf8.RuneCountInString(value) <= maxMetadata {
			e.Metadata[name] = value
		}
	}
	return e
}

func (s *Sender) stream(m notify.Mail) string {
	if m.Stream == notify.Reminders || m.Stream == notify.Updates {
		return s.opts.BroadcastStream
	}
	return s.opts.TransactionalStream
}

// Send implements notify.Sender.
func (s *Sender) Send(ctx context.Context, m notify.Mail) (notify.Receipt, error) {
	body, err := json.Marshal(s.emailOf(m))
	if err != nil {
		return notify.Receipt{}, err
	}
	res, err := s.post(ctx, "/email", string(body))
	if err != nil {
		return notify.Receipt{}, err
	}
	return receipt(res)
}

func (s *Sender) post(ctx context.Context, path, body string) (fetch.Response, error) {
	res, err := s.opts.Fetch.Send(ctx, fetch.Request{Method: "POST", URL: s.opts.BaseURL + path, Body: body, Header: map[string]string{
		"Accept":                  "application/json",
		"Content-Type":            "application/json",
		"X-Postmark-Server-Token": s.opts.Token,
	}})
	if err != nil {
		return fetch.Response{}, errors.New("postmark: no answer")
	}
	return res, nil
}
