// Package usps asks the United States Postal Service what a parcel costs, by its
// APIs v3 (prices, international-prices), as published at github.com/USPS/api-examples
// on 2025-10-31.
//
// The service allows an account some 60 calls an hour, the token's included, so a
// parcel takes one call: the first class that suits its contents, and the next only
// where that one does not take it. The token is kept while it is good, an answer
// for Options.QuoteTTL, and after a failure or a refusal nobody asks for a while.
package usps

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// Base is the address of the service. Its test environment is apis-tem.usps.com.
const Base = "https://apis.usps.com"

// Options are the account and how it is used. Base, Transport and Now may be left out.
type Options struct {
	Base                   string
	ClientID, ClientSecret string
	OriginCountry          string // the United States or one of their territories
	OriginZIP              string // five digits: where parcels are mailed
	// Commercial asks for the prices of those who print their postage, and not for
	// those of the counter.
	Commercial        bool
	Timeout           time.Duration // of a quote, all calls included
	QuoteTTL          time.Duration // how long a quote is kept
	FailureCooldown   time.Duration // without a call after a failure
	RateLimitCooldown time.Duration // and after too many, unless the service says how long
	Transport         http.RoundTripper
	Now               func() time.Time
}

const (
	maxAnswer  = 256 << 10 // bytes
	keepMost   = 10_000    // quotes
	longestNap = 24 * time.Hour
	tokenSlack = time.Minute // before it ends
)

// Carrier implements shipping.Carrier.
type Carrier struct {
	base, id, secret  string
	origin, priceType string
	zone              *time.Location
	timeout, ttl      time.Duration
	failed, limited   time.Duration
	http              *http.Client
	now               func() time.Time
	flight            singleflight.Group
	quotes            *lru.Cache[string, quote]

	mu      sync.Mutex
	token   string
	until   time.Time // of the token
	rest    time.Time // nobody asks before
	resting error     // why
}

// quote is a kept answer: a price, or that the class is not for the parcel.
type quote struct {
	price money.Cents
	taken bool
	until time.Time
}

// New returns a carrier. It fails, naming the option, for a base that is no address,
// an origin that is no ZIP code, and no time to wait.
func New(o Options) (*Carrier, error) {
	u, err := url.Parse(cmp.Or(o.Base, Base))
	if err != nil || u.Host == "" {
		return nil, errors.New("usps: the base is no address")
	}
	if o.Timeout <= 0 {
		return nil, errors.New("usps: the timeout is not positive")
	}
	if !shipping.Domestic("US", o.OriginCountry) {
		return nil, fmt.Errorf("usps: the post of the United States takes no parcels in %q", o.OriginCountry)
	}
	zone, err := zoneOf(o.OriginZIP)
	if err != nil {
		return nil, err
	}
	quotes, err := lru.New[string, quote](keepMost)
	if err != nil {
		return nil, err
	}
	c := &Carrier{
		base: strings.TrimSuffix(u.String(), "/"), id: o.ClientID, secret: o.ClientSecret, origin: o.OriginZIP,
		priceType: "RETAIL", zone: zone, timeout: o.Timeout, ttl: o.QuoteTTL, failed: o.FailureCooldown,
		limited: o.RateLimitCooldown, now: o.Now, quotes: quotes,
		http: &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	if o.Commercial {
		c.priceType = "COMMERCIAL"
	}
	if c.now == nil {
		c.now = time.Now
	}
	return c, nil
}

// Rate implements shipping.Carrier, within Options.Timeout. The same shipments that
// are asked about at once are one question.
func (c *Carrier) Rate(ctx context.Context, s shipping.Shipment) (shipping.Rate, error) {
	questions := c.questions(s)
	if len(questions) == 0 {
		return shipping.Rate{}, shipping.ErrNotCarried
	}
	key := fmt.Sprint(questions)
	answer := c.flight.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
		defer cancel()
		return c.first(ctx, questions)
	})
	select {
	case r := <-answer:
		rate, _ := r.Val.(shipping.Rate)
		return rate, r.Err
	case <-ctx.Done():
		return shipping.Rate{}, ctx.Err()
	}
}

// first is the answer to the first question that has one.
func (c *Carrier) first(ctx context.Context, questions []question) (shipping.Rate, error) {
	for _, q := range questions {
		price, err := c.price(ctx, q)
		switch {
		case errors.Is(err, shipping.ErrNotCarried):
		case err != nil:
			return shipping.Rate{}, err
		default:
			return shipping.Rate{Price: price, Source: q.source}, nil
		}
	}
	return shipping.Rate{}, shipping.ErrNotCarried
}

// price answers from what is kept, or asks.
func (c *Carrier) price(ctx context.Context, q question) (money.Cents, error) {
	body, err := json.Marshal(q.body)
	if err != nil {
		return 0, err
	}
	key := q.path + string(body)
	if k, ok := c.quotes.Get(key); ok && c.now().Before(k.until) {
		if !k.taken {
			return 0, shipping.ErrNotCarried
		}
		return k.price, nil
	}
	price, err := c.authorized(ctx, q.path, body)
	if err != nil && !errors.Is(err, shipping.ErrNotCarried) {
		return 0, err
	}
	c.quotes.Add(key, quote{price, err == nil, c.now().Add(c.ttl)})
	return price, err
}

// The errors that are not shipping's. They name nothing of the address.
var (
	errResting = errors.New("usps: it failed a moment ago and is left alone for a while")
	errSilent  = errors.New("usps: it cannot be reached in time")
	errAnswer  = errors.New("usps: its answer cannot be read")
	errRefused = errors.New("usps: it refuses to answer")
)
