package localgit

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/repository/disk"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// checkUntouched rejects a change of files with uncommitted edits in the folder or in the
// index.
func (r *Repository) checkUntouched(ctx context.Context, files []file) error {
	if r.top == "" {
		return nil
	}
	if checked, err := r.git.runLine(ctx, nil, "symbolic-ref", "HEAD"); err != nil || checked != r.ref {
		return fault.Wrap(err, fault.Unavailable, "The folder must have the branch %s checked out",
			strings.TrimPrefix(r.ref, "refs/heads/"))
	}
	folder, err := disk.Open(r.top)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	staged, err := r.staged(ctx, files)
	if err != nil {
		return err
	}
	for _, f := range files {
		there, err := folder.SHA(f.Path)
		if err != nil {
			return err
		}
		if there != f.Before || staged[f.Path] != f.Before {
			return fault.New(fault.Conflict,
				"The file has uncommitted changes in the folder").In(strings.TrimPrefix(f.Path, r.prefix))
		}
	}
	return nil
}

// staged returns the SHAs of files in the folder's index.
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
	for line := range strings.SplitSeq(string(out), "\x00") {
		about, path, ok := strings.Cut(line, "\t")
		if fields := strings.Fields(about); ok && len(fields) == 3 {
			staged[path] = fields[1]
		}
	}
	return staged, nil
}

// noteFile exists in Git's folder from before a branch is updated until the checked-out
// files are written.
const noteFile = "pledgeworks-change.json"

// note records the files to write when the branch is at a revision.
type note struct {
	Revision string `json:"revision"`
	Files    []file `json:"files"`
}

func (r *Repository) writeNote(revision string, files []file) error {
	if r.top == "" {
		return nil
	}
	b, err := json.Marshal(note{revision, files})
	if err != nil {
		return err
	}
	folder, err := disk.Open(r.dir)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	return folder.Put(noteFile, b, 0o600)
}

// finish writes the files of the newest commit to the folder if a crash or an error prevented it.
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
	made, err := r.isAncestor(ctx, n.Revision, head)
	if err != nil {
		return err
	}
	if made {
		if err := r.syncFolder(ctx, n.Files); err != nil {
			return err
		}
	}
	if err := os.Remove(filepath.Join(r.dir, noteFile)); err != nil {
		return err
	}
	r.step("done")
	return nil
}

// syncFolder writes the files of a commit to the folder, except those that were changed since. It
// also updates the folder's index, where the files would otherwise appear as changed.
func (r *Repository) syncFolder(ctx context.Context, files []file) error {
	folder, err := disk.Open(r.top)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	for _, removals := range []bool{true, false} { // a file may be removed where a folder is created
		for _, f := range files {
			if there, err := folder.SHA(f.Path); err != nil || there != f.Before || removals != (f.After == "") {
				if err != nil {
					return err
				}
				continue
			}
			if err := r.writeFile(ctx, folder, f); err != nil {
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
		_, err = r.git.run(ctx, indexInfo(stale), "update-index", "-z", "--index-info")
	}
	r.step("index")
	return err
}

func (r *Repository) writeFile(ctx context.Context, folder *disk.Folder, f file) error {
	if f.After == "" {
		return folder.Remove(f.Path)
	}
	b, err := r.git.run(ctx, nil, "cat-file", "blob", f.After)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if f.Mode == "100755" {
		mode = 0o755
	}
	return folder.Put(f.Path, b, mode)
}
