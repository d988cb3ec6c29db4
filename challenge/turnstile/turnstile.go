// Package turnstile asks Cloudflare Turnstile whether somebody is no robot.
//
// Its widget gives the page a response, which is good for five minutes and for one question
// (https://developers.cloudflare.com/turnstile/get-started/server-side-validation/).
package turnstile

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"

	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Endpoint is where Cloudflare answers.
const Endpoint = "https://challenges.cloudflare.com/turnstile/v0/siteverify"

// maxResponse is the longest response that the widget gives, in bytes.
const maxResponse = 2048

// Checker asks about responses of the widgets of one site.
type Checker struct {
	Secret   string
	Fetch    fetch.Sender
	Endpoint string // "" is Cloudflare's
}

type answer struct {
	Success bool     `json:"success"`
	Action  string   `json:"action"`
	Errors  []string `json:"error-codes"`
}

// Check fails with code Invalid, in the field challenge, for a response that shows no human
// who wants to do the action, and with Unavailable where Cloudflare does not say.
func (c Checker) Check(ctx context.Context, action, response string) error {
	if response == "" || len(response) > maxResponse {
		return refused()
	}
	a, err := c.ask(ctx, response)
	switch {
	case err != nil:
		return fault.Wrap(err, fault.Unavailable, "The check that you are no robot cannot be reached. Please try again.")
	case slices.Contains(a.Errors, "missing-input-secret") || slices.Contains(a.Errors, "invalid-input-secret"):
		return fault.Wrap(errors.New("turnstile: the secret key is refused"), fault.Unavailable, "The check that you are no robot is not set up correctly")
	case slices.Contains(a.Errors, "internal-error"):
		return fault.New(fault.Unavailable, "The check that you are no robot cannot be reached. Please try again.")
	case !a.Success || a.Action != "" && a.Action != action:
		return refused()
	}
	return nil
}

func refused() error {
	return fault.New(fault.Invalid, "Please show once more that you are no robot").In("challenge")
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
		return a, errors.New("turnstile: no answer that can be read")
	}
	return a, nil
}
