// Package ownmail sends mails by a service of one's own: a Sender in fifty lines, which passes the
// suite that every sender of the module passes. This one posts each mail as JSON to an
// address inside the company.
//
//	s, err := pledgeworks.New(pledgeworks.Parts{Sender: ownmail.Sender{URL: "http://mail.internal/send", Token: token}, …})
package ownmail

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
)

// Sender posts mails to a service that knows a key again for a day.
type Sender struct {
	URL, Token string
}

// Remembers says for how long the service delivers nothing twice under one key. A sender
// whose service remembers nothing leaves this method out.
func (Sender) Remembers() time.Duration { return 24 * time.Hour }

// Send posts one mail. What is not known for sure is an error: the mail is sent again under
// its key. What is known is a receipt.
func (s Sender) Send(ctx context.Context, m notify.Mail) (notify.Receipt, error) {
	body, err := json.Marshal(struct {
		notify.Mail
		Headers []notify.Header `json:"headers"`
	}{m, m.Headers()})
	if err != nil {
		return notify.Receipt{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(body))
	if err != nil {
		return notify.Receipt{}, err
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return notify.Receipt{}, fmt.Errorf("ownmail: the service does not answer: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err != nil {
		return notify.Receipt{}, fmt.Errorf("ownmail: the answer is cut off: %w", err)
	}
	switch answer.StatusCode {
	case http.StatusAccepted:
		return notify.Receipt{Outcome: notify.Accepted, ProviderID: string(text)}, nil
	case http.StatusUnprocessableEntity:
		return notify.Receipt{Outcome: notify.Refused, Reason: string(text)}, nil
	case http.StatusUnauthorized:
		return notify.Receipt{Outcome: notify.RetryLater, Account: true, Reason: "the token is refused"}, nil
	case http.StatusTooManyRequests:
		return notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Minute, Reason: string(text)}, nil
	}
	return notify.Receipt{}, fmt.Errorf("ownmail: the service answers %d", answer.StatusCode)
}
