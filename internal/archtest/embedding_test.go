package archtest

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var measureSize = flag.Bool("weigh", false, "measure each package's size and write the table in docs/embedding.md")

const (
	embedding = root + "/docs/embedding.md"
	tableHead = "| package | brings | adds | mark |\n|---|---|---:|---|\n"
)

// embedded is a row of the table in docs/embedding.md.
type embedded struct{ path, brings, adds, mark string }

func (e embedded) String() string {
	return fmt.Sprintf("| `%s` | %s | %s | %s |", e.path, e.brings, e.adds, e.mark)
}

var embeddedRow = regexp.MustCompile("^\\| `([a-z/]+)` \\| ([^|]*) \\| ([^|]*) \\| ([^|]*) \\|$")

// readTable returns the rows of the table in docs/embedding.md, and the text before and after it.
func readTable(t *testing.T) (before string, rows []embedded, after string) {
	t.Helper()
	text, err := os.ReadFile(embedding)
	if err != nil {
		t.Fatal(err)
	}
	before, table, ok := strings.Cut(string(text), tableHead)
	if !ok {
		t.Fatalf("%s has no table of packages", embedding)
	}
	for line := range strings.Lines(table) {
		m := embeddedRow.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			break
		}
		rows = append(rows, embedded{m[1], m[2], m[3], m[4]})
		table = table[len(line):]
	}
	return before, rows, table
}

// libraries returns the packages that a program may embed; the root package has
// the module's name.
func libraries(t *testing.T) []string {
	var all []string
	for _, p := range packages(t) {
		if path := p.path(); path == "" {
			all = append(all, "pledgeworks")
		} else if inCore(path) || path == "hosts/embed" {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

func importPathOf(library string) string {
	if library == "pledgeworks" {
		return modulePath
	}
	return modulePath + "/" + library
}

// linkedBy returns a function that lists the modules, other than this one, that a package links,
// by the last element of their paths without the major version.
func linkedBy(t *testing.T) func(importPath string) []string {
	t.Helper()
	all, err := list("-deps", "./...")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]pkg{}
	for _, p := range all {
		known[p.ImportPath] = p
	}
	return func(importPath string) []string {
		seen, modules := map[string]bool{}, []string{}
		var walk func(string)
		walk = func(path string) {
			if seen[path] {
				return
			}
			seen[path] = true
			p := known[path]
			if p.Module != nil && p.Module.Path != modulePath && !slices.Contains(modules, shortName(p.Module.Path)) {
				modules = append(modules, shortName(p.Module.Path))
			}
			for _, imported := range p.Imports {
				walk(imported)
			}
		}
		walk(importPath)
		slices.Sort(modules)
		return modules
	}
}

var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

func shortName(module string) string {
	module = majorVersion.ReplaceAllString(module, "")
	return module[strings.LastIndexByte(module, '/')+1:]
}

func bringsText(modules []string) string {
	if len(modules) == 0 {
		return "nothing"
	}
	return strings.Join(modules, ", ")
}

// docs/embedding.md lists the dependencies of every embeddable package.
func TestEmbedding_Table(t *testing.T) {
	before, rows, after := readTable(t)
	linked := linkedBy(t)
	marks := map[string]embedded{}
	for _, r := range rows {
		marks[r.path] = r
		if r.mark != "stable" && r.mark != "growing" {
			t.Errorf("%s is marked %q", r.path, r.mark)
		}
		if !regexp.MustCompile(`^[0-9]+\.[0-9] MB$`).MatchString(r.adds) {
			t.Errorf("%s adds %q", r.path, r.adds)
		}
	}
	var want []embedded
	for _, path := range libraries(t) {
		r := marks[path]
		r.path, r.brings = path, bringsText(linked(importPathOf(path)))
		if r.mark == "" {
			r.mark = "growing"
		}
		if *measureSize {
			r.adds = fmt.Sprintf("%.1f MB", float64(sizeOf(t, path)-sizeOf(t, ""))/1e6)
		}
		want = append(want, r)
	}
	if *measureSize {
		var b strings.Builder
		for _, r := range want {
			fmt.Fprintln(&b, r)
		}
		if err := os.WriteFile(embedding, []byte(before+tableHead+b.String()+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(embedded{})); diff != "" {
		t.Errorf("the table is outdated: go test ./internal/archtest -run Embedding -weigh (-code +table)\n%s", diff)
	}
}

// Package tax adds at most 20 % plus 0.1 MB more to a program than the table lists.
func TestEmbedding_Size(t *testing.T) {
	if testing.Short() || *measureSize {
		t.Skip("links two programs")
	}
	_, rows, _ := readTable(t)
	i := slices.IndexFunc(rows, func(r embedded) bool { return r.path == "tax" })
	if i < 0 {
		t.Fatal("the table has no row for tax")
	}
	said, err := strconv.ParseFloat(strings.TrimSuffix(rows[i].adds, " MB"), 64)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(sizeOf(t, "tax")-sizeOf(t, "")) / 1e6; got > said*1.2+0.1 {
		t.Errorf("tax adds %.1f MB, but the table lists %.1f", got, said)
	}
}

// sizeOf links a program that references the exported types and functions of a package, and
// returns its size in bytes; with "" it returns the size of a program without one. The program
// looks up methods by name, as templates do, so that the linker keeps all of them.
func sizeOf(t *testing.T, library string) int64 {
	t.Helper()
	dir := newExternalModule(t)
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"os\"\n\t\"reflect\"\n")
	if library != "" {
		fmt.Fprintf(&b, "\tp %q\n", importPathOf(library))
	}
	b.WriteString(")\n\nvar all = []any{0")
	for _, s := range sources(t) {
		if library != "" && s.types.Path() == importPathOf(library) {
			for _, name := range s.types.Scope().Names() {
				b.WriteString(elementFor(s.types.Scope().Lookup(name)))
			}
		}
	}
	b.WriteString("}\n\nfunc main() {\n\tfor _, v := range all {\n\t\treflect.ValueOf(v).MethodByName(os.Args[0])\n\t}\n}\n")
	program := filepath.Join(dir, "main.go")
	if err := os.WriteFile(program, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "program")
	goTool(t, dir, "build", "-mod=mod", "-ldflags=-s -w", "-o", out, ".")
	info, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// elementFor returns a list element that references an exported function or type, or "" for
// generic declarations and other objects.
func elementFor(o types.Object) string {
	generic := false
	if t, ok := o.Type().(interface{ TypeParams() *types.TypeParamList }); ok {
		generic = t.TypeParams().Len() > 0
	}
	switch o := o.(type) {
	case *types.Func:
		if s := o.Type().(*types.Signature); ast.IsExported(o.Name()) && s.TypeParams().Len() == 0 {
			return ", p." + o.Name()
		}
	case *types.TypeName:
		if ast.IsExported(o.Name()) && !generic {
			return ", (*p." + o.Name() + ")(nil)"
		}
	}
	return ""
}

// newExternalModule creates a module that uses this one through a replace directive.
func newExternalModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod = bytes.Replace(mod, []byte("module "+modulePath), []byte("module outside.example/program"), 1)
	mod = fmt.Appendf(mod, "\nrequire %s v0.0.0\n\nreplace %s => %s\n", modulePath, modulePath, here)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"go.mod": mod, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func goTool(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// requiredModules maps each example to the only modules that it links.
var requiredModules = map[string]string{
	"checkout":      "decimal, goldmark, net, text, ulid, yaml",
	"quote":         "decimal, goldmark, net, text, ulid, yaml",
	"shippingquote": "decimal, net, text, ulid",
	"ownmail":       "decimal, net, text, ulid",
	"ownprocessor":  "decimal",
	"ownstore":      "pgpassfile, pgservicefile, pgx, puddle, sync, text",
}

func TestExamples_LinkedModules(t *testing.T) {
	linked := linkedBy(t)
	got := map[string]string{}
	for _, p := range packages(t) {
		if name, ok := strings.CutPrefix(p.path(), "examples/"); ok {
			got[name] = bringsText(linked(p.ImportPath))
		}
	}
	if diff := cmp.Diff(requiredModules, got); diff != "" {
		t.Errorf("(-required +linked)\n%s", diff)
	}
}

// The examples build as an external module: they use no internal package.
func TestExamples_BuildExternally(t *testing.T) {
	if testing.Short() {
		t.Skip("links the examples")
	}
	dir := newExternalModule(t)
	for _, p := range packages(t) {
		name, ok := strings.CutPrefix(p.path(), "examples/")
		if !ok {
			continue
		}
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name, file), text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	goTool(t, dir, "build", "-mod=mod", "./...")
}
