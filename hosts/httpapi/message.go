package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Request is one call, free of any transport.
type Request struct {
	ID       string // of the request, for the log
	Method   string
	Path     string // decoded, without the query
	RawQuery string
	// Header returns the value of a request header, "" where there is none. The
	// name is in its canonical form.
	Header func(name string) string
	// Body is the whole body, for a host that holds it.
	Body []byte
	// Stream is the body of a host that does not hold it. It is read only after the rules
	// that need no body have passed, up to one byte beyond API.BodyLimit.
	Stream io.Reader
	// Length is the declared length of the body in bytes; 0 or less if it is not declared.
	Length int64
	// ClientIP is the client's IP address, from a header only where the host trusts
	// the proxy that sets it. "" is not known: then limited routes refuse.
	ClientIP string
}

// Header holds response headers under their canonical names. A response's
// header may be shared with other responses and is never changed.
type Header map[string][]string

// Get returns the first value under the name, or "".
func (h Header) Get(name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Response is the answer to a Request.
type Response struct {
	Status int
	Header Header
	Body   []byte
	// Stream writes a body of any length, after the header; nil where Body is all of it. A
	// host whose client has seen the status breaks the answer off when it fails. One that
	// can't write piece by piece calls Gather.
	Stream func(w io.Writer) error
	// Route is the pattern that was matched, "" for none: it is what a log may
	// show of the path.
	Route string
}

// Gather writes what is streamed to Body.
func (r *Response) Gather() error {
	if r.Stream == nil {
		return nil
	}
	var b bytes.Buffer
	err := r.Stream(&b)
	r.Body, r.Stream = b.Bytes(), nil
	return err
}

const jsonType = "application/json; charset=utf-8"

func encode(status int, v any) (Response, error) {
	if raw, ok := v.(json.RawMessage); ok {
		return Response{Status: status, Body: raw}, nil
	}
	body, err := json.Marshal(v)
	if err != nil {
		return Response{}, fmt.Errorf("httpapi: encoding a response: %w", err)
	}
	return Response{Status: status, Body: body}, nil
}
