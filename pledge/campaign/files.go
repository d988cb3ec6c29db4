package campaign

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// Reference is a place where a file names a picture, a film or a recording of the
// content repository.
type Reference struct {
	File  string
	Line  int
	Field string // such as "tiers[0].image"
	// Path is the root-relative address, such as "/assets/images/boat.jpg".
	Path string
	// Inline says that the reference stands in Markdown, which is shown as it is.
	Inline bool
}

// AddOnReferences are those of the platform's add-ons.
func (c *Catalogue) AddOnReferences() []Reference { return slices.Clone(c.addOns.References) }

// CheckFiles looks whether the content repository has every file that its campaigns and
// add-ons refer to. Those in the archive need none. The error is Problems.
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
