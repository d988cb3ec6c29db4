package forge_test

import (
	"flag"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/forge"
	"github.com/pledgeworks/pledgeworks/admin/repository/forge/forgetest"
	"github.com/pledgeworks/pledgeworks/admin/repository/repositorytest"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var edits = flag.Int("edits", 16, "edits of eight writers")

// hosts are the kinds of host with their fakes.
var hosts = map[string]struct {
	as   func(*forgetest.Fake)
	open func(forge.Options) *forge.Repository
}{
	"GitHub": {forgetest.AsGitHub, forge.GitHub},
	"Gitea":  {forgetest.AsGitea, forge.Gitea},
}

func options(base string) forge.Options {
	return forge.Options{Fetch: overhttp.New(nil, time.Minute), Name: "o/n", Folder: "site",
		Token: "token", Base: base, Now: time.Now}
}

func TestConformance(t *testing.T) {
	for name, h := range hosts {
		t.Run(name, func(t *testing.T) {
			var f *forgetest.Fake
			var base string
			var push func(id, path string) (bool, error)
			repositorytest.Run(t, repositorytest.Harness{
				Edits: *edits,
				Open: func(t testing.TB, files map[string]string) repository.Repository {
					f = forgetest.New(t, files)
					h.as(f)
					push = repositorytest.Pushing(t, f.Bare, "site")
					base = f.Serve()
					return h.open(options(base))
				},
				Reopen:      func(testing.TB) repository.Repository { return h.open(options(base)) },
				EditOutside: func(id, path string) (bool, error) { return push(id, path) },
				DropResponse: func() {
					f.Mu.Lock()
					defer f.Mu.Unlock()
					f.Lose = true
				},
				Verify: func(t testing.TB) {
					if output, err := f.Git("fsck", "--strict", "--full", "--no-dangling"); err != nil ||
						strings.Contains(output, "error") {
						t.Errorf("git fsck: %s, %v", output, err)
					}
				},
			})
		})
	}
}

func change() repository.Change {
	return repository.Change{
		ID: "c1", Author: repository.Author{Name: "Ana", Email: "ana@example.com"},
		At:      time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Message: "Raise the goal",
		Writes:  []repository.Write{{Path: "a.md", Was: repository.SHA([]byte("a\n")), Bytes: []byte("b\n")}},
	}
}

// Errors contain a remedy and no part of the host's message.
func TestErrors(t *testing.T) {
	for name, h := range hosts {
		f := forgetest.New(t, map[string]string{"a.md": "a\n"})
		h.as(f)
		base := f.Serve()
		for what, test := range map[string]struct {
			failure forgetest.Failure
			code    fault.Code
			message string
		}{
			"an expired token": {forgetest.Failure{Status: 401, Body: `{"message":"Bad credentials xyzzy"}`},
				fault.Unauthorized, "create a new one"},
			"a token without permission": {forgetest.Failure{Status: 403,
				Body: `{"message":"Resource not accessible by personal access token xyzzy"}`},
				fault.Forbidden, "read and write the contents"},
			"no repository": {forgetest.Failure{Status: 404, Body: `{"message":"Not Found xyzzy"}`},
				fault.Forbidden, "does not exist"},
			"retry after": {forgetest.Failure{Status: 403, Body: `{"message":"xyzzy"}`,
				Header: map[string]string{"Retry-After": "30"}}, fault.Unavailable, "30s"},
			"rate limit used up": {forgetest.Failure{Status: 403, Body: `{}`,
				Header: map[string]string{"X-RateLimit-Remaining": "0"}}, fault.Unavailable, "1m0s"},
			"rate limit with reset": {forgetest.Failure{Status: 403, Body: `{}`,
				Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1777777800",
					"Date": "Sun, 03 May 2026 03:05:23 GMT"}}, fault.Unavailable, "4m37s"},
			"reset far in the future": {forgetest.Failure{Status: 429, Body: `{}`,
				Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999",
					"Date": "Sun, 03 May 2026 03:05:23 GMT"}}, fault.Unavailable, "1h0m0s"},
			"reset in the past": {forgetest.Failure{Status: 429, Body: `{}`,
				Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1777777500",
					"Date": "Sun, 03 May 2026 03:05:23 GMT"}}, fault.Unavailable, "1m0s"},
			"another limit": {forgetest.Failure{Status: 429, Body: `{}`,
				Header: map[string]string{"X-RateLimit-Remaining": "7", "X-RateLimit-Reset": "1777777800",
					"Date": "Sun, 03 May 2026 03:05:23 GMT"}}, fault.Unavailable, "1m0s"},
			"retry after and reset": {forgetest.Failure{Status: 403, Body: `{}`, Header: map[string]string{"Retry-After": "9",
				"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1777777800", "Date": "Sun, 03 May 2026 03:05:23 GMT"}},
				fault.Unavailable, "9s"},
			"a secondary limit": {forgetest.Failure{Status: 403, Body: `{"message":"You have exceeded a secondary rate limit"}`},
				fault.Unavailable, "1m0s"},
			"too many": {forgetest.Failure{Status: 429, Body: `no JSON`}, fault.Unavailable, "1m0s"},
			"a protected branch": {forgetest.Failure{Status: 403, Body: `{"message":"user cannot commit to repo xyzzy"}`},
				fault.Forbidden, "protected"},
			"an empty repository": {forgetest.Failure{Status: 409, Body: `{"message":"Git Repository is empty."}`},
				fault.Unavailable, "first commit"},
			"internal error":       {forgetest.Failure{Status: 502, Body: `<html>xyzzy`}, fault.Unavailable, "internal error"},
			"a malformed response": {forgetest.Failure{Status: 200, Body: `<html>xyzzy`}, fault.Unavailable, "could not be decoded"},
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				f.Failures = []forgetest.Failure{test.failure}
				_, err := h.open(options(base)).Commit(t.Context(), change())
				if !fault.Is(err, test.code) || !strings.Contains(fault.Of(err).Message, test.message) ||
					strings.Contains(fault.Of(err).Message, "xyzzy") {
					t.Errorf("got %v", err)
				}
			})
		}
		if _, err := h.open(options(base)).Commit(t.Context(), change()); err != nil {
			t.Errorf("%s afterwards: %v", name, err)
		}
	}
}

// After a rate-limit response no request is sent until the pause is over.
func TestRateLimit_PausesRequests(t *testing.T) {
	for name, h := range hosts {
		f := forgetest.New(t, map[string]string{"a.md": "a\n"})
		h.as(f)
		now := time.Date(2026, 5, 3, 3, 5, 0, 0, time.UTC)
		o := options(f.Serve())
		o.Now = func() time.Time { return now }
		r := h.open(o)
		f.Failures = []forgetest.Failure{
			{Status: 429, Header: map[string]string{"Retry-After": "90"}},
			{Status: 500, Body: `{"message":"it was asked"}`},
		}
		for _, passed := range []time.Duration{0, 30 * time.Second, 59 * time.Second} {
			now = now.Add(passed)
			if _, err := r.Head(t.Context()); !fault.Is(err, fault.Unavailable) ||
				!strings.Contains(err.Error(), (90*time.Second-passed).String()) && passed != 59*time.Second {
				t.Errorf("%s after %s more: %v", name, passed, err)
			}
		}
		if now = now.Add(time.Second); len(f.Failures) != 1 {
			t.Errorf("%s received a request during the pause", name)
		}
		if _, err := r.Commit(t.Context(), change()); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: no request after the pause: %v", name, err)
		}
		f.Failures = []forgetest.Failure{{Status: 429, Header: map[string]string{"Retry-After": "90"}}}
		_, _ = r.Head(t.Context())
		now = now.Add(-24 * time.Hour)
		if _, err := r.Head(t.Context()); err != nil {
			t.Errorf("%s: still paused after the clock was set back: %v", name, err)
		}
	}
}

// If another writer changed other files in the meantime, the commit is retried.
func TestCommit_BranchMoved(t *testing.T) {
	for name, met := range map[string][]forgetest.Failure{
		"GitHub": {
			{Method: "PATCH", Status: 422, Body: `{"message":"Update is not a fast forward"}`},
			{Method: "PATCH", Status: 409, Body: `{"message":"is at another"}`},
		},
		"Gitea": {
			{Method: "POST", Status: 403, Body: `{"message":"cannot lock ref 'refs/heads/main': is at a but expected b"}`},
			{Method: "POST", Status: 422, Body: `{"message":"sha does not match [given: a, expected: b]"}`},
		},
	} {
		f := forgetest.New(t, map[string]string{"a.md": "a\n"})
		hosts[name].as(f)
		r := hosts[name].open(options(f.Serve()))
		f.Failures = met
		if _, err := r.Commit(t.Context(), change()); err != nil || len(f.Failures) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A rejected update of a protected branch is not treated as a moved branch.
func TestCommit_ProtectedBranch(t *testing.T) {
	f := forgetest.New(t, map[string]string{"a.md": "a\n"})
	forgetest.AsGitHub(f)
	r := forge.GitHub(options(f.Serve()))
	if _, err := r.Files(t.Context(), "", ""); err != nil { // caches the tree
		t.Fatal(err)
	}
	f.HandleFunc("PATCH /repos/o/n/git/refs/heads/main", func(w http.ResponseWriter, _ *http.Request) {
		forgetest.Refuse(w, 422, "Repository rule violations found. Changes must be made through a pull request.")
	})
	if _, err := r.Commit(t.Context(), change()); !fault.Is(err, fault.Forbidden) ||
		!strings.Contains(err.Error(), "protected") {
		t.Errorf("got %v", err)
	}
}

// The requests follow the documented API: the author is the operator, no update is forced,
// and at Gitea every update and removal has the SHA.
func TestCommit_Requests(t *testing.T) {
	for name, want := range map[string][]string{
		"GitHub": {
			`{"content":"b\n","encoding":"utf-8"}`,
			`"base_tree":"`, `"tree":[{"path":"site/a.md","mode":"100644","type":"blob","sha":"` +
				repository.SHA([]byte("b\n")) + `"},{"path":"site/b.md","mode":"100644","type":"blob","sha":null}]`,
			`"author":{"date":"2026-11-20T12:00:00Z","email":"ana@example.com","name":"Ana"}`, `"force":false`,
		},
		"Gitea": {
			`"branch":"main"`, `"author":{"email":"ana@example.com","name":"Ana"}`,
			`"dates":{"author":"2026-11-20T12:00:00Z","committer":"2026-11-20T12:00:00Z"}`,
			`{"operation":"delete","path":"site/b.md","sha":"` + repository.SHA([]byte("b\n")) + `"}`,
			`{"operation":"update","path":"site/a.md","content":"Ygo=","sha":"` + repository.SHA([]byte("a\n")) + `"}`,
		},
	} {
		f := forgetest.New(t, map[string]string{"a.md": "a\n", "b.md": "b\n"})
		hosts[name].as(f)
		c := change()
		c.Writes = append(c.Writes, repository.Write{Path: "b.md", Was: repository.SHA([]byte("b\n")), Remove: true})
		if _, err := hosts[name].open(options(f.Serve())).Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		output := strings.Join(f.Bodies, "\n")
		for _, part := range want {
			if !strings.Contains(output, part) {
				t.Errorf("%s: missing request %s in\n%s", name, part, output)
			}
		}
	}
}
