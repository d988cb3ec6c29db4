package content

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The values of a campaign's visibility.
const (
	Public      = "public"
	PreviewOnly = "preview" // the page is visible only to people with a preview link
	Hidden      = "hidden"
)

// The keys that determine a file's visibility. A file may have any of them; the dashboard sets
// visibilityPath and removes the others.
const (
	visibilityPath = "visibility"
	publishedPath  = "published"
	previewPath    = "preview_only"
)

// visibilityOf returns the visibility that results from all three keys of a campaign's file.
func visibilityOf(d *campaignfile.Document) string {
	text := func(path string) string {
		v, _ := d.Value(path) // the path is valid
		return strings.ToLower(strings.Trim(string(v), `"`))
	}
	switch {
	case text(publishedPath) == "false" || text(visibilityPath) == Hidden:
		return Hidden
	case text(previewPath) == "true" || text(visibilityPath) == PreviewOnly:
		return PreviewOnly
	}
	return Public
}

// isVisibility reports whether an edit sets a campaign's visibility.
func (e Edit) isVisibility(file string) bool {
	return e.Path == visibilityPath && file != SettingsFile && file != campaign.AddOnsFile && len(e.Value) > 0
}

// visibilityChanges returns the changes that set a file's visibility, regardless of its current
// keys.
func visibilityChanges(value json.RawMessage) []campaignfile.Change {
	return []campaignfile.Change{{Path: visibilityPath, Value: value}, {Path: publishedPath}, {Path: previewPath}}
}

// foldVisibility replaces the differences in the three keys with one if the resulting visibility
// changed. Otherwise it returns all differences.
func foldVisibility(before, after *campaignfile.Document, all []campaignfile.Difference) []campaignfile.Difference {
	was, is := visibilityOf(before), visibilityOf(after)
	if was == is {
		return all
	}
	var out []campaignfile.Difference
	for _, d := range all {
		if d.Path != visibilityPath && d.Path != publishedPath && d.Path != previewPath {
			out = append(out, d)
		}
	}
	return append(out, campaignfile.Difference{Path: visibilityPath, Before: quote(was), After: quote(is)})
}

func quote(s string) json.RawMessage { return json.RawMessage(strconv.Quote(s)) }

// withVisibility returns a copy of the file whose visibility key is set to the combined value.
func withVisibility(d *campaignfile.Document) *campaignfile.Document {
	shown, err := d.Apply(campaignfile.Change{Path: visibilityPath, Value: quote(visibilityOf(d))})
	if err != nil {
		return d
	}
	return shown
}

// Launch makes a campaign public, and sets its start to now if it has none. base is the SHA of
// the file version that the author reviewed. A repeated request returns the original result.
//
// It fails with code Invalid without a base, and with code Conflict if the checklist is
// incomplete, the file has changed, or another request made the campaign public.
func (s *Service) Launch(ctx context.Context, by Author, slug, base string) (Published, error) {
	l, err := s.LaunchList(ctx, slug)
	if err != nil {
		return Published{}, err
	}
	switch {
	case base == "":
		return Published{}, fault.New(fault.Invalid, "base is required: the SHA of the file version you reviewed").In("base")
	case l.Visibility == Public:
		return s.repeatedLaunch(ctx, by, slug)
	case !l.Ready:
		return Published{}, fault.New(fault.Conflict, "%s left before you can launch",
			pluralize(l.Left, "step is", "steps are"))
	}
	file, err := s.CampaignFile(slug)
	if err != nil {
		return Published{}, err
	}
	d := Draft{File: file, Base: base,
		Edits: []Edit{{Path: visibilityPath, Was: quote(l.Visibility), Value: quote(Public)}}}
	if l.Starts == "" {
		d.Edits = append(d.Edits, Edit{Path: "start_date", Value: quote(s.Now().In(s.Zone).Format("2006-01-02 15:04"))})
	}
	return s.Publish(ctx, by, d)
}

// repeatedLaunch returns the original result if this launch is a retry, and otherwise a Conflict.
func (s *Service) repeatedLaunch(ctx context.Context, by Author, slug string) (Published, error) {
	file, err := s.CampaignFile(slug)
	if err != nil {
		return Published{}, err
	}
	already := fault.New(fault.Conflict, "The campaign is already public")
	if s.Repository == nil {
		return Published{}, already
	}
	return s.findEarlier(ctx, by, file, Published{}, already)
}

// withdrawal returns the draft that changes a campaign's visibility to Hidden or PreviewOnly.
func (s *Service) withdrawal(ctx context.Context, slug, to, reason string) (Draft, error) {
	if to != Hidden && to != PreviewOnly {
		return Draft{}, fault.New(fault.Invalid, "Choose hidden or preview").In("visibility")
	}
	file, err := s.CampaignFile(slug)
	if err != nil {
		return Draft{}, err
	}
	f, err := s.read(ctx, file)
	if err != nil {
		return Draft{}, err
	}
	doc, err := campaignfile.Open(file, f.Bytes)
	if err != nil {
		return Draft{}, s.refuse(err, file)
	}
	return Draft{File: file, Reason: reason,
		Edits: []Edit{{Path: visibilityPath, Was: quote(visibilityOf(doc)), Value: quote(to)}}}, nil
}

// Withdraw takes a campaign off the site: it hides the campaign, or limits access to people with a
// preview link. It requires a reason if the campaign is public and has supporters.
func (s *Service) Withdraw(ctx context.Context, by Author, slug, to, reason string) (Published, error) {
	d, err := s.withdrawal(ctx, slug, to, reason)
	if err != nil {
		return Published{}, err
	}
	return s.Publish(ctx, by, d)
}

// PreviewWithdrawal returns the effect of Withdraw, and writes nothing.
func (s *Service) PreviewWithdrawal(ctx context.Context, slug, to string) (Review, error) {
	d, err := s.withdrawal(ctx, slug, to, "")
	if err != nil {
		return Review{}, err
	}
	return s.Preview(ctx, d)
}

// affectedByWithdrawal counts the supporters of a campaign that is no longer public. It returns nil
// if the change does not withdraw the campaign or it has no supporters.
func (s *Service) affectedByWithdrawal(d campaignfile.Difference, supporters int) *Affected {
	if d.Path != visibilityPath || string(d.Before) != string(quote(Public)) || supporters == 0 {
		return nil
	}
	return &Affected{Supporters: supporters, Words: bilingual{
		pluralize(supporters, "supporter", "supporters") +
			" pledged to this campaign. Its page is no longer public; their pledges stay.",
		pluralize(supporters, "mecenas aportó", "mecenas aportaron") +
			" a esta campaña. Su página deja de ser pública; las aportaciones se mantienen.",
	}.in(s.lang)}
}

// startsAt returns when a campaign goes live if it is launched at now.
func startsAt(c *campaign.Campaign, now time.Time, zone *time.Location) time.Time {
	if c.Start.IsZero() {
		return now.In(zone)
	}
	return c.StartsAt(zone)
}
