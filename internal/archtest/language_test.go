package archtest

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var lowerLimits = flag.Bool("lower-limits", false, "write the current counts of phrases to testdata/phrases.txt")

// phrase is an expression that plain technical English does not use. CONTRIBUTING.md has the
// words to use instead.
type phrase struct {
	words *regexp.Regexp
	// allowed reports whether the text before and after a match makes it plain English.
	allowed func(before, after string) bool
}

func never(string, string) bool { return false }

// asks reports whether the text after a match ends its sentence with a question mark.
func asks(_, after string) bool {
	sentence, _, _ := strings.Cut(after, ".")
	return strings.Contains(sentence, "?")
}

func followedBy(words string) func(string, string) bool {
	next := regexp.MustCompile(`^\W*(?:` + words + `)\b`)
	return func(_, after string) bool { return next.MatchString(after) }
}

var phrases = []phrase{
	{regexp.MustCompile(`\b([Nn]obody|[Aa]nybody|[Ee]verybody|[Ss]omebody|[Ww]hoever|[Ww]hichever)\b`), never},
	{regexp.MustCompile(`\b[Ww]hat (is|was|has|had|were|are|can|could|comes?|came|goes|stands|follows|becomes?|became|there)\b`), asks},
	{regexp.MustCompile(`(^|[.;:] )Who [a-z]+\b`), asks},
	{regexp.MustCompile(`\banew\b|\b[Mm]end(s|ed|ing)?\b`), never},
	{regexp.MustCompile(`\b([Cc]omes?|[Cc]ame|coming) to\b`), followedBy("mind")},
	{regexp.MustCompile(`\b[Ll]ook(s|ed|ing)? (after|at)\b`), never},
	{regexp.MustCompile(`\b([Tt]ells?|[Tt]old|telling)\b`), never},
	{regexp.MustCompile(`\b([Hh]ears?|heard) (of|from|about)\b|\bis heard\b`), never},
	{regexp.MustCompile(`\b(gives?|given|gave|giving)( it| them| the [a-z]+)? (back|up)\b`), never},
	{regexp.MustCompile(`\b([Tt]akes?|took|taken|taking)( it| them)? (in|up)\b`), never},
	{regexp.MustCompile(`\b([Gg]oes|[Gg]o|going|gone|went) on\b`), never},
	{regexp.MustCompile(`\b(is|are|was|were) no [a-z]+\b`),
		func(before, _ string) bool { return strings.HasSuffix(strings.ToLower(before), "there ") }},
	{regexp.MustCompile(`\b[Bb]ut for\b|\bany more\b|\bat the (most|latest)\b`), never},
	{regexp.MustCompile(`\bof (one's|its|their|his|our) own\b|\bof ours\b`), never},
	{regexp.MustCompile(`\bput(s|ting)? down\b|\blet(s)? go of\b|\bat hand\b|\bbecomes? of\b|\bbecame of\b`), never},
}

// plainNo matches the uses of "is no" that are plain English.
var plainNo = regexp.MustCompile(`\b(is|are|was|were) no (longer|more|later|less|doubt)\b`)

// oddPhrase returns the first match of phrases that its context does not allow, or "" if there is
// none.
func oddPhrase(text string) string {
	text = plainNo.ReplaceAllString(text, "")
	for _, p := range phrases {
		for _, at := range p.words.FindAllStringIndex(text, -1) {
			if !p.allowed(text[:at[0]], text[at[1]:]) {
				return text[at[0]:at[1]]
			}
		}
	}
	return ""
}

var oddTest = regexp.MustCompile(`^Test\w*(What|Who|Whose|Whom|Nobody|Somebody|Everybody|Which)[A-Z]`)

// passage is one text of the repository.
type passage struct{ where, area, kind, text string }

// odd returns the phrase or test name to replace, or "" if there is none.
func (w passage) odd() string {
	if w.kind == "test names" {
		return oddTest.FindString(w.text)
	}
	return oddPhrase(w.text)
}

// texts returns the comments, strings, test names and sentences of a file.
func texts(path string, source []byte) ([]passage, error) {
	area := strings.Join(strings.Split(filepath.ToSlash(path), "/")[:min(2, strings.Count(path, "/"))], "/")
	add := func(all []passage, line int, kind, text string) []passage {
		return append(all, passage{fmt.Sprintf("%s:%d", path, line), cmp.Or(area, "."), kind, text})
	}
	var all []passage
	switch filepath.Ext(path) {
	case ".go":
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		tests := strings.HasSuffix(path, "_test.go")
		for _, c := range file.Comments {
			all = add(all, files.Position(c.Pos()).Line, map[bool]string{false: "comments", true: "test comments"}[tests],
				strings.ReplaceAll(c.Text(), "\n", " "))
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if strings.HasPrefix(n.Name.Name, "Test") {
					all = add(all, files.Position(n.Pos()).Line, "test names", n.Name.Name)
				}
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); n.Kind == token.STRING && !tests && err == nil &&
					strings.Count(s, " ") > 1 && !strings.Contains(s, "\n") {
					all = add(all, files.Position(n.Pos()).Line, "strings", s)
				}
			}
			return true
		})
	case ".md", ".ts", ".tsx", ".mjs":
		kind, comment := "documents", filepath.Ext(path) != ".md"
		if comment {
			kind = "script comments"
		}
		fenced := false
		for n, line := range strings.Split(string(source), "\n") {
			line = strings.TrimSpace(line)
			if comment {
				_, line, _ = strings.Cut(" "+line, " //")
			} else if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if line != "" && !fenced {
				all = add(all, n+1, kind, strings.TrimSpace(line))
			}
		}
	}
	return all, nil
}

const phraseLimits = "testdata/phrases.txt"

// readLimits returns the maximum number of odd phrases by area and kind, from
// testdata/phrases.txt.
func readLimits(t *testing.T) map[string]int {
	f, err := os.Open(phraseLimits)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	limits := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		limit, what, _ := strings.Cut(lines.Text(), " ")
		if limits[what], err = strconv.Atoi(limit); err != nil {
			t.Fatal(err)
		}
	}
	return limits
}

// oddTexts returns the odd phrases of the repository's texts with their places, by area and
// kind.
func oddTexts(t *testing.T) map[string][]string {
	root := "../.."
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (slices.Contains([]string{"node_modules", "testdata", "assets", "dist"}, d.Name()) ||
			strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || strings.HasSuffix(path, "openapi.d.ts") || strings.HasSuffix(path, "words.ts") ||
			strings.HasSuffix(path, "docs/requirements.md") || strings.HasSuffix(path, "archtest/language_test.go") {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all, err := texts(filepath.ToSlash(name), source)
		for _, w := range all {
			if odd := w.odd(); odd != "" {
				found[w.area+" "+w.kind] = append(found[w.area+" "+w.kind], fmt.Sprintf("%s: %q", w.where, odd))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The number of odd phrases in an area does not exceed the recorded limit. After a rewrite,
// -lower-limits records the new counts.
func TestLanguage(t *testing.T) {
	found := oddTexts(t)
	if *lowerLimits {
		var lines strings.Builder
		for _, what := range slices.Sorted(maps.Keys(found)) {
			fmt.Fprintf(&lines, "%d %s\n", len(found[what]), what)
		}
		if err := os.WriteFile(phraseLimits, []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	limits := readLimits(t)
	for what, all := range found {
		if len(all) > limits[what] {
			t.Errorf("%s: %d phrases to rewrite, the limit is %d:\n%s", what, len(all), limits[what], strings.Join(all, "\n"))
		}
	}
}

func TestOddPhrase(t *testing.T) {
	for text, want := range map[string]string{
		"Nobody waits for the change.":            "Nobody",
		"mend writes the index anew":              "mend",
		"What is left? Two pledges.":              "",
		"It returns what is left.":                "what is",
		"The key is no operator's.":               "is no operator",
		"There is no such charge":                 "",
		"The lease is no longer valid":            "",
		"retry looks at the record at the latest": "at the latest",
		"Service settles campaigns.":              "",
	} {
		if got := oddPhrase(text); got != want && (want == "" || got == "") {
			t.Errorf("%q has %q, not %q", text, got, want)
		}
	}
}
