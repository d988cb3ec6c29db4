// Package rest is the processor's adapter over plain requests, for hosts without
// net/http: Cloudflare Workers. Where there is net/http, the package stripe does the
// same on the processor's own library; both pass psptest.
//
// It uses no reflection beyond encoding/json's and waits for nothing by itself, so
// that TinyGo compiles and runs it. No error carries the processor's message, which
// may hold an address or a client secret; it carries the code, status and request ID.
package rest

import (
	"context"
	"errors"
	"hash/crc32"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Base is the processor's own address.
const Base = "https://api.stripe.com"

// SignatureHeader is the header in which the processor signs its webhooks.
const SignatureHeader = "Stripe-Signature"

// How often a request other than a charge is sent, how long is waited in between (a
// moment that doubles, or what the processor asks for), and how long all of it takes.
const (
	attempts   = 3
	firstWait  = 400 * time.Millisecond
	longestAsk = 5 * time.Second
	patience   = 30 * time.Second
)

// Options configure a Processor. All but BaseURL are required.
type Options struct {
	// Key is the secret key; its prefix tells the mode.
	Key    string
	Sender fetch.Sender
	// Now is the clock that NotAfter is held against.
	Now func() time.Time
	// Wait waits between two sendings of a request.
	Wait func(context.Context, time.Duration) error
	// BaseURL replaces the processor's address, for a simulator.
	BaseURL string
}

// Processor implements psp.Processor. It is safe for concurrent use if its Sender is.
type Processor struct {
	mode psp.Mode
	opts Options
}

var _ psp.Processor = (*Processor)(nil)

// New returns a Processor. It fails with code Invalid when the key is of neither mode,
// or an option is missing.
func New(o Options) (*Processor, error) {
	mode, err := modeOf(o.Key)
	if err != nil {
		return nil, err
	}
	if o.Now == nil || o.Wait == nil || o.Sender == nil {
		return nil, fault.New(fault.Invalid, "A clock, a way to wait and a sender are required").In("Options")
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

// call is one request of the API.
type call struct {
	method, path string
	form         url.Values
	key          string
	notAfter     *time.Time // of a charge, which is sent once
}

var (
	errNoAnswer = errors.New("rest: the processor did not answer")
	errTooLate  = errors.New("rest: the idempotency key may be forgotten by now")
)

// do sends a call, again where that may help, and decodes the answer. What the
// processor refuses is a *refusal.
func (p *Processor) do(ctx context.Context, c call, into any) (requestID string, err error) {
	res, err := p.ask(ctx, c, into)
	if res.Header == nil {
		return "", err
	}
	return res.Header("Request-Id"), err
}

func (p *Processor) ask(ctx context.Context, c call, into any) (fetch.Response, error) {
	res, err := p.send(ctx, c)
	if err != nil {
		return fetch.Response{}, err
	}
	if res.Status/100 != 2 {
		return res, refused(res)
	}
	if decode(res.Body, into) != nil {
		return res, errNoAnswer
	}
	return res, nil
}

func (p *Processor) send(ctx context.Context, c call) (fetch.Response, error) {
	r := p.request(c)
	until := p.opts.Now().Add(patience)
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
		again, delay := worthAnother(c, res, err, attempt)
		if !again || attempt == attempts || !p.opts.Now().Add(delay).Before(until) || p.opts.Wait(ctx, delay) != nil {
			if err != nil {
				err = errNoAnswer
			}
			return res, err
		}
	}
}

func (p *Processor) request(c call) fetch.Request {
	r := fetch.Request{Method: c.method, URL: p.opts.BaseURL + c.path, Header: map[string]string{
		"Authorization": "Bearer " + p.opts.Key, "Stripe-Version": psp.Version,
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

// worthAnother reports whether to send a call again, and how long to wait. A charge
// passes once: whether it is sent again is settlement's to decide. A 500 for a change is
// not tried again: the processor keeps it under the key and would only repeat it.
func worthAnother(c call, res fetch.Response, err error, attempt int) (bool, time.Duration) {
	if c.notAfter != nil {
		return false, 0
	}
	delay := firstWait << (attempt - 1)
	spread := crc32.ChecksumIEEE([]byte(c.path+c.key+strconv.Itoa(attempt))) % 100
	delay -= delay * time.Duration(spread) / 200 // up to a half, so that many do not come back at once
	if err != nil {
		return true, delay
	}
	if asked, err := strconv.Atoi(res.Header("Retry-After")); err == nil && asked > 0 {
		if delay = time.Duration(asked) * time.Second; delay > longestAsk {
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

// change is a call that changes something. It needs an identity.
func change(path, key string, form url.Values) (call, error) {
	if key == "" {
		return call{}, fault.New(fault.Invalid, "A call that changes something needs an idempotency key").In("key")
	}
	return call{method: "POST", path: path, key: key, form: form}, nil
}

// named is the path of one object.
func named(collection, id, verb string) string { return collection + "/" + url.PathEscape(id) + verb }
