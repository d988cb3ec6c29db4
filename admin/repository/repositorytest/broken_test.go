package repositorytest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/memory"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// recorder records the failures of the suite without failing the test.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	complain []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.complain = append(r.complain, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skip(...any)         { runtime.Goexit() }
func (r *recorder) Logf(string, ...any) {}

// failures runs the suite until the first check that fails, and returns that check's failures.
func failures(t *testing.T, h Harness) []string {
	t.Helper()
	for _, c := range checks {
		r := &recorder{TB: t}
		done := make(chan struct{})
		go func() { // Fatalf ends only this goroutine
			defer close(done)
			c.run(open(r, h))
		}()
		<-done
		if len(r.complain) > 0 {
			return append([]string{c.name}, r.complain...)
		}
	}
	return nil
}

// broken is a correct implementation, except that the functions that are set replace its methods.
type broken struct {
	*memory.Repository
	mu     sync.Mutex
	lose   bool
	n      int
	file   func(l *broken, revision, path string) (repository.File, error)
	files  func(l *broken, revision, folder string) ([]repository.Entry, error)
	log    func(l *broken, path string, limit int) ([]repository.Commit, error)
	commit func(l *broken, ctx context.Context, c repository.Change) (repository.Commit, error)
}

func (l *broken) File(ctx context.Context, revision, path string) (repository.File, error) {
	if l.file != nil {
		return l.file(l, revision, path)
	}
	return l.Repository.File(ctx, revision, path)
}

func (l *broken) Files(ctx context.Context, revision, folder string) ([]repository.Entry, error) {
	if l.files != nil {
		return l.files(l, revision, folder)
	}
	return l.Repository.Files(ctx, revision, folder)
}

func (l *broken) Log(ctx context.Context, path string, limit int) ([]repository.Commit, error) {
	if l.log != nil {
		return l.log(l, path, limit)
	}
	return l.Repository.Log(ctx, path, limit)
}

func (l *broken) Commit(ctx context.Context, c repository.Change) (repository.Commit, error) {
	if l.lose {
		l.lose = false
		_, _ = l.Commit(ctx, c)
		return repository.Commit{}, fault.New(fault.Unavailable, "The response was lost")
	}
	if l.commit != nil {
		return l.commit(l, ctx, c)
	}
	return l.Repository.Commit(ctx, c)
}

// ignoringSHAs returns the change with every write based on the current file.
func (l *broken) ignoringSHAs(c repository.Change) repository.Change {
	c.Writes = slices.Clone(c.Writes)
	for i, w := range c.Writes {
		source := w.Path
		if w.From != "" {
			source = w.From
		}
		f, _ := l.Repository.File(ctx, "", source)
		c.Writes[i].Was = f.SHA
	}
	return c
}

var brokenImplementations = map[string]*broken{
	"ignores Was": {commit: func(l *broken, ctx context.Context, c repository.Change) (repository.Commit, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.Repository.Commit(ctx, l.ignoringSHAs(c))
	}},
	"ignores Was of written files": {commit: func(l *broken, ctx context.Context,
		c repository.Change) (repository.Commit, error) {
		now := l.ignoringSHAs(c)
		for i, w := range c.Writes {
			if w.Remove || w.From != "" || w.Was == "" {
				now.Writes[i] = w
			}
		}
		return l.Repository.Commit(ctx, now)
	}},
	"restores a deleted file": {commit: func(l *broken, ctx context.Context,
		c repository.Change) (repository.Commit, error) {
		now := l.ignoringSHAs(c)
		for i, w := range c.Writes {
			if now.Writes[i].Was != "" || w.From != "" || w.Remove {
				now.Writes[i] = w
			}
		}
		return l.Repository.Commit(ctx, now)
	}},
	"moves onto a file": {commit: func(l *broken, ctx context.Context, c repository.Change) (repository.Commit, error) {
		for _, w := range c.Writes {
			if f, err := l.Repository.File(ctx, "", w.Path); w.From != "" && err == nil {
				_, _ = l.Repository.Commit(ctx, repository.Change{ID: c.ID + "x", Author: c.Author, Message: "x",
					Writes: []repository.Write{{Path: w.Path, Was: f.SHA, Remove: true}}})
			}
		}
		return l.Repository.Commit(ctx, c)
	}},
	"rejects after any new head": {commit: func(l *broken, ctx context.Context,
		c repository.Change) (repository.Commit, error) {
		log, _ := l.Repository.Log(ctx, "", 1)
		if len(c.Writes) == 1 && strings.HasPrefix(log[0].Message, "Change") {
			return repository.Commit{}, fault.New(fault.Conflict, "The head is another").In(c.Writes[0].Path)
		}
		return l.Repository.Commit(ctx, c)
	}},
	"writes half a change": {commit: func(l *broken, ctx context.Context, c repository.Change) (repository.Commit, error) {
		if half := c; len(c.Writes) > 1 {
			half.ID, half.Writes = c.ID+"h", c.Writes[:1]
			_, _ = l.Repository.Commit(ctx, half)
			return l.Repository.Commit(ctx, l.ignoringSHAs(c))
		}
		return l.Repository.Commit(ctx, c)
	}},
	"writes half of a rejected change": {commit: func(l *broken, ctx context.Context,
		c repository.Change) (repository.Commit, error) {
		made, err := l.Repository.Commit(ctx, c)
		if err != nil && len(c.Writes) > 1 {
			c.ID, c.Writes = c.ID+"h", c.Writes[:1]
			_, _ = l.Repository.Commit(ctx, c)
		}
		return made, err
	}},
	"forgets the ID": {commit: func(l *broken, ctx context.Context, c repository.Change) (repository.Commit, error) {
		l.mu.Lock()
		l.n++
		n := l.n
		l.mu.Unlock()
		c.ID += fmt.Sprint("-", n)
		return l.Repository.Commit(ctx, c)
	}},
	"remembers only the newest ID": {commit: func(l *broken, ctx context.Context,
		c repository.Change) (repository.Commit, error) {
		head, _ := l.Repository.Log(ctx, "", 1)
		made, err := l.Repository.Commit(ctx, c)
		if err == nil && made.Revision != head[0].Revision && made.Parent != head[0].Revision {
			return repository.Commit{}, fault.New(fault.Conflict, "It is made").In(c.Writes[0].Path)
		}
		return made, err
	}},
	"finds an ID in the message": {commit: func(l *broken, ctx context.Context,
		c repository.Change) (repository.Commit, error) {
		log, _ := l.Repository.Log(ctx, "", 1000)
		for _, made := range log {
			if strings.Contains(made.Message, repository.IDTrailer+": "+c.ID) {
				return made, nil
			}
		}
		return l.Repository.Commit(ctx, c)
	}},
	"has a wrong SHA": {file: func(l *broken, revision, path string) (repository.File, error) {
		f, err := l.Repository.File(ctx, revision, path)
		if err == nil {
			f.SHA = strings.Repeat("0", 40)
		}
		return f, err
	}},
	"lists a wrong size": {files: func(l *broken, revision, folder string) ([]repository.Entry, error) {
		all, err := l.Repository.Files(ctx, revision, folder)
		for i := range all {
			all[i].Size++
		}
		return all, err
	}},
	"loses another's commit": {commit: func(l *broken, ctx context.Context,
		c repository.Change) (repository.Commit, error) {
		// based on a file that was read before other writers' changes
		if strings.HasPrefix(c.ID, "w") && strings.HasSuffix(c.ID, "5") {
			w := c.Writes[0]
			w.Bytes = []byte(c.ID + "\n")
			c.Writes = []repository.Write{w}
		}
		return l.Repository.Commit(ctx, c)
	}},
	"accepts and does nothing": {commit: func(l *broken, ctx context.Context,
		c repository.Change) (repository.Commit, error) {
		if !strings.HasSuffix(c.ID, "7") {
			return l.Repository.Commit(ctx, c)
		}
		return c.Commit("r", "p"), nil
	}},
	"reads the newest version for every revision": {file: func(l *broken, _, path string) (repository.File, error) {
		return l.Repository.File(ctx, "", path)
	}},
	"changes line ends": {file: func(l *broken, revision, path string) (repository.File, error) {
		f, err := l.Repository.File(ctx, revision, path)
		f.Bytes = []byte(strings.ReplaceAll(string(f.Bytes), "\r\n", "\n"))
		return f, err
	}},
	"lists by prefix": {files: func(l *broken, revision, folder string) ([]repository.Entry, error) {
		all, err := l.Repository.Files(ctx, revision, "")
		return slices.DeleteFunc(all, func(e repository.Entry) bool { return !strings.HasPrefix(e.Path, folder) }), err
	}},
	"lists the oldest commit first": {log: func(l *broken, path string, limit int) ([]repository.Commit, error) {
		all, err := l.Repository.Log(ctx, path, limit)
		slices.Reverse(all)
		return all, err
	}},
	"ignores the log's limit": {log: func(l *broken, path string, _ int) ([]repository.Commit, error) {
		return l.Repository.Log(ctx, path, 1000)
	}},
	"loses the author": {log: func(l *broken, path string, limit int) ([]repository.Commit, error) {
		all, err := l.Repository.Log(ctx, path, limit)
		for i := range all {
			all[i].Author.Name = "robot"
		}
		return all, err
	}},
	"uses its own time": {commit: func(l *broken, ctx context.Context, c repository.Change) (repository.Commit, error) {
		c.At = noon.Add(99 * time.Hour)
		return l.Repository.Commit(ctx, c)
	}},
	"ignores a canceled context": {commit: func(l *broken, _ context.Context,
		c repository.Change) (repository.Commit, error) {
		return l.Repository.Commit(context.Background(), c)
	}},
	"checks nothing": {commit: func(l *broken, ctx context.Context, c repository.Change) (repository.Commit, error) {
		if made, err := l.Repository.Commit(ctx, c); !fault.Is(err, fault.Invalid) {
			return made, err
		}
		return repository.Commit{}, fault.New(fault.Internal, "git exited with status 128")
	}},
}

func harness(wrap func() *broken) Harness {
	var last *broken
	return Harness{
		Open: func(_ testing.TB, files map[string]string) repository.Repository {
			held := map[string][]byte{}
			for path, text := range files {
				held[path] = []byte(text)
			}
			last = wrap()
			last.Repository = memory.New(held)
			return last
		},
		Reopen:       func(testing.TB) repository.Repository { return last },
		DropResponse: func() { last.lose = true },
	}
}

func TestRun_CorrectImplementation(t *testing.T) {
	if got := failures(t, harness(func() *broken { return &broken{} })); got != nil {
		t.Errorf("the suite rejects a correct implementation: %q", got)
	}
}

func TestRun_BrokenImplementations(t *testing.T) {
	for name := range brokenImplementations {
		t.Run(name, func(t *testing.T) {
			lie := brokenImplementations[name]
			got := failures(t, harness(func() *broken {
				return &broken{file: lie.file, files: lie.files, log: lie.log, commit: lie.commit}
			}))
			if got == nil {
				t.Fatal("the suite accepts it")
			}
			t.Logf("found by %q", got[0])
		})
	}
}
