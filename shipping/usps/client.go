package usps

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// requestPrice sends a price request with a token, and once more with a new token if the service
// refuses the first one.
func (c *Carrier) requestPrice(ctx context.Context, path string, body []byte) (money.Cents, error) {
	for again := false; ; again = true {
		token, err := c.authorize(ctx)
		if err != nil {
			return 0, err
		}
		res, err := c.call(ctx, path, token, body)
		if err != nil {
			return 0, err
		}
		if res.status == http.StatusUnauthorized && !again {
			c.forget(token)
			continue
		}
		return c.readPrice(res)
	}
}

// readPrice returns the price in a response. It fails with shipping.ErrNotCarried if the mail class
// does not accept the parcel. After another error, except an invalid request, it starts a cooldown.
func (c *Carrier) readPrice(res response) (money.Cents, error) {
	switch {
	case res.status == http.StatusOK:
	case res.status == http.StatusBadRequest && notCarried(res.body):
		return 0, shipping.ErrNotCarried
	case res.status == http.StatusBadRequest: // a problem of the request, not of the service
		return 0, errRefused
	default:
		return 0, c.startCooldown(res, errRefused)
	}
	var out struct {
		Total json.Number `json:"totalBasePrice"`
	}
	if err := json.Unmarshal(res.body, &out); err != nil {
		return 0, c.startCooldown(res, errAnswer)
	}
	price, err := money.ReadDollars(out.Total.String())
	if err != nil || price <= 0 || price >= tooMuch {
		return 0, c.startCooldown(res, errAnswer)
	}
	return price, nil
}

// tooMuch is an implausible price, higher than any postage.
var tooMuch = money.Dollars(10_000)

// refusals are the error codes with which a mail class does not accept the parcel: no zone, no
// product, too heavy, too large, not machinable, no rate.
var refusals = []string{"030001", "030002", "030004", "030008", "030011", "030020", "030023"}

// notCarried reports whether an error response has one of the refusals.
func notCarried(body []byte) bool {
	var out struct {
		Error struct {
			Code   string `json:"code"`
			Errors []struct {
				Code string `json:"code"`
			} `json:"errors"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &out); err != nil {
		return false
	}
	for _, e := range out.Error.Errors {
		if slices.Contains(refusals, e.Code) {
			return true
		}
	}
	return slices.Contains(refusals, out.Error.Code)
}

// response is a response that was completely received.
type response struct {
	status int
	body   []byte
	after  time.Duration // from Retry-After; 0 if absent
}

// call sends one request, or fails without sending it during a cooldown. token may be "".
func (c *Carrier) call(ctx context.Context, path, token string, body []byte) (response, error) {
	if err := c.cooldown(); err != nil {
		return response{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, bytes.NewReader(body))
	if err != nil {
		return response{}, errRefused
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := c.http.Do(r)
	if err != nil {
		return response{}, c.startCooldown(response{}, errSilent)
	}
	defer res.Body.Close()
	out := response{status: res.StatusCode, after: c.retryAfter(res.Header.Get("Retry-After"))}
	out.body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return response{}, c.startCooldown(out, errSilent)
	}
	if len(out.body) > maxAnswer {
		return response{}, c.startCooldown(out, errAnswer)
	}
	return out, nil
}

// retryAfter parses a Retry-After header, seconds or a date. It returns at most maxCooldown, and 0
// for an invalid header.
func (c *Carrier) retryAfter(header string) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(header); err == nil {
		wait = time.Duration(min(seconds, int(maxCooldown/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(c.now())
	}
	return min(max(wait, 0), maxCooldown)
}

// startCooldown starts a cooldown and returns the error for the caller: shipping.ErrBusy after a
// rate limit, otherwise why.
func (c *Carrier) startCooldown(res response, why error) error {
	wait := max(c.failed, res.after)
	if res.status == http.StatusTooManyRequests {
		wait, why = cmp.Or(res.after, c.limited), shipping.ErrBusy
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := c.now().Add(wait); until.After(c.cooldownEnd) {
		c.cooldownEnd, c.cooldownErr = until, errResting
		if errors.Is(why, shipping.ErrBusy) {
			c.cooldownErr = shipping.ErrBusy
		}
	}
	return why
}

// cooldown returns the reason of the current cooldown, or nil if there is none.
func (c *Carrier) cooldown() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now().Before(c.cooldownEnd) {
		return c.cooldownErr
	}
	return nil
}
