package media

import (
	"context"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The reasons why a file is kept.
const (
	OtherOwner = "elsewhere" // belongs to another campaign or the platform
	InUse      = "used"      // still referenced
	ByHand     = "by_hand"   // committed manually, not uploaded
)

// Removed is the result of Remove.
type Removed struct {
	// Removed are the files that no longer exist.
	Removed []string `json:"removed"`
	Kept    []Kept   `json:"kept"`
	// Revision is the commit, "" if there was nothing to remove.
	Revision string `json:"revision,omitempty"`
}

// Kept is a file that was not removed, with the reason.
type Kept struct {
	Path   string `json:"path"`
	Reason string `json:"why"`
}

// maxPaths is the maximum number of files per call.
const maxPaths = 200

// Remove deletes those of the given files that are in the campaign's own folders, were uploaded,
// and are no longer referenced. It keeps the others and returns the reasons. A file that does not
// exist counts as removed. It fails with code Invalid if the slug, a path or the number of paths is
// not valid.
func (s *Service) Remove(ctx context.Context, by ChangeMeta, slug string, paths []string) (Removed, error) {
	if s.Repository == nil {
		return Removed{}, unpublishable()
	}
	if _, err := campaign.ParseSlug(slug); err != nil {
		return Removed{}, fault.New(fault.Invalid,
			"A slug can contain only lower-case letters, digits and hyphens").In("campaignSlug")
	}
	if len(paths) == 0 || len(paths) > maxPaths {
		return Removed{}, fault.New(fault.Invalid, "Give 1 to %d files", maxPaths).In("paths")
	}
	for _, p := range paths {
		if file, rooted := strings.CutPrefix(p, "/"); !rooted || !repository.ValidPath(file) {
			return Removed{}, fault.New(fault.Invalid,
				"The path must be one of this site, for example /assets/images/boat.jpg").In("paths")
		}
	}
	out, writes, err := s.classify(ctx, slug, paths, "")
	if err != nil || len(writes) == 0 {
		return out, err
	}
	made, err := s.commit(ctx, by, removalMessage(writes), writes...)
	out.Revision = made.Revision
	return out, err
}

// Unused returns the writes that remove the given uploads of a campaign, except those that
// something else references. The writes are for the commit in which the campaign's own file drops
// the references, so that file is not checked.
func (s *Service) Unused(ctx context.Context, slug string, paths []string) ([]repository.Write, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return nil, err
	}
	_, writes, err := s.classify(ctx, slug, paths, c.File)
	return writes, err
}

// classify separates files that can be removed from those to keep. References in the file
// except are ignored.
func (s *Service) classify(ctx context.Context, slug string, paths []string,
	except string) (Removed, []repository.Write, error) {
	out := Removed{Removed: []string{}, Kept: []Kept{}}
	own, err := s.ownSHAs(ctx, slug)
	if err != nil {
		return out, nil, err
	}
	named, err := s.references(ctx, slug, except)
	if err != nil {
		return out, nil, err
	}
	var writes []repository.Write
	for _, p := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		file := strings.TrimPrefix(p, "/")
		sha, there := own[file]
		why := ""
		switch {
		case !inOwnFolder(slug, p):
			why = OtherOwner
		case !there: // already gone
		case named(file):
			why = InUse
		default:
			if why, err = s.byHand(ctx, file); err != nil {
				return out, nil, err
			}
		}
		if why != "" {
			out.Kept = append(out.Kept, Kept{p, why})
			continue
		}
		if out.Removed = append(out.Removed, p); there {
			writes = append(writes, repository.Write{Path: file, Was: sha, Remove: true})
		}
	}
	return out, writes, nil
}

// inOwnFolder reports whether a path is in one of the campaign's own folders.
func inOwnFolder(slug, p string) bool {
	return slices.ContainsFunc(ownFolders(slug), func(folder string) bool { return strings.HasPrefix(p, "/"+folder+"/") })
}

// ownSHAs returns the SHAs of a campaign's files by path.
func (s *Service) ownSHAs(ctx context.Context, slug string) (map[string]string, error) {
	own := map[string]string{}
	for _, folder := range ownFolders(slug) {
		files, err := s.Repository.Files(ctx, "", folder)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			own[f.Path] = f.SHA
		}
	}
	return own, nil
}

// byHand returns ByHand if a file's latest commit was not made by this service, otherwise
// "".
func (s *Service) byHand(ctx context.Context, file string) (string, error) {
	log, err := s.Repository.Log(ctx, file, 1)
	if err != nil || len(log) > 0 && log[0].Trailer(repository.IDTrailer) != "" {
		return "", err
	}
	return ByHand, nil
}

func removalMessage(writes []repository.Write) string {
	lines := make([]string, 0, len(writes))
	for _, w := range writes {
		lines = append(lines, "- "+w.Path)
	}
	return "Remove unused media\n\n" + strings.Join(lines, "\n")
}
