package localgit

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// untouched refuses a change of files that somebody has edited in the folder, or prepared
// for a commit, and not committed.
func (r *Repository) untouched(ctx context.Context, files []file) error {
	if r.top == "" {
		return nil
	}
	if checked, err := r.git.line(ctx, nil, "symbolic-ref", "HEAD"); err != nil || checked != r.ref {
		return fault.Wrap(err, fault.Unavailable, "The folder has another branch checked out")
	}
	root, err := os.OpenRoot(r.top)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	staged, err := r.staged(ctx, files)
	if err != nil {
		return err
	}
	for _, f := range files {
		there, err := onDisk(root, f.Path)
		if err != nil {
			return err
		}
		if there != f.Before || staged[f.Path] != f.Before {
			return fault.New(fault.Conflict, "The file has changes in its folder that nobody has committed").In(strings.TrimPrefix(f.Path, r.prefix))
		}
	}
	return nil
}

// staged are the SHAs of files in the folder's own index.
func (r *Repository) staged(ctx context.Context, files []file) (map[string]string, error) {
	args := []string{"ls-files", "--stage", "-z", "--"}
	for _, f := range files {
		args = append(args, f.Path)
	}
	out, err := r.git.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	staged := map[string]string{}
	for _, line := range strings.Split(string(out), "\x00") {
		about, path, ok := strings.Cut(line, "\t")
		if fields := strings.Fields(about); ok && len(fields) == 3 {
			staged[path] = fields[1]
		}
	}
	return staged, nil
}

// onDisk is the SHA of a file in the folder; "" is none, and what is no file has a name of
// its own.
func onDisk(root *os.Root, name string) (string, error) {
	name = filepath.FromSlash(name)
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || isFileAbove(root, name):
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "no file", nil
	}
	b, err := root.ReadFile(name)
	if err != nil {
		return "", err
	}
	return repository.SHA(b), nil
}

// isFileAbove reports whether a file has the name of one of the folders above.
func isFileAbove(root *os.Root, name string) bool {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// noteFile is in Git's folder from before a branch is moved until its files are in step.
const noteFile = "pledgeworks-change.json"

// note is what has to be done with the folder where a branch has come to a revision.
type note struct {
	Revision string `json:"revision"`
	Files    []file `json:"files"`
}

func (r *Repository) note(revision string, files []file) error {
	if r.top == "" {
		return nil
	}
	b, err := json.Marshal(note{revision, files})
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return replace(root, noteFile, b, 0o600)
}

// finish brings the folder in step with the last commit, where that was not done yet.
func (r *Repository) finish(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	b, err := os.ReadFile(filepath.Join(r.dir, noteFile))
	if r.top == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var n note
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	made, err := r.within(ctx, n.Revision, head)
	if err != nil {
		return err
	}
	if made {
		if err := r.inStep(ctx, n.Files); err != nil {
			return err
		}
	}
	if err := os.Remove(filepath.Join(r.dir, noteFile)); err != nil {
		return err
	}
	r.step("done")
	return nil
}

// inStep writes files as they are after a commit, where they are as they were before it;
// and so with the folder's own index, in which they would seem to be changed otherwise.
func (r *Repository) inStep(ctx context.Context, files []file) error {
	root, err := os.OpenRoot(r.top)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, gone := range []bool{true, false} { // a file may go where a folder is to come
		for _, f := range files {
			if there, err := onDisk(root, f.Path); err != nil || there != f.Before || gone != (f.After == "") {
				if err != nil {
					return err
				}
				continue
			}
			if err := r.write(ctx, root, f); err != nil {
				return err
			}
			r.step("file")
		}
	}
	staged, err := r.staged(ctx, files)
	if err != nil {
		return err
	}
	var stale []file
	for _, f := range files {
		if staged[f.Path] == f.Before {
			stale = append(stale, f)
		}
	}
	if len(stale) > 0 {
		_, err = r.git.run(ctx, indexed(stale), "update-index", "-z", "--index-info")
	}
	r.step("index")
	return err
}

func (r *Repository) write(ctx context.Context, root *os.Root, f file) error {
	name := filepath.FromSlash(f.Path)
	if f.After == "" {
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for dir := path.Dir(f.Path); dir != "." && dir+"/" != r.prefix; dir = path.Dir(dir) {
			if root.Remove(filepath.FromSlash(dir)) != nil {
				break // it is not empty
			}
		}
		return nil
	}
	b, err := r.git.run(ctx, nil, "cat-file", "blob", f.After)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // as Git itself makes them
		return err
	}
	mode := fs.FileMode(0o644)
	if f.Mode == "100755" {
		mode = 0o755
	}
	return replace(root, name, b, mode)
}

// replace has a file be another, at once and for good.
func replace(root *os.Root, name string, b []byte, mode fs.FileMode) error {
	beside := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".pledgeworks")
	f, err := root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = root.Remove(beside)
		return err
	}
	return root.Rename(beside, name)
}
