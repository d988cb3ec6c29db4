// Package fetch is one HTTP request and its answer, for adapters that have to run where
// there is no net/http, such as Cloudflare Workers. Where there is, Client sends it.
package fetch

import "context"

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

// Sender sends one request, once, and reads the whole answer. An error means that
// there was none: it is not known whether the request arrived.
type Sender interface {
	Send(ctx context.Context, r Request) (Response, error)
}
