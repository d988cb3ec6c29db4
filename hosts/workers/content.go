package workers

import (
	"context"
	"io/fs"
	"log/slog"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// content provides the campaigns. Supporters' requests see the campaigns of the deployed site.
// Operators' requests and scheduled work see the newest revision of the content repository, which
// also contains drafts, if there is a repository.
type content struct {
	published  catalogue
	repository repository.Repository // nil if the content cannot be edited
	log        *slog.Logger

	loader   campaignfile.Loader
	revision string // of newest
	newest   *campaign.Catalogue
	drawer   *site.Server // draws the pages of newest; nil until the first preview

	operator bool // the current request is for an operators' route
	pulled   bool // the repository was read for the current request
}

// current returns the campaigns for the current request. The first call for an operators' route,
// which follows the check of the credentials, reads the repository. If the repository is not
// available, operators see its last known revision, or the deployed site's campaigns.
func (c *content) current() *campaign.Catalogue {
	if !c.operator || c.repository == nil {
		return c.published.loaded
	}
	if !c.pulled {
		c.pulled = true
		if err := c.pull(context.Background()); err != nil {
			c.log.Warn("could not read the content repository, using the previous revision", "error", err.Error())
		}
	}
	if c.newest == nil {
		return c.published.loaded
	}
	return c.newest
}

// refresh prepares the campaigns for a request.
func (c *content) refresh(ctx context.Context, operator bool) error {
	c.operator, c.pulled = operator, false
	return c.published.refresh(ctx)
}

// pull loads the campaigns of the repository's head. Files with problems keep the version of the
// previous revision, or of the site.
func (c *content) pull(ctx context.Context) error {
	head, err := c.repository.Head(ctx)
	if err != nil || head == c.revision {
		return err
	}
	files, err := c.files(ctx, head)
	if err != nil {
		return err
	}
	last := c.newest
	if last == nil {
		last = c.published.loaded
	}
	loaded, problems, err := c.loader.LoadEach(files, last, shipping.PresetNames())
	if err != nil {
		return err
	}
	c.revision, c.newest, c.drawer = head, loaded, nil
	for _, p := range problems {
		c.log.ErrorContext(ctx, "content file is invalid, keeping its last good version if there is one", "problem", p.String())
	}
	return nil
}

// files returns the files of a revision as a file system, for use during the current request.
func (c *content) files(ctx context.Context, revision string) (fs.FS, error) {
	entries, err := c.repository.Files(ctx, revision, "")
	if err != nil {
		return nil, err
	}
	return repository.NewFS(entries, func(path string) ([]byte, error) {
		f, err := c.repository.File(ctx, revision, path)
		return f.Bytes, err
	}), nil
}

// pages returns the server that draws campaign pages from the newest content. It fails with code
// Unavailable if there is no content repository.
func (c *content) pages(ctx context.Context, h *Host) (*site.Server, error) {
	newest := c.current() // may discard the drawer of an earlier revision
	if c.drawer != nil {
		return c.drawer, nil
	}
	if c.repository == nil {
		return nil, fault.New(fault.Unavailable, "This host cannot render pages: set CONTENT_REPOSITORY")
	}
	files, err := c.files(ctx, c.revision)
	if err != nil {
		return nil, err
	}
	b, err := site.New(site.Options{Content: files, Config: h.config, Lenient: true})
	if err != nil {
		return nil, err
	}
	c.drawer = site.NewServer(b, newest, h.now, h.log)
	return c.drawer, nil
}

// drawPage implements compose.Deps.DrawPage.
func (h *Host) drawPage(c *campaign.Campaign, lang string) ([]byte, error) {
	pages, err := h.content.pages(context.Background(), h)
	if err != nil {
		return nil, err
	}
	return pages.Preview(c, lang)
}

// checkPages implements compose.Deps.CheckPages.
func (h *Host) checkPages(c *campaign.Campaign) error {
	pages, err := h.content.pages(context.Background(), h)
	if err != nil {
		return err
	}
	return pages.Check(c)
}

// checkSettings implements compose.Deps.CheckSettings: the configuration and the site must load
// with the new site file.
func (h *Host) checkSettings(src []byte) error {
	file := config.SiteContent(src)
	if _, err := config.Load(h.opts.Lookup, file); err != nil {
		return err
	}
	return site.CheckSettings(file)
}
