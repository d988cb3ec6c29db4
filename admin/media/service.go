package media

import (
	"context"
	"path"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Service stores uploads in the content repository. It is safe for concurrent use.
type Service struct {
	// Repository holds the campaigns. If it is nil, nothing can be uploaded.
	Repository repository.Repository
	// Store holds videos and recordings. If it is nil, they are stored in the repository too.
	Store Store
	// Catalogue returns the campaigns that are served now.
	Catalogue func() *campaign.Catalogue
	// AuditHead returns the number and hash of the audit log's newest event (see
	// audit.Log.Newest), which each commit records in its Audit-Head trailer. It can be nil.
	AuditHead func(ctx context.Context) (string, error)
	Now       func() time.Time
}

// ChangeMeta is the author of a change and the ID of the request. A request with the same ID is
// executed once.
type ChangeMeta struct {
	repository.Author
	ID string
}

// Upload is a file to upload.
type Upload struct {
	Kind Kind
	Use  Use
	Slug string // of the campaign; "" for the platform's files
	Name string // for example boat-at-night.jpg
	// SHA is the SHA of the file to replace; "" for a new file.
	SHA   string
	Bytes []byte
}

// Stored is an uploaded file.
type Stored struct {
	Path   string `json:"path"` // for example /assets/images/campaigns/paper-boat/boat.jpg
	SHA    string `json:"sha"`
	Size   int64  `json:"size"` // in bytes, without metadata
	Type   string `json:"type"` // media type
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
	// Revision is the commit, "" if the file was already there.
	Revision string `json:"revision,omitempty"`
}

// Upload cleans a file and commits it. A replacement must have the use and the name of the file
// that it replaces, so its folder and type cannot change. A file that already exists with the same
// content is not committed again.
//
// It fails with code Invalid and the field if the upload is not valid, Conflict if a new file's
// name is taken by a different file or the file to replace has changed, and EditingOff without a
// repository.
func (s *Service) Upload(ctx context.Context, by ChangeMeta, u Upload) (Stored, error) {
	folder, err := s.folder(u)
	if err != nil {
		return Stored{}, err
	}
	a, err := Sanitize(u.Kind, u.Name, u.Bytes)
	if err != nil {
		return Stored{}, err
	}
	if most := s.Repository.Limits().File; int64(len(a.Bytes)) > most {
		return Stored{}, invalidFile("The content repository accepts files of up to %d MB", most>>20)
	}
	file := path.Join(folder, u.Name)
	out := Stored{Path: "/" + file, SHA: repository.SHA(a.Bytes), Size: int64(len(a.Bytes)),
		Type: a.Type, Width: a.Width, Height: a.Height}
	if a.Orientation >= 5 {
		out.Width, out.Height = a.Height, a.Width
	}
	made, err := s.commit(ctx, ChangeMeta{by.Author, by.ID + "-" + out.SHA[:12]}, commitMessage("Upload", file),
		repository.Write{Path: file, Was: u.SHA, Bytes: a.Bytes})
	if fault.Is(err, fault.Conflict) {
		return out, s.explainConflict(ctx, file, out.SHA, u.SHA == "", err)
	}
	out.Revision = made.Revision
	return out, err
}

// folder returns the folder for an upload to the repository.
func (s *Service) folder(u Upload) (string, error) {
	if s.Repository == nil {
		return "", unpublishable()
	}
	return s.checkedFolder(u)
}

// checkedFolder returns the folder for an upload after checking that its campaign exists.
func (s *Service) checkedFolder(u Upload) (string, error) {
	folder, err := Folder(u.Kind, u.Use, u.Slug)
	if err != nil || u.Use.Shared() {
		return folder, err
	}
	_, err = s.Catalogue().Campaign(u.Slug)
	return folder, err
}

// explainConflict returns the error to report for a commit's conflict, or nil if the file already
// has the requested content.
func (s *Service) explainConflict(ctx context.Context, file, want string, isNew bool, conflict error) error {
	now, err := s.Repository.File(ctx, "", file)
	switch {
	case err != nil && !fault.Is(err, fault.NotFound):
		return err
	case err == nil && now.SHA == want:
		return nil
	case isNew:
		return fault.Wrap(conflict, fault.Conflict,
			"There is already a file with this name: choose another name, or replace the file").In("filename")
	}
	return fault.Wrap(conflict, fault.Conflict,
		"The file was changed since you loaded it: reload before you replace it").In("sha")
}

func (s *Service) commit(ctx context.Context, by ChangeMeta, message string,
	writes ...repository.Write) (repository.Commit, error) {
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

// commitMessage returns a commit message with the path in its body.
func commitMessage(verb, file string) string {
	name := path.Base(file)
	if len(verb)+1+len(name) > 72 {
		name = "a file"
	}
	return verb + " " + name + "\n\n" + file
}

func unpublishable() error {
	return fault.New(fault.EditingOff,
		"Uploads are off: this server has nowhere to save files. Set CONTENT_REPOSITORY and restart.")
}
