package media

import (
	"context"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Why a file is kept.
const (
	Elsewhere = "elsewhere" // it belongs to others
	Used      = "used"      // some file still names it
	ByHand    = "by_hand"   // it was not uploaded, but put into the repository
)

// Removed is what became of files that a campaign has let go of.
type Removed struct {
	// Removed are not there any more.
	Removed []string `json:"removed"`
	Kept    []Kept   `json:"kept"`
	// Revision is the commit, "" where nothing was to be removed.
	Revision string `json:"revision,omitempty"`
}

// Kept is a file that stays, and why.
type Kept struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// maxPaths bounds what is removed at once.
const maxPaths = 200

// Remove takes away what a campaign's blocks have named: files in the campaign's own
// folders that were uploaded and that nothing in the repository names any more. Everything
// else stays: what others serve, what all campaigns share, and what is still shown.
func (s *Service) Remove(ctx context.Context, by By, slug string, paths []string) (Removed, error) {
	if s.Repository == nil {
		return Removed{}, unpublishable()
	}
	if _, err := campaign.ParseSlug(slug); err != nil {
		return Removed{}, fault.New(fault.Invalid, "A slug has lower-case letters, digits and hyphens").In("campaignSlug")
	}
	if len(paths) == 0 || len(paths) > maxPaths {
		return Removed{}, fault.New(fault.Invalid, "Name 1 to %d files", maxPaths).In("paths")
	}
	for _, p := range paths {
		if file, rooted := strings.CutPrefix(p, "/"); !rooted || !repository.ValidPath(file) {
			return Removed{}, fault.New(fault.Invalid, "A path is one of this site, such as /assets/images/boat.jpg").In("paths")
		}
	}
	out, writes, err := s.sort(ctx, slug, paths, "")
	if err != nil || len(writes) == 0 {
		return out, err
	}
	made, err := s.commit(ctx, by, removal(writes), writes...)
	out.Revision = made.Revision
	return out, err
}

// Unused are the writes that remove those of a campaign's uploads that nothing names, for
// the commit in which its own file lets go of them: what that file names is not looked at.
func (s *Service) Unused(ctx context.Context, slug string, paths []string) ([]repository.Write, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return nil, err
	}
	_, writes, err := s.sort(ctx, slug, paths, c.File)
	return writes, err
}

// sort tells files that can be removed from those that stay, whatever one file says of them.
func (s *Service) sort(ctx context.Context, slug string, paths []string, except string) (Removed, []repository.Write, error) {
	out := Removed{Removed: []string{}, Kept: []Kept{}}
	own, err := s.own(ctx, slug)
	if err != nil {
		return out, nil, err
	}
	named, err := s.named(ctx, slug, except)
	if err != nil {
		return out, nil, err
	}
	var writes []repository.Write
	for _, p := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		file := strings.TrimPrefix(p, "/")
		sha, there := own[file]
		why := ""
		switch {
		case !belongs(slug, p):
			why = Elsewhere
		case !there: // it is gone already
		case named(file):
			why = Used
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

// belongs reports whether a path is of a file that this campaign owns.
func belongs(slug, p string) bool {
	return slices.ContainsFunc(ownFolders(slug), func(folder string) bool { return strings.HasPrefix(p, "/"+folder+"/") })
}

// own are the SHAs of a campaign's files, by path.
func (s *Service) own(ctx context.Context, slug string) (map[string]string, error) {
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

// byHand says ByHand of a file whose newest commit was not made here.
func (s *Service) byHand(ctx context.Context, file string) (string, error) {
	log, err := s.Repository.Log(ctx, file, 1)
	if err != nil || len(log) > 0 && log[0].Trailer(repository.IDTrailer) != "" {
		return "", err
	}
	return ByHand, nil
}

func removal(writes []repository.Write) string {
	lines := make([]string, 0, len(writes))
	for _, w := range writes {
		lines = append(lines, "- "+w.Path)
	}
	return "Remove media that nothing names any more\n\n" + strings.Join(lines, "\n")
}
