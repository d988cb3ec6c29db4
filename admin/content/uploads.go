package content

import (
	"bytes"
	"context"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// letGo are the writes that remove the uploads which a campaign's file names no more. One
// that still stands somewhere in its text, such as in a comment, stays.
func (s *Service) letGo(ctx context.Context, m merged) ([]repository.Write, error) {
	if s.Unused == nil || m.campaign == nil {
		return nil, nil
	}
	before, err := campaignfile.Parse(m.before.Path, m.before.Bytes)
	if err != nil {
		return nil, nil //nolint:nilerr // what could not be read has let go of nothing that is known
	}
	var paths []string
	for _, r := range before.References {
		if !bytes.Contains(m.after, []byte(r.Path)) {
			paths = append(paths, r.Path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	return s.Unused(ctx, before.Slug, paths)
}

// removed are the writes that bring back what a commit removed with a campaign's change:
// files that its version before names and that are not there any more.
func (s *Service) removed(ctx context.Context, c repository.Commit, file string) ([]repository.Write, error) {
	src, err := s.Repository.File(ctx, c.Parent, file)
	if err != nil {
		return nil, err
	}
	before, err := campaignfile.Parse(file, src.Bytes)
	if err != nil {
		return nil, nil //nolint:nilerr // it is no campaign's file, or one that named nothing that is known
	}
	there, err := s.folders(ctx, before.References)
	if err != nil {
		return nil, err
	}
	var writes []repository.Write
	for _, r := range before.References {
		name := r.Path[1:]
		if there[name] {
			continue
		}
		there[name] = true
		f, err := s.Repository.File(ctx, c.Parent, name)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		writes = append(writes, repository.Write{Path: name, Bytes: f.Bytes})
	}
	return writes, nil
}

// wanted are those restored files that the file names as it shall be.
func (m merged) wanted(restores []repository.Write) []repository.Write {
	var wanted []repository.Write
	for _, w := range restores {
		if bytes.Contains(m.after, []byte("/"+w.Path)) {
			wanted = append(wanted, w)
		}
	}
	return wanted
}
