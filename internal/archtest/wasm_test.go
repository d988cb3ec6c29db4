package archtest

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

// Every package that the Workers host compiles builds for WebAssembly with the
// language of Go 1.23.
func TestWasm_Builds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the core once more")
	}
	var core, edge []string
	for _, p := range packages(t) {
		switch {
		case inCore(p.path()):
			core = append(core, p.ImportPath)
		case slices.Contains([]string{"hosts/config", "hosts/compose", "hosts/httpapi", "hosts/workers"}, p.path()):
			edge = append(edge, p.ImportPath)
		}
	}
	if out, err := wasm(root, append([]string{"-gcflags=-lang=go1.23"}, core...)); err != nil {
		t.Errorf("the core: %v\n%s", err, out)
	}
	if len(edge) == 0 {
		return
	}
	if out, err := wasm(root, append([]string{"-gcflags=-lang=go1.23"}, edge...)); err != nil {
		t.Errorf("the edge: %v\n%s", err, out)
	}
}

func wasm(dir string, args []string) (string, error) {
	cmd := exec.Command("go", append([]string{"build"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestWasm_FindsViolations(t *testing.T) {
	for source, builds := range map[string]bool{
		"package x\n\nfunc F[T any](t T) T { return t }\n":                true,
		"package x\n\nvar F = new(5)\n":                                   false, // a language feature newer than Go 1.23
		"package x\n\nimport \"syscall\"\n\nvar F = syscall.Socketpair\n": false, // not available in a browser
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"x.go": source, "go.mod": "module x\n\ngo 1.26\n"} {
			if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := wasm(dir, []string{"-gcflags=-lang=go1.23", "."}); (err == nil) != builds {
			t.Errorf("builds: %t, want %t\n%s%s", err == nil, builds, source, out)
		}
	}
}
