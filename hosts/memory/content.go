package memory

import (
	"context"
	"io/fs"
	"sync"
	"testing/fstest"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/memory"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// content is a repository with the catalogue of its head. If Repository is nil, the catalogue does
// not change.
type content struct {
	*memory.Repository
	mu        sync.Mutex
	loader    campaignfile.Loader
	revision  string
	catalogue *campaign.Catalogue
}

// openContent creates a repository with all files. It loads their catalogue unless known is set.
func openContent(files fs.FS, known *campaign.Catalogue) (*content, error) {
	all := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[path], err = fs.ReadFile(files, path)
		return err
	})
	if err != nil {
		return nil, err
	}
	c := &content{Repository: memory.New(all), catalogue: known}
	if known != nil {
		c.revision, err = c.Head(context.Background())
		return c, err
	}
	err = c.load()
	return c, err
}

func (c *content) repository(o Options) repository.Repository {
	if c.Repository == nil || o.WithoutRepository {
		return nil
	}
	return committed{c.Repository, o}
}

// readLocal returns the file at a path in the head. It fails with NotFound if the file does not
// exist or there is no repository.
func (c *content) readLocal(path string) ([]byte, error) {
	if c.Repository == nil {
		return nil, fault.New(fault.NotFound, "File not found")
	}
	f, err := c.File(context.Background(), "", path)
	return f.Bytes, err
}

// currentCatalogue returns the catalogue of the head, or the previous one if the head has problems.
func (c *content) currentCatalogue() *campaign.Catalogue {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Repository != nil {
		_ = c.load()
	}
	return c.catalogue
}

func (c *content) load() error {
	ctx := context.Background()
	head, err := c.Head(ctx)
	if err != nil || head == c.revision {
		return err
	}
	files, err := c.files(ctx, head)
	if err != nil {
		return err
	}
	catalogue, err := c.loader.Load(files)
	if err == nil {
		c.revision, c.catalogue = head, catalogue
	}
	return err
}

func (c *content) files(ctx context.Context, revision string) (fs.FS, error) {
	files := fstest.MapFS{}
	all, err := c.Files(ctx, revision, "")
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		f, err := c.File(ctx, revision, e.Path)
		if err != nil {
			return nil, err
		}
		files[e.Path] = &fstest.MapFile{Data: f.Bytes}
	}
	return files, nil
}

// checkSettings returns the problems that New would report for the site file src.
func (o Options) checkSettings(src []byte) error {
	_, err := config.Demo(newRandom(o.Seed), fstest.MapFS{config.SiteFile: {Data: src}}, o.Env)
	return err
}
