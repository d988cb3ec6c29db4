package workerd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TinyGo reports whether workers are compiled with TinyGo. If TinyGo is installed, make unit runs
// the worker tests a second time with it.
func TinyGo() bool { return os.Getenv("PLEDGEWORKS_COMPILER") == "tinygo" }

// compile compiles a program to WebAssembly and returns the path of the compiler's wasm_exec.js.
func compile(t testing.TB, program, file string) (glue string) {
	t.Helper()
	if TinyGo() {
		run(t, nil, "tinygo", "build", "-target", "wasm", "-no-debug", "-o", file, program)
		return filepath.Join(run(t, nil, "tinygo", "env", "TINYGOROOT"), "targets/wasm_exec.js")
	}
	run(t, []string{"GOOS=js", "GOARCH=wasm"}, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, program)
	return filepath.Join(run(t, nil, "go", "env", "GOROOT"), "lib/wasm/wasm_exec.js")
}

func run(t testing.TB, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = root(), append(os.Environ(), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, said.String())
	}
	return strings.TrimSpace(string(out))
}
