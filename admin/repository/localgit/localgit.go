// Package localgit implements repository.Repository with a local Git repository, using the git
// command. A commit is built with a temporary index and added to the branch by one update of the
// reference, which succeeds only if the branch still points to the commit's parent.
//
// The repository can be bare, or a checked-out folder. In a folder, the files of a commit
// are written after the commit. A file with uncommitted edits in the folder is neither
// overwritten nor committed: the change is rejected.
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

// Repository is a branch of a local repository. Create it with Open.
type Repository struct {
	git    git
	dir    string // Git's own folder
	top    string // the folder with the checked-out files; "" for a bare repository
	prefix string // of the content in the repository, "" or with a trailing slash
	ref    string

	mu   sync.Mutex
	lock *flock.Flock      // against other processes
	made map[string]string // revisions by change ID
	seen string            // the head up to which made is complete

	step func(name string) // called at each step; tests stop the process here
}

var _ repository.Repository = (*Repository)(nil)

// Open returns a branch of the repository that a folder belongs to: a bare repository, or a
// folder at any depth of a checked-out one. With "" it uses the branch that is checked out.
// It finishes a commit that a crash interrupted.
func Open(ctx context.Context, folder, branch string) (*Repository, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	r := &Repository{git: git{folder: folder}, made: map[string]string{}, step: func(string) {}}
	output, err := r.git.runLine(ctx, nil, "rev-parse", "--is-bare-repository",
		"--show-object-format", "--absolute-git-dir")
	if err != nil {
		if isGitError(err) {
			return nil, fmt.Errorf("%s is not in a Git repository: %w", folder, err)
		}
		return nil, err
	}
	properties := strings.SplitN(output, "\n", 3)
	if len(properties) != 3 || properties[1] != "sha1" {
		return nil, fmt.Errorf("the Git repository of %s uses the object format %s: only sha1 is supported",
			folder, properties[min(1, len(properties)-1)])
	}
	r.dir = properties[2]
	checked, err := r.git.runLine(ctx, nil, "symbolic-ref", "HEAD")
	if err != nil {
		return nil, fmt.Errorf("no branch is checked out in the Git repository of %s: %w", folder, err)
	}
	if r.ref = checked; branch != "" {
		r.ref = "refs/heads/" + branch
	}
	if properties[0] != "true" {
		if r.top, err = r.git.runLine(ctx, nil, "rev-parse", "--show-toplevel"); err != nil {
			return nil, err
		}
		if r.prefix, err = r.git.runLine(ctx, nil, "rev-parse", "--show-prefix"); err != nil {
			return nil, err
		}
		if r.ref != checked {
			return nil, fmt.Errorf("%s has the branch %s checked out instead of %s", folder,
				strings.TrimPrefix(checked, "refs/heads/"), branch)
		}
	}
	r.git.folder = r.dir
	if r.top != "" {
		r.git.folder = r.top
	}
	r.lock = flock.New(filepath.Join(r.dir, "pledgeworks.lock"))
	err = r.locked(ctx, func() error { return r.finish(ctx) })
	return r, err
}

// locked calls do while holding the lock that excludes other callers and processes.
func (r *Repository) locked(ctx context.Context, do func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ok, err := r.lock.TryLockContext(ctx, lockPause); err != nil || !ok {
		return fault.Wrap(err, fault.Unavailable, "The repository is locked by another process")
	}
	defer func() { _ = r.lock.Unlock() }()
	return do()
}

const lockPause = 5 * time.Millisecond

// Head returns the branch's newest revision, "" before the first commit.
func (r *Repository) Head(ctx context.Context) (string, error) {
	head, err := r.git.runLine(ctx, nil, "rev-parse", "--verify", "--quiet", r.ref)
	if isGitError(err) {
		return "", nil
	}
	return head, wrapGitError(err)
}

var revisionPattern = regexp.MustCompile(`^[0-9a-f]{40}$`)

// revisionArg returns a revision as an argument for Git; "" means the branch. It fails with code
// NotFound if the revision is malformed.
func (r *Repository) revisionArg(revision string) (string, error) {
	if revision == "" {
		return r.ref, nil
	}
	if !revisionPattern.MatchString(revision) {
		return "", fault.New(fault.NotFound, "There is no revision with this ID").In("revision")
	}
	return revision, nil
}

// File reads a file of a revision.
func (r *Repository) File(ctx context.Context, revision, path string) (repository.File, error) {
	at, err := r.revisionArg(revision)
	if err != nil {
		return repository.File{}, err
	}
	none := fault.New(fault.NotFound, "There is no file with this path").In("path")
	if !repository.ValidPath(path) {
		return repository.File{}, none
	}
	out, err := r.git.run(ctx, []byte(at+":"+r.prefix+path+"\n"), "cat-file", "--batch")
	if err != nil {
		return repository.File{}, wrapGitError(err)
	}
	output, rest, _ := bytes.Cut(out, []byte("\n"))
	fields := strings.Fields(string(output))
	if len(fields) != 3 || fields[1] != "blob" || !revisionPattern.MatchString(fields[0]) {
		return repository.File{}, none
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size > len(rest) {
		return repository.File{}, fault.New(fault.Internal, "Unexpected output of Git: %q", output)
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
		if path, ours := strings.CutPrefix(e.Path, r.prefix); ours && e.isRegular() &&
			path != folder && repository.IsBelow(path, folder) {
			files = append(files, repository.Entry{Path: path, SHA: e.SHA, Size: e.Size})
		}
	}
	return files, nil
}

// entry is an entry of a tree, by its path in the repository.
type entry struct {
	repository.Entry
	mode string
}

func (e entry) isRegular() bool { return e.mode == "100644" || e.mode == "100755" }

// tree lists the entries of a revision below a folder of the content, including links and
// submodules.
func (r *Repository) tree(ctx context.Context, revision, folder string) ([]entry, error) {
	at, err := r.revisionArg(revision)
	if err != nil {
		return nil, err
	}
	args := []string{"ls-tree", "-r", "-l", "-z", "--full-tree", at}
	if below := r.prefix + folder; below != "" {
		args = append(args, "--", strings.TrimSuffix(below, "/"))
	}
	out, err := r.git.run(ctx, nil, args...)
	if isGitError(err) {
		if head, headErr := r.Head(ctx); revision == "" && headErr == nil && head == "" {
			return nil, nil // there is no commit yet
		}
		return nil, fault.Wrap(err, fault.NotFound, "There is no revision with this ID").In("revision")
	}
	if err != nil {
		return nil, err
	}
	var all []entry
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
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
	if isGitError(err) {
		if head, headErr := r.Head(ctx); headErr == nil && head == "" {
			return nil, nil
		}
	}
	return log, wrapGitError(err)
}

func (r *Repository) log(ctx context.Context, args ...string) ([]repository.Commit, error) {
	out, err := r.git.run(ctx, nil, append([]string{"log", "-z", "--no-color", "--encoding=UTF-8",
		"--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%B"}, args...)...)
	if err != nil {
		return nil, err
	}
	const fields = 6
	parts := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var all []repository.Commit
	for ; len(parts) >= fields; parts = parts[fields:] {
		at, err := time.Parse(time.RFC3339, parts[4])
		if err != nil {
			return nil, fault.Wrap(err, fault.Internal, "Git returned an invalid time")
		}
		c := repository.Commit{Revision: parts[0], Author: repository.Author{Name: parts[2], Email: parts[3]}, At: at}
		c.Parent, _, _ = strings.Cut(parts[1], " ")
		c.Message, c.Trailers = repository.ParseText(parts[5])
		all = append(all, c)
	}
	return all, nil
}

// Limits returns limits that Git hosts accept in a push and that fit in one request.
func (r *Repository) Limits() repository.Limits {
	return repository.Limits{File: 100 << 20, Commit: 200 << 20}
}
