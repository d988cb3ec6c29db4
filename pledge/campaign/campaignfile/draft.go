package campaignfile

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// NewSlug returns the slug of a new campaign: the given slug or, if it is "", one derived from
// the title. It fails with code Invalid and the field that is missing or invalid.
func NewSlug(title, slug string) (string, error) {
	if slug == "" {
		slug = campaign.Slug(title)
	}
	if strings.TrimSpace(title) == "" {
		return "", fault.New(fault.Invalid, "Enter a title").In("title")
	}
	if _, err := campaign.ParseSlug(slug); err != nil {
		return "", fault.New(fault.Invalid, "Enter a page address with a–z, 0–9 and hyphens").In("slug")
	}
	return slug, nil
}

// NewFile returns the content of a new campaign's file. Only operators can see the campaign. Its
// slug is determined by NewSlug.
func NewFile(title, slug string) ([]byte, error) {
	slug, err := NewSlug(title, slug)
	if err != nil {
		return nil, err
	}
	src := "---\nlayout: campaign\ntitle: " + string(jsonText(title)) + "\nslug: " + slug +
		"\npublished: false\npreview_only: true\n---\n"
	if _, err := Parse("", []byte(src)); err != nil {
		return nil, err
	}
	return []byte(src), nil
}

// runFields are the fields that a copy of a campaign does not keep.
var runFields = []string{"start_date", "goal_deadline", "state", "pledged_amount", "visibility", "charged",
	"test_only", "preview_enabled", "diary", "decisions", "runner_report_emails", "runner_report_excluded_emails"}

// Duplicate returns a copy of a campaign's file with another title and a slug determined by
// NewSlug. The copy is hidden. It has neither the original's dates, state, counts, diary, decisions
// and report recipients nor its estimated deliveries in the past. Everything else is unchanged.
func Duplicate(src []byte, title, slug string, now time.Time) ([]byte, error) {
	d, err := open("", src, noFrontMatter)
	if err != nil {
		return nil, err
	}
	if slug, err = NewSlug(title, slug); err != nil {
		return nil, err
	}
	yes, no := json.RawMessage("true"), json.RawMessage("false")
	changes := []Change{{"title", jsonText(title)}, {"slug", quoted(slug)}, {"published", no}, {"preview_only", yes}}
	for _, path := range append(tierRunFields(d, now), runFields...) {
		changes = append(changes, Change{Path: path})
	}
	if d, err = d.applyEach((*Document).set, changes); err != nil {
		return nil, err
	}
	if _, err := d.Campaign(); err != nil {
		return nil, err
	}
	return d.Bytes(), nil
}

// tierRunFields returns the paths of the rewards' fields that a copy does not keep: remaining units
// and estimated deliveries in the past.
func tierRunFields(d *Document, now time.Time) (paths []string) {
	tiers := valueOf(d.root, "tiers")
	if tiers == nil || follow(tiers).Kind != yaml.SequenceNode {
		return nil
	}
	for i, tier := range follow(tiers).Content {
		tier = follow(tier)
		if tier.Kind != yaml.MappingNode {
			continue
		}
		at := "tiers[" + cmp.Or(idOf(tier), strconv.Itoa(i)) + "]."
		if valueOf(tier, "remaining") != nil {
			paths = append(paths, at+"remaining")
		}
		if month := valueOf(tier, "estimated_delivery"); month != nil && month.Value < now.Format(monthLayout) {
			paths = append(paths, at+"estimated_delivery")
		}
	}
	return paths
}
