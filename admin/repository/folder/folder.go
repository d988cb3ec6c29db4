// Package folder keeps campaigns in a plain folder, for those who try the service out. What
// its files were is kept in a second folder.
//
// What people edit in the folder by hand is found at the next look, and becomes a commit of
// its own.
package folder

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/disk"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Repository is a folder and its past. Make it with Open.
type Repository struct {
	files, past *disk.Folder
	dir, kept   string   // the folders of files and past
	except      []string // of the folder, and no content
	now         func() time.Time

	mu    sync.Mutex
	lock  *flock.Flock
	log   []entry              // oldest first
	state map[string]string    // SHAs by path, at the newest entry
	stats map[string]fileStats // of what is in state
	size  int64                // of the log that is read

	step func(name string) // tests end the process here
}

// entry is a commit as the log keeps it.
type entry struct {
	repository.Commit
	Files []file `json:"files"`
}

// file is what a commit did with one; "" is none.
type file struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// fileStats tell that a file is as it was, without reading it.
type fileStats struct {
	size int64
	at   time.Time
}

var _ repository.Repository = (*Repository)(nil)

// Open returns a folder whose past is kept in another. That may lie in it, and so may the
// exceptions: neither is content, nor is anything hidden. It finishes what a process that
// was killed has left.
func Open(dir, kept string, now func() time.Time, except ...string) (*Repository, error) {
	r := &Repository{now: now, lock: flock.New(filepath.Join(kept, "lock")), state: map[string]string{}, stats: map[string]fileStats{}, step: func(string) {}}
	err := os.MkdirAll(filepath.Join(kept, "objects"), 0o700)
	if err != nil {
		return nil, err
	}
	if r.dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if r.kept, err = filepath.Abs(kept); err != nil {
		return nil, err
	}
	for _, e := range append(except, kept) {
		if e, err = filepath.Abs(e); err != nil {
			return nil, err
		}
		r.except = append(r.except, e)
	}
	if r.files, err = disk.Open(dir); err != nil {
		return nil, err
	}
	if r.past, err = disk.Open(kept); err != nil {
		return nil, err
	}
	return r, r.locked(context.Background(), func() error { return nil })
}

// Close ends its use.
func (r *Repository) Close() error { return errors.Join(r.files.Close(), r.past.Close()) }

const lockPause = 5 * time.Millisecond

// locked has something done by one process, and one caller in it, at a time, when all that
// was done before is known.
func (r *Repository) locked(ctx context.Context, do func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ok, err := r.lock.TryLockContext(ctx, lockPause); err != nil || !ok {
		return fault.Wrap(err, fault.Unavailable, "Nobody waits for the folder")
	}
	defer func() { _ = r.lock.Unlock() }()
	for _, prepare := range []func() error{r.read, r.finish, r.absorb, do} {
		if err := prepare(); err != nil {
			if fault.Of(err) == nil {
				err = fault.Wrap(err, fault.Unavailable, "The folder can't be worked with")
			}
			return err
		}
	}
	return nil
}

// Head implements repository.Repository, and so do all other methods.
func (r *Repository) Head(ctx context.Context) (head string, err error) {
	err = r.locked(ctx, func() error {
		head = r.head()
		return nil
	})
	return head, err
}

func (r *Repository) head() string {
	if len(r.log) == 0 {
		return ""
	}
	return r.log[len(r.log)-1].Revision
}

// at returns the SHAs of a revision by path.
func (r *Repository) at(revision string) (map[string]string, error) {
	if revision == "" || revision == r.head() {
		return r.state, nil
	}
	state := map[string]string{}
	for _, e := range r.log {
		e.apply(state)
		if e.Revision == revision {
			return state, nil
		}
	}
	return nil, fault.New(fault.NotFound, "There is no such revision").In("revision")
}

func (e entry) apply(state map[string]string) {
	for _, f := range e.Files {
		if state[f.Path] = f.After; f.After == "" {
			delete(state, f.Path)
		}
	}
}

// File reads a file of a revision.
func (r *Repository) File(ctx context.Context, revision, path string) (f repository.File, err error) {
	err = r.locked(ctx, func() error {
		state, err := r.at(revision)
		if err != nil {
			return err
		}
		sha, ok := state[path]
		if !ok {
			return fault.New(fault.NotFound, "There is no such file").In("path")
		}
		b, err := os.ReadFile(r.object(sha))
		f = repository.File{Entry: repository.Entry{Path: path, SHA: sha, Size: int64(len(b))}, Bytes: b}
		return err
	})
	return f, err
}

func (r *Repository) object(sha string) string { return filepath.Join(r.kept, "objects", sha) }

// Files lists the files of a revision.
func (r *Repository) Files(ctx context.Context, revision, folder string) (all []repository.Entry, err error) {
	err = r.locked(ctx, func() error {
		state, err := r.at(revision)
		if err != nil {
			return err
		}
		for _, path := range slices.Sorted(maps.Keys(state)) {
			if path == folder || !repository.Below(path, folder) {
				continue
			}
			info, err := os.Stat(r.object(state[path]))
			if err != nil {
				return err
			}
			all = append(all, repository.Entry{Path: path, SHA: state[path], Size: info.Size()})
		}
		return nil
	})
	return all, err
}

// Log lists commits that changed a path.
func (r *Repository) Log(ctx context.Context, path string, limit int) (log []repository.Commit, err error) {
	err = r.locked(ctx, func() error {
		for _, e := range slices.Backward(r.log) {
			if len(log) < limit && slices.ContainsFunc(e.Files, func(f file) bool { return repository.Below(f.Path, path) }) {
				log = append(log, e.Commit)
			}
		}
		return nil
	})
	return log, err
}

// Limits are what a request can hold.
func (r *Repository) Limits() repository.Limits {
	return repository.Limits{File: 100 << 20, Commit: 200 << 20}
}

// read takes in what the log has become. A line that a crash has cut is none.
func (r *Repository) read() error {
	b, err := os.ReadFile(filepath.Join(r.kept, logFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	whole := bytes.LastIndexByte(b, '\n') + 1
	if whole < len(b) {
		if err := os.Truncate(filepath.Join(r.kept, logFile), int64(whole)); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(bytes.NewReader(b[min(r.size, int64(whole)):whole]))
	lines.Buffer(nil, len(b)+1)
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("%s: %w", logFile, err)
		}
		e.apply(r.state)
		r.log = append(r.log, e)
	}
	r.size = int64(whole)
	return lines.Err()
}

// absorb makes a commit of what people have edited.
func (r *Repository) absorb() error {
	there := map[string]string{}
	err := filepath.WalkDir(r.dir, func(full string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case full != r.dir && strings.HasPrefix(d.Name(), "."), slices.Contains(r.except, full), d.Name() == "node_modules":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		return r.look(full, d, there)
	})
	if err != nil {
		return err
	}
	e := entry{Commit: repository.Commit{
		Parent: r.head(), At: r.now().UTC().Truncate(time.Second), Message: "Edited in the folder",
		Author: repository.Author{Name: "Somebody", Email: "nobody@localhost"},
	}}
	for _, path := range slices.Sorted(maps.Keys(there)) {
		if there[path] != r.state[path] {
			e.Files = append(e.Files, file{path, r.state[path], there[path]})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(r.state)) {
		if there[path] == "" {
			e.Files = append(e.Files, file{path, r.state[path], ""})
		}
	}
	if len(e.Files) == 0 {
		return nil
	}
	return r.append(&e)
}

// look finds a file's SHA, and keeps its bytes where they are new.
func (r *Repository) look(full string, d fs.DirEntry, there map[string]string) error {
	name, err := filepath.Rel(r.dir, full)
	if err != nil {
		return err
	}
	path := filepath.ToSlash(name)
	info, err := d.Info()
	if err != nil || !repository.ValidPath(path) {
		return nil //nolint:nilerr // it is gone by now
	}
	stats := fileStats{info.Size(), info.ModTime()}
	if sha := r.state[path]; sha != "" && r.stats[path] == stats {
		there[path] = sha
		return nil
	}
	b, err := os.ReadFile(full) //nolint:gosec // below the folder
	if err != nil {
		return err
	}
	there[path], r.stats[path] = repository.SHA(b), stats
	return r.keep(there[path], b)
}

func (r *Repository) keep(sha string, b []byte) error {
	if info, err := os.Stat(r.object(sha)); err == nil && info.Size() == int64(len(b)) {
		return nil
	}
	return r.past.Put("objects/"+sha, b, 0o600)
}
