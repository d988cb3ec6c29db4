// Package edac asks New Mexico's address service, which takes no key, for the place
// and rate of an address: for no longer than Timeout, no more than once for the same
// address in a while, and not at all for a while when it fails again and again.
package edac

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax/nmgrt"
)

// DefaultBase is the address of the state's service, which takes no key.
const DefaultBase = "https://grt.edacnm.org"

// What a checkout waits at most, and what an answer may be.
const (
	Timeout   = 4 * time.Second // for one question, with its repeat
	tryFor    = 1800 * time.Millisecond
	maxAnswer = 256 << 10 // bytes
	keepFor   = 10 * time.Minute
	keepMost  = 1000 // answers
	failures  = 5    // in a row, after which nobody is asked for a while
	restFor   = time.Minute
)

// Service asks the state which place an address is in and what its rate is. It is
// safe for concurrent use.
type Service struct {
	base    string
	client  *retryablehttp.Client
	breaker *gobreaker.CircuitBreaker[nmgrt.Answer]
	cache   *lru.Cache[string, kept]
	now     func() time.Time
}

type kept struct {
	answer nmgrt.Answer
	until  time.Time
}

// New returns a client of the service at a base address. The transport may
// be nil. It fails for an address that is none.
func New(base string, transport http.RoundTripper, now func() time.Time) (*Service, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, errors.New("edac: the service's base is no address")
	}
	cache, err := lru.New[string, kept](keepMost)
	if err != nil {
		return nil, err
	}
	client := retryablehttp.NewClient()
	client.Logger = nil
	client.RetryMax, client.RetryWaitMin, client.RetryWaitMax = 1, 100*time.Millisecond, 200*time.Millisecond
	client.HTTPClient = &http.Client{Transport: transport, Timeout: tryFor,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	client.ErrorHandler = retryablehttp.PassthroughErrorHandler
	return &Service{
		base: strings.TrimSuffix(base, "/"), client: client, cache: cache, now: now,
		breaker: gobreaker.NewCircuitBreaker[nmgrt.Answer](gobreaker.Settings{
			Name: "nm_grt", Timeout: restFor,
			ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failures },
			IsSuccessful: func(err error) bool { return err == nil || errors.Is(err, errUnknown) },
		}),
	}, nil
}

// The reasons for no answer. They name nothing of the address.
var (
	errUnknown = errors.New("it does not know the address")
	errResting = errors.New("it has failed too often and is left alone for a while")
	errAnswer  = errors.New("its answer cannot be read")
	errSilent  = errors.New("it cannot be reached in time")
	errRefused = errors.New("it refuses to answer")
)

// Ask implements nmgrt.Service, within Timeout.
func (s *Service) Ask(ctx context.Context, where nmgrt.Street) (nmgrt.Answer, error) {
	question := query(where)
	if k, ok := s.cache.Get(question); ok && s.now().Before(k.until) {
		return k.answer, nil
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	a, err := s.breaker.Execute(func() (nmgrt.Answer, error) { return s.fetch(ctx, question) })
	switch {
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return nmgrt.Answer{}, errResting
	case err != nil:
		return nmgrt.Answer{}, err
	}
	s.cache.Add(question, kept{a, s.now().Add(keepFor)})
	return a, nil
}

func (s *Service) fetch(ctx context.Context, question string) (nmgrt.Answer, error) {
	r, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, s.base+"/api/by_address?"+question, nil)
	if err != nil {
		return nmgrt.Answer{}, errAnswer
	}
	r.Header.Set("Accept", "application/json")
	res, err := s.client.Do(r)
	if err != nil {
		return nmgrt.Answer{}, errSilent
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nmgrt.Answer{}, errRefused
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nmgrt.Answer{}, errSilent
	}
	if len(body) > maxAnswer {
		return nmgrt.Answer{}, errAnswer
	}
	return read(body)
}

var (
	locationCode = regexp.MustCompile(`^\d{2}-\d{3}$`)
	highest, _   = money.ParsePercent("20")
)

// read takes the first result. Its rate is a percentage in a text.
func read(body []byte) (nmgrt.Answer, error) {
	var out struct {
		Results []struct {
			Success bool   `json:"success"`
			Rate    string `json:"tax_rate"`
			Code    string `json:"location_code"`
			Source  string `json:"source"`
		} `json:"results"`
	}
	if err := json.Unmarshal(body, &out); err != nil {
		return nmgrt.Answer{}, errAnswer
	}
	if len(out.Results) == 0 || !out.Results[0].Success {
		return nmgrt.Answer{}, errUnknown
	}
	first := out.Results[0]
	rate, err := money.ParsePercent(first.Rate)
	if err != nil || rate.IsZero() || rate.Of(money.Max) > highest.Of(money.Max) || !locationCode.MatchString(first.Code) {
		return nmgrt.Answer{}, errAnswer
	}
	return nmgrt.Answer{Rate: rate, Code: first.Code, Source: "address service of the state, " + clean(first.Source)}, nil
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

func query(s nmgrt.Street) string {
	v := url.Values{"street_number": {s.Number}, "street_name": {s.Name}, "city": {s.City}, "zipcode": {s.ZIP}}
	for key, value := range map[string]string{"pre_direction": s.Before, "street_suffix": s.Suffix} {
		if value != "" {
			v.Set(key, value)
		}
	}
	return v.Encode()
}
