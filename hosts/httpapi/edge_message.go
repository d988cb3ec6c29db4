package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Request is an HTTP request, independent of the server.
type Request struct {
	ID       string // request ID, for the log
	Method   string
	Path     string // decoded, without the query
	RawQuery string
	// Header returns the value of a request header by its canonical name, "" if there is none.
	Header func(name string) string
	// Body is the complete body, for hosts that read it in advance.
	Body []byte
	// Stream is the body, for hosts that do not read it in advance. It is read up to one byte
	// beyond API.BodyLimit, after all rules that do not need the body have passed.
	Stream io.Reader
	// Length is the declared length of the body in bytes; 0 or less if it is unknown.
	Length int64
	// ClientIP is the client's IP address. It is taken from a header only if the host trusts the
	// proxy that sets it. If it is "", rate-limited routes reject the request.
	ClientIP string
}

// Header holds response headers by canonical name. A header may be shared between responses and
// must not be modified.
type Header map[string][]string

// Get returns the first value of a header, or "".
func (h Header) Get(name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Response is the response to a Request.
type Response struct {
	Status int
	Header Header
	Body   []byte
	// Stream writes a body of any length after the header; nil if the body is in Body. If it fails,
	// a host that has already sent the status aborts the response. A host without streaming calls
	// Gather.
	Stream func(w io.Writer) error
	// Route is the matched pattern, "" for none. Logs contain it instead of the path.
	Route string
}

// Gather writes the streamed body to Body.
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
