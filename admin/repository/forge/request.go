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
	res, err := r.Fetch.Send(ctx, request)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The repository's host can't be reached")
	}
	if res.Status < 200 || res.Status > 299 {
		return failure(res)
	}
	if err := json.Unmarshal(res.Body, into); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The repository's host has answered something else")
	}
	return nil
}

// failure is what an answer means, and what is to be done about it.
func failure(res fetch.Response) error {
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
		return fault.Wrap(said, fault.TooMany, "The repository's host wants %s of rest", wait(res))
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

// wait is how long the host wants to be left alone: a minute where it does not say.
func wait(res fetch.Response) time.Duration {
	if d, ok := res.Seconds("Retry-After"); ok {
		return d
	}
	return time.Minute
}

// branch is the branch's name in a path, whose slashes stay.
func (r *Repository) branch() string {
	return strings.ReplaceAll(url.PathEscape(r.Branch), "%2F", "/")
}
