package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// ErrOverloaded is returned by a Request's Stream if the host has no memory for more of the body.
// The response is a 503 with a Retry-After header.
var ErrOverloaded = errors.New("httpapi: too many request bytes in flight")

// maxAllocated limits how much memory is allocated based on a body's declared length.
const maxAllocated = 4 << 10

// readBody reads the body after all checks that do not need it have passed. Handlers of Streamed
// routes read it themselves.
func (a *API) readBody(_ context.Context, x *exchange) error {
	if x.Stream == nil || x.route.Streamed || x.route.Method == "GET" {
		return nil
	}
	body, err := x.readAll(maxAllocated)
	x.Body = body
	return err
}

// readAll reads the whole stream. It fails with code bodyTooLarge if the stream is longer than the
// route's limit, and with ErrOverloaded if the host has no memory for it. Before any data arrives,
// it allocates at most about allocated bytes.
func (x *exchange) readAll(allocated int64) ([]byte, error) {
	limit := int64(x.route.cap())
	var b bytes.Buffer
	b.Grow(int(max(0, min(x.Length, limit, allocated))) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(x.Stream, limit+1))
	switch {
	case errors.Is(err, ErrOverloaded):
		return nil, err
	case err != nil:
		return nil, fault.New(fault.Invalid, "The request body could not be read")
	case int64(b.Len()) > limit:
		return nil, fault.New(bodyTooLarge, "Request body too large")
	}
	return b.Bytes(), nil
}
