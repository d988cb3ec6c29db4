// Package rest implements psp.Processor with plain HTTP requests, for hosts
// without net/http, such as Cloudflare Workers. Hosts with net/http use package
// stripe, which is built on the processor's library. Both pass psptest.
//
// The package uses no reflection except encoding/json's and never calls time.Sleep, so that it
// can be compiled with TinyGo. No error contains the processor's message, which may include an
// address or a client secret; errors contain the code, status and request ID.
package rest

import (
	"cmp"
	"context"
	"errors"
	"hash/crc32"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Base is the processor's URL.
const Base = "https://api.stripe.com"

// SignatureHeader is the header with a webhook's signature.
const SignatureHeader = "Stripe-Signature"

// Retries of requests other than charges: the number of attempts, the first
// delay, which doubles (a Retry-After header overrides it up to maxRetryAfter),
// and the limit for all attempts together.
const (
	attempts      = 3
	firstWait     = 400 * time.Millisecond
	maxRetryAfter = 5 * time.Second
	totalTimeout  = 30 * time.Second
)

// Options configure a Processor. All except RefundKey and BaseURL are required.
type Options struct {
	// Key is the secret key; its prefix determines the mode.
	Key string
	// RefundKey is a key of the same mode that creates refunds instead of Key; "" for none.
	RefundKey string

	Sender fetch.Sender
	// Now is the clock for NotAfter.
	Now func() time.Time
	// Wait sleeps between two attempts. It fails if the context is canceled.
	Wait func(context.Context, time.Duration) error
	// BaseURL replaces Base, for a simulator.
	BaseURL string
}

// Processor implements psp.Processor. It is safe for concurrent use if its Sender is.
type Processor struct {
	mode psp.Mode
	opts Options
}

var _ psp.Processor = (*Processor)(nil)

// New returns a Processor. It fails with code Invalid if the key's mode is
// unknown, if the refund key has another mode, or if an option is missing.
func New(o Options) (*Processor, error) {
	mode, err := modeOf(o.Key)
	if err != nil {
		return nil, err
	}
	o.RefundKey = cmp.Or(o.RefundKey, o.Key)
	if refunding, err := modeOf(o.RefundKey); err != nil || refunding != mode {
		return nil, fault.New(fault.Invalid, "The refund key must be a secret key of the same mode").In("RefundKey")
	}
	if o.Now == nil || o.Wait == nil || o.Sender == nil {
		return nil, fault.New(fault.Invalid, "Options need Now, Wait and Sender").In("Options")
	}
	if o.BaseURL == "" {
		o.BaseURL = Base
	}
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	return &Processor{mode: mode, opts: o}, nil
}

func modeOf(key string) (psp.Mode, error) {
	switch {
	case strings.HasPrefix(key, "sk_test_"), strings.HasPrefix(key, "rk_test_"):
		return psp.Test, nil
	case strings.HasPrefix(key, "sk_live_"), strings.HasPrefix(key, "rk_live_"):
		return psp.Live, nil
	}
	return "", fault.New(fault.Invalid, "A secret key begins with sk_test_, sk_live_, rk_test_ or rk_live_").In("Key")
}

// Mode implements psp.Processor.
func (p *Processor) Mode() psp.Mode { return p.mode }

// call is one API request.
type call struct {
	method, path string
	form         url.Values
	key          string
	notAfter     *time.Time // set for charges, which are sent once
	refunds      bool       // creates a refund, with the refund key
}

var (
	errNoAnswer = errors.New("rest: the processor did not answer")
	errTooLate  = errors.New("rest: too late to send, the idempotency key may have expired")
)

// do sends a call, retries it if that may succeed, decodes the response and returns the request ID.
// The error for an unsuccessful response is an *apiError.
func (p *Processor) do(ctx context.Context, c call, into any) (requestID string, err error) {
	res, err := p.exchange(ctx, c, into)
	if res.Header == nil {
		return "", err
	}
	return res.Header("Request-Id"), err
}

// exchange is like do, but returns the whole response.
func (p *Processor) exchange(ctx context.Context, c call, into any) (fetch.Response, error) {
	res, err := p.send(ctx, c)
	if err != nil {
		return fetch.Response{}, err
	}
	if res.Status/100 != 2 {
		return res, newAPIError(res)
	}
	if decode(res.Body, into) != nil {
		return res, errNoAnswer
	}
	return res, nil
}

func (p *Processor) send(ctx context.Context, c call) (fetch.Response, error) {
	r := p.request(c)
	until := p.opts.Now().Add(totalTimeout)
	for attempt := 1; ; attempt++ {
		if c.notAfter != nil && p.opts.Now().After(*c.notAfter) {
			return fetch.Response{}, errTooLate
		}
		if ctx.Err() != nil {
			return fetch.Response{}, errNoAnswer
		}
		trace := psp.TraceOf(ctx)
		trace.Requests++
		res, err := p.opts.Sender.Send(ctx, r)
		if err == nil {
			trace.HTTPStatus, trace.RequestID = res.Status, res.Header("Request-Id")
			trace.Replayed = res.Header("Idempotent-Replayed") == "true"
		}
		again, delay := shouldRetry(c, res, err, attempt)
		if !again || attempt == attempts || !p.opts.Now().Add(delay).Before(until) || p.opts.Wait(ctx, delay) != nil {
			if err != nil {
				err = errNoAnswer
			}
			return res, err
		}
	}
}

func (p *Processor) request(c call) fetch.Request {
	secret := p.opts.Key
	if c.refunds {
		secret = p.opts.RefundKey
	}
	r := fetch.Request{Method: c.method, URL: p.opts.BaseURL + c.path, Header: map[string]string{
		"Authorization": "Bearer " + secret, "Stripe-Version": psp.Version,
	}}
	if c.method == "GET" {
		if query := c.form.Encode(); query != "" {
			r.URL += "?" + query
		}
		return r
	}
	r.Header["Idempotency-Key"] = c.key
	r.Header["Content-Type"] = "application/x-www-form-urlencoded"
	r.Body = c.form.Encode()
	return r
}

// shouldRetry reports whether to retry a call, and after which delay. Charges are
// never retried here; settlement decides about that. A 500 response to a change
// is not retried: the processor stores it under the idempotency key and would
// only replay it.
func shouldRetry(c call, res fetch.Response, err error, attempt int) (bool, time.Duration) {
	if c.notAfter != nil {
		return false, 0
	}
	delay := firstWait << (attempt - 1)
	spread := crc32.ChecksumIEEE([]byte(c.path+c.key+strconv.Itoa(attempt))) % 100
	delay -= delay * time.Duration(spread) / 200 // up to half, to spread out retries
	if err != nil {
		return true, delay
	}
	if seconds, err := strconv.Atoi(res.Header("Retry-After")); err == nil && seconds > 0 {
		if delay = time.Duration(seconds) * time.Second; delay > maxRetryAfter {
			return false, 0
		}
	}
	switch res.Header("Stripe-Should-Retry") {
	case "true":
		return true, delay
	case "false":
		return false, 0
	}
	switch {
	case res.Status == 409, res.Status == 429:
		return true, delay
	case c.method == "GET":
		return res.Status >= 500, delay
	}
	return res.Status > 500, delay
}

// newPost returns a call that changes something. It requires an idempotency key.
func newPost(path, key string, form url.Values) (call, error) {
	if key == "" {
		return call{}, fault.New(fault.Invalid, "A call that changes something needs an idempotency key").In("key")
	}
	return call{method: "POST", path: path, key: key, form: form}, nil
}

// objectPath returns the path of one object.
func objectPath(collection, id, verb string) string {
	return collection + "/" + url.PathEscape(id) + verb
}
