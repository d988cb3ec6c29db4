package forge

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (r *Repository) get(ctx context.Context, path string, into any) error {
	return r.send(ctx, "GET", path, nil, into)
}

// hostError is an error response.
type hostError struct {
	status  int
	message string
}

func (r *hostError) Error() string { return "the Git host responded: " + r.message }

// send sends a request to the repository's API and decodes the response.
func (r *Repository) send(ctx context.Context, method, path string, body, into any) error {
	request := fetch.Request{Method: method, URL: r.Base + "/repos/" + r.Name + path, Header: map[string]string{
		"Authorization": "Bearer " + r.Token, "Accept": "application/json", "User-Agent": "pledgeworks",
	}}
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		request.Body, request.Header["Content-Type"] = string(b), "application/json"
	}
	if left := r.pauseLeft(); left > 0 {
		return rateLimited(nil, left)
	}
	res, err := r.Fetch.Send(ctx, request)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The Git host cannot be reached")
	}
	if res.Status < 200 || res.Status > 299 {
		return r.responseError(res)
	}
	if err := json.Unmarshal(res.Body, into); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The Git host's response could not be decoded")
	}
	return nil
}

// responseError returns the error for a response, with a remedy.
func (r *Repository) responseError(res fetch.Response) error {
	var body struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(res.Body, &body) // the message is only logged
	cause := &hostError{res.Status, body.Message}
	lower := strings.ToLower(body.Message)
	switch {
	case res.Status == 401:
		return fault.Wrap(cause, fault.Unauthorized, "The repository's token has expired or was revoked: create a new one")
	case limited(res, lower):
		return rateLimited(cause, r.pause(retryAfter(res)))
	case strings.Contains(lower, "protected") || strings.Contains(lower, "rule violation") ||
		strings.Contains(lower, "cannot commit"):
		return fault.Wrap(cause, fault.Forbidden,
			"The branch is protected: allow the token's owner to push to it, or use another branch")
	case res.Status == 403:
		return fault.Wrap(cause, fault.Forbidden,
			"The repository's token lacks a permission: it must be able to read and write the contents")
	case res.Status == 404:
		return fault.Wrap(cause, fault.NotFound,
			"The repository, branch or revision does not exist, or the token has no access to it")
	case res.Status == 409 && strings.Contains(lower, "empty"):
		return fault.Wrap(cause, fault.Unavailable, "The repository is empty: create a first commit")
	case res.Status >= 500:
		return fault.Wrap(cause, fault.Unavailable, "The Git host has an internal error")
	}
	return fault.Wrap(cause, fault.Unavailable, "The Git host rejected the request")
}

func limited(res fetch.Response, message string) bool {
	left, ok := res.Number("X-RateLimit-Remaining")
	return res.Status == 429 ||
		res.Status == 403 && (ok && left == 0 || res.Header("Retry-After") != "" || strings.Contains(message, "rate limit"))
}

// maxPause is the longest pause that is honored: hosts' longest window is an hour.
const maxPause = time.Hour

// retryAfter returns how long to wait after a rate-limited response, at most maxPause: the time in
// its Retry-After header, or until the rate limit is reset by the host's clock, otherwise a minute.
func retryAfter(res fetch.Response) time.Duration {
	if d, ok := res.Seconds("Retry-After"); ok {
		return min(d, maxPause)
	}
	left, limited := res.Number("X-RateLimit-Remaining")
	reset, ok := res.Number("X-RateLimit-Reset")
	now, err := time.Parse(dateFormat, res.Header("Date"))
	if d := time.Unix(int64(reset), 0).Sub(now); limited && left == 0 && ok && err == nil && d > 0 {
		return min(d, maxPause)
	}
	return time.Minute
}

// dateFormat is the format of the Date header (RFC 9110, 5.6.7).
const dateFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

// pause stops requests for d, because clients that ignore rate limits can be blocked. It
// returns d.
func (r *Repository) pause(d time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.until = r.Now().Add(d)
	return d
}

// pauseLeft returns the remaining pause, not above 0 if there is none. A value above the
// maximum means that the clock was set back, and is ignored.
func (r *Repository) pauseLeft() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.until.Sub(r.Now())
	if d > maxPause {
		return 0
	}
	return d
}

func rateLimited(cause error, d time.Duration) error {
	return fault.Wrap(cause, fault.Unavailable, "The Git host's rate limit is used up: try again in %s",
		d.Round(time.Second))
}

// branch returns the branch's name escaped for a path, with its slashes.
func (r *Repository) branch() string {
	return strings.ReplaceAll(url.PathEscape(r.Branch), "%2F", "/")
}
