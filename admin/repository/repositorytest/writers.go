package repositorytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// outcome records which edits of the writers were accepted.
type outcome struct {
	mu                 sync.Mutex
	accepted, rejected map[string]int // file number by edit ID
}

// checkWriters verifies concurrent edits. Each edit adds a line to the content that its writer last
// read of one of a few files. At the end, every accepted edit is in the files exactly once, and no
// rejected edit is.
func checkWriters(s *session) {
	const writers, pushers, files = 8, 2, 6
	edits := s.Edits
	if edits == 0 {
		edits = 200
	}
	results := outcome{accepted: map[string]int{}, rejected: map[string]int{}}
	var wg sync.WaitGroup
	for p := range writers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(p), 59)) //nolint:gosec // deterministic
			for n := range edits / writers {
				id, file := fmt.Sprintf("w%d-%d", p, n), random.IntN(files)
				if s.EditOutside != nil && p < pushers {
					results.push(s, id, file)
				} else {
					results.edit(s, id, file)
				}
			}
		})
	}
	wg.Wait()
	s.Logf("%d edits: %d accepted, %d rejected", edits/writers*writers, len(results.accepted), len(results.rejected))
	if len(results.accepted) == 0 {
		s.Errorf("no edit was accepted")
	}
	for file := range files {
		results.check(s, file)
	}
	results.checkLogged(s)
}

func name(file int) string { return fmt.Sprintf("shared/%d.md", file) }

func (c *outcome) edit(s *session, id string, file int) {
	now, err := s.repo.File(ctx, "", name(file))
	if err != nil && !fault.Is(err, fault.NotFound) {
		s.Errorf("%s: could not read: %v", id, err)
		return
	}
	change := repository.Change{
		ID: id, Author: ana, At: noon, Message: "Add " + id,
		Writes: []repository.Write{{Path: name(file), Was: now.SHA, Bytes: append(now.Bytes, id+"\n"...)}},
	}
	_, err = s.repo.Commit(ctx, change)
	for range 20 { // a change with unknown result can be sent again
		if !fault.Is(err, fault.Unavailable) {
			break
		}
		_, err = s.repo.Commit(ctx, change)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.accepted[id] = file
	case fault.Is(err, fault.Conflict) && fault.Of(err).Field == name(file):
		c.rejected[id] = file
	default:
		s.Errorf("%s: %v", id, err)
	}
}

// push makes an edit with EditOutside instead of the adapter.
func (c *outcome) push(s *session, id string, file int) {
	accepted, err := s.EditOutside(id, name(file))
	if err != nil {
		s.Errorf("%s from outside: %v", id, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if accepted {
		c.accepted[id] = file
	} else {
		c.rejected[id] = file
	}
}

func (c *outcome) check(s *session, file int) {
	f, err := s.repo.File(ctx, "", name(file))
	if err != nil && !fault.Is(err, fault.NotFound) {
		s.Fatalf("%v", err)
	}
	times := map[string]int{}
	for id := range strings.FieldsSeq(string(f.Bytes)) {
		times[id]++
		if of, ok := c.accepted[id]; !ok || of != file {
			s.Errorf("%s was rejected, but is in the file", id)
		}
	}
	for id, of := range c.accepted {
		if of == file && times[id] != 1 {
			s.Errorf("%s was accepted, but is in the file %d times", id, times[id])
		}
	}
}

func (c *outcome) checkLogged(s *session) {
	log, err := s.repo.Log(ctx, "shared", len(c.accepted)+1)
	if err != nil || len(log) != len(c.accepted) {
		s.Fatalf("%d commits for %d edits: %v", len(log), len(c.accepted), err)
	}
	var ids []string
	for i, commit := range log {
		id, pushed := strings.CutPrefix(commit.Message, "Add ")
		if of := commit.Trailer(repository.IDTrailer); of != "" && of != id || !pushed {
			s.Errorf("the commit %q has the change ID %q", commit.Message, of)
		}
		ids = append(ids, id)
		if i > 0 && log[i-1].Parent != commit.Revision {
			s.Errorf("%s is not a child of %s", log[i-1].Revision, commit.Revision)
		}
	}
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n != len(c.accepted) {
		s.Errorf("%d edits are in the log, but %d were accepted", n, len(c.accepted))
	}
}
