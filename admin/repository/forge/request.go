package forge

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (r *Repository) get(ctx context.Context, path string, into any) error {
	return r.ask(ctx, "GET", path, nil, into)
}

// refused is what a host says where it does not do as it is told.
type refused struct {
	status int
	said   string
}

func (r *refused) Error() string { return "the host answers: " + r.said }

// ask sends a request about the repository.
func (r *Repository) ask(ctx context.Context, method, path string, body, into any) error {
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
	if left := r.resting(); left > 0 {
		return limit(nil, left)
	}
	res, err := r.Fetch.Send(ctx, request)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The repository's host can't be reached")
	}
	if res.Status < 200 || res.Status > 299 {
		return r.failure(res)
	}
	if err := json.Unmarshal(res.Body, into); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The repository's host has answered something else")
	}
	return nil
}

// failure is what an answer means, and what is to be done about it.
func (r *Repository) failure(res fetch.Response) error {
	var body struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(res.Body, &body) // whatever is said is for the log
	said := &refused{res.Status, body.Message}
	lower := strings.ToLower(body.Message)
	switch {
	case res.Status == 401:
		return fault.Wrap(said, fault.Unauthorized, "The repository's token does not hold: it has ended or was taken back, so make another")
	case limited(res, lower):
		return limit(said, r.rest(wait(res)))
	case strings.Contains(lower, "protected") || strings.Contains(lower, "rule violation") || strings.Contains(lower, "cannot commit"):
		return fault.Wrap(said, fault.Forbidden, "The branch is protected: let the token's owner push to it, or name another branch")
	case res.Status == 403:
		return fault.Wrap(said, fault.Forbidden, "The repository's token may not do this: it needs to read and write the contents")
	case res.Status == 404:
		return fault.Wrap(said, fault.NotFound, "There is no such repository, branch or revision, or the token may not see it")
	case res.Status == 409 && strings.Contains(lower, "empty"):
		return fault.Wrap(said, fault.Unavailable, "The repository is empty: make a first commit")
	case res.Status >= 500:
		return fault.Wrap(said, fault.Unavailable, "The repository's host has trouble")
	}
	return fault.Wrap(said, fault.Unavailable, "The repository's host refuses this")
}

func limited(res fetch.Response, said string) bool {
	left, ok := res.Number("X-RateLimit-Remaining")
	return res.Status == 429 || res.Status == 403 && (ok && left == 0 || res.Header("Retry-After") != "" || strings.Contains(said, "rate limit"))
}

// longestRest bounds how long a host is left alone: its longest window is an hour.
const longestRest = time.Hour

// wait is how long the host wants to be left alone, as it documents: what it says, or until
// nothing is used up any more, by its own clock; else a minute.
func wait(res fetch.Response) time.Duration {
	if d, ok := res.Seconds("Retry-After"); ok {
		return min(d, longestRest)
	}
	left, limited := res.Number("X-RateLimit-Remaining")
	reset, ok := res.Number("X-RateLimit-Reset")
	now, err := time.Parse(dateFormat, res.Header("Date"))
	if d := time.Unix(int64(reset), 0).Sub(now); limited && left == 0 && ok && err == nil && d > 0 {
		return min(d, longestRest)
	}
	return time.Minute
}

// dateFormat is that of the header Date (RFC 9110, 5.6.7).
const dateFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

// rest has the host be left alone for a while: whoever goes on asking may be shut out.
func (r *Repository) rest(d time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.until = r.Now().Add(d)
	return d
}

// resting is how long the host is to be left alone still. More than it can have asked for was
// said before the clock was put back.
func (r *Repository) resting() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.until.Sub(r.Now())
	if d > longestRest {
		return 0
	}
	return d
}

func limit(said error, d time.Duration) error {
	return fault.Wrap(said, fault.Unavailable, "The repository's host wants %s of rest", d.Round(time.Second))
}

// branch is the branch's name in a path, whose slashes stay.
func (r *Repository) branch() string {
	return strings.ReplaceAll(url.PathEscape(r.Branch), "%2F", "/")
}
