package localgit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// maxTries is the maximum number of attempts to build a commit while the branch is moved manually.
// Processes of this service wait for each other.
const maxTries = 20

// Commit commits a change, once per change ID. It implements repository.Repository.
func (r *Repository) Commit(ctx context.Context, c repository.Change) (made repository.Commit, err error) {
	if err := c.Check(r.Limits()); err != nil {
		return made, err
	}
	if err := ctx.Err(); err != nil {
		return made, fault.Wrap(err, fault.Unavailable, "The request was canceled before the commit")
	}
	err = r.locked(ctx, func() error {
		if err := r.finish(ctx); err != nil {
			return err
		}
		for range maxTries {
			var moved bool
			if made, moved, err = r.tryCommit(ctx, c); !moved {
				return err
			}
		}
		return fault.Wrap(err, fault.Unavailable, "The branch could not be updated")
	})
	return made, wrapGitError(err)
}

// tryCommit makes a change on the current head. Moved reports that the head was changed in
// the meantime.
func (r *Repository) tryCommit(ctx context.Context,
	c repository.Change) (made repository.Commit, moved bool, err error) {
	head, err := r.Head(ctx)
	if err != nil {
		return made, false, err
	}
	if made, ok, err := r.findEarlier(ctx, head, c.ID); ok || err != nil {
		return made, false, err
	}
	files, err := r.plannedFiles(ctx, head, c)
	if err != nil {
		return made, false, err
	}
	if err := r.checkUntouched(ctx, files); err != nil {
		return made, false, err
	}
	for i, f := range files {
		if !f.put {
			continue
		}
		if files[i].After, err = r.git.runLine(ctx, f.bytes, "hash-object", "-w", "--no-filters", "--stdin"); err != nil {
			return made, false, err
		}
	}
	r.step("blobs")
	revision, err := r.buildCommit(ctx, head, c, files)
	if err != nil {
		return made, false, err
	}
	r.step("commit")
	if err := r.writeNote(revision, files); err != nil {
		return made, false, err
	}
	r.step("note")
	if err := ctx.Err(); err != nil {
		return made, false, fault.Wrap(err, fault.Unavailable, "The request was canceled before the commit")
	}
	ctx = context.WithoutCancel(ctx) // a killed command would leave its lock files
	if _, err := r.git.run(ctx, nil, "update-ref", "-m", "commit: "+subjectLine(c), r.ref,
		revision, expectedRef(head)); err != nil {
		return made, isGitError(err), err
	}
	r.step("ref")
	r.made[c.ID] = revision
	if err := r.finish(ctx); err != nil {
		return c.Commit(revision, head), false, nil //nolint:nilerr // the commit is made, and the next call updates the folder
	}
	return c.Commit(revision, head), false, nil
}

func subjectLine(c repository.Change) string {
	line, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	return line
}

// expectedRef returns the value that the reference must have; zeros mean that it must not
// exist.
func expectedRef(head string) string {
	if head == "" {
		return strings.Repeat("0", 40)
	}
	return head
}

// file is a file that a change touches, by its path in the repository.
type file struct {
	Path   string `json:"path"`
	Mode   string `json:"mode"`
	Before string `json:"before,omitempty"` // SHA, "" for none
	After  string `json:"after,omitempty"`
	put    bool
	bytes  []byte
}

// plannedFiles returns the files that a change touches, or a conflict if one was changed since the
// writer read it.
func (r *Repository) plannedFiles(ctx context.Context, head string, c repository.Change) ([]file, error) {
	there := map[string]entry{}
	shas := map[string]string{}
	if head != "" {
		tree, err := r.tree(ctx, head, "")
		if err != nil {
			return nil, err
		}
		for _, e := range tree {
			path := strings.TrimPrefix(e.Path, r.prefix)
			there[path], shas[path] = e, e.SHA
			if !e.isRegular() {
				shas[path] = e.mode // a symbolic link gets a SHA that no writer can have seen
			}
		}
	}
	if err := c.CheckBase(shas); err != nil {
		return nil, err
	}
	var files []file
	for _, w := range c.Writes {
		f := file{Path: r.prefix + w.Path, Mode: "100644", Before: w.Was, put: !w.Remove, bytes: w.Bytes}
		if was, ok := there[w.Path]; ok {
			f.Mode = was.mode
		}
		if w.From != "" {
			was := there[w.From]
			files = append(files, file{Path: was.Path, Mode: was.mode, Before: was.SHA})
			f.Before, f.After, f.Mode, f.put = "", was.SHA, was.mode, false
		}
		files = append(files, f)
	}
	return files, nil
}

// buildCommit writes the commit of a change without updating the branch.
func (r *Repository) buildCommit(ctx context.Context, head string, c repository.Change, files []file) (string, error) {
	dir, err := os.MkdirTemp(r.dir, "pledgeworks-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	g := git{folder: r.git.folder, index: dir + "/index"}
	if head != "" {
		if _, err := g.run(ctx, nil, "read-tree", head); err != nil {
			return "", err
		}
	}
	if _, err := g.run(ctx, indexInfo(files), "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	tree, err := g.runLine(ctx, nil, "write-tree")
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "tree %s\n", tree)
	if head != "" {
		fmt.Fprintf(&text, "parent %s\n", head)
	}
	by := fmt.Sprintf("%s <%s> %d %s", c.Author.Name, c.Author.Email, max(c.At.Unix(), 0), c.At.Format("-0700"))
	fmt.Fprintf(&text, "author %s\ncommitter %s\n\n%s", by, by, c.Text())
	return g.runLine(ctx, text.Bytes(), "hash-object", "-t", "commit", "-w", "--stdin")
}

// indexInfo returns the input for git update-index. Deletions come first, because a folder
// may be created in place of a file.
func indexInfo(files []file) []byte {
	var deletions, additions bytes.Buffer
	for _, f := range files {
		if f.After == "" {
			fmt.Fprintf(&deletions, "0 %s\t%s\x00", strings.Repeat("0", 40), f.Path)
		} else {
			fmt.Fprintf(&additions, "%s %s\t%s\x00", f.Mode, f.After, f.Path)
		}
	}
	return append(deletions.Bytes(), additions.Bytes()...)
}

// findEarlier returns the commit that has a change's ID and is still on the branch, and
// whether there is one.
func (r *Repository) findEarlier(ctx context.Context, head, id string) (repository.Commit, bool, error) {
	if head == "" {
		return repository.Commit{}, false, nil
	}
	if head != r.seen {
		span := []string{head, "--"}
		if r.seen != "" {
			span = []string{head, "^" + r.seen, "--"}
		}
		log, err := r.log(ctx, span...)
		if err != nil && r.seen != "" {
			r.seen = "" // it was removed from the history
			return r.findEarlier(ctx, head, id)
		}
		if err != nil {
			return repository.Commit{}, false, err
		}
		for _, c := range log {
			if id := c.Trailer(repository.IDTrailer); id != "" {
				r.made[id] = c.Revision
			}
		}
		r.seen = head
	}
	revision, ok := r.made[id]
	if !ok {
		return repository.Commit{}, false, nil
	}
	within, err := r.isAncestor(ctx, revision, head)
	if err != nil || !within { // the commit was removed from the branch by a forced update
		return repository.Commit{}, false, err
	}
	log, err := r.log(ctx, "-n", "1", revision, "--")
	if err != nil || len(log) == 0 {
		return repository.Commit{}, false, errors.Join(errors.New("commit not found"), err)
	}
	return log[0], true, nil
}

// isAncestor reports whether a revision is a head or one of its ancestors.
func (r *Repository) isAncestor(ctx context.Context, revision, head string) (bool, error) {
	_, err := r.git.run(ctx, nil, "merge-base", "--is-ancestor", revision, head)
	if isGitError(err) {
		return false, nil
	}
	return err == nil, err
}
