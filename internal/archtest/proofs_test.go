package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	requirementID = regexp.MustCompile(`\b[A-Z]{3}-[0-9]{2}\b`)
	statement     = regexp.MustCompile(`(?m)^- ([A-Z]{3}-[0-9]{2}):`)
)

// requirements returns the text of docs/requirements.md and the IDs that it defines.
func requirements(t *testing.T) (text string, defined map[string]bool) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "docs/requirements.md"))
	if err != nil {
		t.Fatal(err)
	}
	defined = map[string]bool{}
	for _, m := range statement.FindAllStringSubmatch(string(b), -1) {
		defined[m[1]] = true
	}
	if len(defined) < 500 {
		t.Fatalf("docs/requirements.md defines only %d requirements", len(defined))
	}
	return string(b), defined
}

// checkRequirements checks that every requirement that no test names has an explanation, a line
// that starts with "  *Here:* ". Consecutive requirements can share one.
func checkRequirements(text string, named map[string]bool) []string {
	var open, violations []string
	for line := range strings.Lines(text + "\n#\n") {
		m := statement.FindStringSubmatch(line)
		switch {
		case m != nil && !named[m[1]]:
			open = append(open, m[1])
		case strings.HasPrefix(line, "  *Here:* "):
			open = nil
		case m != nil, strings.HasPrefix(line, "#"):
			for _, id := range open {
				violations = append(violations, id+" has no test and no explanation")
			}
			open = nil
		}
	}
	return violations
}

// checkProofs checks that a comment with "Proves" is directly above a test and names
// existing requirements.
func checkProofs(path string, file *ast.File, fset *token.FileSet, defined map[string]bool) []string {
	tests := map[*ast.CommentGroup]bool{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil && isTest(f.Name.Name) {
			tests[f.Doc] = true
		}
	}
	var violations []string
	bad := func(c *ast.CommentGroup, format string, args ...any) {
		violations = append(violations,
			fmt.Sprintf("%s:%d: %s", path, fset.Position(c.Pos()).Line, fmt.Sprintf(format, args...)))
	}
	for _, c := range file.Comments {
		text := c.Text()
		if !provesLine.MatchString(text) {
			continue
		}
		ids := requirementID.FindAllString(text, -1)
		if len(ids) == 0 {
			bad(c, "names no requirement")
		}
		if !tests[c] {
			bad(c, "a proof must be directly above its test")
		}
		for _, id := range ids {
			if !defined[id] {
				bad(c, "%s is not a requirement", id)
			}
		}
	}
	return violations
}

// checkStoryProofs checks that a comment with "Proves" in a browser test is directly
// above an exported story. It returns the named requirements.
func checkStoryProofs(path, source string, defined map[string]bool) (named, violations []string) {
	_, exported, _ := strings.Cut(source, "\nexport default ")
	lines := strings.Split(source, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "// Proves ") {
			continue
		}
		ids := requirementID.FindAllString(line, -1)
		named = append(named, ids...)
		story := storyName.FindStringSubmatch(lines[i+1])
		if story == nil || !regexp.MustCompile(`\b`+story[1]+`\b`).MatchString(exported) {
			violations = append(violations, fmt.Sprintf("%s:%d: a proof must be directly above an exported story", path, i+1))
		}
		for _, id := range ids {
			if !defined[id] {
				violations = append(violations, fmt.Sprintf("%s:%d: %s is not a requirement", path, i+1, id))
			}
		}
	}
	return named, violations
}

var storyName = regexp.MustCompile(`^(?:async function|const) (\w+)\b`)

var provesLine = regexp.MustCompile(`(?m)^Proves [A-Z]{3}-|^Proves$`)

func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Example", "Benchmark"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func TestProofs(t *testing.T) {
	text, defined := requirements(t)
	named := map[string]bool{}
	files(t, "_test.go", func(path string, source []byte) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		report(t, checkProofs(path, file, fset, defined))
		for _, c := range file.Comments {
			if provesLine.MatchString(c.Text()) {
				for _, id := range requirementID.FindAllString(c.Text(), -1) {
					named[id] = true
				}
			}
		}
	})
	for _, kind := range []string{".story.mjs", ".night.mjs"} {
		files(t, kind, func(path string, source []byte) {
			ids, violations := checkStoryProofs(path, string(source), defined)
			report(t, violations)
			for _, id := range ids {
				named[id] = true
			}
		})
	}
	report(t, checkRequirements(text, named))
}

func TestStoryProofs_FindsViolations(t *testing.T) {
	defined := map[string]bool{"SET-12": true}
	for source, want := range map[string]string{
		"// Proves SET-12.\nasync function a(visit) {}\nexport default { a };":                        "",
		"// Proves SET-12.\nconst a = (lang) => async (visit) => {};\nexport default { x: a('en') };": "",
		"// Proves SET-12.\nasync function a(visit) {}\nasync function b() {}\nexport default { b };": "an exported story",
		"// Proves SET-12.\n\nasync function a(visit) {}\nexport default { a };":                      "an exported story",
		"// Proves SET-99.\nasync function a(visit) {}\nexport default { a };":                        "SET-99 is not a requirement",
	} {
		named, violations := checkStoryProofs("a.story.mjs", source, defined)
		expect(t, violations, want)
		if len(named) != 1 {
			t.Errorf("%q names %v", source, named)
		}
	}
}

func TestUnproved_FindsViolations(t *testing.T) {
	for text, want := range map[string]string{
		"- SET-12: a\n": "",
		"- SET-13: a\n": "SET-13 has no test",
		"- SET-13: a\n- SET-14: b\n\n  *Here:* so.\n":         "",
		"- SET-13: a\n- SET-12: b\n\n  *Here:* so.\n":         "SET-13 has no test",
		"- SET-13: a\n\n## B\n\n- SET-12: b\n  *Here:* so.\n": "SET-13 has no test",
	} {
		expect(t, checkRequirements(text, map[string]bool{"SET-12": true}), want)
	}
}

func TestProofs_FindsViolations(t *testing.T) {
	defined := map[string]bool{"SET-12": true, "SET-13": true}
	for body, want := range map[string]string{
		"// Proves SET-12, SET-13.\nfunc TestA(t *T) {}":        "",
		"// It holds.\n// Proves SET-12.\nfunc FuzzA(f *F) {}":  "",
		"// UTF-16 is no requirement.\nfunc TestA(t *T) {}":     "",
		"// Proves SET-12, SET-99.\nfunc TestA(t *T) {}":        "SET-99 is not a requirement",
		"// Proves SET-12.\n\nfunc TestA(t *T) {}":              "directly above its test",
		"// Proves SET-12.\nfunc check(t *T) {}":                "directly above its test",
		"func TestA(t *T) {\n\t// Proves SET-12.\n\tt.Run()\n}": "directly above its test",
	} {
		file, fset := snippet(t, "package x\n\n"+body)
		expect(t, checkProofs("x_test.go", file, fset, defined), want)
	}
}
