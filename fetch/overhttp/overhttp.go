// Package overhttp sends requests by net/http.
package overhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/fetch"
)

// maxBody is how much of an answer is read. Few answers that an adapter expects are longer.
const maxBody = 4 << 20

// Client is a fetch.Sender. It follows no redirect: a key belongs to one address.
type Client struct {
	http    *http.Client
	maxBody int64
}

// New returns a Client over a transport, nil for http.DefaultTransport, that waits no
// longer than patience for a whole answer.
func New(t http.RoundTripper, patience time.Duration) Client {
	return Client{maxBody: maxBody, http: &http.Client{
		Transport: t, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Reading returns a Client that reads answers of so many bytes, for adapters that expect
// files.
func (c Client) Reading(maxBody int64) Client {
	c.maxBody = maxBody
	return c
}

// Send implements fetch.Sender.
func (c Client) Send(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return fetch.Response{}, errors.New("overhttp: the request can't be made")
	}
	req.GetBody = nil // net/http would send it again by itself
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return fetch.Response{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, c.maxBody))
	if err != nil {
		return fetch.Response{}, err
	}
	return fetch.Response{Status: res.StatusCode, Header: res.Header.Get, Body: body}, nil
}
