package campaign

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// Reference is a reference in a file to an image, video or recording of the content repository.
type Reference struct {
	File  string
	Line  int
	Field string // such as "tiers[0].image"
	// Path is the root-relative address, such as "/assets/images/boat.jpg".
	Path string
	// Inline is set if the reference is in Markdown text.
	Inline bool
}

// AddOnReferences returns the references of the platform add-ons.
func (c *Catalogue) AddOnReferences() []Reference { return slices.Clone(c.addOns.References) }

// CheckFiles checks that the content repository has every file that its campaigns and
// add-ons refer to. Archived campaigns are not checked. The error is Problems.
func (c *Catalogue) CheckFiles(content fs.FS) error {
	references := c.AddOnReferences()
	for _, campaign := range c.campaigns {
		if !campaign.Archived() {
			references = append(references, campaign.References...)
		}
	}
	var problems Problems
	for _, r := range references {
		if p := r.check(content); p != "" {
			problems = append(problems, Problem{r.File, r.Line, r.Field, p})
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

func (r Reference) check(content fs.FS) string {
	info, err := fs.Stat(content, strings.TrimPrefix(r.Path, "/"))
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid):
		return "there is no file " + r.Path + " in the content repository"
	case err != nil:
		return r.Path + " cannot be read"
	case info.IsDir():
		return r.Path + " is a folder: name a file in it"
	}
	return ""
}
