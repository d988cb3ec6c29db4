package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What the demo's program is built from, as the README builds it, has none of the large
// libraries that it does not use; the whole program has none of gRPC.
func TestWhatIsLinked(t *testing.T) {
	if !slices.ContainsFunc(commandsOf(t, "go run -tags demo"), func(c string) bool { return strings.HasSuffix(c, "pledged demo") }) {
		t.Error("the README builds the demo otherwise")
	}
	for tag, never := range map[string][]string{
		"demo": {"github.com/stripe/", "github.com/jackc/pgx", "github.com/prometheus/", "go.opentelemetry.io/", "google.golang.org/", "github.com/HdrHistogram/"},
		"":     {"google.golang.org/grpc", "go.opentelemetry.io/otel/exporters"},
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
