package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/demo"
)

// The program compiles with each tag and does not contain the load generator. The demo program,
// built as in the README, does not contain the large libraries that it does not use.
func TestBinary_Imports(t *testing.T) {
	if !slices.ContainsFunc(commandsOf(t, "go run -tags demo"),
		func(c string) bool { return strings.HasSuffix(c, "pledged demo") }) {
		t.Error("the README builds the demo with other arguments")
	}
	for tag, never := range map[string][]string{
		"demo": {"github.com/stripe/", "github.com/jackc/pgx", "github.com/prometheus/",
			"go.opentelemetry.io/", "google.golang.org/", "github.com/HdrHistogram/"},
		"":           {"github.com/HdrHistogram/"},
		"nopostgres": {"github.com/jackc/pgx"},
	} {
		if out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", tag,
			"../../app").CombinedOutput(); err != nil {
			t.Errorf("tag %q: %s", tag, out)
		}
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", tag, ".").Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range never {
			if strings.Contains(string(out), name) {
				t.Errorf("tag %q: the program contains %s", tag, name)
			}
		}
	}
}

// The demo uses an editable copy of the examples and keeps it across restarts.
func TestDemo_OwnContent(t *testing.T) {
	dir := t.TempDir()
	o := demo.Options{Dir: dir, Content: os.DirFS("../../../../examples/site"), Folder: "../../../../examples/site"}
	// left by an interrupted start
	if err := os.MkdirAll(filepath.Join(dir, "site.part", "campaigns"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := o.CopyContent(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("leftover files = %v (%v)", left, err)
	}
	if _, err := os.Stat(filepath.Join(o.Folder, "campaigns", "ninety-windows.md")); err != nil {
		t.Error(err)
	}
	file := filepath.Join(o.Folder, "site.yml")
	if rel, err := filepath.Rel(dir, o.Folder); err != nil || !filepath.IsLocal(rel) || !o.Writable {
		t.Errorf("content %s, writable: %t (%v)", o.Folder, o.Writable, err)
	}
	if err := os.WriteFile(file, []byte("# changed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := demo.Options{Dir: dir, Content: os.DirFS("../../../../examples/site")}
	if err := again.CopyContent(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(again.Folder, "site.yml")); err != nil || string(text) != "# changed\n" {
		t.Errorf("content after a second start = %q (%v)", text, err)
	}
}
