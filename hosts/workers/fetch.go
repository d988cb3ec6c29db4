package workers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
)

// fetcher sends HTTP requests with Cloudflare's fetch. It implements fetch.Sender.
type fetcher struct {
	bridge Bridge
	// binding is the name of the binding that receives the requests; "" means the internet.
	binding string
	// timeout is how long a request may take; 0 means as long as the platform allows.
	timeout time.Duration
	// maxBody is the maximum size of a response's body in bytes; 0 means as large as the platform
	// allows.
	maxBody int64
	// immutable reports whether the response to a URL never changes, so that the isolate may keep
	// successful responses. It may be nil.
	immutable func(url string) bool
}

// Send implements fetch.Sender.
func (f fetcher) Send(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	in := struct {
		Binding string            `json:"binding,omitempty"`
		Method  string            `json:"method"`
		URL     string            `json:"url"`
		Header  map[string]string `json:"header"`
		Body    text              `json:"body"`
		Timeout int64             `json:"timeout,omitempty"` // milliseconds
		MaxBody int64             `json:"maxBody,omitempty"` // bytes
		Keep    bool              `json:"keep,omitempty"`
	}{
		f.binding, r.Method, r.URL, r.Header, textOf([]byte(r.Body)), f.timeout.Milliseconds(), f.maxBody,
		f.immutable != nil && r.Method == http.MethodGet && f.immutable(r.URL),
	}
	var out struct {
		Status int               `json:"status"`
		Header map[string]string `json:"header"` // names in lower case
		Body   text              `json:"body"`
	}
	if err := f.bridge.Call(ctx, opFetch, in, &out); err != nil {
		return fetch.Response{}, errors.New("workers: fetch failed")
	}
	body, err := out.Body.bytes()
	if err != nil {
		return fetch.Response{}, fmt.Errorf("workers: fetched body: %w", err)
	}
	return fetch.Response{Status: out.Status, Body: body, Header: func(name string) string { return out.Header[strings.ToLower(name)] }}, nil
}

// transport is an http.RoundTripper over Cloudflare's fetch, for clients that need one.
type transport struct{ bridge Bridge }

// RoundTrip implements http.RoundTripper. The timeout of the request's context applies.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	header := make(map[string]string, len(r.Header))
	for name, values := range r.Header {
		header[name] = strings.Join(values, ", ")
	}
	f := fetcher{bridge: t.bridge}
	if deadline, ok := r.Context().Deadline(); ok {
		f.timeout = max(time.Until(deadline), time.Millisecond)
	}
	sent := fetch.Request{Method: r.Method, URL: r.URL.String(), Header: header, Body: string(body)}
	got, err := f.Send(r.Context(), sent)
	if err != nil {
		return nil, err
	}
	res := &http.Response{
		StatusCode: got.Status, Status: http.StatusText(got.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(got.Body)), ContentLength: int64(len(got.Body)), Request: r,
	}
	for _, name := range []string{"Content-Type", "Retry-After"} {
		if value := got.Header(name); value != "" {
			res.Header.Set(name, value)
		}
	}
	return res, nil
}

// chunk is the number of bytes that requestBody reads per call of the platform.
const chunk = 1 << 20

// Body returns a reader of the current request's body. It reads from the platform only on demand, so
// that a body is read once the request is known to be allowed.
func Body(ctx context.Context, b Bridge) io.Reader { return &requestBody{ctx: ctx, bridge: b} }

// requestBody implements io.Reader.
type requestBody struct {
	ctx     context.Context //nolint:containedctx // the reader belongs to one request
	bridge  Bridge
	pending []byte
	done    bool
}

// Read implements io.Reader.
func (b *requestBody) Read(p []byte) (int, error) {
	for len(b.pending) == 0 {
		if b.done {
			return 0, io.EOF
		}
		var out struct {
			Bytes text `json:"bytes"`
			Done  bool `json:"done"`
		}
		if err := b.bridge.Call(b.ctx, opBody, map[string]int{"limit": chunk}, &out); err != nil {
			return 0, errors.New("workers: the request's body could not be read")
		}
		var err error
		if b.pending, err = out.Bytes.bytes(); err != nil {
			return 0, err
		}
		b.done = out.Done
	}
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}
