package app

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/disk"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// remoteCopy keeps the content directory in sync with a remote repository.
type remoteCopy struct {
	repository.Repository
	app  *App
	wake chan struct{} // receives a value when there may be a new commit
	seen string        // the head that was copied or rejected
	// rejected is the last revision with files that were not copied.
	rejected atomic.Pointer[refusal]
}

// refusal contains the reasons why files of a revision were not copied.
type refusal struct {
	head     string
	problems campaign.Problems
}

const (
	// pollInterval is how often the head is checked without a webhook.
	pollInterval = time.Minute
	// revisionFile is in the data directory and contains the revision of the copy.
	revisionFile = "content-revision"
	// maxPush is the maximum size of a push webhook in bytes, which is GitHub's own limit.
	maxPush = 25 << 20
)

// Commit commits a change and schedules copying it.
func (c *remoteCopy) Commit(ctx context.Context, change repository.Change) (repository.Commit, error) {
	made, err := c.Repository.Commit(ctx, change)
	if err == nil {
		c.schedule()
	}
	return made, err
}

func (c *remoteCopy) schedule() {
	select {
	case c.wake <- struct{}{}:
	default: // already scheduled
	}
}

// refusal returns the newest revision if some of its files were not copied, otherwise "".
func (c *remoteCopy) refusal() string {
	if r := c.rejected.Load(); r != nil {
		return r.head
	}
	return ""
}

// problems returns the problems of files that were not copied.
func (c *remoteCopy) problems() campaign.Problems {
	if r := c.rejected.Load(); r != nil {
		return r.problems
	}
	return nil
}

// run keeps the copy up to date until ctx is done.
func (c *remoteCopy) run(ctx context.Context) {
	each := time.NewTicker(pollInterval)
	defer each.Stop()
	for {
		if err := c.pull(ctx); err != nil && ctx.Err() == nil {
			c.app.log.Warn("could not update the content from its repository", "error", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		case <-each.C:
		}
	}
}

// pull copies the head if it has not been copied yet. A campaign with problems keeps its existing
// file. If the repository contains an invalid path, nothing is copied.
func (c *remoteCopy) pull(ctx context.Context) error {
	head, err := c.Head(ctx)
	if err != nil || head == c.seen {
		return err
	}
	dir, err := disk.Open(c.app.folder)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	files, err := c.Files(ctx, head, "")
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(files, func(f repository.Entry) bool { return !repository.ValidPath(f.Path) }); i >= 0 {
		c.seen = head // the revision cannot change
		c.recordRefusal(head, campaign.Problems{
			{Message: "The repository contains a path that leads outside of it or into .git. Nothing was copied"}})
		return nil
	}
	problems, err := c.check(ctx, head, files, dir)
	if err != nil {
		return err
	}
	held := map[string]bool{}
	for _, p := range problems {
		held[p.File] = true
	}
	if err := c.write(ctx, head, files, dir, held); err != nil {
		return err
	}
	c.seen = head
	c.recordRefusal(head, problems)
	return os.WriteFile(filepath.Join(c.app.Config.Server.DataDir, revisionFile), []byte(head), 0o600)
}

// recordRefusal records the problems of a revision's files, or none for a completely copied
// revision.
func (c *remoteCopy) recordRefusal(head string, problems campaign.Problems) {
	if len(problems) == 0 {
		c.rejected.Store(nil)
		return
	}
	c.rejected.Store(&refusal{head, problems})
	c.app.log.Error("repository content has problems, keeping the previous version of the listed files",
		"revision", head, "error", problems.Error())
}

// check loads a revision's campaigns before any file is written, and returns their problems.
func (c *remoteCopy) check(ctx context.Context, head string, files []repository.Entry,
	dir *disk.Folder) (campaign.Problems, error) {
	stage, err := os.MkdirTemp(c.app.Config.Server.DataDir, "content-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	for _, f := range files {
		if !isText(f.Path) {
			continue
		}
		b, err := c.bytes(ctx, head, f, dir)
		if err != nil {
			return nil, err
		}
		name := filepath.Join(stage, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, b, 0o600); err != nil {
			return nil, err
		}
	}
	published := c.app.Catalogue()
	catalogue, problems, err := new(campaignfile.Loader).LoadEach(os.DirFS(stage), published, shipping.PresetNames())
	if err != nil {
		return nil, err
	}
	_, conflicts, err := c.app.resolveConflicts(ctx, catalogue, published)
	return append(problems, conflicts...), err
}

// isText reports whether the loader of campaigns reads the file.
func isText(name string) bool {
	switch path.Ext(name) {
	case ".md", ".yml", ".yaml", ".json":
		return true
	}
	return false
}

// bytes returns a file's content, from the local copy if it is unchanged.
func (c *remoteCopy) bytes(ctx context.Context, head string, f repository.Entry, dir *disk.Folder) ([]byte, error) {
	if sha, err := dir.SHA(f.Path); err == nil && sha == f.SHA {
		return os.ReadFile(filepath.Join(c.app.folder, filepath.FromSlash(f.Path)))
	}
	got, err := c.File(ctx, head, f.Path)
	return got.Bytes, err
}

// write makes the directory match a revision, except for held files. Files that were never in the
// repository are left alone.
func (c *remoteCopy) write(ctx context.Context, head string, files []repository.Entry,
	dir *disk.Folder, held map[string]bool) error {
	there := map[string]bool{}
	for _, f := range files {
		there[f.Path] = true
	}
	before, err := os.ReadFile(filepath.Join(c.app.Config.Server.DataDir, revisionFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if revision := strings.TrimSpace(string(before)); revision != "" {
		former, err := c.Files(ctx, revision, "")
		if err != nil && !fault.Is(err, fault.NotFound) { // the former revision was removed by a force push
			return err
		}
		for _, f := range former {
			if !there[f.Path] && !held[f.Path] {
				if err := dir.Remove(f.Path); err != nil {
					return err
				}
			}
		}
	}
	for _, f := range files {
		if held[f.Path] {
			continue
		}
		if sha, err := dir.SHA(f.Path); err != nil || sha == f.SHA {
			if err != nil {
				return err
			}
			continue
		}
		got, err := c.File(ctx, head, f.Path)
		if err != nil {
			return err
		}
		if err := dir.Put(f.Path, got.Bytes, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// handlePush handles a push webhook of the Git host.
func (a *App) handlePush(w http.ResponseWriter, r *http.Request) {
	signed, err := repository.Signed([]byte(a.Config.Secrets.ContentWebhook.Reveal()),
		r.Header.Get(repository.PushHeader), http.MaxBytesReader(w, r.Body, maxPush))
	switch {
	case err != nil:
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	case !signed:
		w.WriteHeader(http.StatusUnauthorized)
	default:
		a.copy.schedule()
		w.WriteHeader(http.StatusAccepted)
	}
}
