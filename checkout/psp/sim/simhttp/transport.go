package simhttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// ErrLost is returned by a Transport if the simulated network lost the request or
// its response.
var ErrLost = errors.New("the connection to the processor was lost")

// NewTransport returns a round tripper that serves requests from the simulator without a socket.
// Its responses are deterministic. The host of a request is ignored.
func NewTransport(s *sim.Sim, o Options) http.RoundTripper { return transport{s, o.resolved()} }

type transport struct {
	sim  *sim.Sim
	opts Options
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	c, err := readCall(r, t.opts)
	if err != nil {
		return nil, err
	}
	a := t.sim.Serve(c)
	if a.Wait > 0 {
		if err := t.opts.Sleep(r.Context(), a.Wait); err != nil {
			return nil, err
		}
	}
	if a.Lost {
		return nil, ErrLost
	}
	res := &http.Response{Status: http.StatusText(a.Status), StatusCode: a.Status, Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: http.Header{}, ContentLength: int64(len(a.Body)), Request: r}
	writeHeader(res.Header, a, t.opts, c.Key)
	var body io.Reader = bytes.NewReader(a.Body)
	if a.Cut {
		body = io.MultiReader(bytes.NewReader(a.Body[:len(a.Body)/2]), cutShort{})
	}
	res.Body = io.NopCloser(body)
	return res, nil
}

// cutShort is the reader of a truncated body.
type cutShort struct{}

func (cutShort) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
