package content

import (
	"bytes"
	"context"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// removalWrites returns the writes that delete uploads which a campaign's file no longer
// references. An upload whose path is still in the text, for example in a comment, is kept.
func (s *Service) removalWrites(ctx context.Context, m merged) ([]repository.Write, error) {
	if s.Unused == nil || m.campaign == nil {
		return nil, nil
	}
	before, err := m.before.Campaign()
	if err != nil {
		return nil, nil //nolint:nilerr // an unreadable file has no known references
	}
	after := m.after.Bytes()
	var paths []string
	for _, r := range before.References {
		if !bytes.Contains(after, []byte(r.Path)) {
			paths = append(paths, r.Path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	return s.Unused(ctx, before.Slug, paths)
}

// restoreWrites returns the writes that restore files which a commit deleted: those that the
// version before it references and that no longer exist.
func (s *Service) restoreWrites(ctx context.Context, c repository.Commit, file string) ([]repository.Write, error) {
	src, err := s.Repository.File(ctx, c.Parent, file)
	if err != nil {
		return nil, err
	}
	before, err := campaignfile.Parse(file, src.Bytes)
	if err != nil {
		return nil, nil //nolint:nilerr // not a campaign's file, or an unreadable one
	}
	there, err := s.listFolders(ctx, before.References)
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

// referencedRestores returns the restored files that the new version of the file references.
func (m merged) referencedRestores(restores []repository.Write) []repository.Write {
	after := m.after.Bytes()
	var wanted []repository.Write
	for _, w := range restores {
		if bytes.Contains(after, []byte("/"+w.Path)) {
			wanted = append(wanted, w)
		}
	}
	return wanted
}
