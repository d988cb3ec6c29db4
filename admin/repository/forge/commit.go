package forge

import (
	"context"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// maxTries bounds how often a change is made anew because somebody else has moved the
// branch.
const maxTries = 12

// Commit makes a change.
func (r *Repository) Commit(ctx context.Context, c repository.Change) (made repository.Commit, err error) {
	if err := c.Check(r.Limits()); err != nil {
		return made, err
	}
	if err := ctx.Err(); err != nil {
		return made, fault.Wrap(err, fault.Unavailable, "Nobody waits for the change")
	}
	for range maxTries {
		head, err := r.Head(ctx)
		if err != nil {
			return made, err
		}
		if made, ok, err := r.earlier(ctx, head, c); ok || err != nil {
			return made, err
		}
		on, err := r.tree(ctx, head)
		if err != nil {
			return made, err
		}
		if err := c.Rests(r.shas(on)); err != nil {
			return made, err
		}
		made, moved, err := r.host.commit(ctx, r, c, on)
		if !moved {
			return made, err
		}
	}
	return made, fault.New(fault.Unavailable, "Others write to the branch all the time")
}

// shas are the SHAs of the content's files by path. A link is no file that anybody has seen.
func (r *Repository) shas(t tree) map[string]string {
	all := map[string]string{}
	for _, name := range t.names {
		path, ours := strings.CutPrefix(name, r.prefix)
		if !ours {
			continue
		}
		n := t.files[name]
		if all[path] = n.SHA; !n.regular() {
			all[path] = "no file"
		}
	}
	return all
}

// remembered is how far back a change is looked for that may have been made before: twice
// what the contract asks, since clocks differ.
const remembered = 48 * time.Hour

// maxPages bounds how many pages of commits are read for it.
const maxPages = 20

// earlier looks for the commit of a change that was made before.
func (r *Repository) earlier(ctx context.Context, head string, c repository.Change) (repository.Commit, bool, error) {
	r.mu.Lock()
	known := r.seen == head && r.made[c.ID] == ""
	until := r.seen
	r.mu.Unlock()
	if known {
		return repository.Commit{}, false, nil
	}
	var found repository.Commit
	ids := map[string]string{}
	for page, old := 1, false; page <= maxPages && !old; page++ {
		some, err := r.page(ctx, "", page)
		if err != nil {
			return found, false, err
		}
		if old = len(some) == 0; !old && page == 1 && some[0].SHA != head {
			head = "" // another has committed in between: what is seen is more than is remembered
		}
		for _, h := range some {
			made := h.known()
			id := made.Trailer(repository.IDTrailer)
			if ids[id] = made.Revision; id == c.ID {
				return made, true, nil
			}
			old = old || h.Commit.Committer.Date.Before(c.At.Add(-remembered)) || made.Revision == until && r.lacks(c.ID)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, revision := range ids {
		r.made[id] = revision
	}
	r.seen = head
	return found, false, nil
}

// lacks reports whether no commit that was seen so far is of a change.
func (r *Repository) lacks(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.made[id] == ""
}
