// Package forge implements repository.Repository with the API of a Git host: GitHub, Gitea
// or Forgejo. It needs no Git on the machine.
//
// GitHub's and Gitea's rate-limit headers are honored: after a rate-limited response, no request is
// sent until the limit is reset.
package forge

import (
	"context"
	"encoding/base64"
	"net/url"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Options identify the repository.
type Options struct {
	Fetch  fetch.Sender
	Name   string // "owner/name"
	Branch string // "" means main
	Folder string // folder with the content, "" for the root
	Token  string // with read and write access to the repository's contents
	// Base is the API's address; "" means GitHub's. Gitea's API is at the path /api/v1.
	Base string
	Now  func() time.Time
}

// Repository is a branch of a repository at a Git host.
type Repository struct {
	Options
	prefix string // of the content's paths
	host   host

	mu    sync.Mutex
	trees map[string]tree   // by revision
	made  map[string]string // revisions by change ID
	seen  string            // the head up to which made is complete
	until time.Time         // when the next request may be sent
}

// host is the part of the API that differs between hosts.
type host interface {
	head(ctx context.Context, r *Repository) (string, error)
	// commit makes a change on a tree. Moved reports that the branch was changed in the
	// meantime.
	commit(ctx context.Context, r *Repository, c repository.Change, on tree) (made repository.Commit,
		moved bool, err error)
	limits() repository.Limits
}

var _ repository.Repository = (*Repository)(nil)

func open(o Options, h host) *Repository {
	if o.Branch == "" {
		o.Branch = "main"
	}
	r := &Repository{Options: o, host: h, trees: map[string]tree{}, made: map[string]string{}}
	r.Base = strings.TrimSuffix(o.Base, "/")
	if folder := strings.Trim(o.Folder, "/"); folder != "" {
		r.prefix = folder + "/"
	}
	return r
}

// Head returns the branch's newest revision.
func (r *Repository) Head(ctx context.Context) (string, error) { return r.host.head(ctx, r) }

// Limits returns the limits of the host's API.
func (r *Repository) Limits() repository.Limits { return r.host.limits() }

// File reads a file of a revision.
func (r *Repository) File(ctx context.Context, revision, path string) (repository.File, error) {
	t, err := r.tree(ctx, revision)
	if err != nil {
		return repository.File{}, err
	}
	e, ok := t.files[r.prefix+path]
	if !ok || !e.isRegular() {
		return repository.File{}, fault.New(fault.NotFound, "There is no file with this path").In("path")
	}
	b, err := r.readBlob(ctx, e.SHA)
	return repository.File{Entry: repository.Entry{Path: path, SHA: e.SHA, Size: e.Size}, Bytes: b}, err
}

func (r *Repository) readBlob(ctx context.Context, sha string) ([]byte, error) {
	var blob struct {
		Content string `json:"content"`
	}
	if err := r.get(ctx, "/git/blobs/"+sha, &blob); err != nil {
		return nil, err
	}
	b, err := base64.StdEncoding.DecodeString(blob.Content)
	if err == nil && repository.SHA(b) != sha {
		err = fault.New(fault.Unavailable, "The Git host returned different content than requested")
	}
	return b, err
}

// Files lists the files of a revision.
func (r *Repository) Files(ctx context.Context, revision, folder string) ([]repository.Entry, error) {
	t, err := r.tree(ctx, revision)
	if err != nil {
		return nil, err
	}
	var all []repository.Entry
	for _, name := range t.names {
		e := t.files[name]
		if path, ours := strings.CutPrefix(name, r.prefix); ours && e.isRegular() && path != folder &&
			repository.IsBelow(path, folder) {
			all = append(all, repository.Entry{Path: path, SHA: e.SHA, Size: e.Size})
		}
	}
	return all, nil
}

// tree is the content of a revision.
type tree struct {
	revision, sha string
	names         []string        // of everything that is not a folder, in order
	files         map[string]node // including folders
}

// node is an entry of a tree in the API.
type node struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Type string `json:"type"`
	SHA  string `json:"sha"`
	Size int64  `json:"size"`
}

func (n node) isRegular() bool {
	return n.Type == "blob" && (n.Mode == "100644" || n.Mode == "100755")
}

// maxTrees is how many trees are cached. A revision's tree never changes.
const maxTrees = 16

var revisionPattern = regexp.MustCompile(`^[0-9a-f]{40}$`)

func (r *Repository) tree(ctx context.Context, revision string) (tree, error) {
	if revision == "" {
		head, err := r.Head(ctx)
		if err != nil {
			return tree{}, err
		}
		revision = head
	}
	if !revisionPattern.MatchString(revision) {
		return tree{}, unknownRevision()
	}
	r.mu.Lock()
	t, ok := r.trees[revision]
	r.mu.Unlock()
	if ok {
		return t, nil
	}
	t = tree{revision: revision, files: map[string]node{}}
	for page := 1; ; page++ {
		more, err := r.addPage(ctx, &t, page)
		if err != nil {
			return tree{}, err
		}
		if !more {
			break
		}
	}
	sort.Strings(t.names)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.trees) >= maxTrees {
		clear(r.trees)
	}
	r.trees[revision] = t
	return t, nil
}

func unknownRevision() error {
	return fault.New(fault.NotFound, "There is no revision with this ID").In("revision")
}

// addPage adds a page to a tree and reports whether there are more. GitHub returns a single page
// and reports whether it is truncated; Gitea can return several.
func (r *Repository) addPage(ctx context.Context, t *tree, page int) (more bool, err error) {
	var response struct {
		SHA       string `json:"sha"`
		Tree      []node `json:"tree"`
		Truncated bool   `json:"truncated"`
	}
	err = r.get(ctx, "/git/trees/"+t.revision+"?recursive=1&per_page=1000&page="+strconv.Itoa(page), &response)
	if fault.Is(err, fault.NotFound) {
		return false, unknownRevision()
	}
	if err != nil {
		return false, err
	}
	t.sha = response.SHA
	fresh := 0
	for _, n := range response.Tree {
		if _, known := t.files[n.Path]; known {
			continue
		}
		t.files[n.Path] = n
		fresh++
		if n.Type != "tree" {
			t.names = append(t.names, n.Path)
		}
	}
	if response.Truncated && fresh == 0 {
		return false, fault.New(fault.Unavailable, "The repository has more files than the Git host lists")
	}
	return response.Truncated, nil
}

// pageSize is the number of commits per request, the maximum at Gitea.
const pageSize = 50

// Log lists commits that changed a path.
func (r *Repository) Log(ctx context.Context, path string, limit int) ([]repository.Commit, error) {
	if path != "" && !repository.ValidPath(path) {
		return nil, nil
	}
	var all []repository.Commit
	for page := 1; len(all) < limit; page++ {
		some, err := r.commitPage(ctx, strings.TrimSuffix(r.prefix+path, "/"), page)
		if err != nil || len(some) == 0 {
			return all, err
		}
		for _, h := range some {
			all = append(all, h.toCommit())
		}
	}
	return all[:max(0, min(limit, len(all)))], nil
}

// hostCommit is a commit in the API.
type hostCommit struct {
	SHA    string `json:"sha"`
	Commit struct {
		Message string `json:"message"`
		Author  struct {
			Name  string    `json:"name"`
			Email string    `json:"email"`
			Date  time.Time `json:"date"`
		} `json:"author"`
		Committer struct {
			Date time.Time `json:"date"`
		} `json:"committer"`
	} `json:"commit"`
	Parents []struct {
		SHA string `json:"sha"`
	} `json:"parents"`
}

func (h hostCommit) toCommit() repository.Commit {
	c := repository.Commit{Revision: h.SHA,
		Author: repository.Author{Name: h.Commit.Author.Name, Email: h.Commit.Author.Email}, At: h.Commit.Author.Date}
	if len(h.Parents) > 0 {
		c.Parent = h.Parents[0].SHA
	}
	c.Message, c.Trailers = repository.ParseText(h.Commit.Message)
	return c
}

// commitPage returns a page of the branch's commits that changed a path.
func (r *Repository) commitPage(ctx context.Context, path string, page int) ([]hostCommit, error) {
	size := strconv.Itoa(pageSize)
	q := url.Values{"sha": {r.Branch}, "per_page": {size}, "limit": {size}, "page": {strconv.Itoa(page)},
		"stat": {"false"}, "files": {"false"}, "verification": {"false"}}
	if path != "" {
		q.Set("path", path)
	}
	var response []hostCommit
	err := r.get(ctx, "/commits?"+q.Encode(), &response)
	if fault.Is(err, fault.NotFound) && path != "" {
		return nil, nil // Gitea's response for an unknown path
	}
	return response, err
}
