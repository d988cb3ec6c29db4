package forge_test

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

// fake is a fake Git host with one bare repository. It implements the part of the API that
// the adapter uses, including observed quirks of the hosts.
type fake struct {
	*http.ServeMux
	t        testing.TB
	bare     string
	mu       sync.Mutex // protects the following fields; the repository has Git's own locks
	lose     bool       // drop the response to the next change
	failures []failure
	bodies   []string // of write requests
}

type failure struct {
	method string // of the request that fails, "" for any
	status int
	body   string
	header map[string]string
}

func newFake(t testing.TB, files map[string]string) *fake {
	t.Helper()
	f := &fake{ServeMux: http.NewServeMux(), t: t, bare: filepath.Join(t.TempDir(), "bare.git")}
	var first bytes.Buffer
	first.WriteString("commit refs/heads/main\ncommitter Bo <bo@example.com> 1700000000 +0000\ndata 5\nBegin\n")
	for name, text := range files {
		fmt.Fprintf(&first, "M 100644 inline \"site/%s\"\ndata %d\n%s\n", name, len(text), text)
	}
	if _, err := f.run(t.TempDir(), nil, nil, "init", "-q", "-b", "main", "--bare", f.bare); err != nil {
		t.Fatal(err)
	}
	if _, err := f.run(f.bare, first.Bytes(), nil, "fast-import", "--quiet"); err != nil {
		t.Fatal(err)
	}
	f.HandleFunc("GET /repos/o/n/git/trees/{sha}", f.readTree)
	f.HandleFunc("GET /repos/o/n/git/blobs/{sha}", f.readBlob)
	f.HandleFunc("GET /repos/o/n/commits", f.commits)
	return f
}

// serve starts a server for the fake.
func (f *fake) serve() string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		var next *failure
		if len(f.failures) > 0 && (f.failures[0].method == "" || f.failures[0].method == r.Method) {
			next, f.failures = &f.failures[0], f.failures[1:]
		}
		f.mu.Unlock()
		switch {
		case r.Header.Get("Authorization") != "Bearer token":
			answer(w, 401, map[string]string{"message": "Bad credentials"})
		case r.Header.Get("User-Agent") == "":
			answer(w, 403, map[string]string{"message": "Request forbidden by administrative rules."})
		case next != nil:
			for name, value := range next.header {
				w.Header().Set(name, value)
			}
			w.WriteHeader(next.status)
			_, _ = w.Write([]byte(next.body))
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

func problem(w http.ResponseWriter, status int, text string) {
	answer(w, status, map[string]string{"message": text})
}

func (f *fake) run(dir string, input []byte, env []string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=Bo", "-c", "user.email=bo@example.com", "-c", "core.quotePath=false"}, args...)...) //nolint:gosec // of this test
	cmd.Dir, cmd.Stdin, cmd.Env = dir, bytes.NewReader(input), append(os.Environ(), env...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, stderr.String())
	}
	return out.String(), nil
}

func (f *fake) git(args ...string) (string, error) {
	out, err := f.run(f.bare, nil, nil, args...)
	return strings.TrimSuffix(out, "\n"), err
}

type node struct {
	Path string  `json:"path"`
	Mode string  `json:"mode"`
	Type string  `json:"type"`
	SHA  *string `json:"sha"`
	Size int64   `json:"size,omitempty"`
}

func (f *fake) nodes(revision string) ([]node, error) {
	out, err := f.git("ls-tree", "-r", "-t", "-l", "-z", revision)
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

// readTree returns pages of three entries, as Gitea does with more.
func (f *fake) readTree(w http.ResponseWriter, r *http.Request) {
	sha, err := f.git("rev-parse", "--verify", "--quiet", r.PathValue("sha")+"^{tree}")
	all, nodesErr := f.nodes(r.PathValue("sha"))
	if err != nil || nodesErr != nil || r.URL.Query().Get("recursive") == "" {
		problem(w, 404, "Not Found")
		return
	}
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	const size = 3
	from := min(max(page-1, 0)*size, len(all))
	to := min(from+size, len(all))
	answer(w, 200, map[string]any{"sha": sha, "tree": all[from:to], "truncated": to < len(all)})
}

func (f *fake) readBlob(w http.ResponseWriter, r *http.Request) {
	out, err := f.run(f.bare, nil, nil, "cat-file", "blob", r.PathValue("sha"))
	if err != nil {
		problem(w, 404, "Not Found")
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

func (f *fake) commits(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	page, _ := strconv.Atoi(q.Get("page"))
	const size = 4 // a host may use smaller pages than requested
	args := []string{"log", "-z", "-n", strconv.Itoa(size), "--skip", strconv.Itoa((page - 1) * size),
		"--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%cI%x00%B", q.Get("sha"), "--"}
	if p := q.Get("path"); p != "" {
		args = append(args, p)
	}
	out, err := f.git(args...)
	if err != nil {
		problem(w, 404, "Not Found")
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
func (f *fake) write(base string, entries []node) (string, error) {
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(f.t.TempDir(), "index")}
	if _, err := f.run(f.bare, nil, env, "read-tree", base); err != nil {
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
	if _, err := f.run(f.bare, append(deletions.Bytes(), additions.Bytes()...), env,
		"update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	out, err := f.run(f.bare, nil, env, "write-tree")
	return strings.TrimSpace(out), err
}

func (f *fake) commit(tree, parent, message string, by person) (string, error) {
	date := by.Date.Format(time.RFC3339)
	env := []string{"GIT_AUTHOR_NAME=" + by.Name, "GIT_AUTHOR_EMAIL=" + by.Email, "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + by.Name, "GIT_COMMITTER_EMAIL=" + by.Email, "GIT_COMMITTER_DATE=" + date}
	out, err := f.run(f.bare, []byte(message), env, "commit-tree", tree, "-p", parent)
	return strings.TrimSpace(out), err
}

// done sends the response, or drops it.
func (f *fake) done(w http.ResponseWriter, status int, body any) {
	f.mu.Lock()
	lose := f.lose
	f.lose = false
	f.mu.Unlock()
	if lose {
		panic(http.ErrAbortHandler)
	}
	answer(w, status, body)
}

// read decodes a write request.
func (f *fake) read(w http.ResponseWriter, r *http.Request, into any) bool {
	var b bytes.Buffer
	if _, err := b.ReadFrom(r.Body); err != nil {
		return false
	}
	f.mu.Lock()
	f.bodies = append(f.bodies, b.String())
	f.mu.Unlock()
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		problem(w, 422, "Problems parsing JSON: "+err.Error())
		return false
	}
	return true
}

// asGitHub adds the handlers specific to GitHub.
func asGitHub(f *fake) {
	f.HandleFunc("GET /repos/o/n/git/ref/heads/{branch}", func(w http.ResponseWriter, r *http.Request) {
		sha, err := f.git("rev-parse", "--verify", "--quiet", "refs/heads/"+r.PathValue("branch"))
		if err != nil {
			problem(w, 404, "Not Found")
			return
		}
		answer(w, 200, map[string]any{"ref": "refs/heads/" + r.PathValue("branch"),
			"object": map[string]string{"type": "commit", "sha": sha}})
	})
	f.HandleFunc("POST /repos/o/n/git/blobs", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Content, Encoding string }
		if !f.read(w, r, &in) {
			return
		}
		b := []byte(in.Content)
		if in.Encoding == "base64" {
			b, _ = base64.StdEncoding.DecodeString(in.Content)
		}
		sha, err := f.run(f.bare, b, nil, "hash-object", "-w", "--stdin")
		if err != nil {
			problem(w, 422, err.Error())
			return
		}
		answer(w, 201, map[string]string{"sha": strings.TrimSpace(sha)})
	})
	f.HandleFunc("POST /repos/o/n/git/trees", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			BaseTree string `json:"base_tree"`
			Tree     []node `json:"tree"`
		}
		if !f.read(w, r, &in) {
			return
		}
		there, err := f.nodes(in.BaseTree)
		if err != nil {
			problem(w, 422, "base_tree is not a valid tree oid")
			return
		}
		known := map[string]bool{}
		for _, n := range there {
			known[n.Path] = true
		}
		for _, n := range in.Tree {
			if n.SHA == nil && !known[n.Path] {
				problem(w, 422, "GitRPC::BadObjectState")
				return
			}
		}
		sha, err := f.write(in.BaseTree, in.Tree)
		if err != nil {
			problem(w, 422, err.Error())
			return
		}
		answer(w, 201, map[string]string{"sha": sha})
	})
	f.HandleFunc("POST /repos/o/n/git/commits", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Message, Tree     string
			Parents           []string
			Author, Committer person
		}
		if !f.read(w, r, &in) {
			return
		}
		sha, err := f.commit(in.Tree, in.Parents[0], in.Message, in.Author)
		if err != nil {
			problem(w, 422, err.Error())
			return
		}
		answer(w, 201, map[string]string{"sha": sha})
	})
	f.HandleFunc("PATCH /repos/o/n/git/refs/heads/{branch}", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			SHA   string
			Force bool
		}
		if !f.read(w, r, &in) {
			return
		}
		ref := "refs/heads/" + r.PathValue("branch")
		now, err := f.git("rev-parse", ref)
		if err != nil {
			problem(w, 422, "Reference does not exist")
			return
		}
		if _, err := f.git("merge-base", "--is-ancestor", now, in.SHA); err != nil && !in.Force {
			problem(w, 422, "Update is not a fast forward")
			return
		}
		if _, err := f.git("update-ref", ref, in.SHA, now); err != nil {
			problem(w, 409, "is at another than expected")
			return
		}
		f.done(w, 200, map[string]any{"ref": ref, "object": map[string]string{"sha": in.SHA}})
	})
}

// asGitea adds the handlers specific to Gitea.
func asGitea(f *fake) {
	f.HandleFunc("GET /repos/o/n/branches/{branch}", func(w http.ResponseWriter, r *http.Request) {
		sha, err := f.git("rev-parse", "--verify", "--quiet", "refs/heads/"+r.PathValue("branch"))
		if err != nil {
			problem(w, 404, "The target couldn't be found.")
			return
		}
		answer(w, 200, map[string]any{"name": r.PathValue("branch"), "commit": map[string]string{"id": sha}})
	})
	f.HandleFunc("POST /repos/o/n/contents", f.contents)
}

func (f *fake) contents(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Branch, Message   string
		Author, Committer person
		Dates             struct{ Author, Committer time.Time }
		Files             []struct{ Operation, Path, Content, SHA string }
	}
	if !f.read(w, r, &in) {
		return
	}
	ref := "refs/heads/" + in.Branch
	head, err := f.git("rev-parse", "--verify", "--quiet", ref)
	if err != nil {
		problem(w, 404, "branch does not exist")
		return
	}
	there, err := f.nodes(head)
	if err != nil {
		problem(w, 500, err.Error())
		return
	}
	now := map[string]node{}
	for _, n := range there {
		now[n.Path] = n
	}
	var entries []node
	for _, file := range in.Files {
		n, known := now[file.Path]
		switch {
		case file.Operation == "create" && known && n.Type == "blob":
			problem(w, 422, "repository file already exists")
			return
		case file.Operation != "create" && !known:
			problem(w, 404, "repository file does not exist")
			return
		case file.Operation != "create" && file.SHA != "" && file.SHA != *n.SHA:
			problem(w, 422, "sha does not match [given: "+file.SHA+", expected: "+*n.SHA+"]")
			return
		case file.Operation == "delete":
			entries = append(entries, node{Path: file.Path})
			continue
		}
		b, err := base64.StdEncoding.DecodeString(file.Content)
		if err != nil {
			problem(w, 422, err.Error())
			return
		}
		sha, err := f.run(f.bare, b, nil, "hash-object", "-w", "--stdin")
		if err != nil {
			problem(w, 500, err.Error())
			return
		}
		sha = strings.TrimSpace(sha)
		entries = append(entries, node{Path: file.Path, Mode: "100644", SHA: &sha})
	}
	tree, err := f.write(head, entries)
	if err != nil {
		problem(w, 500, err.Error())
		return
	}
	in.Author.Date = in.Dates.Author
	made, err := f.commit(tree, head, in.Message, in.Author)
	if err != nil {
		problem(w, 500, err.Error())
		return
	}
	if _, err := f.git("update-ref", ref, made, head); err != nil {
		problem(w, 403, "cannot lock ref '"+ref+"': is at "+made+" but expected "+head)
		return
	}
	f.done(w, 201, map[string]any{"commit": map[string]any{"sha": made, "parents": []any{map[string]string{"sha": head}}}})
}
