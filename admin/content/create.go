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

// Create creates a campaign with a title, as a preview that is hidden from the public.
func (s *Service) Create(ctx context.Context, by Author, title string) (Created, error) {
	src, err := campaignfile.NewFile(title)
	if err != nil {
		return Created{}, titleError(err)
	}
	return s.add(ctx, by, title, src)
}

// Duplicate creates a campaign as a copy of another. Both reference the same pictures.
func (s *Service) Duplicate(ctx context.Context, by Author, slug, title string) (Created, error) {
	file, err := s.CampaignFile(slug)
	if err != nil {
		return Created{}, err
	}
	f, err := s.read(ctx, file)
	if err != nil {
		return Created{}, err
	}
	src, err := campaignfile.Duplicate(f.Bytes, title)
	if err != nil {
		return Created{}, titleError(err)
	}
	return s.add(ctx, by, title, src)
}

func titleError(err error) error {
	if p := problemsOf(err); len(p) > 0 && p[0].Field == "title" {
		return fault.New(fault.Invalid, "The title %s", p[0].Message).In("title")
	}
	return refused(err)
}

func (s *Service) add(ctx context.Context, by Author, title string, src []byte) (Created, error) {
	if s.Repository == nil {
		return Created{}, Unpublishable()
	}
	slug := campaign.Slug(title)
	file := path.Join(campaign.Folder, slug+".md")
	if other, err := s.Catalogue().Campaign(slug); err == nil && other.File != file {
		return Created{}, titleTaken()
	}
	made, err := s.commit(ctx, repository.Change{
		ID: by.ID, Author: by.Author, Message: "Create the campaign " + shorten(slug),
		Writes: []repository.Write{{Path: file, Bytes: src}},
	})
	if fault.Is(err, fault.Conflict) {
		return Created{}, titleTaken()
	}
	return Created{slug, file, repository.SHA(src), made.Revision}, err
}

func titleTaken() error {
	return fault.New(fault.Conflict, "Another campaign already uses this title: choose a different one").In("title")
}
