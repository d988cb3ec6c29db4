package campaignfile_test

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// unreadable is a repository in which some files cannot be opened.
type unreadable struct {
	fstest.MapFS
	names []string
}

func (b unreadable) Open(name string) (fs.File, error) {
	if slices.Contains(b.names, name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("input/output error")}
	}
	return b.MapFS.Open(name)
}

func (b unreadable) ReadFile(name string) ([]byte, error)       { return fs.ReadFile(onlyOpen{b}, name) }
func (b unreadable) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(onlyOpen{b}, name) }

type onlyOpen struct{ fs.FS }

func titled(title, more string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("---\ntitle: " + title + "\nslug: " + strings.ToLower(title) +
		"\nstart_date: 2026-11-01\ngoal_deadline: 2026-12-01\ngoal_amount: 10\n" + more + "---\n")}
}

func shop(products string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("products:\n" + products)}
}

// listCatalogue returns the file, slug and blurb of each campaign, and the IDs of the add-ons.
func listCatalogue(c *campaign.Catalogue) (all []string) {
	for _, one := range c.Campaigns() {
		all = append(all, strings.TrimSpace(one.File+" "+one.Slug+" "+one.Blurb))
	}
	for _, a := range c.AddOns() {
		all = append(all, a.ID)
	}
	return all
}

func TestLoadEach_IsolatesProblems(t *testing.T) {
	first := fstest.MapFS{
		"campaigns/a.md": titled("Apple", ""), "campaigns/b.md": titled("Bread", ""), "campaigns/c.md": titled("Cake", ""),
		"add-ons.yml": shop("  - {name: Jar, price: 3}\n"),
	}
	for name, tt := range map[string]struct {
		change     fstest.MapFS
		unreadable []string
		remove     string
		reloaded   []string // after loading the first repository
		started    []string
		problems   []string
	}{
		"no problems": {
			change:   fstest.MapFS{"campaigns/b.md": titled("Bread", "short_blurb: Fresh\n")},
			reloaded: []string{"campaigns/a.md apple", "campaigns/b.md bread Fresh", "campaigns/c.md cake", "jar"},
			started:  []string{"campaigns/a.md apple", "campaigns/b.md bread Fresh", "campaigns/c.md cake", "jar"},
		},
		"invalid value": {
			change: fstest.MapFS{"campaigns/a.md": titled("Apple", "test_only: maybe\n"),
				"campaigns/b.md": titled("Bread", "short_blurb: Fresh\n")},
			reloaded: []string{"campaigns/a.md apple", "campaigns/b.md bread Fresh", "campaigns/c.md cake", "jar"},
			started:  []string{"campaigns/b.md bread Fresh", "campaigns/c.md cake", "jar"},
			problems: []string{"campaigns/a.md:7: test_only"},
		},
		"unknown preset": {
			change: fstest.MapFS{"campaigns/c.md": titled("Cake", "tiers: [{name: One, price: 2, shipping_preset: kite}]\n"),
				"add-ons.yml": shop("  - {name: Jar, price: 4, shipping_preset: drone}\n")},
			reloaded: []string{"campaigns/a.md apple", "campaigns/b.md bread", "campaigns/c.md cake", "jar"},
			started:  []string{"campaigns/a.md apple", "campaigns/b.md bread"},
			problems: []string{"campaigns/c.md:7: tiers[0].shipping_preset", "add-ons.yml:2: products[0].shipping_preset"},
		},
		"unreadable files": {
			unreadable: []string{"campaigns/b.md", "add-ons.yml"},
			reloaded:   []string{"campaigns/a.md apple", "campaigns/b.md bread", "campaigns/c.md cake", "jar"},
			started:    []string{"campaigns/a.md apple", "campaigns/c.md cake"},
			problems:   []string{"campaigns/b.md: cannot be read: ", "add-ons.yml: cannot be read: "},
		},
		"duplicate slug": {
			change:   fstest.MapFS{"campaigns/0.md": titled("Cake", "short_blurb: Other\n")},
			reloaded: []string{"campaigns/a.md apple", "campaigns/b.md bread", "campaigns/c.md cake", "jar"},
			started:  []string{"campaigns/a.md apple", "campaigns/b.md bread", "campaigns/0.md cake Other", "jar"},
			problems: []string{"slug: is already used by "},
		},
		"removed file": {
			remove:   "campaigns/c.md",
			reloaded: []string{"campaigns/a.md apple", "campaigns/b.md bread", "jar"},
			started:  []string{"campaigns/a.md apple", "campaigns/b.md bread", "jar"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(first)
			maps.Copy(files, tt.change)
			delete(files, tt.remove)
			now := unreadable{files, tt.unreadable}
			var l campaignfile.Loader
			last, problems, err := l.LoadEach(first, nil, []string{"box"})
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			check := func(l *campaignfile.Loader, last *campaign.Catalogue, want []string) {
				t.Helper()
				c, problems, err := l.LoadEach(now, last, []string{"box"})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, listCatalogue(c)); diff != "" {
					t.Error(diff)
				}
				if len(problems) != len(tt.problems) {
					t.Fatalf("problems %v", problems)
				}
				for i, p := range tt.problems {
					if !strings.Contains(problems[i].String(), p) {
						t.Errorf("%q does not contain %q", problems[i], p)
					}
				}
			}
			check(&l, last, tt.reloaded)
			check(new(campaignfile.Loader), nil, tt.started)
		})
	}
}

// If the folder cannot be listed, no campaign is treated as removed.
func TestLoadEach_UnreadableFolder(t *testing.T) {
	files := unreadable{fstest.MapFS{"campaigns/a.md": titled("Apple", "")}, []string{"campaigns"}}
	if c, _, err := new(campaignfile.Loader).LoadEach(files, nil, nil); !fault.Is(err, fault.Unavailable) || c != nil {
		t.Errorf("%v, %v", c, err)
	}
}
