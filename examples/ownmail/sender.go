// Package ownmail sends mails through your own mail service. It implements notify.Sender in fifty
// lines, posts each mail as JSON to an internal URL, and passes the tests of notify/notifytest.
//
//	s, err := pledgeworks.New(pledgeworks.Parts{
//		Sender: ownmail.Sender{URL: "http://mail.internal/send", Token: token},
//		…
//	})
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

// Sender posts mails to a service that ignores a mail whose key it received within the last day.
type Sender struct {
	URL, Token string
}

// Remembers returns for how long the service ignores mails with a repeated key. Omit this method if
// your service does not detect repeats.
func (Sender) Remembers() time.Duration { return 24 * time.Hour }

// Send posts one mail and returns the service's decision as a receipt. If the result is unknown, it
// returns an error, and the caller sends the mail again with the same key.
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
		return notify.Receipt{}, fmt.Errorf("ownmail: sending the request: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err != nil {
		return notify.Receipt{}, fmt.Errorf("ownmail: reading the response: %w", err)
	}
	switch answer.StatusCode {
	case http.StatusAccepted:
		return notify.Receipt{Outcome: notify.Accepted, ProviderID: string(text)}, nil
	case http.StatusUnprocessableEntity:
		return notify.Receipt{Outcome: notify.Refused, Reason: string(text)}, nil
	case http.StatusUnauthorized:
		return notify.Receipt{Outcome: notify.RetryLater, Account: true, Reason: "token refused"}, nil
	case http.StatusTooManyRequests:
		return notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Minute, Reason: string(text)}, nil
	}
	return notify.Receipt{}, fmt.Errorf("ownmail: unexpected status %d", answer.StatusCode)
}
