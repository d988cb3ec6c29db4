// Package fetch defines a minimal HTTP client interface for adapters that also run
// where net/http is unavailable, such as Cloudflare Workers. Package fetch/overhttp
// implements it with net/http.
package fetch

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Request is an HTTP request.
type Request struct {
	Method string
	URL    string
	Header map[string]string
	Body   string // "" for GET
}

// Response is an HTTP response.
type Response struct {
	Status int
	Header func(name string) string // "" for missing headers
	Body   []byte
}

// Number parses a header that contains a whole number, such as X-RateLimit-Remaining. Parameters
// after a semicolon are ignored. ok is false if the header is missing, not a number, or negative.
func (r Response) Number(name string) (n int, ok bool) {
	value, _, _ := strings.Cut(r.Header(name), ";")
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < 0 {
		return 0, false
	}
	return n, true
}

// maxSeconds is the upper limit of Seconds: one day.
const maxSeconds = 24 * 60 * 60

// Seconds parses a header with a number of seconds from now, such as Retry-After, and caps it at
// one day. ok is false if the header is missing, not a number, or negative.
func (r Response) Seconds(name string) (wait time.Duration, ok bool) {
	n, ok := r.Number(name)
	return time.Duration(min(n, maxSeconds)) * time.Second, ok
}

// Sender sends a request once and reads the complete response. An error means that no complete
// response was received. The server may have processed the request nevertheless.
type Sender interface {
	Send(ctx context.Context, r Request) (Response, error)
}
