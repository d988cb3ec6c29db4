package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every go test command in the Makefile and the documents names existing tests, benchmarks or
// fuzz targets in the packages that it lists.
func TestCommands_NameTests(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, file := range append(files, "../../Makefile", "../../README.md", "../../CONTRIBUTING.md") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(b), "\n") {
			for _, c := range testCommands(line) {
				commands++
				for _, name := range c.missing(t) {
					t.Errorf("%s:%d: no test matches %q in %s", filepath.Base(file), n+1, name, c.packages)
				}
			}
		}
	}
	if commands < 50 {
		t.Errorf("found %d commands, want at least 50", commands)
	}
}

// Every test that the Makefile excludes from race detection exists.
func TestCommands_LongTests(t *testing.T) {
	b, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	long := regexp.MustCompile(`(?m)^LONG +:= \^Test\((.*)\)\$\$$`).FindSubmatch(b)
	if long == nil {
		t.Fatal("the Makefile does not define LONG")
	}
	everything := testCommand{names: strings.Split(string(long[1]), "|"), packages: "./..."}
	for i, name := range everything.names {
		everything.names[i] = "^Test" + name + "$"
	}
	for _, name := range everything.missing(t) {
		t.Errorf("no test matches %s", name)
	}
}

func TestCommands_Parsed(t *testing.T) {
	for line, want := range map[string][]testCommand{
		"go test ./kv -run 'A|B' -v":                      {{[]string{"A", "B"}, "./kv"}},
		"`go test ./kv -run A/eight` and `go vet`":        {{[]string{"A"}, "./kv"}},
		"`go test ./a -run A`, `go test ./b/... -run B`":  {{[]string{"A"}, "./a"}, {[]string{"B"}, "./b/..."}},
		"go test ./kv -run '^$' -bench 'Quote$'":          {{[]string{"Quote$"}, "./kv"}},
		"go test -run='^$$' -bench=. -count=$(N) ./...":   nil,
		"PLEDGEWORKS_SOAK=1 go test -run='Kill|X' ./...":  {{[]string{"Kill", "X"}, "./..."}},
		"go test ./simulation -run 'TestSeeds$$' -once":   {{[]string{"TestSeeds$"}, "./simulation"}},
		"go test ./a ./b -run X":                          {{[]string{"X"}, "./a ./b"}},
		"go test -fuzz=\"^$$target\\$$\" $$package":       nil,
		"text without a command, and -run without a test": nil,
	} {
		if got := testCommands(line); !slices.EqualFunc(got, want, func(a, b testCommand) bool {
			return a.packages == b.packages && slices.Equal(a.names, b.names)
		}) {
			t.Errorf("%s: got %+v, want %+v", line, got, want)
		}
	}
}

// testCommand is a go test command that selects tests or benchmarks.
type testCommand struct {
	names    []string // regular expressions
	packages string   // separated by spaces, such as "./kv ./tax/..."
}

var (
	commandText = regexp.MustCompile(`go test [^` + "`" + `#;]*`)
	selection   = regexp.MustCompile(`-(?:run|bench)[= ](?:'([^']*)'|([^' ]+))`)
	packageText = regexp.MustCompile(` (\./[\w./]+)`)
)

func testCommands(line string) []testCommand {
	var all []testCommand
	for _, text := range commandText.FindAllString(line, -1) {
		var packages []string
		for _, m := range packageText.FindAllStringSubmatch(text, -1) {
			packages = append(packages, m[1])
		}
		if packages == nil {
			continue
		}
		for _, m := range selection.FindAllStringSubmatch(text, -1) {
			pattern, _, _ := strings.Cut(strings.ReplaceAll(m[1]+m[2], "$$", "$"), "/")
			if pattern == "^$" || pattern == "." || strings.HasPrefix(pattern, "$(") || pattern == "" {
				continue
			}
			all = append(all, testCommand{strings.Split(pattern, "|"), strings.Join(packages, " ")})
		}
	}
	return all
}

// missing returns the patterns that match no test, benchmark or fuzz target of the packages.
func (c testCommand) missing(t *testing.T) []string {
	t.Helper()
	var tests []string
	for pattern := range strings.FieldsSeq(c.packages) {
		tests = append(tests, testsIn(t, pattern)...)
	}
	return slices.DeleteFunc(slices.Clone(c.names), func(name string) bool {
		return slices.ContainsFunc(tests, regexp.MustCompile(name).MatchString)
	})
}

var testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)

// testsIn returns the names of the tests, benchmarks and fuzz targets of a package, or of a tree
// of packages if pattern ends with "/...".
func testsIn(t *testing.T, pattern string) []string {
	t.Helper()
	root, tree := strings.CutSuffix(pattern, "/...")
	var names []string
	err := filepath.WalkDir(filepath.Join("../..", root), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != filepath.Join("../..", root) &&
				(!tree || d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range testFunc.FindAllSubmatch(b, -1) {
			names = append(names, string(m[1]))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
