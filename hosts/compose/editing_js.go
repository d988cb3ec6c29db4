package compose

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/overview"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Editing is not available on Workers, whose size limit leaves no room for the code that reads and
// writes campaign files.
type Editing = struct{}

func (s *Services) editing() Editing { return Editing{} }

func (s *Services) archiving() func(ctx context.Context, c *campaign.Campaign) (overview.Archiving, error) {
	return nil
}

// Media is not available on Workers.
type Media = struct{}

func (s *Services) media() Media { return Media{} }

// Films is not available on Workers.
type Films = struct{}

// Fulfilment is not available on Workers; another host has to provide it.
type Fulfilment = struct{}

func (s *Services) fulfilment() Fulfilment { return Fulfilment{} }

// Previews are not available on Workers.
type Previews = struct{}

func (s *Services) previews() Previews { return Previews{} }

func registerPreviews(*kv.Class) {}
