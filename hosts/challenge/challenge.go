// Package challenge defines the interface of bot checks such as Cloudflare Turnstile
// (package challenge/turnstile).
package challenge

import "context"

// Check verifies that a person performs the action, given the response that the widget
// returned to the page. A response is valid once. Check fails with code Invalid and
// field challenge if it is missing or refused, and with Unavailable if it cannot be
// verified.
type Check func(ctx context.Context, action, response string) error
