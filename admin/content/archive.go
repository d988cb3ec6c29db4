package content

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// ManifestFile is the file in an archived campaign's folder that lists the archived files.
const ManifestFile = "archive-manifest.json"

// Manifest lists the files that archiving a campaign moved, and those it left in place.
type Manifest struct {
	Slug       string    `json:"slug"`
	Title      string    `json:"title"`
	ArchivedAt time.Time `json:"archivedAt"`
	Moved      []Moved   `json:"moved"`
	// Shared are files that other campaigns use too. They are not moved.
	Shared []string `json:"shared"`
}

// Moved is a file in the archive.
type Moved struct {
	From string `json:"from"`
	To   string `json:"to"`
	SHA  string `json:"sha"`
}

// ownFolders returns the folders with the files of one campaign.
func ownFolders(slug string) []string {
	return []string{"assets/images/campaigns/" + slug, "assets/videos/campaigns/" + slug, "assets/audio/campaigns/" + slug}
}

// addOnFolder holds the pictures of campaigns' add-ons.
const addOnFolder = "assets/images/campaign-add-ons/"

// Archive moves a campaign and its files into the archive. It fails with code Conflict if the
// campaign is live, is already archived, or has unsettled pledges.
func (s *Service) Archive(ctx context.Context, by Author, slug string) (Manifest, error) {
	if s.Repository == nil {
		return Manifest{}, Unpublishable()
	}
	if _, err := campaign.ParseSlug(slug); err != nil {
		return Manifest{}, fault.New(fault.Invalid,
			"A slug can contain only lower-case letters, digits and hyphens").In("campaignSlug")
	}
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return Manifest{}, err
	}
	if err := s.checkArchivable(ctx, c); err != nil {
		return Manifest{}, err
	}
	m, writes, err := s.planMoves(ctx, c)
	if err != nil {
		return Manifest{}, err
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return Manifest{}, err
	}
	writes = append(writes, repository.Write{Path: campaign.ArchivedPath(slug, ManifestFile), Bytes: append(b, '\n')})
	_, err = s.commit(ctx,
		repository.Change{ID: by.ID, Author: by.Author, Message: "Archive the campaign " + shorten(slug), Writes: writes})
	return m, err
}

// Archivable returns why a campaign cannot be archived now: "archived", "live" or "unsettled",
// or "" if it can be archived. For "unsettled" it also returns the number of pledges that may
// still be charged.
func (s *Service) Archivable(ctx context.Context, c *campaign.Campaign) (reason string, unsettled int, err error) {
	if c.Archived() {
		return "archived", 0, nil
	}
	if c.Public() && c.State(s.Now(), s.Zone) == campaign.Live {
		return "live", 0, nil
	}
	if unsettled, err = s.Unsettled(ctx, c.Slug); unsettled > 0 {
		reason = "unsettled"
	}
	return reason, unsettled, err
}

func (s *Service) checkArchivable(ctx context.Context, c *campaign.Campaign) error {
	reason, unsettled, err := s.Archivable(ctx, c)
	switch {
	case err != nil:
		return err
	case reason == "archived":
		return fault.New(fault.Conflict, "The campaign is already archived").In("campaignSlug")
	case reason == "live":
		return fault.New(fault.Conflict, "The campaign is live: archive it after it has ended").In("campaignSlug")
	case reason != "":
		return fault.New(fault.Conflict, "The campaign has %d unsettled pledges: archive it after they are settled",
			unsettled).In("campaignSlug")
	}
	return nil
}

// planMoves lists the files to move, as of the repository's head.
func (s *Service) planMoves(ctx context.Context, c *campaign.Campaign) (Manifest, []repository.Write, error) {
	m := Manifest{Slug: c.Slug, Title: c.Title, ArchivedAt: s.Now().UTC(), Moved: []Moved{}, Shared: []string{}}
	f, err := s.read(ctx, c.File)
	if err != nil {
		return m, nil, err
	}
	files, err := s.ownFiles(ctx, c)
	if err != nil {
		return m, nil, err
	}
	others := s.referencedByOthers(c.Slug)
	writes := []repository.Write{}
	for _, e := range append([]repository.Entry{f.Entry}, files...) {
		if others[e.Path] {
			m.Shared = append(m.Shared, e.Path)
			continue
		}
		to := campaign.ArchivedPath(c.Slug, e.Path)
		m.Moved = append(m.Moved, Moved{e.Path, to, e.SHA})
		writes = append(writes, repository.Write{Path: to, From: e.Path, Was: e.SHA})
	}
	return m, writes, nil
}

// ownFiles returns the files in the campaign's folders, and the add-on pictures it
// references.
func (s *Service) ownFiles(ctx context.Context, c *campaign.Campaign) ([]repository.Entry, error) {
	var all []repository.Entry
	for _, folder := range append(ownFolders(c.Slug), strings.TrimSuffix(addOnFolder, "/")) {
		files, err := s.Repository.Files(ctx, "", folder)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			named := slices.ContainsFunc(c.References, func(r campaign.Reference) bool { return r.Path == "/"+f.Path })
			if named || !strings.HasPrefix(f.Path, addOnFolder) {
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// referencedByOthers returns the files that other campaigns and the platform's add-ons
// reference.
func (s *Service) referencedByOthers(slug string) map[string]bool {
	catalogue := s.Catalogue()
	all := catalogue.AddOnReferences()
	for _, c := range catalogue.Campaigns() {
		if c.Slug != slug && !c.Archived() {
			all = append(all, c.References...)
		}
	}
	paths := map[string]bool{}
	for _, r := range all {
		paths[strings.TrimPrefix(r.Path, "/")] = true
	}
	return paths
}
