package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the demo's program is built from, as the README builds it, has none of the large
// libraries that it does not use; the whole program has
// none of gRPC and of protocol buffers.
func TestWhatIsLinked(t *testing.T) {
	if !slices.ContainsFunc(commandsOf(t, "go run -tags demo"), func(c string) bool { return strings.HasSuffix(c, "pledged demo") }) {
		t.Error("the README builds the demo otherwise")
	}
	for tag, never := range map[string][]string{
		"demo":       {"github.com/stripe/", "github.com/jackc/pgx", "github.com/VictoriaMetrics/", "go.opentelemetry.io/", "google.golang.org/", "github.com/HdrHistogram/"},
		"":           {"google.golang.org/", "github.com/prometheus/", "go.opentelemetry.io/otel/exporters"},
		"nopostgres": {"github.com/jackc/pgx"},
	} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", tag, ".").Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range never {
			if strings.Contains(string(out), name) {
				t.Errorf("with the tag %q the program is built from %s", tag, name)
			}
		}
	}
}

// A server that runs alone has at most 32 MB to download.
func TestStrippedSize(t *testing.T) {
	if testing.Short() {
		t.Skip("links the program")
	}
	program := filepath.Join(t.TempDir(), "pledged")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "nopostgres", "-ldflags=-s -w", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 32_000_000 {
		t.Errorf("it has %d bytes", info.Size())
	}
}
