package campaignfile_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func seeds(f *testing.F) [][]byte {
	f.Helper()
	names, err := filepath.Glob(exampleSite + "/campaigns/*.md")
	if err != nil {
		f.Fatal(err)
	}
	all := [][]byte{[]byte(whole), []byte(edited), file("tiers: &a [*a]\n"), file("<<: {title: x}\n"),
		[]byte("---\n---\n"), []byte("---\ntitle: A: b\n---\n"), file("risks: Caf\xe9 #1\n")}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, src)
	}
	return all
}

func FuzzParse(f *testing.F) {
	for _, src := range seeds(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := campaignfile.Parse("a.md", src)
		if (err == nil) != (c != nil) {
			t.Fatalf("%v, %v", c, err)
		}
		if err != nil {
			checkLines(t, src, err)
			return
		}
		if !utf8.Valid(src) {
			t.Error("invalid UTF-8 was accepted")
		}
		if _, err := campaign.ParseSlug(c.Slug); err != nil {
			t.Errorf("slug %q", c.Slug)
		}
		for _, tier := range c.Tiers {
			if tier.ID == "" || tier.Price.Check() != nil || tier.Limit < 0 {
				t.Errorf("tier %+v", tier)
			}
		}
		if c.Public() && !c.StartsAt(time.UTC).Before(c.EndsAt(time.UTC)) {
			t.Errorf("from %s to %s", c.Start, c.Deadline)
		}
		if _, err := json.Marshal(c); err != nil {
			t.Error(err)
		}
	})
}

// lineBreak matches YAML's line breaks.
var lineBreak = regexp.MustCompile("\r\n|[\r\n\u0085\u2028\u2029]")

// checkLines checks that each problem's line is in the file and that YAML errors have a
// line.
func checkLines(t *testing.T, src []byte, err error) {
	t.Helper()
	var problems campaign.Problems
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	lines := len(lineBreak.FindAllIndex(src, -1)) + 2 // something missing at the end is reported on the next line
	for _, p := range problems {
		if p.Line < 0 || p.Line > lines || p.Line == 0 && strings.HasPrefix(p.Message, "the YAML") {
			t.Errorf("%v in a file of %d lines", p, lines)
		}
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"Night Ferry", "Café", "---", "ß", strings.Repeat("a b", 60)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, title string) {
		slug := campaign.Slug(title)
		if slug == "" {
			return
		}
		if _, err := campaign.ParseSlug(slug); err != nil {
			t.Errorf("%q becomes %q: %v", title, slug, err)
		}
		if again := campaign.Slug(slug); again != slug {
			t.Errorf("%q, then %q", slug, again)
		}
	})
}

func FuzzParseDollars(f *testing.F) {
	for _, s := range []string{"25", "$1,234.50", "0.07", "1e3", "-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := campaignfile.ParseDollars(s, money.Max)
		if err != nil {
			return
		}
		if c < 0 || c > money.Max {
			t.Errorf("%q is %d", s, c)
		}
		if again, err := campaignfile.ParseDollars(c.String(), money.Max); err != nil || again != c {
			t.Errorf("%q: %d, reparsed %d, %v", s, c, again, err)
		}
	})
}

func FuzzParseMoment(f *testing.F) {
	for _, s := range []string{"2026-03-08", "2026-11-01 01:30", "2026-11-01T10:00:00-07:00"} {
		f.Add(s)
	}
	zone := denver(f)
	f.Fuzz(func(t *testing.T, s string) {
		m, err := campaign.ParseMoment(s)
		if err == nil && !m.Starts(zone).Before(m.Ends(zone)) {
			t.Errorf("%q starts at %s and ends at %s", s, m.Starts(zone), m.Ends(zone))
		}
	})
}
