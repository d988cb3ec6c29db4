package simulation

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/rest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
	"github.com/pledgeworks/pledgeworks/hosts/fetch"
)

const processorURL = "https://processor.example"

// processor returns the server's client of the processor.
func (s *server) processor() (psp.Processor, error) {
	key := s.w.config.PSPSecretKey().Reveal()
	wait := func(_ context.Context, d time.Duration) (err error) {
		defer recoverCrash(&err)
		s.w.pause(d)
		return nil
	}
	if s.w.scenario.useRest {
		return rest.New(rest.Options{Key: key, Now: s.now, Sender: fetcher{transport{s.w}}, BaseURL: processorURL,
			Wait: wait})
	}
	return stripe.New(stripe.Options{Key: key, Now: s.now, Transport: transport{s.w}, BaseURL: processorURL, Wait: wait})
}

// fetcher sends requests of package fetch through a transport.
type fetcher struct{ http.RoundTripper }

// Send implements fetch.Sender.
func (f fetcher) Send(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	in, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return fetch.Response{}, err
	}
	for name, value := range r.Header {
		in.Header.Set(name, value)
	}
	res, err := f.RoundTrip(in)
	if err != nil {
		return fetch.Response{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return fetch.Response{}, err
	}
	return fetch.Response{Status: res.StatusCode, Header: res.Header.Get, Body: body}, nil
}
