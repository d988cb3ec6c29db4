package content

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// Service opens, previews and publishes files of the repository. It is safe for concurrent
// use.
type Service struct {
	// Repository holds the campaigns. If it is nil, nothing can be published.
	Repository repository.Repository
	// Local reads the served files. It is used if there is no Repository. It fails with
	// code NotFound for a missing file.
	Local func(path string) ([]byte, error)
	// Catalogue returns the campaigns that are served now.
	Catalogue func() *campaign.Catalogue
	// Presets are the names of the shipping presets.
	Presets []string
	// Settings validates the site's settings.
	Settings func(src []byte) error
	// Renders renders a campaign's pages and returns campaign.Problems if that fails. It is nil on
	// hosts that render no pages.
	Renders func(c *campaign.Campaign) error
	// Promises returns an error if a campaign would violate the terms of existing pledges.
	Promises func(ctx context.Context, files *campaign.Catalogue, slug string) error
	// Claims returns the pledged amounts and claimed units of a campaign or, for
	// inventory.Platform, of the platform's add-ons.
	Claims func(ctx context.Context, slug string) (inventory.Snapshot, error)
	// Answers returns how many supporters have answered each of a campaign's decisions, by the
	// decision's ID.
	Answers func(ctx context.Context, slug string) (map[string]int, error)
	// Unsettled returns the number of pledges whose charge is outstanding or needs
	// attention.
	Unsettled func(ctx context.Context, slug string) (int, error)
	// Unused returns the writes that delete the given uploads of a campaign that nothing
	// else references. If it is nil, no uploads are deleted.
	Unused func(ctx context.Context, slug string, paths []string) ([]repository.Write, error)
	// Readers returns the given addresses that may not receive the campaign's reports. If
	// it is nil, all may.
	Readers func(ctx context.Context, slug string, emails []string) (refused []string, err error)
	// AuditHead returns the number and hash of the audit log's newest event (see
	// audit.Log.Newest), which each commit records in its Audit-Head trailer. It can be nil.
	AuditHead func(ctx context.Context) (string, error)
	Zone      *time.Location
	Now       func() time.Time

	rights Rights // of the caller; nil for all
	lang   string // language of displayed texts; "" for English
	fields Fields // nil to label fields by their keys
}

// SettingsFile holds the site's settings.
const SettingsFile = "site.yml"

// Limits of requests.
const (
	maxEdits  = 200
	maxReason = 500 // characters
)

// Opened is a file opened for editing in a form.
type Opened struct {
	File string `json:"file"` // path in the repository
	// Base is the SHA of the file, on which edits are based.
	Base string `json:"base"`
	// Fields holds the file's fields, with the names and units used in the file. The Markdown text
	// is the field "body".
	Fields json.RawMessage `json:"fields"`
	// Visibility is a campaign's visibility as determined by all flags in its file. Fields contains
	// the same value, so that an edit of "visibility" replaces the flags.
	Visibility string `json:"visibility,omitempty"`
	// Problems are the errors in the current file.
	Problems []Problem `json:"problems,omitempty"`
	// Publishable is set if there is a repository to publish to.
	Publishable bool `json:"publishable"`
}

// Edit is a change of one field.
type Edit struct {
	// Path identifies the field, as in campaignfile.Change.
	Path string `json:"path"`
	// Was is the value that the editor saw, as in Fields; empty or null for none.
	Was json.RawMessage `json:"was,omitempty"`
	// Value is the new value; empty or null removes the field.
	Value json.RawMessage `json:"value,omitempty"`
}

// Draft is a set of edits of one file.
type Draft struct {
	File  string `json:"file"`
	Edits []Edit `json:"edits"`
	// Base is the SHA that the file must have; "" merges the edits into the current file.
	Base string `json:"base,omitempty"`
	// Reason is shown to supporters. It is required to change something that they relied
	// on.
	Reason string `json:"reason,omitempty"`

	// restores are deleted files to restore with the change.
	restores []repository.Write
}

// CampaignFile returns the path of a campaign's file.
func (s *Service) CampaignFile(slug string) (string, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return "", err
	}
	if c.File == "" {
		return campaign.Folder + "/" + slug + ".md", nil
	}
	return c.File, nil
}

// Open reads the current version of a file. It fails with code NotFound if there is no editable
// file with this path.
func (s *Service) Open(ctx context.Context, file string) (Opened, error) {
	f, err := s.read(ctx, file)
	if err != nil {
		return Opened{}, err
	}
	d, err := campaignfile.Open(file, f.Bytes)
	if err != nil {
		return Opened{}, s.refuse(err, file)
	}
	o, shown := Opened{File: file, Base: f.SHA, Publishable: s.Repository != nil}, d
	if file != SettingsFile && file != campaign.AddOnsFile {
		o.Visibility, shown = visibilityOf(d), withVisibility(d)
	}
	o.Fields = shown.Fields(func(path string) bool { return s.mayRead(file, path) })
	_, _, err = s.check(ctx, d, nil)
	problems := problemsOf(err)
	if err != nil && problems == nil {
		return Opened{}, err
	}
	o.Problems = s.problemsIn(file, problems, d)
	return o, nil
}

// read returns a file at the repository's head or, without a repository, the served file.
// Settings and add-ons that do not exist yet have no SHA.
func (s *Service) read(ctx context.Context, file string) (repository.File, error) {
	if !editable(file) {
		return repository.File{}, fileNotFound()
	}
	f, err := s.readAny(ctx, file)
	switch {
	case !fault.Is(err, fault.NotFound):
		return f, err
	case file == SettingsFile || file == campaign.AddOnsFile:
		return repository.File{Entry: repository.Entry{Path: file}}, nil
	}
	return repository.File{}, fileNotFound()
}

func fileNotFound() error {
	return fault.New(fault.NotFound, "There is no editable file with this path").In("file")
}

func (s *Service) readAny(ctx context.Context, file string) (repository.File, error) {
	if s.Repository != nil {
		return s.Repository.File(ctx, "", file)
	}
	src, err := s.Local(file)
	if err != nil {
		return repository.File{}, err
	}
	return repository.File{Entry: repository.Entry{Path: file, SHA: repository.SHA(src), Size: int64(len(src))},
		Bytes: src}, nil
}

// editable reports whether the file at a path can be edited.
func editable(file string) bool {
	if file == SettingsFile || file == campaign.AddOnsFile {
		return true
	}
	name, ok := strings.CutPrefix(file, campaign.Folder+"/")
	return ok && repository.ValidPath(file) && !strings.Contains(name, "/") && strings.HasSuffix(name, ".md")
}

// Unpublishable returns the error for all changes when there is no repository.
func Unpublishable() error {
	return fault.New(fault.EditingOff,
		"Editing is off: this server has nowhere to save campaigns. Set CONTENT_REPOSITORY and restart.")
}
