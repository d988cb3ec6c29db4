package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var fineCheck = regexp.MustCompile(`\b(?:passed\(|orPassed\(\w+, )"([a-z]+)"`)

// Every health check that can succeed has a name on the dashboard, in both
// languages.
func TestHealthChecks_HaveNames(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "admin/health/*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	page := readFile(t, filepath.Join(root, "hosts/dashboard/settings/diagnostics.tsx"))
	words := readFile(t, filepath.Join(root, "hosts/dashboard/settings/words.ts"))
	names := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range fineCheck.FindAllStringSubmatch(readFile(t, file), -1) {
			names++
			if !strings.Contains(page, "'"+m[1]+"'") || strings.Count(words, "check_"+m[1]+":") != 2 {
				t.Errorf("the check %q has no name on the dashboard", m[1])
			}
		}
	}
	if names < 10 {
		t.Errorf("only %d checks were found", names)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
