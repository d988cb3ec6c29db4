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
)

// Service opens, reviews and publishes files of the repository. It is safe for concurrent
// use.
type Service struct {
	// Repository is where campaigns are kept. Where it is nil nothing can be published.
	Repository repository.Repository
	// Local reads the files that are served, and is asked where there is no Repository. What
	// is not there is code NotFound.
	Local func(path string) ([]byte, error)
	// Catalogue returns what is served now.
	Catalogue func() *campaign.Catalogue
	// Presets are the names of shipping presets.
	Presets []string
	// Settings checks the site's settings.
	Settings func(src []byte) error
	// Renders makes a campaign's pages, and fails with Problems if that is not possible; nil on a
	// host that makes none.
	Renders func(c *campaign.Campaign) error
	// Promises refuses a campaign that would break what pledges rely on.
	Promises func(ctx context.Context, files *campaign.Catalogue, slug string) error
	// Pledges counts the active pledges to a campaign.
	Pledges func(ctx context.Context, slug string) (int, error)
	// Unsettled counts those whose charge is still to come or to be looked after.
	Unsettled func(ctx context.Context, slug string) (int, error)
	// Unused returns the writes that remove those of a campaign's files that were uploaded and
	// that nothing but the campaign itself names; nil removes none.
	Unused func(ctx context.Context, slug string, paths []string) ([]repository.Write, error)
	// Readers returns those of the addresses that may not get the campaign's reports; nil
	// accepts all.
	Readers func(ctx context.Context, slug string, emails []string) (refused []string, err error)
	// AuditHead names the audit log's newest event, which each commit carries; nil for none.
	AuditHead func(ctx context.Context) (string, error)
	Zone      *time.Location
	Now       func() time.Time

	rights Rights // of the caller; nil for all
}

// SettingsFile holds the site's settings.
const SettingsFile = "site.yml"

// Bounds of what is asked for.
const (
	maxEdits  = 200
	maxReason = 500 // characters
)

// Opened is a file as a form shows it.
type Opened struct {
	File string `json:"file"` // its path in the repository
	// Base is the SHA that edits rest on.
	Base string `json:"base"`
	// Fields are the file's, with its own names and units, and its Markdown under "body".
	Fields campaignfile.Fields `json:"fields"`
	// Problems are what is wrong in it already.
	Problems campaign.Problems `json:"problems,omitempty"`
	// Publishable says that there is a repository to publish to.
	Publishable bool `json:"publishable"`
}

// Edit is a change of one field.
type Edit struct {
	// Path names the field as campaignfile.Change does.
	Path string `json:"path"`
	// Was is the value that its editor saw, as Fields has it; empty or null for none.
	Was json.RawMessage `json:"was,omitempty"`
	// Value is what it shall be; empty or null removes it.
	Value json.RawMessage `json:"value,omitempty"`
}

// Draft is what an editor wants changed in a file.
type Draft struct {
	File  string `json:"file"`
	Edits []Edit `json:"edits"`
	// Base is the SHA that the file has to have; "" takes it as it is now, and merges.
	Base string `json:"base,omitempty"`
	// Reason is told to supporters. It takes one to change what they relied on.
	Reason string `json:"reason,omitempty"`

	// restores are files that come back with it.
	restores []repository.Write
}

// CampaignFile is the path of a campaign's file.
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

// Open reads a file as it is now.
func (s *Service) Open(ctx context.Context, file string) (Opened, error) {
	f, err := s.read(ctx, file)
	if err != nil {
		return Opened{}, err
	}
	fields, err := campaignfile.ReadFields(file, f.Bytes)
	if err != nil {
		return Opened{}, refused(err)
	}
	o := Opened{File: file, Base: f.SHA, Fields: s.readable(file, fields), Publishable: s.Repository != nil}
	_, _, err = s.check(ctx, file, f.Bytes, nil)
	if o.Problems = problemsOf(err); err != nil && o.Problems == nil {
		return Opened{}, err
	}
	return o, nil
}

// read returns a file at the head. Without a repository it is the one that is served.
// Settings and add-ons that are not there yet have no SHA.
func (s *Service) read(ctx context.Context, file string) (repository.File, error) {
	if !editable(file) {
		return repository.File{}, noFile()
	}
	f, err := s.readAny(ctx, file)
	switch {
	case !fault.Is(err, fault.NotFound):
		return f, err
	case file == SettingsFile || file == campaign.AddOnsFile:
		return repository.File{Entry: repository.Entry{Path: file}}, nil
	}
	return repository.File{}, noFile()
}

func noFile() error { return fault.New(fault.NotFound, "There is no such file to edit").In("file") }

func (s *Service) readAny(ctx context.Context, file string) (repository.File, error) {
	if s.Repository != nil {
		return s.Repository.File(ctx, "", file)
	}
	src, err := s.Local(file)
	if err != nil {
		return repository.File{}, err
	}
	return repository.File{Entry: repository.Entry{Path: file, SHA: repository.SHA(src), Size: int64(len(src))}, Bytes: src}, nil
}

// editable reports whether a path is of a file that forms change.
func editable(file string) bool {
	if file == SettingsFile || file == campaign.AddOnsFile {
		return true
	}
	name, ok := strings.CutPrefix(file, campaign.Folder+"/")
	return ok && repository.ValidPath(file) && !strings.Contains(name, "/") && strings.HasSuffix(name, ".md")
}

// Unpublishable is the error of every change where there is no repository.
func Unpublishable() error {
	return fault.New(fault.Unavailable, "Nothing can be published: CONTENT_REPOSITORY names no repository to write to")
}
