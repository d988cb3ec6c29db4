// Package folder implements repository.Repository with a plain folder, for evaluating the service.
// Earlier versions of the files and the log are stored in a second folder.
//
// Files that are edited manually in the folder are detected by the next call and committed
// separately.
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

// Repository is a folder with its history. Create it with Open.
type Repository struct {
	files, past *disk.Folder
	dir, kept   string   // paths of files and past
	except      []string // paths that are not content
	now         func() time.Time

	mu    sync.Mutex
	lock  *flock.Flock
	log   []entry              // oldest first
	state map[string]string    // SHAs by path, at the newest entry
	stats map[string]fileStats // of the files in state
	size  int64                // length of the log that was read

	step func(name string) // called at each step; tests stop the process here
}

// entry is a commit in the log.
type entry struct {
	repository.Commit
	Files []file `json:"files"`
}

// file is a file that a commit changed, with its SHA before and after the commit; "" means no file.
type file struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// fileStats are compared to detect that a file was changed, without reading it.
type fileStats struct {
	size int64
	at   time.Time
}

var _ repository.Repository = (*Repository)(nil)

// Open returns a repository for a folder, with its history in the folder kept. Kept and the
// exceptions can be inside the folder; they are not content, and neither are hidden files.
// Open finishes a commit that a crash interrupted.
func Open(dir, kept string, now func() time.Time, except ...string) (*Repository, error) {
	r := &Repository{now: now, lock: flock.New(filepath.Join(kept, "lock")), state: map[string]string{},
		stats: map[string]fileStats{}, step: func(string) {}}
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
	err = r.locked(context.Background(), func() error { return nil })
	return r, err
}

// Close releases the folders.
func (r *Repository) Close() error { return errors.Join(r.files.Close(), r.past.Close()) }

const lockPause = 5 * time.Millisecond

// locked calls do while holding the lock that excludes other callers and processes. Before that, it
// reads the log, finishes an interrupted commit and commits manual edits.
func (r *Repository) locked(ctx context.Context, do func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ok, err := r.lock.TryLockContext(ctx, lockPause); err != nil || !ok {
		return fault.Wrap(err, fault.Unavailable, "The request was canceled while waiting for the folder")
	}
	defer func() { _ = r.lock.Unlock() }()
	for _, prepare := range []func() error{r.readLog, r.finish, r.commitEdits, do} {
		if err := prepare(); err != nil {
			if fault.Of(err) == nil {
				err = fault.Wrap(err, fault.Unavailable, "The content folder cannot be accessed")
			}
			return err
		}
	}
	return nil
}

// Head returns the newest revision.
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
	return nil, fault.New(fault.NotFound, "There is no revision with this ID").In("revision")
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
			return fault.New(fault.NotFound, "There is no file with this path").In("path")
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
			if path == folder || !repository.IsBelow(path, folder) {
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
			if len(log) < limit && slices.ContainsFunc(e.Files, func(f file) bool { return repository.IsBelow(f.Path, path) }) {
				log = append(log, e.Commit)
			}
		}
		return nil
	})
	return log, err
}

// Limits returns limits that fit in one request.
func (r *Repository) Limits() repository.Limits {
	return repository.Limits{File: 100 << 20, Commit: 200 << 20}
}

// readLog reads new entries of the log. A line that was truncated by a crash is removed.
func (r *Repository) readLog() error {
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

// commitEdits commits the files that were edited manually.
func (r *Repository) commitEdits() error {
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
		return r.readFile(full, d, there)
	})
	if err != nil {
		return err
	}
	e := entry{Commit: repository.Commit{
		Parent: r.head(), At: r.now().UTC().Truncate(time.Second), Message: "Edited in the folder",
		Author: repository.Author{Name: "Unknown", Email: "unknown@localhost"},
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
	return r.appendEntry(&e)
}

// readFile records a file's SHA in there, and saves its content if it is new.
func (r *Repository) readFile(full string, d fs.DirEntry, there map[string]string) error {
	name, err := filepath.Rel(r.dir, full)
	if err != nil {
		return err
	}
	path := filepath.ToSlash(name)
	info, err := d.Info()
	if err != nil || !repository.ValidPath(path) {
		return nil //nolint:nilerr // removed in the meantime
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
	return r.saveObject(there[path], b)
}

func (r *Repository) saveObject(sha string, b []byte) error {
	if info, err := os.Stat(r.object(sha)); err == nil && info.Size() == int64(len(b)) {
		return nil
	}
	return r.past.Put("objects/"+sha, b, 0o600)
}
