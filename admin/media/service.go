package media

import (
	"context"
	"path"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Service keeps uploads in the repository of campaigns. It is safe for concurrent use.
type Service struct {
	// Repository is where campaigns are kept. Where it is nil nothing can be uploaded.
	Repository repository.Repository
	// Store takes films and recordings instead; nil for none.
	Store Store
	// Catalogue returns what is served now.
	Catalogue func() *campaign.Catalogue
	// AuditHead names the audit log's newest event, which each commit carries; nil for none.
	AuditHead func(ctx context.Context) (string, error)
	Now       func() time.Time
}

// By is who asks, under the identity of what they ask: the same ID is done once.
type By struct {
	repository.Author
	ID string
}

// Upload is a file for the repository.
type Upload struct {
	Kind Kind
	Use  Use
	Slug string // of the campaign; "" for what belongs to the platform
	Name string // such as boat-at-night.jpg
	// SHA is that of the file of this name which is replaced; "" says that it is a new one.
	SHA   string
	Bytes []byte
}

// Stored is a file as campaigns refer to it.
type Stored struct {
	Path   string `json:"path"` // such as /assets/images/campaigns/paper-boat/boat.jpg
	SHA    string `json:"sha"`
	Size   int64  `json:"size"` // in bytes, without what was taken out
	Type   string `json:"type"` // its media type
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
	// Revision is the commit; "" where the file was there already.
	Revision string `json:"revision,omitempty"`
}

// Upload cleans a file and commits it. A replacement has the name of what it replaces, so
// that it stays within its campaign, its folder and its type. What is not as its sender saw
// it is code Conflict: a new file whose name is taken by another one, or a file that has
// changed since. A file that is there already is not committed again.
func (s *Service) Upload(ctx context.Context, by By, u Upload) (Stored, error) {
	folder, err := s.folder(u)
	if err != nil {
		return Stored{}, err
	}
	a, err := Accept(u.Kind, u.Name, u.Bytes)
	if err != nil {
		return Stored{}, err
	}
	if most := s.Repository.Limits().File; int64(len(a.Bytes)) > most {
		return Stored{}, refuse("The repository that campaigns are kept in takes files of up to %d MB", most>>20)
	}
	file := path.Join(folder, u.Name)
	out := Stored{Path: "/" + file, SHA: repository.SHA(a.Bytes), Size: int64(len(a.Bytes)), Type: a.Type, Width: a.Width, Height: a.Height}
	if a.Orientation >= 5 {
		out.Width, out.Height = a.Height, a.Width
	}
	made, err := s.commit(ctx, By{by.Author, by.ID + "-" + out.SHA[:12]}, message("Upload", file), repository.Write{Path: file, Was: u.SHA, Bytes: a.Bytes})
	if fault.Is(err, fault.Conflict) {
		return out, s.settle(ctx, file, out.SHA, u.SHA == "", err)
	}
	out.Revision = made.Revision
	return out, err
}

// folder is where an upload belongs.
func (s *Service) folder(u Upload) (string, error) {
	if s.Repository == nil {
		return "", unpublishable()
	}
	return s.home(u)
}

// home is the folder for an upload, whose campaign there has to be.
func (s *Service) home(u Upload) (string, error) {
	folder, err := Folder(u.Kind, u.Use, u.Slug)
	if err != nil || u.Use.Shared() {
		return folder, err
	}
	_, err = s.Catalogue().Campaign(u.Slug)
	return folder, err
}

// settle says what a commit conflicts with, and nothing where the file is as it shall be.
func (s *Service) settle(ctx context.Context, file, want string, isNew bool, conflict error) error {
	now, err := s.Repository.File(ctx, "", file)
	switch {
	case err != nil && !fault.Is(err, fault.NotFound):
		return err
	case err == nil && now.SHA == want:
		return nil
	case isNew:
		return fault.Wrap(conflict, fault.Conflict, "There is a file of that name already: choose another name, or replace the file").In("filename")
	}
	return fault.Wrap(conflict, fault.Conflict, "The file has changed since you saw it: look at it again before you replace it").In("sha")
}

func (s *Service) commit(ctx context.Context, by By, message string, writes ...repository.Write) (repository.Commit, error) {
	c := repository.Change{ID: by.ID, Author: by.Author, At: s.Now(), Message: message, Writes: writes}
	if s.AuditHead != nil {
		head, err := s.AuditHead(ctx)
		if err != nil {
			return repository.Commit{}, err
		}
		if head != "" {
			c.Trailers = []repository.Trailer{{Key: "Audit-Head", Value: head}}
		}
	}
	return s.Repository.Commit(ctx, c)
}

// message is a commit's line, and the path below it.
func message(verb, file string) string {
	name := path.Base(file)
	if len(verb)+1+len(name) > 72 {
		name = "a file"
	}
	return verb + " " + name + "\n\n" + file
}

func unpublishable() error {
	return fault.New(fault.Unavailable, "Nothing can be uploaded: CONTENT_REPOSITORY names no repository to write to")
}
