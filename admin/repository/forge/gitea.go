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

// Gitea returns a repository at a host that runs Gitea or Forgejo, whose API is at the base.
// It commits several files at once and compares each with its SHA, but for an update that
// names none, which overwrites: so every one does.
func Gitea(o Options) *Repository { return open(o, gitea{}) }

type gitea struct{}

// limits: files of 30 MB were seen to be taken, and all of a commit is one request.
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
	return branch.Commit.ID, hidden(err)
}

// sent is how much of files a change sends, in bytes.
func (r *Repository) sent(c repository.Change, on tree) int64 {
	var sum int64
	for _, w := range c.Writes {
		sum += int64(len(w.Bytes))
		if w.From != "" {
			sum += on.files[r.prefix+w.From].Size
		}
	}
	return sum
}

// operation is what happens to one file.
type operation struct {
	Operation string  `json:"operation"` // create, update or delete
	Path      string  `json:"path"`
	Content   *string `json:"content,omitempty"` // base64
	SHA       string  `json:"sha,omitempty"`     // that the file has to have
}

func (g gitea) commit(ctx context.Context, r *Repository, c repository.Change, on tree) (made repository.Commit, moved bool, err error) {
	if r.sent(c, on) > g.limits().Commit {
		return made, false, fault.New(fault.Invalid, "The repository takes %d MB at once, and files that move are sent again: move them by a push", g.limits().Commit>>20).In("writes")
	}
	var gone, come []operation // what goes may be where a folder is to come
	for _, w := range c.Writes {
		b, path := w.Bytes, r.prefix+w.Path
		if w.From != "" {
			if b, err = r.blob(ctx, w.Was); err != nil {
				return made, false, err
			}
			gone = append(gone, operation{Operation: "delete", Path: r.prefix + w.From, SHA: w.Was})
		}
		content := base64.StdEncoding.EncodeToString(b)
		switch {
		case w.Remove:
			gone = append(gone, operation{Operation: "delete", Path: path, SHA: w.Was})
		case w.Was == "" || w.From != "":
			come = append(come, operation{Operation: "create", Path: path, Content: &content})
		default:
			come = append(come, operation{Operation: "update", Path: path, Content: &content, SHA: w.Was})
		}
	}
	by := map[string]string{"name": c.Author.Name, "email": c.Author.Email}
	at := c.At.Format(time.RFC3339)
	var said struct {
		Commit struct {
			SHA     string   `json:"sha"`
			Parents []object `json:"parents"`
		} `json:"commit"`
	}
	err = r.ask(ctx, "POST", "/contents", map[string]any{
		"branch": r.Branch, "message": c.Text(), "author": by, "committer": by,
		"dates": map[string]string{"author": at, "committer": at}, "files": append(gone, come...),
	}, &said)
	var no *refused
	if errors.As(err, &no) && (no.status == 422 || no.status == 409 || strings.Contains(no.said, "cannot lock ref")) {
		return made, true, err // somebody was faster: the next look says whether it matters
	}
	if err != nil {
		return made, false, hidden(err)
	}
	parent := on.revision
	if len(said.Commit.Parents) > 0 {
		parent = said.Commit.Parents[0].SHA
	}
	if said.Commit.SHA == "" {
		return made, false, fault.New(fault.Unavailable, "The repository's host does not say what it has done")
	}
	return c.Made(said.Commit.SHA, parent), false, nil
}
