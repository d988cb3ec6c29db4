package content

import (
	"context"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Version is a commit that changed a file.
type Version struct {
	repository.Commit
	Changes []Change `json:"changes"`
}

// maxHistory is the maximum number of versions that History returns.
const maxHistory = 100

// History returns the latest versions of a file, newest first. A version that cannot be
// parsed has no changes.
func (s *Service) History(ctx context.Context, file string, limit int) ([]Version, error) {
	if s.Repository == nil {
		return nil, Unpublishable()
	}
	if !editable(file) {
		return nil, fileNotFound()
	}
	log, err := s.Repository.Log(ctx, file, min(max(limit, 1), maxHistory))
	if err != nil {
		return nil, err
	}
	versions := make([]Version, 0, len(log))
	for _, c := range log {
		v, err := s.version(ctx, file, c)
		if fault.Is(err, fault.Unavailable) {
			return nil, err
		}
		versions = append(versions, v)
	}
	return versions, nil
}

// version describes the changes of a commit. The commit's message is replaced if it might
// show the value of a field that the caller may not read.
func (s *Service) version(ctx context.Context, file string, c repository.Commit) (Version, error) {
	v := Version{Commit: c, Changes: []Change{}}
	before, err := s.documentAt(ctx, c.Parent, file)
	if err != nil {
		return v, err
	}
	after, err := s.documentAt(ctx, c.Revision, file)
	if err != nil {
		return v, err
	}
	var hidden bool
	if v.Changes, hidden = s.readableChanges(file, s.describe(file, before, after, before.Compare(after))); hidden {
		v.Message = readableMessage(file, v.Changes)
	}
	return v, nil
}

// Undo reverts the changes of one commit to a file, in a new commit, and restores the uploads that
// the commit deleted. Later changes to other fields are kept; if the same fields were changed
// later, it fails with RefusedError.
func (s *Service) Undo(ctx context.Context, by Author, file, revision, reason string) (Published, error) {
	if s.Repository == nil {
		return Published{}, Unpublishable()
	}
	d, err := s.inverseDraft(ctx, file, revision)
	if err != nil {
		return Published{}, err
	}
	if len(d.Edits) == 0 {
		return Published{}, fault.New(fault.Conflict, "That change did not change any fields of the file").In("revision")
	}
	d.Reason = reason
	return s.Publish(ctx, by, d)
}

// inverseDraft returns the draft that reverts a commit.
func (s *Service) inverseDraft(ctx context.Context, file, revision string) (Draft, error) {
	if !editable(file) {
		return Draft{}, fileNotFound()
	}
	log, err := s.Repository.Log(ctx, file, maxHistory)
	if err != nil {
		return Draft{}, err
	}
	for _, c := range log {
		if c.Revision != revision {
			continue
		}
		if c.Parent == "" {
			break
		}
		before, err := s.documentAt(ctx, c.Parent, file)
		if err != nil {
			return Draft{}, s.refuse(err, file)
		}
		after, err := s.documentAt(ctx, revision, file)
		if err != nil {
			return Draft{}, s.refuse(err, file)
		}
		restores, err := s.restoreWrites(ctx, c, file)
		return Draft{File: file, Edits: editsTo(after.Diff(before)), restores: restores}, err
	}
	return Draft{}, fault.New(fault.NotFound, "This revision did not change the file, or created it").In("revision")
}

// editsTo converts differences to edits. A list entry that is to be restored is appended to its
// list.
func editsTo(differences []campaignfile.Difference) []Edit {
	edits := make([]Edit, 0, len(differences))
	for _, d := range differences {
		e := Edit{Path: d.Path, Was: d.Before, Value: d.After}
		if isEntry(d.Path) && d.Before == nil {
			e.Path = d.Path[:strings.LastIndexByte(d.Path, '[')] + "[]"
		}
		edits = append(edits, e)
	}
	return edits
}
