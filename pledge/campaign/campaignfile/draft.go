package campaignfile

import (
	"encoding/json"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// NewFile returns the file of a new campaign with a title, which only operators can
// see.
func NewFile(title string) ([]byte, error) {
	slug := campaign.Slug(title)
	if slug == "" {
		return nil, fault.New(fault.Invalid, "Write a title with letters or digits").In("title")
	}
	src := "---\nlayout: campaign\ntitle: " + string(jsonText(title)) + "\nslug: " + slug + "\npublished: false\npreview_only: true\n---\n"
	if _, err := Parse("", []byte(src)); err != nil {
		return nil, err
	}
	return []byte(src), nil
}

// ended are the fields that belong to one run of a campaign.
var ended = []string{"start_date", "goal_deadline", "visibility", "charged", "test_only", "preview_enabled", "diary", "decisions", "runner_report_emails", "runner_report_excluded_emails"}

// Duplicate returns a copy of a campaign's file with another title. The copy is hidden
// and has no dates, diary, decisions and report recipients; everything else is
// unchanged.
func Duplicate(src []byte, title string) ([]byte, error) {
	d, err := open("", src, noFrontMatter)
	if err != nil {
		return nil, err
	}
	slug := campaign.Slug(title)
	if slug == "" {
		return nil, fault.New(fault.Invalid, "Write a title with letters or digits").In("title")
	}
	yes, no := json.RawMessage("true"), json.RawMessage("false")
	changes := []Change{{"title", jsonText(title)}, {"slug", quoted(slug)}, {"published", no}, {"preview_only", yes}}
	for _, path := range ended {
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
