package repository_test

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/pledgeworks/pledgeworks/admin/repository"
)

func TestNewFS(t *testing.T) {
	content := map[string]string{"site.yml": "title: T", "campaigns/film.md": "---",
		"campaigns/archive/2026/old.md": "", "assets/a b.png": "\x89PNG"}
	var entries []repository.Entry
	for name, text := range content {
		entries = append(entries, repository.Entry{Path: name, Size: int64(len(text))})
	}
	files := repository.NewFS(entries, func(name string) ([]byte, error) { return []byte(content[name]), nil })
	if err := fstest.TestFS(files, slices.Collect(maps.Keys(content))...); err != nil {
		t.Error(err)
	}
	found, err := fs.Glob(files, "campaigns/archive/*/*.md")
	if err != nil || !slices.Equal(found, []string{"campaigns/archive/2026/old.md"}) {
		t.Errorf("%q, %v", found, err)
	}
	if b, err := fs.ReadFile(files, "assets/a b.png"); err != nil || string(b) != content["assets/a b.png"] {
		t.Errorf("%q, %v", b, err)
	}
}

func TestNewFS_ReadFails(t *testing.T) {
	broken := errors.New("the host is away")
	files := repository.NewFS([]repository.Entry{{Path: "site.yml", Size: 4}},
		func(string) ([]byte, error) { return nil, broken })
	if _, err := fs.Stat(files, "site.yml"); err != nil {
		t.Errorf("a description needs no content: %v", err)
	}
	if _, err := fs.ReadFile(files, "site.yml"); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := fs.ReadFile(repository.NewFS(nil, nil), "site.yml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
