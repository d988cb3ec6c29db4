// Package memory implements repository.Repository in memory, for tests.
package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Repository keeps a copy of all files for every revision. Create it with New.
type Repository struct {
	mu   sync.Mutex
	past []revision // oldest first
}

type revision struct {
	repository.Commit
	files   map[string][]byte
	touched []string
}

// New returns a repository with one commit, which contains the files by path.
func New(files map[string][]byte) *Repository {
	r := &Repository{}
	r.add(repository.Commit{Message: "Begin"}, maps.Clone(files), slices.Collect(maps.Keys(files)))
	return r
}

// Head returns the newest revision.
func (r *Repository) Head(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.newest().Revision, nil
}

// File returns a file of a revision.
func (r *Repository) File(_ context.Context, at, path string) (repository.File, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, err := r.at(at)
	if err != nil {
		return repository.File{}, err
	}
	b, ok := v.files[path]
	if !ok {
		return repository.File{}, fault.New(fault.NotFound, "There is no file with this path").In("path")
	}
	return repository.File{Entry: entry(path, b), Bytes: slices.Clone(b)}, nil
}

// Files lists the files of a revision below a folder.
func (r *Repository) Files(_ context.Context, at, folder string) ([]repository.Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, err := r.at(at)
	if err != nil {
		return nil, err
	}
	var all []repository.Entry
	for _, path := range slices.Sorted(maps.Keys(v.files)) {
		if repository.IsBelow(path, folder) {
			all = append(all, entry(path, v.files[path]))
		}
	}
	return all, nil
}

// Log lists the commits that changed a path.
func (r *Repository) Log(_ context.Context, path string, limit int) ([]repository.Commit, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []repository.Commit
	for _, v := range slices.Backward(r.past) {
		if len(all) < limit &&
			slices.ContainsFunc(v.touched, func(p string) bool { return p != "" && repository.IsBelow(p, path) }) {
			all = append(all, v.Commit)
		}
	}
	return all, nil
}

// Commit commits a change, once per change ID. It implements repository.Repository.
func (r *Repository) Commit(ctx context.Context, c repository.Change) (repository.Commit, error) {
	if err := c.Check(r.Limits()); err != nil {
		return repository.Commit{}, err
	}
	if err := ctx.Err(); err != nil {
		return repository.Commit{}, fault.Wrap(err, fault.Unavailable, "The request was canceled before the commit")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.past {
		if v.Trailer(repository.IDTrailer) == c.ID {
			return v.Commit, nil
		}
	}
	files, names := maps.Clone(r.newest().files), map[string]string{}
	for path, b := range files {
		names[path] = repository.SHA(b)
	}
	if err := c.CheckBase(names); err != nil {
		return repository.Commit{}, err
	}
	var touched []string
	for _, w := range c.Writes {
		write(files, w)
		touched = append(touched, w.Path, w.From)
	}
	return r.add(c.Commit("", ""), files, touched), nil
}

// Limits returns the limits of a small host.
func (r *Repository) Limits() repository.Limits {
	return repository.Limits{File: 32 << 20, Commit: 32 << 20}
}

func write(files map[string][]byte, w repository.Write) {
	b := slices.Clone(w.Bytes)
	if w.From != "" {
		b = files[w.From]
		delete(files, w.From)
	}
	if files[w.Path] = b; w.Remove {
		delete(files, w.Path)
	}
}

func entry(path string, b []byte) repository.Entry {
	return repository.Entry{Path: path, SHA: repository.SHA(b), Size: int64(len(b))}
}

func (r *Repository) newest() revision { return r.past[len(r.past)-1] }

func (r *Repository) at(name string) (revision, error) {
	if name == "" {
		return r.newest(), nil
	}
	for _, v := range r.past {
		if v.Revision == name {
			return v, nil
		}
	}
	return revision{}, fault.New(fault.NotFound, "There is no revision with this ID").In("revision")
}

func (r *Repository) add(c repository.Commit, files map[string][]byte, touched []string) repository.Commit {
	if len(r.past) > 0 {
		c.Parent = r.newest().Revision
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(len(r.past)) + c.Parent + c.Message + c.Trailer(repository.IDTrailer)))
	c.Revision = hex.EncodeToString(sum[:20])
	r.past = append(r.past, revision{c, files, touched})
	return c
}
