package archtest

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

// Every package that the Workers host compiles builds for WebAssembly.
func TestWasm_Builds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the core again")
	}
	var all []string
	for _, p := range packages(t) {
		if inCore(p.path()) ||
			slices.Contains([]string{"hosts/config", "hosts/compose", "hosts/httpapi", "hosts/workers"}, p.path()) {
			all = append(all, p.ImportPath)
		}
	}
	if out, err := wasm(root, all); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func wasm(dir string, packages []string) (string, error) {
	cmd := exec.Command("go", append([]string{"build", "-trimpath"}, packages...)...) // as in make worker, to compile once
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestWasm_FindsViolations(t *testing.T) {
	for source, builds := range map[string]bool{
		"package x\n\nfunc F[T any](t T) T { return t }\n":                true,
		"package x\n\nimport \"syscall\"\n\nvar F = syscall.Socketpair\n": false, // not available in a browser
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"x.go": source, "go.mod": "module x\n\ngo 1.26\n"} {
			if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := wasm(dir, []string{"."}); (err == nil) != builds {
			t.Errorf("builds: %t, want %t\n%s%s", err == nil, builds, source, out)
		}
	}
}
