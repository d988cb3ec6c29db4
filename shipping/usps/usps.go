// Package usps implements shipping.Carrier with the prices of the United States Postal
// Service, from its APIs v3 (prices, international-prices), as published at
// github.com/USPS/api-examples on 2025-10-31.
//
// The service allows about 60 requests per hour and account, including those for tokens. A quote
// therefore usually takes one request, for the first mail class that suits the contents; the next
// class is requested only if that one does not accept the parcel. Tokens are cached while they are
// valid, and prices for Options.QuoteTTL. After a failure or a refused request, no requests are
// sent during a cooldown.
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

// Base is the base URL of the service. Its test environment is apis-tem.usps.com.
const Base = "https://apis.usps.com"

// Options configures a Carrier. Base, Transport and Now are optional.
type Options struct {
	Base                   string
	ClientID, ClientSecret string
	OriginCountry          string // the United States or one of its territories
	OriginZIP              string // five digits: where parcels are mailed
	// Commercial requests the prices for printed postage instead of those at the counter.
	Commercial        bool
	Timeout           time.Duration // of a quote with all its requests
	QuoteTTL          time.Duration // how long a price is cached
	FailureCooldown   time.Duration // after a failure or a refused request
	RateLimitCooldown time.Duration // after too many requests, unless the service specifies one
	Transport         http.RoundTripper
	Now               func() time.Time
}

const (
	maxAnswer   = 256 << 10 // bytes
	maxQuotes   = 10_000    // quotes
	maxCooldown = 24 * time.Hour
	tokenSlack  = time.Minute // tokens are renewed this long before they expire
)

// Carrier implements shipping.Carrier. It is safe for concurrent use.
type Carrier struct {
	base, id, secret  string
	origin, priceType string
	zone              *time.Location
	timeout, ttl      time.Duration
	failed, limited   time.Duration // cooldowns
	http              *http.Client
	now               func() time.Time
	flight            singleflight.Group
	quotes            *lru.Cache[string, quote]

	mu          sync.Mutex
	token       string
	until       time.Time // when the token expires
	cooldownEnd time.Time
	cooldownErr error // the reason of the cooldown
}

// quote is a cached answer: a price, or that the class does not accept the parcel.
type quote struct {
	price   money.Cents
	carried bool
	until   time.Time
}

// New returns a carrier. It fails, with the option in the message, for an invalid base URL, origin
// or timeout.
func New(o Options) (*Carrier, error) {
	u, err := url.Parse(cmp.Or(o.Base, Base))
	if err != nil || u.Host == "" {
		return nil, errors.New("usps: invalid base URL")
	}
	if o.Timeout <= 0 {
		return nil, errors.New("usps: the timeout must be positive")
	}
	if !shipping.Domestic("US", o.OriginCountry) {
		return nil, fmt.Errorf("usps: the United States Postal Service does not ship from %q", o.OriginCountry)
	}
	zone, err := timeZone(o.OriginZIP)
	if err != nil {
		return nil, err
	}
	quotes, err := lru.New[string, quote](maxQuotes)
	if err != nil {
		return nil, err
	}
	c := &Carrier{
		base: strings.TrimSuffix(u.String(), "/"), id: o.ClientID, secret: o.ClientSecret, origin: o.OriginZIP,
		priceType: "RETAIL", zone: zone, timeout: o.Timeout, ttl: o.QuoteTTL, failed: o.FailureCooldown,
		limited: o.RateLimitCooldown, now: o.Now, quotes: quotes,
		http: &http.Client{Transport: o.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	if o.Commercial {
		c.priceType = "COMMERCIAL"
	}
	if c.now == nil {
		c.now = time.Now
	}
	return c, nil
}

// Rate implements shipping.Carrier, within Options.Timeout. Concurrent calls for equal
// shipments share one request.
func (c *Carrier) Rate(ctx context.Context, s shipping.Shipment) (shipping.Rate, error) {
	priceRequests := c.priceRequests(s)
	if len(priceRequests) == 0 {
		return shipping.Rate{}, shipping.ErrNotCarried
	}
	key := fmt.Sprint(priceRequests)
	answer := c.flight.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
		defer cancel()
		return c.firstPrice(ctx, priceRequests)
	})
	select {
	case r := <-answer:
		rate, _ := r.Val.(shipping.Rate)
		return rate, r.Err
	case <-ctx.Done():
		return shipping.Rate{}, ctx.Err()
	}
}

// firstPrice requests prices, one after the other, and returns the one of the first class that
// accepts the parcel. It fails with shipping.ErrNotCarried if none does.
func (c *Carrier) firstPrice(ctx context.Context, priceRequests []priceRequest) (shipping.Rate, error) {
	for _, q := range priceRequests {
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

// price returns the cached answer to a request, or sends the request. It caches prices and
// shipping.ErrNotCarried.
func (c *Carrier) price(ctx context.Context, q priceRequest) (money.Cents, error) {
	body, err := json.Marshal(q.body)
	if err != nil {
		return 0, err
	}
	key := q.path + string(body)
	if k, ok := c.quotes.Get(key); ok && c.now().Before(k.until) {
		if !k.carried {
			return 0, shipping.ErrNotCarried
		}
		return k.price, nil
	}
	price, err := c.requestPrice(ctx, q.path, body)
	if err != nil && !errors.Is(err, shipping.ErrNotCarried) {
		return 0, err
	}
	c.quotes.Add(key, quote{price, err == nil, c.now().Add(c.ttl)})
	return price, err
}

// Errors of the service. They do not contain the address.
var (
	errResting = errors.New("usps: not called for a while after a failure")
	errSilent  = errors.New("usps: not reachable in time")
	errAnswer  = errors.New("usps: invalid response")
	errRefused = errors.New("usps: request refused")
)
