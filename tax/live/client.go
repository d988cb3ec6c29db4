// Package live looks up the tax at an address with external services: New Mexico's
// address service (EDAC) and ZIP.TAX.
//
// The services are not trusted: a lookup takes at most [Timeout], responses are limited
// in size, and redirects are not followed. After five consecutive failures a service is not
// called for a minute. Answers are cached for ten minutes.
package live

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"

	"github.com/pledgeworks/pledgeworks/tax"
)

// Timeout is the maximum duration of a lookup, including one retry.
const Timeout = 4 * time.Second

const (
	attemptTimeout = 1800 * time.Millisecond
	maxAnswer      = 256 << 10 // bytes
	cacheLife      = 10 * time.Minute
	maxAnswers     = 1000 // in the cache
	maxFailures    = 5    // consecutive failures after which the service is not called
	pause          = time.Minute
)

// The errors of a lookup. They do not contain the address.
var (
	errUnknown = errors.New("address not found")
	errResting = errors.New("not called for a while after repeated failures")
	errAnswer  = errors.New("invalid response")
	errSilent  = errors.New("not reachable in time")
	errRefused = errors.New("request refused")
	errLeft    = errors.New("request canceled") // by the caller, so not a failure of the service
)

// Options configures a client of a service. All fields except Base are optional.
type Options struct {
	Base      string // the service's base URL
	Key       string // API key, for services that require one
	Transport http.RoundTripper
	Now       func() time.Time // clock of the cache; nil means time.Now
}

// client calls one service with a timeout, a circuit breaker and a cache. It is safe
// for concurrent use.
type client struct {
	base    string
	header  http.Header
	http    *retryablehttp.Client
	breaker *gobreaker.CircuitBreaker[tax.LocalRates]
	cache   *lru.Cache[string, cachedRates]
	now     func() time.Time
}

type cachedRates struct {
	local tax.LocalRates
	until time.Time
}

func newClient(o Options, header http.Header) (*client, error) {
	u, err := url.Parse(o.Base)
	if err != nil || u.Host == "" {
		return nil, errors.New("live: invalid base URL")
	}
	cache, err := lru.New[string, cachedRates](maxAnswers)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	h := retryablehttp.NewClient()
	h.Logger, h.ErrorHandler = nil, retryablehttp.PassthroughErrorHandler
	h.RetryMax, h.RetryWaitMin, h.RetryWaitMax = 1, 100*time.Millisecond, 200*time.Millisecond
	h.HTTPClient = &http.Client{Transport: o.Transport, Timeout: attemptTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	header.Set("Accept", "application/json")
	return &client{base: strings.TrimSuffix(o.Base, "/"), header: header, http: h, cache: cache, now: o.Now,
		breaker: gobreaker.NewCircuitBreaker[tax.LocalRates](gobreaker.Settings{
			Timeout:      pause,
			ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= maxFailures },
			IsExcluded:   func(err error) bool { return errors.Is(err, errLeft) },
			IsSuccessful: hasResponse,
		})}, nil
}

// ask requests a path with a query and decodes the response with read, or returns a cached answer.
// key contains everything that read depends on besides the response, because it is part of the
// cache's key.
func (c *client) ask(ctx context.Context, path string, query url.Values, key string,
	read func([]byte) (tax.LocalRates, error)) (tax.LocalRates, error) {
	question := path + "?" + query.Encode()
	if k, ok := c.cache.Get(question + key); ok && c.now().Before(k.until) {
		return k.local, nil
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	local, err := c.breaker.Execute(func() (tax.LocalRates, error) {
		body, err := c.fetch(ctx, question)
		if err != nil {
			return tax.LocalRates{}, err
		}
		return read(body)
	})
	switch {
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return tax.LocalRates{}, errResting
	case err != nil:
		return tax.LocalRates{}, err
	}
	c.cache.Add(question+key, cachedRates{local, c.now().Add(cacheLife)})
	return local, nil
}

// hasResponse reports whether err, the result of a lookup, means that the service sent a valid
// response, with or without a rate.
func hasResponse(err error) bool {
	missing := tax.MissingError{}
	return err == nil || errors.Is(err, errUnknown) || errors.As(err, &missing)
}

// fetch requests a path with a query, retries once, and returns the body of a response with status
// 200.
func (c *client) fetch(ctx context.Context, question string) ([]byte, error) {
	r, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, c.base+question, nil)
	if err != nil {
		return nil, errRefused
	}
	r.Header = c.header.Clone()
	res, err := c.http.Do(r)
	switch {
	case err != nil && errors.Is(ctx.Err(), context.Canceled):
		return nil, errLeft
	case err != nil:
		return nil, errSilent
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, errRefused
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, errSilent
	}
	if len(body) > maxAnswer {
		return nil, errAnswer
	}
	return body, nil
}

// toASCII returns the printable ASCII characters of a text from a service, at most 80.
func toASCII(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), 80)]
}
