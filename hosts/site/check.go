package site

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// Checked is the result of checking a content repository.
type Checked struct {
	Catalogue *campaign.Catalogue // the valid campaigns
	Tree      *Tree               // nil if there are problems
	Problems  campaign.Problems
}

// Check loads a content repository and builds its site. It returns all problems of files,
// references, settings and pages, including those of unpublished campaigns. presets contains the
// names of the shipping presets. Check fails only if the campaigns cannot be listed.
func Check(o Options, presets []string, now time.Time) (Checked, error) {
	catalogue, problems, err := new(campaignfile.Loader).LoadEach(o.Content, nil, presets)
	if err != nil {
		return Checked{}, err
	}
	tree, more := TryBuild(o, catalogue, presets, now)
	if problems = add(problems, more); len(problems) > 0 {
		tree = nil
	}
	return Checked{catalogue, tree, problems}, nil
}

// TryBuild builds the site of a catalogue and the preview of each unpublished campaign. If the
// catalogue, referenced files, settings or pages have problems, it returns all of them and no tree.
func TryBuild(o Options, catalogue *campaign.Catalogue, presets []string, now time.Time) (*Tree, campaign.Problems) {
	problems := problemsIn(catalogue.Validate(presets))
	problems = add(problems, problemsIn(catalogue.CheckFiles(o.Content)))
	b, err := New(o)
	if err != nil {
		problems = add(problems, problemsIn(err))
		o.Content = withoutSettings{o.Content}
		if b, err = New(o); err != nil {
			return nil, add(problems, problemsIn(err))
		}
	}
	tree, err := b.Build(catalogue, now)
	problems = add(problems, problemsIn(err))
	for _, c := range catalogue.Campaigns() {
		if !c.Public() && !c.Archived() {
			problems = add(problems, problemsIn(b.tryPreview(catalogue, c, now)))
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return tree, nil
}

func (b *Builder) tryPreview(catalogue *campaign.Catalogue, c *campaign.Campaign, now time.Time) error {
	var faults []error
	for _, l := range b.locales {
		if _, err := b.preview(catalogue, c, l.Code, now); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", c.File, err))
		}
	}
	return errors.Join(faults...)
}

// withoutSettings is a content repository without its site file.
type withoutSettings struct{ fs.FS }

// Open implements fs.FS.
func (w withoutSettings) Open(name string) (fs.File, error) {
	if name == config.SiteFile {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return w.FS.Open(name)
}

// inFile matches an error that starts with a file name.
var inFile = regexp.MustCompile(`(?s)^([A-Za-z0-9_./-]+\.(?:md|yml)): (.+)$`)

// problemsIn returns the problems in an error and its joined errors. An error that contains no
// problems becomes one itself.
func problemsIn(err error) campaign.Problems {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all campaign.Problems
		for _, each := range joined.Unwrap() {
			all = append(all, problemsIn(each)...)
		}
		return all
	}
	if p, ok := errors.AsType[campaign.Problems](err); ok {
		return p
	}
	if m := inFile.FindStringSubmatch(err.Error()); m != nil {
		return campaign.Problems{{File: m[1], Message: m[2]}}
	}
	return campaign.Problems{{Message: err.Error()}}
}

// add appends the problems in more that problems does not yet contain. The same problem can be
// found twice, the second time with less detail: a missing file at its reference and where it is
// shown.
func add(problems, more campaign.Problems) campaign.Problems {
	for _, p := range more {
		known := func(k campaign.Problem) bool {
			return (k.File == p.File || p.File == "") && strings.HasPrefix(k.Message, p.Message) &&
				(k.Line == p.Line || p.Line == 0)
		}
		if !slices.ContainsFunc(problems, known) {
			problems = append(problems, p)
		}
	}
	return problems
}
