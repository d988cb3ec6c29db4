package content

import (
	"context"
	"errors"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// merged is the result of applying a draft to the current file.
type merged struct {
	base string // the SHA of the file before
	// before and after are the file's versions; nil if they cannot be read.
	before, after *campaignfile.Document
	// changes are the fields that differ.
	changes []campaignfile.Difference
	claims  inventory.Snapshot
	// campaign is the parsed result if the file is a valid campaign's.
	campaign *campaign.Campaign
	warnings campaign.Problems
}

// merge applies a draft to the current file. If it fails with a RefusedError, the error lists all
// conflicts or all problems, and merge also returns the part of the result that it has computed.
func (s *Service) merge(ctx context.Context, d Draft) (merged, error) {
	if len(d.Edits) == 0 || len(d.Edits) > maxEdits {
		return merged{}, fault.New(fault.Invalid, "A draft must have 1 to %d edits", maxEdits).In("edits")
	}
	if utf8.RuneCountInString(d.Reason) > maxReason {
		return merged{}, fault.New(fault.Invalid, "The reason can have at most %d characters", maxReason).In("reason")
	}
	if err := s.checkEdits(d); err != nil {
		return merged{}, err
	}
	f, err := s.read(ctx, d.File)
	if err != nil {
		return merged{}, err
	}
	m := merged{base: f.SHA}
	err = s.apply(ctx, d, f, &m)
	if r, ok := errors.AsType[*RefusedError](err); ok {
		r.Current = m.base
	}
	return m, err
}

// apply merges the draft into the file that was read, and stores the result in m.
func (s *Service) apply(ctx context.Context, d Draft, f repository.File, m *merged) error {
	if d.Base != "" && d.Base != f.SHA {
		return staleBase()
	}
	var err error
	if m.before, err = campaignfile.Open(d.File, f.Bytes); err != nil {
		return s.refuse(err, d.File)
	}
	changes, err := s.pendingEdits(ctx, d, m.before)
	if err != nil {
		return err
	}
	if m.after, err = m.before.Apply(changes...); err != nil {
		return s.refuse(err, d.File, m.before)
	}
	m.changes = m.before.Compare(m.after)
	if err := s.checkChanges(d.File, m.changes); err != nil {
		return err
	}
	if m.claims, err = s.claimsOf(ctx, d.File); err != nil {
		return err
	}
	return s.refuse(s.checkDraft(ctx, d, m), d.File, m.after, m.before)
}

// checkDraft validates the result of a draft. It returns campaign.Problems if the result is not
// valid.
func (s *Service) checkDraft(ctx context.Context, d Draft, m *merged) error {
	c, warnings, err := s.check(ctx, m.after, d.restores)
	problems := problemsOf(err)
	if err != nil && problems == nil {
		return err
	}
	m.campaign, m.warnings = c, warnings
	if c != nil {
		more, hints := s.checkDates(c, *m)
		m.warnings = append(m.warnings, hints...)
		problems = append(problems, more...)
	}
	problems = append(problems, checkClaims(d.File, m.changes, m.claims)...)
	answered, err := s.checkAnswers(ctx, d.File, m.changes)
	if err != nil {
		return err
	}
	problems = append(problems, answered...)
	if err := s.checkReaders(ctx, c, m.changes); err != nil {
		refused := problemsOf(err)
		if refused == nil {
			return err
		}
		problems = append(problems, refused...)
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// checkDates returns problems and warnings about changed amounts and dates of a campaign.
func (s *Service) checkDates(c *campaign.Campaign, m merged) (problems, warnings campaign.Problems) {
	now := s.Now()
	before, err := m.before.Campaign()
	wasOpen := err == nil && before.Public() && before.State(now, s.Zone) != campaign.Ended
	started := err == nil && before.Public() && !before.Start.IsZero() && !before.StartsAt(s.Zone).After(now)
	for _, d := range m.changes {
		p := campaign.Problem{File: c.File, Line: c.Lines[d.Path], Field: d.Path}
		switch {
		case d.Path == "goal_amount" && d.After != nil && c.Goal == 0:
			p.Message = "write more than 0 dollars"
			problems = append(problems, p)
		case d.Path == "start_date" && started:
			p.Message = "cannot change: the campaign has started"
			problems = append(problems, p)
		case d.Path == "start_date" && !c.Start.IsZero() && !c.Public() && c.StartsAt(s.Zone).Before(now):
			p.Message = "is in the past: the campaign starts as soon as it is launched"
			warnings = append(warnings, p)
		case d.Path == "goal_deadline" && !c.Deadline.IsZero() && !c.EndsAt(s.Zone).After(now):
			p.Message = "is in the past: choose a later one before the launch"
			if wasOpen && c.Public() {
				p.Message = "is in the past: the campaign ends as soon as this is published"
			}
			warnings = append(warnings, p)
		}
	}
	return problems, warnings
}

// pendingEdits returns the edits that still need to be applied. An edit whose field already has the
// new value, or that changes nothing, is skipped.
func (s *Service) pendingEdits(ctx context.Context, d Draft,
	now *campaignfile.Document) ([]campaignfile.Change, error) {
	var changes []campaignfile.Change
	var conflicts []Conflict
	for _, e := range d.Edits {
		is, err := now.Value(e.Path)
		if err != nil {
			return nil, err
		}
		if e.isVisibility(d.File) && !campaignfile.SameValue(is, e.Was) {
			is = quote(visibilityOf(now))
		}
		switch {
		case e.unchanged():
		case e.isVisibility(d.File) && campaignfile.SameValue(is, e.Was):
			changes = append(changes, visibilityChanges(e.Value)...)
		case campaignfile.SameValue(is, e.Was):
			changes = append(changes, campaignfile.Change{Path: e.Path, Value: e.Value})
		case !campaignfile.SameValue(is, e.Value):
			conflicts = append(conflicts, Conflict{
				Path: e.Path, Was: e.Was, Is: is, Want: e.Value, Place: s.placeOf(d.File, e.Path, now),
				WasText: s.display(d.File, e.Path, e.Was), IsText: s.display(d.File, e.Path, is),
				WantText: s.display(d.File, e.Path, e.Value),
			})
		}
	}
	if len(conflicts) == 0 {
		return changes, nil
	}
	s.blame(ctx, d.File, conflicts)
	return nil, conflictError(conflicts)
}

// unchanged reports whether an edit has the value that its editor saw. Forms can submit
// read-only fields like this.
func (e Edit) unchanged() bool {
	return !strings.HasSuffix(e.Path, "[]") && campaignfile.SameValue(e.Was, e.Value)
}

// check validates a file by the rules of the command "pledged check" and, for a campaign, against
// the existing pledges. Files in restores count as present. It returns the warnings and, for a
// campaign's file, the campaign. If the file is not valid, it returns campaign.Problems.
func (s *Service) check(ctx context.Context, d *campaignfile.Document,
	restores []repository.Write) (*campaign.Campaign, campaign.Problems, error) {
	switch d.File() {
	case SettingsFile:
		return nil, nil, s.Settings(d.Bytes())
	case campaign.AddOnsFile:
		a, err := d.AddOns()
		if err != nil {
			return nil, nil, err
		}
		return nil, a.Warnings, s.checkReferences(ctx, a.References, restores)
	}
	c, err := d.Campaign()
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkUniqueSlug(c); err != nil {
		return nil, nil, err
	}
	var problems campaign.Problems
	for _, err := range []error{c.Validate(s.Presets), s.checkReferences(ctx, c.References, restores), s.checkPages(c)} {
		found := problemsOf(err)
		if err != nil && found == nil {
			return nil, nil, err
		}
		problems = append(problems, found...)
	}
	if len(problems) > 0 {
		return nil, nil, problems
	}
	return c, c.Warnings, s.Promises(ctx, s.Catalogue().With(c), c.Slug)
}

// checkPages renders a campaign's pages and returns campaign.Problems if that fails.
func (s *Service) checkPages(c *campaign.Campaign) error {
	if s.Renders == nil {
		return nil
	}
	err := s.Renders(c)
	if err != nil && problemsOf(err) == nil {
		return campaign.Problems{{File: c.File, Message: err.Error()}}
	}
	return err
}

// checkUniqueSlug returns campaign.Problems if another file has the same slug.
func (s *Service) checkUniqueSlug(c *campaign.Campaign) error {
	other, err := s.Catalogue().Campaign(c.Slug)
	if err != nil || other.File == "" || other.File == c.File {
		return nil //nolint:nilerr // no campaign has the slug
	}
	return campaign.Problems{{File: c.File, Line: c.Lines["slug"], Field: "slug",
		Message: "is already used by " + other.File + ": choose another"}}
}

// checkReferences returns campaign.Problems for referenced files that are missing in the
// repository.
func (s *Service) checkReferences(ctx context.Context, all []campaign.Reference, restores []repository.Write) error {
	if s.Repository == nil || len(all) == 0 {
		return nil
	}
	there, err := s.listFolders(ctx, all)
	if err != nil {
		return err
	}
	for _, w := range restores {
		there[w.Path] = true
	}
	var problems campaign.Problems
	for _, r := range all {
		if !there[r.Path[1:]] {
			problems = append(problems, campaign.Problem{File: r.File, Line: r.Line, Field: r.Field,
				Message: "there is no file " + r.Path + " in the repository"})
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// Missing returns those of the paths that begin with /assets/, such as "/assets/images/boat.jpg",
// whose files do not exist in the repository. Other addresses are ignored. Without a repository it
// returns nil.
func (s *Service) Missing(ctx context.Context, paths []string) ([]string, error) {
	var all []campaign.Reference
	for _, p := range paths {
		if strings.HasPrefix(p, "/assets/") {
			all = append(all, campaign.Reference{Path: p})
		}
	}
	if s.Repository == nil || len(all) == 0 {
		return nil, nil
	}
	there, err := s.listFolders(ctx, all)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, r := range all {
		if !there[r.Path[1:]] {
			missing = append(missing, r.Path)
		}
	}
	return missing, nil
}

// listFolders returns the set of paths of all files in the folders of the references.
func (s *Service) listFolders(ctx context.Context, all []campaign.Reference) (map[string]bool, error) {
	there, listed := map[string]bool{}, map[string]bool{}
	for _, r := range all {
		folder := path.Dir(r.Path[1:])
		if listed[folder] || !repository.ValidPath(folder) {
			continue
		}
		listed[folder] = true
		files, err := s.Repository.Files(ctx, "", folder)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			there[f.Path] = true
		}
	}
	return there, nil
}

// blame sets the author of each conflicting change that is in one of the newest maxBlame commits.
func (s *Service) blame(ctx context.Context, file string, conflicts []Conflict) {
	if s.Repository == nil {
		return
	}
	log, err := s.Repository.Log(ctx, file, maxBlame)
	if err != nil {
		return // the conflict is reported without a name
	}
	for _, c := range log {
		before, err := s.documentAt(ctx, c.Parent, file)
		if err != nil {
			return
		}
		open := false
		for i := range conflicts {
			conflict := &conflicts[i]
			if conflict.By != nil {
				continue
			}
			was, err := before.Value(conflict.Path)
			if err == nil && !campaignfile.SameValue(was, conflict.Is) {
				conflict.By, conflict.At = &c.Author, &c.At
			}
			open = open || conflict.By == nil
		}
		if !open {
			return
		}
	}
}

// maxBlame is how many commits are searched for the author of a change.
const maxBlame = 20

// documentAt reads a file at a revision. For a file that did not exist, it returns a document
// without fields.
func (s *Service) documentAt(ctx context.Context, revision, file string) (*campaignfile.Document, error) {
	var src []byte
	if revision != "" {
		f, err := s.Repository.File(ctx, revision, file)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		src = f.Bytes
	}
	if len(src) == 0 {
		return campaignfile.Open(SettingsFile, nil)
	}
	return campaignfile.Open(file, src)
}
