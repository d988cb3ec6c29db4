// Package postmark is a notify.Sender for Postmark (https://postmarkapp.com/developer).
//
// It sends requests through a fetch.Sender, so that it runs on servers and on Cloudflare
// Workers. Postmark does not support idempotency keys: if a response is lost, it is unknown
// whether the mail was accepted. A retry has the same Message-ID, by which many mailboxes
// recognize duplicates.
//
// Transactional mails and the others use two message streams. Set the broadcast stream's
// unsubscribe handling to "Manage unsubscribes on your own"; otherwise Postmark replaces the
// mails' unsubscribe links and headers with its own.
package postmark

import (
	"context"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Base is the base URL of Postmark's API.
const Base = "https://api.postmarkapp.com"

// The default message streams of a Postmark server.
const (
	Outbound  = "outbound"
	Broadcast = "broadcast"
)

// Options configure a Sender. Token and Fetch are required.
type Options struct {
	Token string       // server token, not the account's
	Fetch fetch.Sender // sends the requests
	// TransactionalStream is for transactional mails; "" for Outbound.
	TransactionalStream string
	// BroadcastStream is for reminders and updates; "" for Broadcast.
	BroadcastStream string
	BaseURL         string // "" for Base
}

// Sender implements notify.Batcher. It is safe for concurrent use if its Fetch is.
type Sender struct{ opts Options }

// New returns a Sender. It fails with code Invalid, and the option's name, if a required
// option is missing.
func New(o Options) (*Sender, error) {
	switch {
	case o.Token == "":
		return nil, fault.New(fault.Invalid, "A server token is required").In("token")
	case o.Fetch == nil:
		return nil, fault.New(fault.Invalid, "A fetch.Sender is required").In("fetch")
	}
	for _, d := range []struct {
		option       *string
		defaultValue string
	}{{&o.TransactionalStream, Outbound}, {&o.BroadcastStream, Broadcast}, {&o.BaseURL, Base}} {
		if *d.option == "" {
			*d.option = d.defaultValue
		}
	}
	return &Sender{o}, nil
}

// email is the body of a request, or one mail of a batch.
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
	// Metadata is included in Postmark's webhooks. Its key identifies the mail even if the
	// response to the request was lost.
	Metadata map[string]string
	// Both are set explicitly to override the server's settings: links must stay unchanged,
	// and readers are not tracked.
	TrackOpens  bool
	TrackLinks  string
	Attachments []file `json:",omitempty"`
}

// file is an attachment. Its content is encoded as base64.
type file struct {
	Name        string
	ContentType string
	Content     []byte
}

// maxMetadata limits a value of Metadata, in characters. Postmark refuses mails with longer
// ones.
const maxMetadata = 80

func (s *Sender) emailOf(m notify.Mail) email {
	e := email{
		From: m.From, To: m.To, ReplyTo: m.ReplyTo, Subject: m.Subject, TextBody: m.Text, HTMLBody: m.HTML,
		MessageStream: s.stream(m), Tag: string(m.Kind), Metadata: map[string]string{}, TrackLinks: "None",
	}
	if a := m.Attachment; a.Name != "" {
		e.Attachments = []file{{a.Name, notify.CSV, []byte(a.Text)}}
	}
	// Without this header Postmark replaces the Message-ID.
	e.Headers = append(m.Headers(), notify.Header{Name: "X-PM-KeepID", Value: "true"})
	for name, value := range map[string]string{"key": m.Key, "kind": string(m.Kind),
		"stream": string(m.Stream), "campaign": m.Campaign} {
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
	res, err := s.opts.Fetch.Send(ctx,
		fetch.Request{Method: "POST", URL: s.opts.BaseURL + path, Body: body, Header: map[string]string{
			"Accept":                  "application/json",
			"Content-Type":            "application/json",
			"X-Postmark-Server-Token": s.opts.Token,
		}})
	if err != nil {
		return fetch.Response{}, errors.New("postmark: no answer")
	}
	return res, nil
}
