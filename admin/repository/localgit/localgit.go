// Package localgit keeps campaigns in a Git repository on this machine, by Git's own
// commands. A commit is built beside everything that people work with, and becomes the
// branch's by one move of its reference, which succeeds only where the branch is still what
// the commit was built on.
//
// The repository may be bare, or have a folder that it is checked out in. There the files of
// a commit are written after it. A file that somebody has edited there, and not committed,
// is neither overwritten nor committed: the change is refused.
package localgit

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Repository is a branch of a repository on this machine. Make it with Open.
type Repository struct {
	git    git
	dir    string // Git's own folder
	top    string // of the files that are checked out; "" with a bare repository
	prefix string // where the content lies in the repository, "" or with a slash at its end
	ref    string

	mu   sync.Mutex
	lock *flock.Flock      // among processes
	made map[string]string // revisions by the IDs of changes
	seen string            // the head up to which made is known

	step func(name string) // tests end the process here
}

var _ repository.Repository = (*Repository)(nil)

// Open returns the branch of the repository that a folder is of: a bare repository, or a
// folder of files that are checked out, at any depth; "" is the branch that is checked out.
// It finishes what a process that was killed has left.
func Open(ctx context.Context, folder, branch string) (*Repository, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	r := &Repository{git: git{folder: folder}, made: map[string]string{}, step: func(string) {}}
	said, err := r.git.line(ctx, nil, "rev-parse", "--is-bare-repository", "--show-object-format", "--absolute-git-dir")
	if err != nil {
		if refusal(err) {
			return nil, fmt.Errorf("%s is no folder of a Git repository: %w", folder, err)
		}
		return nil, err
	}
	facts := strings.SplitN(said, "\n", 3)
	if len(facts) != 3 || facts[1] != "sha1" {
		return nil, fmt.Errorf("the Git repository of %s names its files by %s: only sha1 is known here", folder, facts[min(1, len(facts)-1)])
	}
	r.dir = facts[2]
	checked, err := r.git.line(ctx, nil, "symbolic-ref", "HEAD")
	if err != nil {
		return nil, fmt.Errorf("the Git repository of %s has no branch checked out: %w", folder, err)
	}
	if r.ref = checked; branch != "" {
		r.ref = "refs/heads/" + branch
	}
	if facts[0] != "true" {
		if r.top, err = r.git.line(ctx, nil, "rev-parse", "--show-toplevel"); err != nil {
			return nil, err
		}
		if r.prefix, err = r.git.line(ctx, nil, "rev-parse", "--show-prefix"); err != nil {
			return nil, err
		}
		if r.ref != checked {
			return nil, fmt.Errorf("%s has %s checked out, and not %s", folder, strings.TrimPrefix(checked, "refs/heads/"), branch)
		}
	}
	r.git.folder = r.dir
	if r.top != "" {
		r.git.folder = r.top
	}
	r.lock = flock.New(filepath.Join(r.dir, "pledgeworks.lock"))
	return r, r.locked(ctx, func() error { return r.finish(ctx) })
}

// locked has something done by one process, and one caller in it, at a time.
func (r *Repository) locked(ctx context.Context, do func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ok, err := r.lock.TryLockContext(ctx, lockPause); err != nil || !ok {
		return fault.Wrap(err, fault.Unavailable, "Another process works with the repository")
	}
	defer func() { _ = r.lock.Unlock() }()
	return do()
}

const lockPause = 5 * time.Millisecond

// Head implements repository.Repository, and so do all other methods. It is "" before the
// first commit.
func (r *Repository) Head(ctx context.Context) (string, error) {
	head, err := r.git.line(ctx, nil, "rev-parse", "--verify", "--quiet", r.ref)
	if refusal(err) {
		return "", nil
	}
	return head, unavailable(err)
}

var fullName = regexp.MustCompile(`^[0-9a-f]{40}$`)

// at is a revision as Git is asked for it.
func (r *Repository) at(revision string) (string, error) {
	if revision == "" {
		return r.ref, nil
	}
	if !fullName.MatchString(revision) {
		return "", fault.New(fault.NotFound, "There is no such revision").In("revision")
	}
	return revision, nil
}

// File reads a file of a revision.
func (r *Repository) File(ctx context.Context, revision, path string) (repository.File, error) {
	at, err := r.at(revision)
	if err != nil {
		return repository.File{}, err
	}
	none := fault.New(fault.NotFound, "There is no such file").In("path")
	if !repository.ValidPath(path) {
		return repository.File{}, none
	}
	out, err := r.git.run(ctx, []byte(at+":"+r.prefix+path+"\n"), "cat-file", "--batch")
	if err != nil {
		return repository.File{}, unavailable(err)
	}
	said, rest, _ := bytes.Cut(out, []byte("\n"))
	fields := strings.Fields(string(said))
	if len(fields) != 3 || fields[1] != "blob" || !fullName.MatchString(fields[0]) {
		return repository.File{}, none
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size > len(rest) {
		return repository.File{}, fault.New(fault.Internal, "Git has said %q", said)
	}
	return repository.File{Entry: repository.Entry{Path: path, SHA: fields[0], Size: int64(size)}, Bytes: rest[:size]}, nil
}

// Files lists the files of a revision.
func (r *Repository) Files(ctx context.Context, revision, folder string) ([]repository.Entry, error) {
	all, err := r.tree(ctx, revision, folder)
	if err != nil {
		return nil, err
	}
	var files []repository.Entry
	for _, e := range all {
		if path, ours := strings.CutPrefix(e.Path, r.prefix); ours && e.regular() && path != folder && repository.Below(path, folder) {
			files = append(files, repository.Entry{Path: path, SHA: e.SHA, Size: e.Size})
		}
	}
	return files, nil
}

// entry is one of a tree, by its path in the repository.
type entry struct {
	repository.Entry
	mode string
}

func (e entry) regular() bool { return e.mode == "100644" || e.mode == "100755" }

// tree lists what a revision has below a folder of the content, links and other
// repositories included.
func (r *Repository) tree(ctx context.Context, revision, folder string) ([]entry, error) {
	at, err := r.at(revision)
	if err != nil {
		return nil, err
	}
	args := []string{"ls-tree", "-r", "-l", "-z", "--full-tree", at}
	if below := r.prefix + folder; below != "" {
		args = append(args, "--", strings.TrimSuffix(below, "/"))
	}
	out, err := r.git.run(ctx, nil, args...)
	if refusal(err) {
		if head, wrong := r.Head(ctx); revision == "" && wrong == nil && head == "" {
			return nil, nil // nothing was committed yet
		}
		return nil, fault.Wrap(err, fault.NotFound, "There is no such revision").In("revision")
	}
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, line := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		about, path, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 4 {
			continue
		}
		size, _ := strconv.ParseInt(fields[3], 10, 64)
		all = append(all, entry{repository.Entry{Path: path, SHA: fields[2], Size: size}, fields[0]})
	}
	return all, nil
}

// Log lists commits that changed a path.
func (r *Repository) Log(ctx context.Context, path string, limit int) ([]repository.Commit, error) {
	if limit <= 0 || path != "" && !repository.ValidPath(path) {
		return nil, nil
	}
	args := []string{"-n", strconv.Itoa(limit), r.ref, "--"}
	if below := r.prefix + path; below != "" {
		args = append(args, strings.TrimSuffix(below, "/"))
	}
	log, err := r.log(ctx, args...)
	if refusal(err) {
		if head, wrong := r.Head(ctx); wrong == nil && head == "" {
			return nil, nil
		}
	}
	return log, unavailable(err)
}

func (r *Repository) log(ctx context.Context, args ...string) ([]repository.Commit, error) {
	out, err := r.git.run(ctx, nil, append([]string{"log", "-z", "--no-color", "--encoding=UTF-8", "--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%B"}, args...)...)
	if err != nil {
		return nil, err
	}
	const fields = 6
	parts := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var all []repository.Commit
	for ; len(parts) >= fields; parts = parts[fields:] {
		at, err := time.Parse(time.RFC3339, parts[4])
		if err != nil {
			return nil, fault.Wrap(err, fault.Internal, "Git has said a time that is none")
		}
		c := repository.Commit{Revision: parts[0], Author: repository.Author{Name: parts[2], Email: parts[3]}, At: at}
		c.Parent, _, _ = strings.Cut(parts[1], " ")
		c.Message, c.Trailers = repository.ParseText(parts[5])
		all = append(all, c)
	}
	return all, nil
}

// Limits are what a push to the hosts of repositories could take, and no more than a
// request can hold.
func (r *Repository) Limits() repository.Limits {
	return repository.Limits{File: 100 << 20, Commit: 200 << 20}
}
