package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// ClientHeader is the header with the client address, so that the script's many supporters do not
// share a rate limit.
const ClientHeader = "CF-Connecting-IP"

// stepTimeout limits how long the script waits for a response or a condition if the context has no
// deadline.
const stepTimeout = 30 * time.Second

func withStepTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, bounded := ctx.Deadline(); bounded {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, stepTimeout)
}

// client sends the requests of browsers, operators and the processor to the demo.
type client struct {
	base    string
	http    *http.Client
	callers atomic.Int32
}

// answer is a response.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// into decodes the response.
func (a answer) into(v any) error {
	if err := json.Unmarshal(a.Body, v); err != nil {
		return fmt.Errorf("reading a response with status %d: %w", a.Status, err)
	}
	return nil
}

// reason returns the error message in the response, or a placeholder if there is none.
func (a answer) reason() string {
	var e struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(a.Body, &e) != nil || e.Error == "" {
		return "no reason given"
	}
	return e.Error
}

// call sends a request from a new client address. header contains pairs of name and value.
func (c *client) call(ctx context.Context, method, path string, body any, header ...string) (answer, error) {
	var reader io.Reader
	switch v := body.(type) {
	case nil:
	case []byte:
		reader = bytes.NewReader(v)
	default:
		b, err := json.Marshal(v)
		if err != nil {
			return answer{}, err
		}
		reader = bytes.NewReader(b)
	}
	ctx, cancel := withStepTimeout(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, reader)
	if err != nil {
		return answer{}, err
	}
	n := c.callers.Add(1)
	r.Header.Set(ClientHeader, fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
	r.Header.Set("Origin", c.base)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, b}, err
}

// get and post are like want with status 200.
func (c *client) get(ctx context.Context, path string, out any, header ...string) error {
	return c.want(ctx, http.StatusOK, "GET", path, nil, out, header...)
}

func (c *client) post(ctx context.Context, path string, body, out any, header ...string) error {
	return c.want(ctx, http.StatusOK, "POST", path, body, out, header...)
}

// want sends a request and decodes the response into out unless that is nil. It fails if the
// response has another status.
func (c *client) want(ctx context.Context, status int, method, path string, body, out any, header ...string) error {
	a, err := c.call(ctx, method, path, body, header...)
	if err != nil {
		return err
	}
	if a.Status != status {
		route, _, _ := strings.Cut(path, "?")
		return fmt.Errorf("%s %s: status %d (%s), want %d", method, route, a.Status, a.reason(), status)
	}
	if out == nil {
		return nil
	}
	return a.into(out)
}

// waitUntil polls until done returns true or an error. what describes the condition in the error
// after a timeout.
func waitUntil(ctx context.Context, what string, done func() (bool, error)) error {
	ctx, cancel := withStepTimeout(ctx)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("waiting for %s", what), ctx.Err())
		case <-tick.C:
		}
	}
}
