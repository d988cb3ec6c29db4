package content

import (
	"context"
	"path"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Created is a new, hidden campaign.
type Created struct {
	Slug     string `json:"slug"`
	File     string `json:"file"`
	Base     string `json:"base"` // the SHA of the file
	Revision string `json:"revision"`
}

// Create creates a campaign with a title, as a preview that is hidden from the public. If
// slug is "", it is derived from the title.
func (s *Service) Create(ctx context.Context, by Author, title, slug string) (Created, error) {
	src, err := campaignfile.NewFile(title, slug)
	if err != nil {
		return Created{}, titleError(err)
	}
	return s.commitNew(ctx, by, title, slug, src)
}

// Duplicate creates a campaign like Create, as a copy of another. Both campaigns reference the same
// pictures.
func (s *Service) Duplicate(ctx context.Context, by Author, original, title, slug string) (Created, error) {
	file, err := s.CampaignFile(original)
	if err != nil {
		return Created{}, err
	}
	f, err := s.read(ctx, file)
	if err != nil {
		return Created{}, err
	}
	src, err := campaignfile.Duplicate(f.Bytes, title, slug, s.Now().In(s.Zone))
	if err != nil {
		return Created{}, titleError(err)
	}
	return s.commitNew(ctx, by, title, slug, src)
}

func titleError(err error) error {
	if p := problemsOf(err); len(p) > 0 && p[0].Field == "title" {
		return fault.New(fault.Invalid, "The title %s", p[0].Message).In("title")
	}
	return err
}

func (s *Service) commitNew(ctx context.Context, by Author, title, given string, src []byte) (Created, error) {
	if s.Repository == nil {
		return Created{}, Unpublishable()
	}
	slug, err := campaignfile.NewSlug(title, given)
	if err != nil {
		return Created{}, err
	}
	file := path.Join(campaign.Folder, slug+".md")
	if other, err := s.Catalogue().Campaign(slug); err == nil && other.File != file {
		return Created{}, slugTaken(given)
	}
	made, err := s.commit(ctx, repository.Change{
		ID: by.ID, Author: by.Author, Message: "Create the campaign " + shorten(slug),
		Writes: []repository.Write{{Path: file, Bytes: src}},
	})
	if fault.Is(err, fault.Conflict) {
		return Created{}, slugTaken(given)
	}
	return Created{slug, file, repository.SHA(src), made.Revision}, err
}

func slugTaken(given string) error {
	if given != "" {
		return fault.New(fault.Conflict, "Another campaign already uses this page address: choose a different one").In("slug")
	}
	return fault.New(fault.Conflict, "Another campaign already uses this title: choose a different one").In("title")
}
