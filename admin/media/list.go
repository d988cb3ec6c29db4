package media

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Listing contains the media that an editor can choose from.
type Listing struct {
	Files  []Listed `json:"files"`
	Limits Limits   `json:"limits"`
	// Direct is set if videos and recordings are uploaded to the store, by POST
	// /admin/media/grant.
	Direct bool `json:"direct"`
}

// Listed is a file of the repository.
type Listed struct {
	Path string `json:"path"`
	SHA  string `json:"sha"`
	Size int64  `json:"size"`
	Kind Kind   `json:"kind"`
	// UsedBy lists the files that reference the file.
	UsedBy []string `json:"usedBy"`
}

// Limits are the maximum sizes of uploads in bytes.
type Limits struct {
	Image int64 `json:"image"`
	Audio int64 `json:"audio"`
	Video int64 `json:"video"`
}

// Limits returns the limit of each kind. For files that are stored in the repository, the
// repository's limit applies if it is lower. Without a repository all limits are 0.
func (s *Service) Limits() Limits {
	if s.Repository == nil {
		return Limits{}
	}
	most := s.Repository.Limits().File
	of := func(k Kind) int64 {
		if s.Direct(k) {
			return k.MaxSize()
		}
		return min(k.MaxSize(), most)
	}
	return Limits{of(Image), of(Audio), of(Video)}
}

// ownFolders returns the folders of a campaign's files, and sharedFolders those of the
// platform's.
func ownFolders(slug string) []string {
	return []string{
		folders[Image][Campaign] + "/" + slug, folders[Image][CampaignAddOn] + "/" + slug,
		folders[Audio][Campaign] + "/" + slug, folders[Video][Campaign] + "/" + slug,
	}
}

func sharedFolders() []string {
	return []string{folders[Image][Default], folders[Image][AddOn], folders[Video][Default]}
}

// List returns a campaign's media, or the platform's if the slug is "". Other files in the
// repository are omitted.
func (s *Service) List(ctx context.Context, slug string) (Listing, error) {
	if s.Repository == nil {
		return Listing{}, unpublishable()
	}
	all := sharedFolders()
	if slug != "" {
		if _, err := s.Catalogue().Campaign(slug); err != nil {
			return Listing{}, err
		}
		all = ownFolders(slug)
	}
	out := Listing{Files: []Listed{}, Limits: s.Limits(), Direct: s.Direct(Video)}
	used := s.servedReferences("")
	for _, folder := range all {
		files, err := s.Repository.Files(ctx, "", folder)
		if err != nil {
			return Listing{}, err
		}
		for _, f := range files {
			if k := kindOf(f.Path); k != "" {
				out.Files = append(out.Files, Listed{"/" + f.Path, f.SHA, f.Size, k, append([]string{}, used[f.Path]...)})
			}
		}
	}
	return out, nil
}

// File returns an uploaded file of a campaign or of the platform. The site itself serves a file
// only once a published file references it. For other paths File fails with code NotFound.
func (s *Service) File(ctx context.Context, slug, path string) ([]byte, error) {
	if s.Repository == nil {
		return nil, unpublishable()
	}
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return nil, err
	}
	name, _ := strings.CutPrefix(path, "/")
	within := func(folder string) bool { return repository.IsBelow(name, folder) }
	if !repository.ValidPath(name) || kindOf(name) == "" ||
		!slices.ContainsFunc(append(ownFolders(slug), sharedFolders()...), within) {
		return nil, fault.New(fault.NotFound, "There is no file with this path").In("path")
	}
	f, err := s.Repository.File(ctx, "", name)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.Wrap(err, fault.NotFound, "There is no file with this path").In("path")
	}
	return f.Bytes, err
}

// kindOf returns the kind of a file by its name, "" for none. SVG drawings are no longer
// accepted, but existing ones are listed.
func kindOf(file string) Kind {
	ext := strings.ToLower(path.Ext(file))
	for _, f := range formats {
		if slices.Contains(f.extensions, ext) {
			return f.kind
		}
	}
	if ext == ".svg" {
		return Image
	}
	return ""
}

// servedReferences maps media paths to the files that reference them, as they are served now.
// It excludes archived campaigns and the campaign with the slug except, whose newest version
// may not be served yet.
func (s *Service) servedReferences(except string) map[string][]string {
	catalogue := s.Catalogue()
	all := catalogue.AddOnReferences()
	for _, c := range catalogue.Campaigns() {
		if !c.Archived() && c.Slug != except {
			all = append(all, c.References...)
		}
	}
	used := map[string][]string{}
	for _, r := range all {
		file := strings.TrimPrefix(r.Path, "/")
		if !slices.Contains(used[file], r.File) {
			used[file] = append(used[file], r.File)
		}
	}
	return used
}

// references returns a function that reports whether a file is referenced by any file
// except one. It checks the served references of other campaigns, and searches the newest
// text of the campaign's own file and the platform's files for the path. A false positive
// only keeps a file; a false negative would delete one in use.
func (s *Service) references(ctx context.Context, slug, except string) (func(file string) bool, error) {
	texts := []string{campaign.AddOnsFile, settingsFile}
	if c, err := s.Catalogue().Campaign(slug); err == nil && c.File != "" {
		texts = append(texts, c.File)
	}
	var newest []repository.File
	for _, text := range texts {
		if text == except {
			continue
		}
		f, err := s.Repository.File(ctx, "", text)
		switch {
		case err == nil:
			newest = append(newest, f)
		case !fault.Is(err, fault.NotFound):
			return nil, err
		}
	}
	others := s.servedReferences(slug)
	return func(file string) bool {
		return len(others[file]) > 0 || slices.ContainsFunc(newest, func(f repository.File) bool { return mentions(f, file) })
	}, nil
}

// settingsFile holds the site's settings, which reference its logo and its sharing picture.
const settingsFile = "site.yml"

// mentions reports whether a file contains a path that is not part of a longer name.
func mentions(f repository.File, p string) bool {
	for text := f.Bytes; ; {
		_, after, ok := bytes.Cut(text, []byte(p))
		if !ok {
			return false
		}
		if len(after) == 0 || !inName(after[0]) {
			return true
		}
		text = after
	}
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
