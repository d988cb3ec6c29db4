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
	// pendingFile holds the revision of the commit whose files are being written.
	pendingFile = "pending"
)

// Commit commits a change, once per change ID. It implements repository.Repository.
func (r *Repository) Commit(ctx context.Context, c repository.Change) (made repository.Commit, err error) {
	if err := c.Check(r.Limits()); err != nil {
		return made, err
	}
	if err := ctx.Err(); err != nil {
		return made, fault.Wrap(err, fault.Unavailable, "The request was canceled before the commit")
	}
	err = r.locked(ctx, func() error {
		for _, e := range r.log {
			if e.Trailer(repository.IDTrailer) == c.ID {
				made = e.Commit
				return nil
			}
		}
		made, err = r.commitChange(c)
		return err
	})
	return made, err
}

func (r *Repository) commitChange(c repository.Change) (repository.Commit, error) {
	if err := r.checkFiles(c); err != nil {
		return repository.Commit{}, err
	}
	e := entry{Commit: c.Commit("", r.head())}
	for _, w := range c.Writes {
		switch {
		case w.From != "":
			e.Files = append(e.Files, file{w.From, w.Was, ""}, file{w.Path, "", w.Was})
		case w.Remove:
			e.Files = append(e.Files, file{w.Path, w.Was, ""})
		default:
			sha := repository.SHA(w.Bytes)
			if err := r.saveObject(sha, w.Bytes); err != nil {
				return repository.Commit{}, err
			}
			e.Files = append(e.Files, file{w.Path, w.Was, sha})
		}
	}
	r.step("objects")
	e.Revision = e.hash()
	if err := r.past.Put(pendingFile, []byte(e.Revision), 0o600); err != nil {
		return repository.Commit{}, err
	}
	r.step("pending")
	if err := r.appendEntry(&e); err != nil {
		return repository.Commit{}, err
	}
	r.step("log")
	_ = r.finish() // the commit is made; files that were not written are written by the next call
	return e.Commit, nil
}

// checkFiles rejects a change if one of its files was changed since the writer read it, or does not
// belong to the content.
func (r *Repository) checkFiles(c repository.Change) error {
	if err := c.CheckBase(r.state); err != nil {
		return err
	}
	for _, w := range c.Writes {
		if sha, err := r.files.SHA(w.Path); err != nil || sha != r.state[w.Path] || isHidden(w.Path) {
			return fault.Wrap(err, fault.Conflict, "The file was changed, or does not belong to the content").In(w.Path)
		}
	}
	return nil
}

func isHidden(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, "/.") || repository.IsBelow(path, "node_modules") ||
		strings.Contains(path, "/node_modules/")
}

// hash returns the revision of an entry: the Git blob hash of its JSON without the revision.
func (e entry) hash() string {
	e.Revision = ""
	b, _ := json.Marshal(e) // strings and a time cannot fail
	return repository.SHA(b)
}

// appendEntry adds an entry to the log durably.
func (r *Repository) appendEntry(e *entry) error {
	e.Revision = e.hash()
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

// finish writes the files of the newest commit if a crash or a full disk prevented it.
func (r *Repository) finish() error {
	revision, err := os.ReadFile(filepath.Join(r.kept, pendingFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if string(revision) == r.head() { // otherwise the commit did not reach the log and has no effect
		if err := r.syncFiles(r.log[len(r.log)-1].Files); err != nil {
			return err
		}
	}
	if err := os.Remove(filepath.Join(r.kept, pendingFile)); err != nil {
		return err
	}
	r.step("done")
	return nil
}

// syncFiles writes the files of a commit to the folder, except those that were changed since.
func (r *Repository) syncFiles(files []file) error {
	for _, removals := range []bool{true, false} { // a file may be removed where a folder is created
		for _, f := range files {
			if removals != (f.After == "") {
				continue
			}
			there, err := r.files.SHA(f.Path)
			if err != nil {
				return err
			}
			if there != f.Before {
				continue
			}
			if err := r.writeFile(f); err != nil {
				return err
			}
			r.step("file")
		}
	}
	return nil
}

func (r *Repository) writeFile(f file) error {
	if f.After == "" {
		return r.files.Remove(f.Path)
	}
	b, err := os.ReadFile(r.object(f.After))
	if err != nil {
		return err
	}
	return r.files.Put(f.Path, b, 0o644)
}
