// Package overhttp implements fetch.Sender with net/http.
package overhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
)

// maxBody is the default limit of a response body in bytes, which is more than most adapters need.
const maxBody = 4 << 20

// Client implements fetch.Sender. It does not follow redirects, because an API key must
// only be sent to its own service.
type Client struct {
	http    *http.Client
	maxBody int64
}

// New returns a Client that uses the transport, or http.DefaultTransport if it is nil, and waits at
// most timeout for a complete response.
func New(t http.RoundTripper, timeout time.Duration) Client {
	return Client{maxBody: maxBody, http: &http.Client{
		Transport: t, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Reading returns a Client with a different limit for the response body in bytes, for adapters that
// download files. Longer bodies are cut off at the limit without an error.
func (c Client) Reading(maxBody int64) Client {
	c.maxBody = maxBody
	return c
}

// Send implements fetch.Sender.
func (c Client) Send(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return fetch.Response{}, errors.New("overhttp: invalid request")
	}
	req.GetBody = nil // prevents net/http from sending the request again
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
