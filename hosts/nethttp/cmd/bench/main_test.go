package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"bench": func() { os.Exit(run()) }})
}

// The script runs the command with a real server.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the server")
	}
	pledged := filepath.Join(t.TempDir(), "pledged")
	if out, err := exec.CommandContext(t.Context(), "go", "run", "-exec", "cp", // from the build cache
		"../pledged", pledged).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		Setup:               func(e *testscript.Env) error { e.Setenv("PLEDGED", pledged); return nil },
		RequireExplicitExec: true,
	})
}
