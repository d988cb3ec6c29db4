// Package turnstile verifies responses of Cloudflare Turnstile.
//
// The Turnstile widget gives the page a response that can be verified once, within five minutes
// (https://developers.cloudflare.com/turnstile/get-started/server-side-validation/).
package turnstile

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Endpoint is Cloudflare's verification URL.
const Endpoint = "https://challenges.cloudflare.com/turnstile/v0/siteverify"

// maxResponse is the maximum length of a response in bytes.
const maxResponse = 2048

// Checker verifies responses of one site's widgets.
type Checker struct {
	Secret   string
	Fetch    fetch.Sender
	Endpoint string // "" means Endpoint
}

type answer struct {
	Success bool     `json:"success"`
	Action  string   `json:"action"`
	Errors  []string `json:"error-codes"`
}

// Check implements challenge.Check. It fails with code Invalid and field challenge if the response
// is missing, too long, or not confirmed by Cloudflare for the action. It fails with Unavailable if
// Cloudflare cannot be reached, reports an internal error, or rejects the secret key.
func (c Checker) Check(ctx context.Context, action, response string) error {
	if response == "" || len(response) > maxResponse {
		return errRefused()
	}
	a, err := c.ask(ctx, response)
	switch {
	case err != nil:
		return fault.Wrap(err, fault.Unavailable, "The bot check is currently unavailable. Please try again.")
	case slices.Contains(a.Errors, "missing-input-secret") || slices.Contains(a.Errors, "invalid-input-secret"):
		return fault.Wrap(errors.New("turnstile: the secret key was refused"), fault.Unavailable,
			"The bot check is not configured correctly")
	case slices.Contains(a.Errors, "internal-error"):
		return fault.New(fault.Unavailable, "The bot check is currently unavailable. Please try again.")
	case !a.Success || a.Action != "" && a.Action != action:
		return errRefused()
	}
	return nil
}

func errRefused() error {
	return fault.New(fault.Invalid, "Please complete the bot check again").In("challenge")
}

func (c Checker) ask(ctx context.Context, response string) (a answer, err error) {
	endpoint := c.Endpoint
	if endpoint == "" {
		endpoint = Endpoint
	}
	res, err := c.Fetch.Send(ctx, fetch.Request{
		Method: "POST", URL: endpoint,
		Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		Body:   url.Values{"secret": {c.Secret}, "response": {response}}.Encode(),
	})
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(res.Body, &a); err != nil || res.Status >= 500 {
		return a, errors.New("turnstile: invalid response")
	}
	return a, nil
}
