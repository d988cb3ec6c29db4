package compose

import (
	"context"
	"errors"
	"slices"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/admin/overview"
	"github.com/pledgeworks/pledgeworks/admin/preview"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
	"github.com/pledgeworks/pledgeworks/settlement/state"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// Editing edits campaign files, add-ons and settings.
type Editing = *content.Service

// editing returns the service with which operators edit campaign files, add-ons and settings.
func (s *Services) editing() Editing {
	local, settings := s.Local, s.CheckSettings
	if local == nil {
		local = func(string) ([]byte, error) { return nil, content.Unpublishable() }
	}
	if settings == nil {
		settings = func([]byte) error {
			return fault.New(fault.Unavailable, "This host does not support changing settings")
		}
	}
	return &content.Service{
		Repository: s.Repository, Local: local, Settings: withSiteKeys(settings), Catalogue: s.Campaigns,
		Presets: shipping.PresetNames(),
		Renders: s.CheckPages, Promises: s.checkFile, Claims: s.claimsOf, Answers: s.answersOf, Unsettled: s.unsettledOf,
		Unused: s.Media.Unused, Readers: s.refusedReaders, AuditHead: s.Audit.Newest,
		Zone: s.Config.Site.Timezone.Location(), Now: s.Now,
	}
}

// Films is an object store for media, in addition to the repository.
type Films = media.Store

// Media stores pictures, videos and recordings.
type Media = *media.Service

func (s *Services) media() Media {
	return &media.Service{Repository: s.Repository, Store: s.Films, Catalogue: s.Campaigns, AuditHead: s.Audit.Newest,
		Now: s.Now}
}

// Previews gives reviewers access to unpublished campaigns.
type Previews = *preview.Service

func (s *Services) previews() Previews {
	return &preview.Service{
		Content: s.Content, Store: s.Stores.Pledges, Coordinator: s.Coordinator, Class: state.ClassName,
		Outbox: s.Outbox, Links: s.links, Now: s.Now,
	}
}

var registerPreviews = preview.Register

func (s *Services) claimsOf(ctx context.Context, slug string) (inventory.Snapshot, error) {
	return s.Settlement.Inventory.Snapshot(ctx, slug)
}

// answersOf returns how many supporters have answered each of a campaign's decisions, by ID.
func (s *Services) answersOf(ctx context.Context, slug string) (map[string]int, error) {
	tallies, err := vote.Client{Coordinator: s.Coordinator}.Tallies(ctx, slug)
	if err != nil {
		return nil, err
	}
	answers := make(map[string]int, len(tallies))
	for id, t := range tallies {
		answers[id] = t.Total
	}
	return answers, nil
}

// unsettledOf returns the number of pledges that may still be charged, 0 if the campaign is closed.
// Dropped pledges are not counted.
func (s *Services) unsettledOf(ctx context.Context, slug string) (int, error) {
	totals, err := s.Settlement.Inventory.Totals(ctx, slug)
	if err != nil {
		return 0, err
	}
	n := totals.Statuses[pledge.Active] + totals.Repairable.Pledges
	if n == 0 && totals.Funds.Collectable > totals.Funds.Collected {
		n = 1 // declined before an update, so not counted as recoverable
	}
	if n == 0 {
		return 0, nil
	}
	closed, err := s.Settlement.Closed(ctx, slug)
	if err != nil || closed {
		return 0, err
	}
	return n, nil
}

// archiving returns the function that reports whether a campaign can be archived now.
func (s *Services) archiving() func(ctx context.Context, c *campaign.Campaign) (overview.Archiving, error) {
	return func(ctx context.Context, c *campaign.Campaign) (overview.Archiving, error) {
		reason, unsettled, err := s.Content.Archivable(ctx, c)
		return overview.Archiving{Possible: reason == "", Reason: reason, Unsettled: unsettled}, err
	}
}

// withSiteKeys returns a check of the site settings whose errors name the keys of the settings file
// instead of the variables.
func withSiteKeys(settings func(src []byte) error) func(src []byte) error {
	return func(src []byte) error {
		err := settings(src)
		var faults config.SettingErrors
		var problems campaign.Problems
		errors.As(err, &faults)
		errors.As(err, &problems)
		problems = slices.Clone(problems)
		for _, f := range faults {
			problems = append(problems, campaign.Problem{File: config.SiteFile, Field: siteKey(f.Name), Message: f.Error()})
		}
		if len(problems) == 0 {
			return err
		}
		return problems
	}
}

// siteKey returns the settings file's key for a variable. Other names are returned unchanged.
func siteKey(name string) string {
	all := config.Settings()
	i := slices.IndexFunc(all, func(s config.Setting) bool { return s.Variable == name && s.SiteKey != "" })
	if i < 0 {
		return name
	}
	return all[i].SiteKey
}
