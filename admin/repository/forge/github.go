package forge

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// GitHub returns a repository at GitHub. It creates a tree and a commit and then updates
// the branch, which GitHub rejects unless it is a fast-forward. GitHub's other APIs for
// commits set the token's owner as the author, or accept only one file.
func GitHub(o Options) *Repository {
	if o.Base == "" {
		o.Base = "https://api.github.com"
	}
	return open(o, github{})
}

type github struct{}

// A request of 50 MB holds a file of 37 MB in base64.
func (github) limits() repository.Limits {
	return repository.Limits{File: 35 << 20, Commit: 100 << 20}
}

func (github) head(ctx context.Context, r *Repository) (string, error) {
	var ref struct {
		Object struct {
			SHA string `json:"sha"`
		} `json:"object"`
	}
	err := r.get(ctx, "/git/ref/heads/"+r.branch(), &ref)
	return ref.Object.SHA, hideNotFound(err)
}

// hideNotFound turns the error for a missing repository or branch into code Forbidden, because
// callers take NotFound to mean that the requested file is missing.
func hideNotFound(err error) error {
	if fault.Is(err, fault.NotFound) {
		return fault.Wrap(err, fault.Forbidden, "The repository or branch does not exist, or the token has no access to it")
	}
	return err
}

// treeEntry is an entry of a new tree. A null SHA deletes the file.
type treeEntry struct {
	Path string  `json:"path"`
	Mode string  `json:"mode"`
	Type string  `json:"type"`
	SHA  *string `json:"sha"`
}

type object struct {
	SHA string `json:"sha"`
}

func (g github) commit(ctx context.Context, r *Repository, c repository.Change,
	on tree) (made repository.Commit, moved bool, err error) {
	var entries []treeEntry
	for _, w := range c.Writes {
		some, err := g.entries(ctx, r, w, on)
		if err != nil {
			return made, false, err
		}
		entries = append(entries, some...)
	}
	var written, committed object
	err = r.send(ctx, "POST", "/git/trees", map[string]any{"base_tree": on.sha, "tree": entries}, &written)
	if err != nil {
		return made, false, hideNotFound(err)
	}
	by := map[string]string{"name": c.Author.Name, "email": c.Author.Email, "date": c.At.Format(time.RFC3339)}
	err = r.send(ctx, "POST", "/git/commits", map[string]any{
		"message": c.Text(), "tree": written.SHA, "parents": []string{on.revision}, "author": by, "committer": by,
	}, &committed)
	if err != nil {
		return made, false, hideNotFound(err)
	}
	var ref any
	err = r.send(ctx, "PATCH", "/git/refs/heads/"+r.branch(), map[string]any{"sha": committed.SHA, "force": false}, &ref)
	var hostErr *hostError
	if errors.As(err, &hostErr) && !fault.Is(err, fault.Forbidden) && (hostErr.status == 409 || hostErr.status == 422) {
		return made, true, err // not a fast-forward
	}
	return c.Commit(committed.SHA, on.revision), false, hideNotFound(err)
}

// entries returns the entries of a new tree for a write. It uploads the content first.
func (g github) entries(ctx context.Context, r *Repository, w repository.Write, on tree) ([]treeEntry, error) {
	path, mode := r.prefix+w.Path, "100644"
	if n, ok := on.files[path]; ok {
		mode = n.Mode
	}
	switch {
	case w.Remove:
		return []treeEntry{{Path: path, Mode: mode, Type: "blob"}}, nil
	case w.From != "":
		from := on.files[r.prefix+w.From]
		return []treeEntry{{Path: r.prefix + w.From, Mode: from.Mode, Type: "blob"},
			{Path: path, Mode: from.Mode, Type: "blob", SHA: &from.SHA}}, nil
	}
	blob := map[string]string{"content": string(w.Bytes), "encoding": "utf-8"}
	if !utf8.Valid(w.Bytes) || strings.ContainsRune(string(w.Bytes), 0) {
		blob = map[string]string{"content": base64.StdEncoding.EncodeToString(w.Bytes), "encoding": "base64"}
	}
	var put object
	if err := r.send(ctx, "POST", "/git/blobs", blob, &put); err != nil {
		return nil, hideNotFound(err)
	}
	return []treeEntry{{Path: path, Mode: mode, Type: "blob", SHA: &put.SHA}}, nil
}
