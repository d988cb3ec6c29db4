package forge

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// maxTries is the maximum number of attempts to commit a change while others move the branch.
const maxTries = 12

// Commit commits a change, once per change ID. It implements repository.Repository.
func (r *Repository) Commit(ctx context.Context, c repository.Change) (made repository.Commit, err error) {
	if err := c.Check(r.Limits()); err != nil {
		return made, err
	}
	if err := ctx.Err(); err != nil {
		return made, fault.Wrap(err, fault.Unavailable, "The request was canceled before the commit")
	}
	for range maxTries {
		head, err := r.Head(ctx)
		if err != nil {
			return made, err
		}
		if made, ok, err := r.findEarlier(ctx, head, c); ok || err != nil {
			return made, err
		}
		on, err := r.tree(ctx, head)
		if err != nil {
			return made, err
		}
		if err := c.CheckBase(r.shas(on)); err != nil {
			return made, err
		}
		made, moved, err := r.host.commit(ctx, r, c, on)
		if !moved {
			return made, err
		}
	}
	return made, fault.New(fault.Unavailable, "The branch was changed during every attempt to commit: try again")
}

// shas returns the SHAs of the content's files by path. A symbolic link gets a SHA that no writer
// can have seen.
func (r *Repository) shas(t tree) map[string]string {
	all := map[string]string{}
	for _, name := range t.names {
		path, ours := strings.CutPrefix(name, r.prefix)
		if !ours {
			continue
		}
		n := t.files[name]
		if all[path] = n.SHA; !n.isRegular() {
			all[path] = "no file"
		}
	}
	return all
}

// lookBack is how far back the log is searched for the commit of a repeated change: twice what
// repository.Repository requires, because clocks differ.
const lookBack = 48 * time.Hour

// maxPages is how many pages of commits are searched.
const maxPages = 20

// findEarlier returns the commit with a change's ID on the branch, and whether there is one.
func (r *Repository) findEarlier(ctx context.Context, head string,
	c repository.Change) (repository.Commit, bool, error) {
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
		some, err := r.commitPage(ctx, "", page)
		if err != nil {
			return found, false, err
		}
		if old = len(some) == 0; !old && page == 1 && some[0].SHA != head {
			head = "" // another commit was made in between, so not all commits up to head are known
		}
		for _, h := range some {
			made := h.toCommit()
			id := made.Trailer(repository.IDTrailer)
			if ids[id] = made.Revision; id == c.ID {
				return made, true, nil
			}
			old = old || h.Commit.Committer.Date.Before(c.At.Add(-lookBack)) || made.Revision == until && r.isNew(c.ID)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(r.made, ids)
	r.seen = head
	return found, false, nil
}

// isNew reports whether no known commit has the change's ID.
func (r *Repository) isNew(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.made[id] == ""
}
