// Package challenge defines the interface of bot checks such as Cloudflare Turnstile
// (package challenge/turnstile).
package challenge

import "context"

// Check verifies that a person performs the action, based on the response that the widget gave to
// the page. A response can be used once.
//
// Check fails with code Invalid and field challenge if the response is missing or rejected, and
// with Unavailable if it cannot be verified.
type Check func(ctx context.Context, action, response string) error
