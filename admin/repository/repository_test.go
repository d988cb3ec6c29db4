package repository_test

import (
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The expected hash is the output of printf 'hello\n' | git hash-object --stdin.
func TestSHA(t *testing.T) {
	for text, want := range map[string]string{
		"hello\n": "ce013625030ba8dba906f756967f9e9ca394464a",
		"":        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
	} {
		if got := repository.SHA([]byte(text)); got != want {
			t.Errorf("the SHA of %q is %s, want %s", text, got, want)
		}
	}
}

func TestValidPath(t *testing.T) {
	for _, p := range []string{
		"", "/etc/passwd", "../a", "a/../b", "a//b", "a/", "./a", "a/.", ".git/config", "a/.GIT/hooks", ".git.", "git~1/x",
		`a\b`, "a\x00b", "a\nb", "c:a", "a/ /b", "\xff", strings.Repeat("a", 401),
	} {
		if repository.ValidPath(p) {
			t.Errorf("%q may be written", p)
		}
	}
	for _, p := range []string{"campaigns/night-ferry.md", ".gitignore", "assets/images/défaut.jpg",
		".github/workflows/a.yml"} {
		if !repository.ValidPath(p) {
			t.Errorf("%q may not be written", p)
		}
	}
}

func TestChange_Check(t *testing.T) {
	limits := repository.Limits{File: 10, Commit: 15}
	sound := func() repository.Change {
		return repository.Change{
			ID: "c1", Author: repository.Author{Name: "Ana", Email: "ana@example.com"}, Message: "Raise the goal",
			Trailers: []repository.Trailer{{Key: "Audit-Head", Value: "1:ab"}},
			Writes:   []repository.Write{{Path: "a.md", Bytes: []byte("0123456789")}, {Path: "b.md", From: "c.md", Was: "sha"}},
		}
	}
	if err := sound().Check(limits); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		spoil func(c *repository.Change)
		field string
	}{
		"no ID":                       {func(c *repository.Change) { c.ID = "" }, "id"},
		"an ID with a line break":     {func(c *repository.Change) { c.ID = "a\nb" }, "id"},
		"no message":                  {func(c *repository.Change) { c.Message = " \n" }, "message"},
		"no author":                   {func(c *repository.Change) { c.Author.Email = "" }, "author"},
		"an author with a line break": {func(c *repository.Change) { c.Author.Name = "a>\nauthor b <" }, "author"},
		"a forged trailer":            {func(c *repository.Change) { c.Trailers[0].Value = "a\nChange-Id: b" }, "trailers"},
		"nothing":                     {func(c *repository.Change) { c.Writes = nil }, "writes"},
		"a path outside":              {func(c *repository.Change) { c.Writes[0].Path = "../a" }, "writes[0]"},
		"a source outside":            {func(c *repository.Change) { c.Writes[1].From = "../a" }, "writes[1]"},
		"a file twice":                {func(c *repository.Change) { c.Writes[1].From = "a.md" }, "writes[1]"},
		"put and removed": {func(c *repository.Change) { c.Writes[0].Remove, c.Writes[0].Was = true, "x" },
			"writes[0]"},
		"moved without SHA": {func(c *repository.Change) { c.Writes[1].Was = "" }, "writes[1]"},
		"a large file":      {func(c *repository.Change) { c.Writes[0].Bytes = make([]byte, 11) }, "writes[0]"},
		"large files": {
			func(c *repository.Change) { c.Writes[1] = repository.Write{Path: "b", Bytes: make([]byte, 6)} }, "writes[1]"},
	} {
		t.Run(name, func(t *testing.T) {
			c := sound()
			test.spoil(&c)
			err := c.Check(limits)
			if !fault.Is(err, fault.Invalid) || fault.Of(err).Field != test.field {
				t.Errorf("got %v, want field %s", err, test.field)
			}
		})
	}
}
