package forge

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Gitea returns a repository at a host with Gitea or Forgejo, whose API is at o.Base. Its
// API commits several files at once and compares each with its SHA. An update without a SHA
// would overwrite the file, so every update has one.
func Gitea(o Options) *Repository { return open(o, gitea{}) }

type gitea struct{}

// Files of 30 MB were accepted in practice, and a commit is a single request.
func (gitea) limits() repository.Limits {
	return repository.Limits{File: 30 << 20, Commit: 30 << 20}
}

func (gitea) head(ctx context.Context, r *Repository) (string, error) {
	var branch struct {
		Commit struct {
			ID string `json:"id"`
		} `json:"commit"`
	}
	err := r.get(ctx, "/branches/"+r.branch(), &branch)
	return branch.Commit.ID, hideNotFound(err)
}

// uploadSize returns how many bytes of files a change uploads.
func (r *Repository) uploadSize(c repository.Change, on tree) int64 {
	var sum int64
	for _, w := range c.Writes {
		sum += int64(len(w.Bytes))
		if w.From != "" {
			sum += on.files[r.prefix+w.From].Size
		}
	}
	return sum
}

// operation is a change of one file in the API.
type operation struct {
	Operation string  `json:"operation"` // create, update or delete
	Path      string  `json:"path"`
	Content   *string `json:"content,omitempty"` // base64
	SHA       string  `json:"sha,omitempty"`     // that the file must have
}

func (g gitea) commit(ctx context.Context, r *Repository, c repository.Change,
	on tree) (made repository.Commit, moved bool, err error) {
	if r.uploadSize(c, on) > g.limits().Commit {
		return made, false, fault.New(fault.Invalid,
			"The Git host accepts %d MB per commit, and moved files count because they are uploaded again: move them with git push instead",
			g.limits().Commit>>20).In("writes")
	}
	var deletions, writes []operation // deletions come first, because a folder may be created in place of a file
	for _, w := range c.Writes {
		b, path := w.Bytes, r.prefix+w.Path
		if w.From != "" {
			if b, err = r.readBlob(ctx, w.Was); err != nil {
				return made, false, err
			}
			deletions = append(deletions, operation{Operation: "delete", Path: r.prefix + w.From, SHA: w.Was})
		}
		content := base64.StdEncoding.EncodeToString(b)
		switch {
		case w.Remove:
			deletions = append(deletions, operation{Operation: "delete", Path: path, SHA: w.Was})
		case w.Was == "" || w.From != "":
			writes = append(writes, operation{Operation: "create", Path: path, Content: &content})
		default:
			writes = append(writes, operation{Operation: "update", Path: path, Content: &content, SHA: w.Was})
		}
	}
	by := map[string]string{"name": c.Author.Name, "email": c.Author.Email}
	at := c.At.Format(time.RFC3339)
	var response struct {
		Commit struct {
			SHA     string   `json:"sha"`
			Parents []object `json:"parents"`
		} `json:"commit"`
	}
	err = r.send(ctx, "POST", "/contents", map[string]any{
		"branch": r.Branch, "message": c.Text(), "author": by, "committer": by,
		"dates": map[string]string{"author": at, "committer": at}, "files": append(deletions, writes...),
	}, &response)
	var hostErr *hostError
	if errors.As(err, &hostErr) &&
		(hostErr.status == 422 || hostErr.status == 409 || strings.Contains(hostErr.message, "cannot lock ref")) {
		return made, true, err // the branch was changed: the next attempt checks for conflicts
	}
	if err != nil {
		return made, false, hideNotFound(err)
	}
	parent := on.revision
	if len(response.Commit.Parents) > 0 {
		parent = response.Commit.Parents[0].SHA
	}
	if response.Commit.SHA == "" {
		return made, false, fault.New(fault.Unavailable, "The Git host did not return the commit")
	}
	return c.Commit(response.Commit.SHA, parent), false, nil
}
