package folder

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	logFile = "log.jsonl"
	// pendingFile names the commit whose files are being written.
	pendingFile = "pending"
)

// Commit makes a change.
func (r *Repository) Commit(ctx context.Context, c repository.Change) (made repository.Commit, err error) {
	if err := c.Check(r.Limits()); err != nil {
		return made, err
	}
	if err := ctx.Err(); err != nil {
		return made, fault.Wrap(err, fault.Unavailable, "Nobody waits for the change")
	}
	err = r.locked(ctx, func() error {
		for _, e := range r.log {
			if e.Trailer(repository.IDTrailer) == c.ID {
				made = e.Commit
				return nil
			}
		}
		made, err = r.make(c)
		return err
	})
	return made, err
}

func (r *Repository) make(c repository.Change) (repository.Commit, error) {
	if err := r.rests(c); err != nil {
		return repository.Commit{}, err
	}
	e := entry{Commit: c.Made("", r.head())}
	for _, w := range c.Writes {
		switch {
		case w.From != "":
			e.Files = append(e.Files, file{w.From, w.Was, ""}, file{w.Path, "", w.Was})
		case w.Remove:
			e.Files = append(e.Files, file{w.Path, w.Was, ""})
		default:
			sha := repository.SHA(w.Bytes)
			if err := r.keep(sha, w.Bytes); err != nil {
				return repository.Commit{}, err
			}
			e.Files = append(e.Files, file{w.Path, w.Was, sha})
		}
	}
	r.step("objects")
	e.Revision = e.name()
	if err := r.past.Put(pendingFile, []byte(e.Revision), 0o600); err != nil {
		return repository.Commit{}, err
	}
	r.step("pending")
	if err := r.append(&e); err != nil {
		return repository.Commit{}, err
	}
	r.step("log")
	_ = r.finish() // it is made; what could not be written is, before anything else is done
	return e.Commit, nil
}

// rests refuses a change of files that are not as its writer saw them, or that are none of
// the folder's.
func (r *Repository) rests(c repository.Change) error {
	if err := c.Rests(r.state); err != nil {
		return err
	}
	for _, w := range c.Writes {
		if sha, err := r.files.SHA(w.Path); err != nil || sha != r.state[w.Path] || hidden(w.Path) {
			return fault.Wrap(err, fault.Conflict, "The file is not as it was, or not of the content").In(w.Path)
		}
	}
	return nil
}

func hidden(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, "/.") || repository.Below(path, "node_modules") || strings.Contains(path, "/node_modules/")
}

// name is a revision: Git's name for what the log says of it.
func (e entry) name() string {
	e.Revision = ""
	b, _ := json.Marshal(e) // of strings and a time alone
	return repository.SHA(b)
}

// append adds an entry to the log for good.
func (r *Repository) append(e *entry) error {
	e.Revision = e.name()
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(r.kept, logFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	n, err := f.Write(append(b, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	r.size += int64(n)
	e.apply(r.state)
	r.log = append(r.log, *e)
	return nil
}

// finish writes the files of the newest commit, where a crash or a full disk was in the way.
func (r *Repository) finish() error {
	revision, err := os.ReadFile(filepath.Join(r.kept, pendingFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if string(revision) == r.head() { // else it has not come into the log, and is nothing
		if err := r.inStep(r.log[len(r.log)-1].Files); err != nil {
			return err
		}
	}
	if err := os.Remove(filepath.Join(r.kept, pendingFile)); err != nil {
		return err
	}
	r.step("done")
	return nil
}

// inStep writes files as they are after a commit, where they are as they were before.
func (r *Repository) inStep(files []file) error {
	for _, gone := range []bool{true, false} { // a file may go where a folder is to come
		for _, f := range files {
			if gone != (f.After == "") {
				continue
			}
			there, err := r.files.SHA(f.Path)
			if err != nil {
				return err
			}
			if there != f.Before {
				continue
			}
			if err := r.write(f); err != nil {
				return err
			}
			r.step("file")
		}
	}
	return nil
}

func (r *Repository) write(f file) error {
	if f.After == "" {
		return r.files.Remove(f.Path)
	}
	b, err := os.ReadFile(r.object(f.After))
	if err != nil {
		return err
	}
	return r.files.Put(f.Path, b, 0o644)
}
