// Package repositorytest verifies that a repository.Repository fulfils the contract of the
// interface.
package repositorytest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Harness connects the suite to an adapter.
type Harness struct {
	// Open returns a repository with these files, in one or more commits.
	Open func(t testing.TB, files map[string]string) repository.Repository
	// Reopen opens the repository of the last Open again, like another process. It is nil for
	// adapters without persistent storage.
	Reopen func(t testing.TB) repository.Repository
	// DropResponse drops the response to the next change after it was made. It is nil if the
	// adapter uses no network.
	DropResponse func()
	// Verify verifies that the underlying repository is consistent. It can be nil.
	Verify func(t testing.TB)
	// EditOutside adds a line to a file without using the adapter, for example by a push, and
	// reports whether that was accepted. It can be nil; otherwise two of eight writers use it.
	EditOutside func(id, path string) (bool, error)
	// Edits is the total number of edits by eight writers; 0 means 200.
	Edits int
}

var checks = []struct {
	name string
	run  func(*session)
}{
	{"read files", checkReads},
	{"missing files", checkNotFound},
	{"change of several files", checkSeveralFiles},
	{"stale write rejects the whole change", checkStale},
	{"file and folder with the same name", checkFolders},
	{"changes of other files", checkOtherFiles},
	{"repeated change", checkRepeated},
	{"lost response", checkLostResponse},
	{"canceled context", checkCanceled},
	{"invalid changes", checkInvalid},
	{"log", checkLog},
	{"awkward texts", checkTexts},
	{"eight writers", checkWriters},
}

// Run verifies an adapter.
func Run(t *testing.T, h Harness) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			c.run(open(t, h))
			if h.Verify != nil {
				h.Verify(t)
			}
		})
	}
}

type session struct {
	testing.TB
	Harness
	repo repository.Repository
	n    int
}

var initialFiles = map[string]string{
	"site.yml":                   "name: Stage\n",
	"campaigns/night-ferry.md":   "---\ntitle: Night Ferry\n---\n",
	"campaigns/slow-weather.md":  "---\ntitle: Slow Weather\n---\n",
	"assets/images/héros 1.jpg":  "\xff\xd8\x00binary\r\n\x00",
	"assets/images/a/b/deep.txt": "",
}

var (
	ctx  = context.Background()
	noon = time.Date(2026, 11, 20, 19, 0, 0, 0, time.UTC)
	ana  = repository.Author{Name: "Ana Öz", Email: "ana@example.com"}
)

func open(t testing.TB, h Harness) *session {
	s := &session{TB: t, Harness: h}
	s.repo = h.Open(t, initialFiles)
	return s
}

func (s *session) change(writes ...repository.Write) repository.Change {
	s.n++
	return repository.Change{
		ID: fmt.Sprint("change-", s.n), Author: ana, At: noon.Add(time.Duration(s.n) * time.Minute),
		Message: fmt.Sprint("Change a file, ", s.n), Writes: writes,
	}
}

func (s *session) mustCommit(c repository.Change) repository.Commit {
	s.Helper()
	made, err := s.repo.Commit(ctx, c)
	if err != nil {
		s.Fatalf("%s: %v", c.ID, err)
	}
	return made
}

func (s *session) head() string {
	s.Helper()
	head, err := s.repo.Head(ctx)
	if err != nil || head == "" {
		s.Fatalf("the head is %q, %v", head, err)
	}
	return head
}

// readAll reads all files of a revision and verifies their names and sizes.
func (s *session) readAll(revision string) map[string]string {
	s.Helper()
	entries, err := s.repo.Files(ctx, revision, "")
	if err != nil {
		s.Fatalf("the files of %q: %v", revision, err)
	}
	files := map[string]string{}
	for _, e := range entries {
		f, err := s.repo.File(ctx, revision, e.Path)
		if err != nil {
			s.Fatalf("%s of %q: %v", e.Path, revision, err)
		}
		want := repository.Entry{Path: e.Path, SHA: repository.SHA(f.Bytes), Size: int64(len(f.Bytes))}
		if f.Entry != want || e != want {
			s.Errorf("%s is listed as %+v, read as %+v, want %+v", e.Path, e, f.Entry, want)
		}
		files[e.Path] = string(f.Bytes)
	}
	return files
}

func (s *session) checkFiles(revision string, want map[string]string) {
	s.Helper()
	if diff := cmp.Diff(want, s.readAll(revision)); diff != "" {
		s.Errorf("the files of %q (-want +got):\n%s", revision, diff)
	}
}

// checkRejected verifies that a change fails with a code and changes nothing.
func (s *session) checkRejected(c repository.Change, code fault.Code, field string) {
	s.Helper()
	before := s.head()
	files, err := s.repo.Files(ctx, "", "")
	if err != nil {
		s.Fatalf("the files: %v", err)
	}
	made, err := s.repo.Commit(ctx, c)
	if !fault.Is(err, code) || field != "" && fault.Of(err).Field != field {
		s.Errorf("got %+v, %v, want code %s with field %q", made, err, code, field)
	}
	if after := s.head(); after != before {
		s.Errorf("a rejected change moved the head to %s from %s", after, before)
	}
	after, err := s.repo.Files(ctx, "", "")
	if diff := cmp.Diff(files, after); err != nil || diff != "" {
		s.Errorf("a rejected change changed files, %v (-before +after):\n%s", err, diff)
	}
}

func sha(text string) string { return repository.SHA([]byte(text)) }

func checkReads(s *session) {
	s.checkFiles("", initialFiles)
	s.checkFiles(s.head(), initialFiles)
	below, err := s.repo.Files(ctx, "", "assets")
	var paths []string
	for _, e := range below {
		paths = append(paths, e.Path)
	}
	if want := []string{"assets/images/a/b/deep.txt", "assets/images/héros 1.jpg"}; err != nil ||
		!slices.Equal(paths, want) {
		s.Errorf("the files below a folder are %q, %v", paths, err)
	}
	if l := s.repo.Limits(); l.File < 1<<20 || l.Commit < l.File {
		s.Errorf("the limits are %+v", l)
	}
}

func checkNotFound(s *session) {
	for _, path := range []string{"campaigns/none.md", "campaigns", "site.yml/x", ""} {
		if f, err := s.repo.File(ctx, "", path); !fault.Is(err, fault.NotFound) {
			s.Errorf("the file %q is %+v, %v", path, f, err)
		}
	}
	for _, revision := range []string{strings.Repeat("0", 40), "main", "HEAD", "--all", "x y"} {
		if f, err := s.repo.File(ctx, revision, "site.yml"); !fault.Is(err, fault.NotFound) {
			s.Errorf("a file of revision %q is %+v, %v", revision, f, err)
		}
		if f, err := s.repo.Files(ctx, revision, ""); !fault.Is(err, fault.NotFound) {
			s.Errorf("the files of revision %q are %+v, %v", revision, f, err)
		}
	}
	for _, folder := range []string{"none", "campaign", "site.yml/x", "*"} {
		if below, err := s.repo.Files(ctx, "", folder); err != nil || len(below) > 0 {
			s.Errorf("the files below %q are %+v, %v", folder, below, err)
		}
	}
}

func checkSeveralFiles(s *session) {
	before := s.head()
	c := s.change(
		repository.Write{Path: "campaigns/new.md", Bytes: []byte("new\n")},
		repository.Write{Path: "campaigns/night-ferry.md", Was: sha(initialFiles["campaigns/night-ferry.md"]),
			Bytes: []byte("edited\n")},
		repository.Write{Path: "assets/images/a/b/deep.txt", Was: sha(""), Remove: true},
		repository.Write{Path: "archive/héros 1.jpg", From: "assets/images/héros 1.jpg",
			Was: sha(initialFiles["assets/images/héros 1.jpg"])},
		repository.Write{Path: "empty", Bytes: nil},
	)
	c.Message = "Change several files\n\nFor a reason: several things.\n\nIndeed: so"
	c.Trailers = []repository.Trailer{{Key: "Audit-Head", Value: "41:9f86"},
		{Key: "Reason", Value: "the printer said: no"}}
	made := s.mustCommit(c)
	want := map[string]string{
		"site.yml": initialFiles["site.yml"], "campaigns/slow-weather.md": initialFiles["campaigns/slow-weather.md"],
		"campaigns/new.md": "new\n", "campaigns/night-ferry.md": "edited\n",
		"archive/héros 1.jpg": initialFiles["assets/images/héros 1.jpg"], "empty": "",
	}
	s.checkFiles("", want)
	s.checkFiles(made.Revision, want)
	s.checkFiles(before, initialFiles)
	s.checkCommit(made, c, before)
	if s.head() != made.Revision {
		s.Errorf("the head is %s, want the new commit %s", s.head(), made.Revision)
	}
	log, err := s.repo.Log(ctx, "", 1)
	if err != nil || len(log) != 1 {
		s.Fatalf("log = %+v, %v, want one commit", log, err)
	}
	s.checkCommit(log[0], c, before)
	if s.Reopen != nil {
		s.repo = s.Reopen(s.TB)
		s.checkFiles("", want)
	}
}

// checkCommit verifies that a commit matches its change.
func (s *session) checkCommit(got repository.Commit, c repository.Change, parent string) {
	s.Helper()
	want := c.Commit(got.Revision, parent)
	if !got.At.Equal(want.At) {
		s.Errorf("%s was made at %s, want %s", c.ID, got.At, want.At)
	}
	got.At = want.At
	if diff := cmp.Diff(want, got); diff != "" || got.Revision == "" {
		s.Errorf("the commit of %s (-want +got):\n%s", c.ID, diff)
	}
}

func checkStale(s *session) {
	const ferry, weather = "campaigns/night-ferry.md", "campaigns/slow-weather.md"
	s.mustCommit(s.change(repository.Write{Path: ferry, Was: sha(initialFiles[ferry]), Bytes: []byte("second\n")}))
	s.mustCommit(s.change(repository.Write{Path: weather, Was: sha(initialFiles[weather]), Remove: true}))
	for _, w := range []struct {
		name  string
		write repository.Write
		field string
	}{
		{"overwrite another change",
			repository.Write{Path: ferry, Was: sha(initialFiles[ferry]), Bytes: []byte("third\n")}, ferry},
		{"overwrite an unseen file", repository.Write{Path: ferry, Bytes: []byte("third\n")}, ferry},
		{"overwrite a removed file",
			repository.Write{Path: weather, Was: sha(initialFiles[weather]), Bytes: []byte("third\n")}, weather},
		{"overwrite a missing file",
			repository.Write{Path: "none.md", Was: sha("none"), Bytes: []byte("third\n")}, "none.md"},
		{"remove a changed file", repository.Write{Path: ferry, Was: sha(initialFiles[ferry]), Remove: true}, ferry},
		{"remove a removed file", repository.Write{Path: weather, Was: sha(initialFiles[weather]), Remove: true}, weather},
		{"move a changed file", repository.Write{Path: "x.md", From: ferry, Was: sha(initialFiles[ferry])}, ferry},
		{"move a removed file", repository.Write{Path: "x.md", From: weather, Was: sha(initialFiles[weather])}, weather},
		{"move onto a file", repository.Write{Path: "site.yml", From: ferry, Was: sha("second\n")}, "site.yml"},
	} {
		sound := repository.Write{Path: "sound.md", Bytes: []byte(w.name)}
		last := repository.Write{Path: "assets/images/a/b/deep.txt", Was: sha(""), Bytes: []byte(w.name)}
		s.checkRejected(s.change(sound, w.write, last), fault.Conflict, w.field)
	}
}

func checkFolders(s *session) {
	s.checkRejected(s.change(repository.Write{Path: "site.yml/below.md", Bytes: []byte("x")}),
		fault.Conflict, "site.yml/below.md")
	s.checkRejected(s.change(repository.Write{Path: "assets/images", Bytes: []byte("x")}), fault.Conflict, "assets/images")
	s.checkRejected(s.change(repository.Write{Path: "n", Bytes: []byte("x")},
		repository.Write{Path: "n/n", Bytes: []byte("x")}), fault.Conflict, "")
	s.mustCommit(s.change(
		repository.Write{Path: "site.yml", Was: sha(initialFiles["site.yml"]), Remove: true},
		repository.Write{Path: "site.yml/now", Bytes: []byte("x")},
	))
	want := maps.Clone(initialFiles)
	delete(want, "site.yml")
	want["site.yml/now"] = "x"
	s.checkFiles("", want)
}

func checkOtherFiles(s *session) {
	const ferry = "campaigns/night-ferry.md"
	read := s.head()
	other := s.mustCommit(s.change(repository.Write{Path: "other.md", Bytes: []byte("other\n")}))
	c := s.change(repository.Write{Path: ferry, Was: sha(initialFiles[ferry]), Bytes: []byte("second\n")})
	made := s.mustCommit(c)
	s.checkCommit(made, c, other.Revision)
	want := maps.Clone(initialFiles)
	want["other.md"], want[ferry] = "other\n", "second\n"
	s.checkFiles("", want)
	s.checkFiles(read, initialFiles)
}

func checkRepeated(s *session) {
	const ferry = "campaigns/night-ferry.md"
	c := s.change(repository.Write{Path: ferry, Was: sha(initialFiles[ferry]), Bytes: []byte("second\n")})
	made := s.mustCommit(c)
	// the original content
	s.mustCommit(s.change(repository.Write{Path: ferry, Was: sha("second\n"), Bytes: []byte(initialFiles[ferry])}))
	s.mustCommit(s.change(repository.Write{Path: "other.md", Bytes: []byte("other\n")}))
	repeat := func(step string) {
		before := s.head()
		got, err := s.repo.Commit(ctx, c)
		if err != nil || got.Revision != made.Revision {
			s.Fatalf("%s: %+v, %v, want %s", step, got, err, made.Revision)
		}
		s.checkCommit(got, c, made.Parent)
		if s.head() != before {
			s.Errorf("%s: the change was made again", step)
		}
	}
	repeat("sent again")
	if s.Reopen != nil {
		s.repo = s.Reopen(s.TB)
		repeat("sent again to another process")
	}
}

func checkLostResponse(s *session) {
	if s.DropResponse == nil {
		s.Skip("there is no network")
	}
	c := s.change(repository.Write{Path: "new.md", Bytes: []byte("new\n")})
	s.DropResponse()
	got, err := s.repo.Commit(ctx, c)
	if err != nil && !fault.Is(err, fault.Unavailable) {
		s.Errorf("lost response: %+v, %v", got, err)
	}
	made := s.mustCommit(c)
	s.checkCommit(made, c, made.Parent)
	log, err := s.repo.Log(ctx, "new.md", 10)
	if err != nil || len(log) != 1 || s.head() != made.Revision {
		s.Errorf("the change was made %d times: %v", len(log), err)
	}
}

func checkCanceled(s *session) {
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	c := s.change(repository.Write{Path: "new.md", Bytes: []byte("new\n")})
	if got, err := s.repo.Commit(canceled, c); !fault.Is(err, fault.Unavailable) {
		s.Errorf("got %+v, %v", got, err)
	}
	s.mustCommit(c)
	if log, err := s.repo.Log(ctx, "new.md", 10); err != nil || len(log) != 1 {
		s.Errorf("the change was made %d times: %v", len(log), err)
	}
}

func checkInvalid(s *session) {
	for name, path := range map[string]string{"outside": "../x", "Git's own": ".git/config",
		"absolute": "/x", "the top": ""} {
		s.Logf("a path that is %s", name)
		s.checkRejected(s.change(repository.Write{Path: path, Bytes: []byte("x")}), fault.Invalid, "writes[0]")
	}
	s.checkRejected(s.change(), fault.Invalid, "writes")
	c := s.change(repository.Write{Path: "x", Bytes: []byte("x")})
	c.ID = ""
	s.checkRejected(c, fault.Invalid, "id")
}
