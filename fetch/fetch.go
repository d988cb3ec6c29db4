// Package fetch is one HTTP request and its answer, for adapters that have to run where
// there is no net/http, such as Cloudflare Workers. Where there is, Client sends it.
package fetch

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Request is what a Sender sends.
type Request struct {
	Method string
	URL    string
	Header map[string]string
	Body   string // "" with GET
}

// Response is what came back.
type Response struct {
	Status int
	Header func(name string) string // "" for what is not there
	Body   []byte
}

// Number reads a header that is a whole number, such as how many requests are left. It may
// have parameters behind a semicolon. ok is false for what is no number or is below zero.
func (r Response) Number(name string) (n int, ok bool) {
	value, _, _ := strings.Cut(r.Header(name), ";")
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < 0 {
		return 0, false
	}
	return n, true
}

// longest bounds what a header may ask for, in seconds: a day.
const longest = 24 * 60 * 60

// Seconds reads a header that is a time from now, such as Retry-After; more than a day is
// a day. ok is false where there is no number of seconds.
func (r Response) Seconds(name string) (wait time.Duration, ok bool) {
	n, ok := r.Number(name)
	return time.Duration(min(n, longest)) * time.Second, ok
}

// Sender sends one request, once, and reads the whole answer. An error means that
// there was none: it is not known whether the request arrived.
type Sender interface {
	Send(ctx context.Context, r Request) (Response, error)
}
