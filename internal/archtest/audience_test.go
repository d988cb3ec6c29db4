package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// audiences are the prefixes of the files in hosts/httpapi, which name the callers of
// the routes in them. Its doc.go explains them.
var audiences = []string{"public_", "supporter_", "admin_", "webhook_", "machine_", "edge_"}

// checkAudience checks that a file of hosts/httpapi, other than doc.go, has one of the
// prefixes.
func checkAudience(name string) []string {
	if name == "doc.go" ||
		slices.ContainsFunc(audiences, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
		return nil
	}
	return []string{fmt.Sprintf("hosts/httpapi/%s has none of the prefixes %s", name, strings.Join(audiences, ", "))}
}

func TestAudience(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(root, "hosts/httpapi/*.go"))
	if err != nil || len(names) < 50 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		report(t, checkAudience(filepath.Base(name)))
	}
	doc := readFile(t, filepath.Join(root, "hosts/httpapi/doc.go"))
	for _, prefix := range audiences {
		if !strings.Contains(doc, "\n//\t"+prefix) {
			t.Errorf("hosts/httpapi/doc.go does not explain the prefix %s", prefix)
		}
	}
}

func TestAudience_FindsViolations(t *testing.T) {
	for name, want := range map[string]string{
		"doc.go": "", "admin_users.go": "", "edge_limit_test.go": "", "public_stock.go": "",
		"users.go": "users.go has none of the prefixes", "users_test.go": "has none",
		"administration.go": "has none", "routes_admin_.go": "has none",
	} {
		expect(t, checkAudience(name), want)
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
