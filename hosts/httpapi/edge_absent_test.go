package httpapi

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The routes that Workers do not support return an explanation.
func TestWorkers_UnsupportedRoutes(t *testing.T) {
	src, err := os.ReadFile("admin_content_js.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(src), "const absent = `")
	listed, _, _ := strings.Cut(after, "`")
	a := &API{}
	var here []string
	for _, r := range slices.Concat(a.contentRoutes(), a.mediaRoutes(), a.previewRoutes(), a.fulfilmentRoutes()) {
		if strings.HasPrefix(r.Pattern, "/admin/") { // the pledge page works without the list of changes
			here = append(here, r.Method+" "+r.Pattern)
		}
	}
	there := strings.Split(listed, "\n")
	slices.Sort(here)
	slices.Sort(there)
	if !slices.Equal(here, there) {
		t.Errorf("unsupported routes on Workers:\n%s\nwant\n%s", strings.Join(there, "\n"), strings.Join(here, "\n"))
	}
}
