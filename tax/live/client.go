// Package live asks others what the tax at an address is: New Mexico's address
// service (EDAC) and ZIP.TAX. Whatever they do, slow, wrong, hostile or down, a
// question takes no longer than Timeout, an answer no more than so many bytes, and
// nobody is followed elsewhere; who fails again and again is left alone for a while,
// and the same address is asked about once in a while.
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

// Timeout is what a checkout waits at most, for a question and its one repeat.
const Timeout = 4 * time.Second

const (
	tryFor    = 1800 * time.Millisecond
	maxAnswer = 256 << 10 // bytes
	keepFor   = 10 * time.Minute
	keepMost  = 1000 // answers
	failures  = 5    // in a row, after which nobody is asked
	restFor   = time.Minute
)

// The reasons for no answer. They name nothing of the address.
var (
	errUnknown = errors.New("it does not know the address")
	errResting = errors.New("it has failed too often and is left alone for a while")
	errAnswer  = errors.New("its answer cannot be read")
	errSilent  = errors.New("it cannot be reached in time")
	errRefused = errors.New("it refuses to answer")
	errLeft    = errors.New("the question was given up") // by who asked: no fault of the service
)

// Options are how a service is reached. All but Base may be left out.
type Options struct {
	Base      string // its address
	Key       string // where it takes one
	Transport http.RoundTripper
	Now       func() time.Time // how long an answer is kept; nil is the machine's clock
}

// client is one service with all that keeps it harmless. It is safe for concurrent
// use.
type client struct {
	base    string
	header  http.Header
	http    *retryablehttp.Client
	breaker *gobreaker.CircuitBreaker[tax.Local]
	cache   *lru.Cache[string, kept]
	now     func() time.Time
}

type kept struct {
	local tax.Local
	until time.Time
}

func newClient(o Options, header http.Header) (*client, error) {
	u, err := url.Parse(o.Base)
	if err != nil || u.Host == "" {
		return nil, errors.New("live: the service's base is no address")
	}
	cache, err := lru.New[string, kept](keepMost)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	h := retryablehttp.NewClient()
	h.Logger, h.ErrorHandler = nil, retryablehttp.PassthroughErrorHandler
	h.RetryMax, h.RetryWaitMin, h.RetryWaitMax = 1, 100*time.Millisecond, 200*time.Millisecond
	h.HTTPClient = &http.Client{Transport: o.Transport, Timeout: tryFor,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	header.Set("Accept", "application/json")
	return &client{base: strings.TrimSuffix(o.Base, "/"), header: header, http: h, cache: cache, now: o.Now,
		breaker: gobreaker.NewCircuitBreaker[tax.Local](gobreaker.Settings{
			Timeout:      restFor,
			ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failures },
			IsExcluded:   func(err error) bool { return errors.Is(err, errLeft) },
			IsSuccessful: answered,
		})}, nil
}

// ask gets what a path with a query answers, as read understands it. What read knows
// beside the answer is in key, so that one's answer is never kept for another.
func (c *client) ask(ctx context.Context, path string, query url.Values, key string, read func([]byte) (tax.Local, error)) (tax.Local, error) {
	question := path + "?" + query.Encode()
	if k, ok := c.cache.Get(question + key); ok && c.now().Before(k.until) {
		return k.local, nil
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	local, err := c.breaker.Execute(func() (tax.Local, error) {
		body, err := c.fetch(ctx, question)
		if err != nil {
			return tax.Local{}, err
		}
		return read(body)
	})
	switch {
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return tax.Local{}, errResting
	case err != nil:
		return tax.Local{}, err
	}
	c.cache.Add(question+key, kept{local, c.now().Add(keepFor)})
	return local, nil
}

// answered reports whether the service did its part, even if it knows no rate.
func answered(err error) bool {
	missing := tax.Missing{}
	return err == nil || errors.Is(err, errUnknown) || errors.As(err, &missing)
}

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

// clean bounds a text that is not ours.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), 80)]
}
