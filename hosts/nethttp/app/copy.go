package app

import (
	"context"
	"errors"
	"io"
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

// copied is a repository at a host, of which the content folder is a copy.
type copied struct {
	repository.Repository
	app  *App
	look chan struct{} // somebody says that there is something new
	seen string        // the head that was copied, or refused
	// bad is the last revision with files that were not copied.
	bad atomic.Pointer[refusal]
}

// refusal is why files of a revision are not copied.
type refusal struct {
	head     string
	problems campaign.Problems
}

const (
	// lookEach is how often a head is asked for that nobody has told of.
	lookEach = time.Minute
	// revisionFile is in the data folder, and has the revision that the content is a copy of.
	revisionFile = "content-revision"
	// maxPush bounds what a host tells of a push, in bytes: GitHub's own bound.
	maxPush = 25 << 20
)

// Commit makes a change, and has it copied.
func (c *copied) Commit(ctx context.Context, change repository.Change) (repository.Commit, error) {
	made, err := c.Repository.Commit(ctx, change)
	if err == nil {
		c.soon()
	}
	return made, err
}

func (c *copied) soon() {
	select {
	case c.look <- struct{}{}:
	default: // it is said already
	}
}

// refused is the newest revision whose campaigns have problems, "" for none.
func (c *copied) refused() string {
	if r := c.bad.Load(); r != nil {
		return r.head
	}
	return ""
}

// problems are those of the files that were not copied.
func (c *copied) problems() campaign.Problems {
	if r := c.bad.Load(); r != nil {
		return r.problems
	}
	return nil
}

// run keeps the copy in step until ctx is done.
func (c *copied) run(ctx context.Context) {
	each := time.NewTicker(lookEach)
	defer each.Stop()
	for {
		if err := c.pull(ctx); err != nil && ctx.Err() == nil {
			c.app.log.Warn("the content can't be brought in step with its repository", "error", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-c.look:
		case <-each.C:
		}
	}
}

// pull copies the head if it is new. A campaign with problems keeps the file that is there.
func (c *copied) pull(ctx context.Context) error {
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
		c.seen = head // it stays as wrong as it is
		c.refuse(head, campaign.Problems{{Message: "The repository has a path that leads out of it, or into Git's own files: nothing is copied"}})
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
	c.refuse(head, problems)
	return os.WriteFile(filepath.Join(c.app.Config.Server.DataDir, revisionFile), []byte(head), 0o600)
}

// refuse records the problems of a revision's files, none for one that is copied as a whole.
func (c *copied) refuse(head string, problems campaign.Problems) {
	if len(problems) == 0 {
		c.bad.Store(nil)
		return
	}
	c.bad.Store(&refusal{head, problems})
	c.app.log.Error("the repository's content has problems: files that are listed are served as they were", "revision", head, "error", problems.Error())
}

// check reads the campaigns of a revision before any of its files is written, and returns their
// problems.
func (c *copied) check(ctx context.Context, head string, files []repository.Entry, dir *disk.Folder) (campaign.Problems, error) {
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
	_, conflicts, err := c.app.settle(ctx, catalogue, published)
	return append(problems, conflicts...), err
}

// isText reports whether a file is one that campaigns are read from.
func isText(name string) bool {
	switch path.Ext(name) {
	case ".md", ".yml", ".yaml", ".json":
		return true
	}
	return false
}

// bytes are those of a file: the folder's, where they are the same.
func (c *copied) bytes(ctx context.Context, head string, f repository.Entry, dir *disk.Folder) ([]byte, error) {
	if sha, err := dir.SHA(f.Path); err == nil && sha == f.SHA {
		return os.ReadFile(filepath.Join(c.app.folder, filepath.FromSlash(f.Path)))
	}
	got, err := c.File(ctx, head, f.Path)
	return got.Bytes, err
}

// write makes the folder's files those of a revision, except those that are held. What others have
// put there and the repository never had stays.
func (c *copied) write(ctx context.Context, head string, files []repository.Entry, dir *disk.Folder, held map[string]bool) error {
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
		if err != nil && !fault.Is(err, fault.NotFound) { // it was taken away by force
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

// pushed takes what a host tells of a push.
func (a *App) pushed(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPush))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if !repository.Signed([]byte(a.Config.Secrets.ContentWebhook.Reveal()), r.Header.Get(repository.PushHeader), body) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	a.copy.soon()
	w.WriteHeader(http.StatusAccepted)
}
