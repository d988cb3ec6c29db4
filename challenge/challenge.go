// Package challenge is the contract for what tells people from robots, of which
// challenge/turnstile is one.
package challenge

import "context"

// Check asks whether somebody who wants to do the action is no robot, by the response that
// their page was given. It fails with code Invalid, in the field challenge, for a robot or
// nothing, and with Unavailable where nobody can say. A response is good for one question.
type Check func(ctx context.Context, action, response string) error
