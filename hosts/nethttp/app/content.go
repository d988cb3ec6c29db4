package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// Catalogue returns the published catalogue.
func (a *App) Catalogue() *campaign.Catalogue { return a.site.Catalogue() }

// openSite loads the content and prepares the public site, which is served together with the API.
// Files with problems keep the version that the previous server published, or are left out if there
// is none.
func (a *App) openSite(o Options) error {
	var last *campaign.Catalogue
	a.published, last = openPublished(filepath.Join(a.Config.Server.DataDir, "published"))
	catalogue, problems, err := a.loader.LoadEach(a.content, last, shipping.PresetNames())
	if fault.Is(err, fault.Unavailable) {
		catalogue, problems, err = cmp.Or(last, new(campaign.Catalogue)),
			campaign.Problems{{File: campaign.Folder, Message: err.Error()}}, nil
	}
	if err != nil {
		return err
	}
	b, err := a.siteBuilder(nil)
	if err != nil {
		return err
	}
	a.site = site.NewServer(b, catalogue, o.Now, o.Log)
	a.site.Last, a.site.Shown = last, a.savePublished
	a.recordRejected(problems)
	return nil
}

// siteBuilder loads the site file and returns a builder. Invalid settings keep their previous
// values.
func (a *App) siteBuilder(before *site.Builder) (*site.Builder, error) {
	a.settings, _ = fs.ReadFile(a.content, config.SiteFile) // the site file may be missing
	return site.New(site.Options{Content: a.content, Config: a.Config, Events: true,
		Figures: a.figures, Lenient: true, Before: before,
		Images: site.Folder(filepath.Join(a.Config.Server.DataDir, "images"))})
}

func (a *App) drawPage(c *campaign.Campaign, lang string) ([]byte, error) {
	return a.site.Preview(c, lang)
}

func (a *App) checkPages(c *campaign.Campaign) error { return a.site.Check(c) }

// resolveStartConflicts compares the content with the pledges before anything is served. A campaign
// whose file conflicts with its pledges keeps the version that the previous server published, or is
// left out if there is none.
func (a *App) resolveStartConflicts(ctx context.Context) error {
	catalogue, problems, err := a.resolveConflicts(ctx, a.Catalogue(), a.site.Last)
	if err != nil {
		return err
	}
	a.site.ReplaceCatalogue(catalogue)
	a.recordRejected(append(a.rejected(), problems...))
	return nil
}

// savePublished saves the published files. If saving fails, a file that is broken at the next start
// falls back to an older version.
func (a *App) savePublished(c *campaign.Catalogue) {
	if err := a.published.save(a.content, c); err != nil {
		a.log.Warn("could not save the published files", "error", err.Error())
	}
}

// Reload publishes the current content. Files with problems keep their published version. If the
// content or the pledges cannot be read, Reload fails without changes.
func (a *App) Reload(ctx context.Context) error {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	published := a.Catalogue()
	catalogue, problems, err := a.loader.LoadEach(a.content, published, shipping.PresetNames())
	if err != nil {
		return err
	}
	catalogue, conflicts, err := a.resolveConflicts(ctx, catalogue, published)
	if err != nil {
		return err
	}
	if err := a.renewBuilder(); err != nil {
		return err
	}
	a.site.Publish(catalogue)
	a.recordRejected(append(problems, conflicts...))
	a.log.Info("published the content", "campaigns", len(a.Catalogue().Campaigns()), "problems", len(a.problems()))
	return nil
}

// renewBuilder replaces the site's builder if the site file has changed since it was loaded.
func (a *App) renewBuilder() error {
	settings, _ := fs.ReadFile(a.content, config.SiteFile)
	if bytes.Equal(settings, a.settings) {
		return nil
	}
	b, err := a.siteBuilder(a.site.Builder())
	if err != nil {
		return err
	}
	a.site.SetBuilder(b)
	return nil
}

// resolveConflicts replaces campaigns whose files conflict with pledges by their versions in last,
// which may be nil. It removes campaigns that have no version in last.
func (a *App) resolveConflicts(ctx context.Context, catalogue,
	last *campaign.Catalogue) (*campaign.Catalogue, campaign.Problems, error) {
	conflicts, err := a.Services.CheckContent(ctx, catalogue)
	if err != nil {
		return nil, nil, err
	}
	var problems campaign.Problems
	for _, c := range conflicts {
		if errors.Is(c.Err, compose.ErrClock) { // no pledges are accepted until the clock is right
			a.log.Warn("cannot check the content while the clock is wrong", "campaign", c.Slug, "error", c.Err.Error())
		} else {
			problems = append(problems, campaign.Problem{File: fileOf(c.Slug, catalogue, last), Message: c.Err.Error()})
		}
		catalogue = resolveConflict(catalogue, last, c)
	}
	return catalogue, problems, nil
}

// fileOf returns the campaign's file from the first catalogue that has one, or its default name.
func fileOf(slug string, catalogues ...*campaign.Catalogue) string {
	for _, each := range catalogues {
		if each == nil {
			continue
		}
		if c, err := each.Campaign(slug); err == nil {
			return c.File
		}
	}
	return campaign.Folder + "/" + slug + ".md"
}

// resolveConflict replaces or removes the campaign of one conflict. While the clock is wrong, a
// campaign that may be closed is kept, because no pledges are accepted anyway.
func resolveConflict(catalogue, last *campaign.Catalogue, conflict compose.ContentConflict) *campaign.Catalogue {
	if last != nil {
		if good, err := last.Campaign(conflict.Slug); err == nil {
			return catalogue.With(good)
		}
	}
	if errors.Is(conflict.Err, compose.ErrClock) {
		return catalogue
	}
	return catalogue.Without(conflict.Slug)
}

// recordRejected records the problems of files that are not published, and logs new ones.
func (a *App) recordRejected(problems campaign.Problems) {
	before := a.rejected()
	a.unpublished.Store(&problems)
	for _, p := range problems {
		if !slices.Contains(before, p) {
			a.log.Error("content file is invalid, keeping its last good version if there is one", "problem", p.String())
		}
	}
}

func (a *App) rejected() campaign.Problems {
	if p := a.unpublished.Load(); p != nil {
		return slices.Clone(*p)
	}
	return nil
}

// problems returns all problems of the content: files that are not published, and parts of the site
// that cannot be shown.
func (a *App) problems() campaign.Problems {
	all := append(a.rejected(), a.site.Problems()...)
	if a.copy != nil {
		all = append(all, a.copy.problems()...)
	}
	return all
}

// examineContent returns the number of campaigns. It fails with the problems of the current files
// and of the published content.
func (a *App) examineContent(context.Context) (int, error) {
	n, err := checkCampaigns(a.content)
	faults := []error{err}
	for _, p := range a.problems() {
		if err == nil || !strings.Contains(err.Error(), p.String()) {
			faults = append(faults, errors.New(p.String()))
		}
	}
	return n, errors.Join(faults...)
}
