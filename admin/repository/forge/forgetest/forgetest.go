// Package forgetest is a fake Git host with one repository, owner "o" and name "n", whose content is
// in the folder site. It implements the part of the APIs of GitHub and Gitea that package forge uses,
// including observed quirks of the hosts:
//
//	host := forgetest.New(t, map[string]string{"campaigns/film.md": text})
//	forgetest.AsGitea(host)
//	repository := forge.Gitea(forge.Options{Base: host.Serve(), Name: "o/n", Folder: "site", Token: forgetest.Token})
package forgetest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Token is the credential that the host accepts.
const Token = "token"

// Fake is a fake Git host.
type Fake struct {
	*http.ServeMux
	Bare string // the folder of the repository

	Mu       sync.Mutex // protects the following fields; the repository has Git's own locks
	Lose     bool       // drop the response to the next change
	Failures []Failure  // responses to the next requests
	Bodies   []string   // bodies of the received write requests

	t testing.TB
}

// Failure is a response that one request gets instead of the host's.
type Failure struct {
	Method string // of the request that fails, "" for any
	Status int
	Body   string
	Header map[string]string
}

// New returns a host whose repository contains the files. The caller adds an API with AsGitHub or
// AsGitea.
func New(t testing.TB, files map[string]string) *Fake {
	t.Helper()
	f := &Fake{ServeMux: http.NewServeMux(), t: t, Bare: filepath.Join(t.TempDir(), "bare.git")}
	var first bytes.Buffer
	first.WriteString("commit refs/heads/main\ncommitter Bo <bo@example.com> 1700000000 +0000\ndata 5\nBegin\n")
	for name, text := range files {
		fmt.Fprintf(&first, "M 100644 inline \"site/%s\"\ndata %d\n%s\n", name, len(text), text)
	}
	if _, err := f.run(t.TempDir(), nil, nil, "init", "-q", "-b", "main", "--bare", f.Bare); err != nil {
		t.Fatal(err)
	}
	if _, err := f.run(f.Bare, first.Bytes(), nil, "fast-import", "--quiet"); err != nil {
		t.Fatal(err)
	}
	f.HandleFunc("GET /repos/o/n/git/trees/{sha}", f.readTree)
	f.HandleFunc("GET /repos/o/n/git/blobs/{sha}", f.readBlob)
	f.HandleFunc("GET /repos/o/n/commits", f.commits)
	return f
}

// Serve starts a server for the host and returns its URL.
func (f *Fake) Serve() string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.Mu.Lock()
		var next *Failure
		if len(f.Failures) > 0 && (f.Failures[0].Method == "" || f.Failures[0].Method == r.Method) {
			next, f.Failures = &f.Failures[0], f.Failures[1:]
		}
		f.Mu.Unlock()
		switch {
		case r.Header.Get("Authorization") != "Bearer "+Token:
			answer(w, 401, map[string]string{"message": "Bad credentials"})
		case r.Header.Get("User-Agent") == "":
			answer(w, 403, map[string]string{"message": "Request forbidden by administrative rules."})
		case next != nil:
			for name, value := range next.Header {
				w.Header().Set(name, value)
			}
			w.WriteHeader(next.Status)
			_, _ = w.Write([]byte(next.Body))
		default:
			f.ServeHTTP(w, r)
		}
	}))
	f.t.Cleanup(s.Close)
	return s.URL
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// Refuse answers a request with a status and a message.
func Refuse(w http.ResponseWriter, status int, text string) {
	answer(w, status, map[string]string{"message": text})
}

func (f *Fake) run(dir string, input []byte, env []string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=Bo", "-c", "user.email=bo@example.com",
		"-c", "core.quotePath=false"}, args...)...) //nolint:gosec // of this test
	cmd.Dir, cmd.Stdin, cmd.Env = dir, bytes.NewReader(input), append(os.Environ(), env...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, stderr.String())
	}
	return out.String(), nil
}

// Git runs Git in the repository.
func (f *Fake) Git(args ...string) (string, error) {
	out, err := f.run(f.Bare, nil, nil, args...)
	return strings.TrimSuffix(out, "\n"), err
}

type node struct {
	Path string  `json:"path"`
	Mode string  `json:"mode"`
	Type string  `json:"type"`
	SHA  *string `json:"sha"`
	Size int64   `json:"size,omitempty"`
}

func (f *Fake) nodes(revision string) ([]node, error) {
	out, err := f.Git("ls-tree", "-r", "-t", "-l", "-z", revision)
	var all []node
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		about, path, ok := strings.Cut(line, "\t")
		if fields := strings.Fields(about); ok {
			size, _ := strconv.ParseInt(fields[3], 10, 64)
			all = append(all, node{path, fields[0], fields[1], &fields[2], size})
		}
	}
	return all, err
}

// readTree returns a tree in pages of three entries. Gitea's pages are larger.
func (f *Fake) readTree(w http.ResponseWriter, r *http.Request) {
	sha, err := f.Git("rev-parse", "--verify", "--quiet", r.PathValue("sha")+"^{tree}")
	all, nodesErr := f.nodes(r.PathValue("sha"))
	if err != nil || nodesErr != nil || r.URL.Query().Get("recursive") == "" {
		Refuse(w, 404, "Not Found")
		return
	}
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	const size = 3
	from := min(max(page-1, 0)*size, len(all))
	to := min(from+size, len(all))
	answer(w, 200, map[string]any{"sha": sha, "tree": all[from:to], "truncated": to < len(all)})
}

func (f *Fake) readBlob(w http.ResponseWriter, r *http.Request) {
	out, err := f.run(f.Bare, nil, nil, "cat-file", "blob", r.PathValue("sha"))
	if err != nil {
		Refuse(w, 404, "Not Found")
		return
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(out))
	var lines []string // of 60 characters, like GitHub
	for ; len(encoded) > 60; encoded = encoded[60:] {
		lines = append(lines, encoded[:60])
	}
	answer(w, 200, map[string]any{"sha": r.PathValue("sha"), "encoding": "base64",
		"content": strings.Join(append(lines, encoded), "\n") + "\n"})
}

func (f *Fake) commits(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	page, _ := strconv.Atoi(q.Get("page"))
	const size = 4 // a host may use smaller pages than requested
	args := []string{"log", "-z", "-n", strconv.Itoa(size), "--skip", strconv.Itoa((page - 1) * size),
		"--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%cI%x00%B", q.Get("sha"), "--"}
	if p := q.Get("path"); p != "" {
		args = append(args, p)
	}
	out, err := f.Git(args...)
	if err != nil {
		Refuse(w, 404, "Not Found")
		return
	}
	list := []any{}
	parts := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for ; len(parts) >= 7; parts = parts[7:] {
		parents := []map[string]string{}
		for p := range strings.FieldsSeq(parts[1]) {
			parents = append(parents, map[string]string{"sha": p})
		}
		list = append(list, map[string]any{
			"sha": parts[0], "parents": parents, "commit": map[string]any{
				"message":   strings.TrimSuffix(parts[6], "\n"),
				"author":    map[string]string{"name": parts[2], "email": parts[3], "date": parts[4]},
				"committer": map[string]string{"name": parts[2], "email": parts[3], "date": parts[5]},
			},
		})
	}
	answer(w, 200, list)
}

// person is a name, an address and a date, as in both APIs.
type person struct {
	Name  string    `json:"name"`
	Email string    `json:"email"`
	Date  time.Time `json:"date"`
}

// write creates a tree from another with changed entries; a null SHA removes one.
func (f *Fake) write(base string, entries []node) (string, error) {
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(f.t.TempDir(), "index")}
	if _, err := f.run(f.Bare, nil, env, "read-tree", base); err != nil {
		return "", err
	}
	var deletions, additions bytes.Buffer
	for _, e := range entries {
		if e.SHA == nil {
			fmt.Fprintf(&deletions, "0 %s\t%s\x00", strings.Repeat("0", 40), e.Path)
		} else {
			fmt.Fprintf(&additions, "%s %s\t%s\x00", e.Mode, *e.SHA, e.Path)
		}
	}
	if _, err := f.run(f.Bare, append(deletions.Bytes(), additions.Bytes()...), env,
		"update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	out, err := f.run(f.Bare, nil, env, "write-tree")
	return strings.TrimSpace(out), err
}

func (f *Fake) commit(tree, parent, message string, by person) (string, error) {
	date := by.Date.Format(time.RFC3339)
	env := []string{"GIT_AUTHOR_NAME=" + by.Name, "GIT_AUTHOR_EMAIL=" + by.Email, "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + by.Name, "GIT_COMMITTER_EMAIL=" + by.Email, "GIT_COMMITTER_DATE=" + date}
	out, err := f.run(f.Bare, []byte(message), env, "commit-tree", tree, "-p", parent)
	return strings.TrimSpace(out), err
}

// done sends the response to a change, or drops it if Lose is set.
func (f *Fake) done(w http.ResponseWriter, status int, body any) {
	f.Mu.Lock()
	lose := f.Lose
	f.Lose = false
	f.Mu.Unlock()
	if lose {
		panic(http.ErrAbortHandler)
	}
	answer(w, status, body)
}

// read decodes the body of a write request and records it. It returns false if it has sent an
// error.
func (f *Fake) read(w http.ResponseWriter, r *http.Request, into any) bool {
	var b bytes.Buffer
	if _, err := b.ReadFrom(r.Body); err != nil {
		return false
	}
	f.Mu.Lock()
	f.Bodies = append(f.Bodies, b.String())
	f.Mu.Unlock()
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		Refuse(w, 422, "Problems parsing JSON: "+err.Error())
		return false
	}
	return true
}
