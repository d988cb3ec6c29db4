package content

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Amendment is a change to something that supporters relied on.
type Amendment struct {
	At   time.Time     `json:"at"`
	Kind AmendmentKind `json:"kind"`
	// Name is the reward's name, and Field its changed field as spelled in the file; "" if
	// the whole reward was removed.
	Name  string `json:"name,omitempty"`
	Field string `json:"field,omitempty"`
	// Before and After are amounts, dates and short texts in readable form, "" for a text
	// that does not fit in a line.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// AmendmentKind is the subject of an Amendment.
type AmendmentKind string

// The kinds of amendments.
const (
	GoalAmended     AmendmentKind = "goal"
	DeadlineAmended AmendmentKind = "deadline"
	RewardAmended   AmendmentKind = "reward"
)

// Since returns the amendments made after the file version with the given revision, oldest first.
// Known is false if that version is too old to be found, or there is no repository.
func (s *Service) Since(ctx context.Context, slug, revision string) (all []Amendment, known bool, err error) {
	if s.Repository == nil {
		return nil, false, nil
	}
	file, err := s.CampaignFile(slug)
	if err != nil {
		return nil, false, err
	}
	log, err := s.Repository.Log(ctx, file, maxHistory)
	if err != nil {
		return nil, false, err
	}
	for _, c := range log {
		f, err := s.Repository.File(ctx, c.Revision, file)
		if err != nil {
			return nil, false, err
		}
		if campaignfile.Revision(f.Bytes) == revision {
			return all, true, nil
		}
		some, err := s.amendments(ctx, file, Version{Commit: c}, f.Bytes)
		if err != nil {
			return nil, false, err
		}
		all = append(some, all...)
	}
	return nil, false, nil
}

// amendments returns the amendments of one commit.
func (s *Service) amendments(ctx context.Context, file string, v Version, src []byte) ([]Amendment, error) {
	before, err := s.documentAt(ctx, v.Parent, file)
	if fault.Is(err, fault.Unavailable) {
		return nil, err
	}
	after, wrong := campaignfile.Open(file, src)
	if err != nil || wrong != nil {
		return nil, nil //nolint:nilerr // an invalid file was never served
	}
	var all []Amendment
	for _, d := range before.Compare(after) {
		if !isPromise(d) {
			continue
		}
		a := Amendment{At: v.At, Before: s.formatLine(d.Path, d.Before), After: s.formatLine(d.Path, d.After),
			Reason: v.Trailer(ReasonTrailer)}
		switch d.Path {
		case "goal_amount":
			a.Kind = GoalAmended
		case "goal_deadline":
			a.Kind = DeadlineAmended
		case "charged":
			continue // a settlement does not change a promise
		default:
			a.Kind = RewardAmended
			a.Name, a.Field = rewardField(before, d.Path)
		}
		all = append(all, a)
	}
	return all, nil
}

// formatLine formats a value as one line, in the format of the public pages. It returns "" for
// lists, objects and texts that do not fit on a line.
func (s *Service) formatLine(path string, value json.RawMessage) string {
	var v any
	_ = json.Unmarshal(value, &v) // an empty value stays nil
	switch text := v.(type) {
	case nil, []any, map[string]any:
		return ""
	case string:
		if len([]rune(text)) > maxShown || strings.Contains(text, "\n") {
			return ""
		}
		switch {
		case path == "goal_deadline":
			return s.deadlineLine(text)
		case strings.HasSuffix(path, ".estimated_delivery"):
			return s.displayMonth(text)
		}
	}
	return strings.Trim(formatValue(path, value, s.lang), "“”")
}

// deadlineLine formats a deadline from a file as the last second in which pledges are accepted.
func (s *Service) deadlineLine(text string) string {
	m, err := campaign.ParseMoment(text)
	if err != nil || s.Zone == nil {
		return text
	}
	return mailtext.Moment(s.lang, m.Ends(s.Zone).Add(-time.Second).In(s.Zone))
}

// rewardField returns the name of the list entry that a path is in, before the change, and the
// field.
func rewardField(before *campaignfile.Document, path string) (name, field string) {
	entry, field, _ := strings.Cut(path, "].")
	entry = strings.TrimSuffix(entry, "]") + "]"
	for _, key := range []string{"name", "label"} {
		value, err := before.Value(entry + "." + key)
		if err == nil && json.Unmarshal(value, &name) == nil && name != "" {
			break
		}
	}
	return name, field
}
