package repositorytest

import (
	"fmt"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository"
)

func checkLog(s *session) {
	const ferry, weather = "campaigns/night-ferry.md", "campaigns/slow-weather.md"
	before := s.head()
	a := s.mustCommit(s.change(repository.Write{Path: ferry, Was: sha(initialFiles[ferry]), Bytes: []byte("a\n")}))
	b := s.mustCommit(s.change(repository.Write{Path: weather, Was: sha(initialFiles[weather]), Bytes: []byte("b\n")}))
	c := s.mustCommit(s.change(repository.Write{Path: "archive/ferry.md", From: ferry, Was: sha("a\n")}))
	if a.Parent != before || b.Parent != a.Revision || c.Parent != b.Revision {
		s.Errorf("the parents are %s, %s, %s", a.Parent, b.Parent, c.Parent)
	}
	for _, test := range []struct {
		path  string
		limit int
		want  []repository.Commit
	}{
		{ferry, 2, []repository.Commit{c, a}},
		{weather, 1, []repository.Commit{b}},
		{"campaigns", 3, []repository.Commit{c, b, a}},
		{"archive", 5, []repository.Commit{c}},
		{"", 2, []repository.Commit{c, b}},
		{"campaign", 5, nil},
		{"none", 5, nil},
	} {
		got, err := s.repo.Log(ctx, test.path, test.limit)
		if err != nil || !slices.Equal(revisions(got), revisions(test.want)) {
			s.Errorf("the last %d commits of %q are %q, %v, want %q", test.limit, test.path,
				revisions(got), err, revisions(test.want))
		}
	}
}

func revisions(log []repository.Commit) []string {
	var all []string
	for _, c := range log {
		all = append(all, c.Revision)
	}
	return all
}

// checkTexts verifies that unusual texts are returned unchanged, and that a message is not mistaken
// for the trailer with the change's ID.
func checkTexts(s *session) {
	for i, text := range []string{
		"-m", "fix: a typo", "Say so\n\nChange-Id: change-99", "«Noche» 夜 🎬", "# no comment\n\n# here",
		"tree 0\nparent 1\n\nauthor x",
		"A line\nand another\n\n- a list:\n  indented   \n\n\nend.", `"quoted" 'and' $HOME %s \n`,
	} {
		c := s.change(repository.Write{Path: fmt.Sprintf("texts/%d \"quoted\" é.md", i), Bytes: []byte(text)})
		c.Message, c.Trailers = text, []repository.Trailer{{Key: "Reason", Value: string([]rune(text)[:1]) + ": «x» # y"}}
		c.Author = repository.Author{Name: "Zoë \"Z\" O'Neil", Email: "zoe+x@example.com"}
		c.At = time.Date(2026, 3, 8, 1, i, 0, 0, time.FixedZone("", -7*60*60))
		made := s.mustCommit(c)
		s.checkCommit(made, c, made.Parent)
		log, err := s.repo.Log(ctx, c.Writes[0].Path, 2)
		if err != nil || len(log) != 1 {
			s.Fatalf("the log is %+v, %v", log, err)
		}
		s.checkCommit(log[0], c, made.Parent)
	}
	forged := s.change(repository.Write{Path: "forged.md", Bytes: []byte("x")})
	forged.ID = "change-99"
	if log, err := s.repo.Log(ctx, "forged.md", 1); err != nil || len(log) > 0 {
		s.Errorf("%+v, %v", log, err)
	}
	s.mustCommit(forged)
	if _, err := s.repo.File(ctx, "", "forged.md"); err != nil {
		s.Errorf("a message was recognized as an earlier change: %v", err)
	}
}
