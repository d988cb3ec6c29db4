//go:build !js

package compose

import (
	"context"
	"errors"
	"slices"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/admin/preview"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// Editing changes what campaigns say.
type Editing = *content.Service

// editing is what operators change campaigns' files with.
func (s *Services) editing() Editing {
	local, settings := s.Local, s.CheckSettings
	if local == nil {
		local = func(string) ([]byte, error) { return nil, content.Unpublishable() }
	}
	if settings == nil {
		settings = func([]byte) error { return fault.New(fault.Unavailable, "This host checks no settings") }
	}
	return &content.Service{
		Repository: s.Repository, Local: local, Settings: checked(settings), Catalogue: s.Campaigns, Presets: shipping.PresetNames(),
		Renders: s.CheckPages, Promises: s.checkFile, Pledges: s.pledgesOf, Unsettled: s.unsettledOf, Unused: s.Media.Unused, Readers: s.refusedReaders, AuditHead: s.Audit.Newest,
		Zone: s.Config.Site.Timezone.Location(), Now: s.Now,
	}
}

// Films is a second place for media, beside the repository.
type Films = media.Store

// Media keeps pictures, films and recordings.
type Media = *media.Service

func (s *Services) media() Media {
	return &media.Service{Repository: s.Repository, Store: s.Films, Catalogue: s.Campaigns, AuditHead: s.Audit.Newest, Now: s.Now}
}

// Previews show campaigns to some before everybody sees them.
type Previews = *preview.Service

func (s *Services) previews() Previews {
	return &preview.Service{
		Content: s.Content, Store: s.Stores.Pledges, Coordinator: s.Coordinator, Class: settlement.ClassName,
		Outbox: s.Outbox, Links: s.links, Now: s.Now,
	}
}

var registerPreviews = preview.Register

func (s *Services) pledgesOf(ctx context.Context, slug string) (int, error) {
	snap, err := s.Settlement.Inventory.Snapshot(ctx, slug)
	return snap.Totals.Pledges(), err
}

// unsettledOf counts the pledges that something is still to be done about.
func (s *Services) unsettledOf(ctx context.Context, slug string) (int, error) {
	closed, err := s.Settlement.Closed(ctx, slug)
	if err != nil || closed {
		return 0, err
	}
	snap, err := s.Settlement.Inventory.Snapshot(ctx, slug)
	return snap.Totals.Statuses[pledge.Active] + snap.Totals.Statuses[pledge.PaymentFailed], err
}

// checked tells what is wrong with the site's settings by the keys of their file.
func checked(settings func(src []byte) error) func(src []byte) error {
	return func(src []byte) error {
		err := settings(src)
		var faults config.Faults
		var problems campaign.Problems
		errors.As(err, &faults)
		errors.As(err, &problems)
		problems = slices.Clone(problems)
		for _, f := range faults {
			problems = append(problems, campaign.Problem{File: config.SiteFile, Field: keyOf(f.Name), Message: f.Error()})
		}
		if len(problems) == 0 {
			return err
		}
		return problems
	}
}

// keyOf is the site file's key for a variable, and any other name as it is.
func keyOf(name string) string {
	all := config.Settings()
	i := slices.IndexFunc(all, func(s config.Setting) bool { return s.Variable == name && s.SiteKey != "" })
	if i < 0 {
		return name
	}
	return all[i].SiteKey
}
