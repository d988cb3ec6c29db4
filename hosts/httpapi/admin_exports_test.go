package httpapi_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// exportTable returns the export rules in docs/security.md.
func exportTable(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Exports of personal data\n")
	rules := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `GET ([^`]+)` \\|.*\\| ([^|]+) \\|$").
		FindAllStringSubmatch(section, -1) {
		rules[row[1]] = row[2]
	}
	return rules
}

// Every file and every paged list with personal data is in the table of exports.
func TestExports_Table(t *testing.T) {
	e := newEdge(t, memory.Options{})
	want := map[string]string{}
	others := map[string]string{ // lists that do not cover all people
		"/admin/settlement/:slug/failures": "failed charges that can be recovered",
		"/admin/pledge-health/:slug":       "pledges likely to fail",
	}
	for _, r := range e.API.Routes() {
		tells := slices.ContainsFunc(r.Personal, func(w httpapi.Whose) bool { return w != httpapi.Own })
		paged := slices.ContainsFunc(r.Query, func(p httpapi.Param) bool { return p.Name == "cursor" })
		switch {
		case r.Method != "GET" || !tells || others[r.Pattern] != "":
		case r.Type != "":
			want[r.Pattern] = "always"
		case paged:
			want[r.Pattern] = "beyond the first 50"
		}
	}
	if diff := cmp.Diff(want, exportTable(t)); diff != "" {
		t.Errorf("docs/security.md (-routes +page)\n%s", diff)
	}
}

// Every format of an export requires a recent sign-in.
func TestExports_FreshSignIn(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.pledge("a@example.com", filmCart(), cardOK)
	super := e.signedIn("super@example.com", access.SuperAdmin)
	screens := map[string]string{
		"/admin/reports/:slug/pledges": "limit=50", "/admin/reports/:slug/fulfillment": "limit=50&left=1",
		"/admin/audit": "limit=50", "/admin/marketing/suppressions": "limit=50&campaignSlug=" + film,
	}
	exports := map[string][]string{}
	for pattern, rule := range exportTable(t) {
		if rule == "always" {
			exports[pattern] = []string{""}
			continue
		}
		at := screens[pattern]
		exports[pattern] = []string{"", "limit=51", at + "&cursor=1", at + "&q=a", strings.Replace(at, "50", "100", 1)}
	}
	exports["/admin/reports/:slug/fulfillment.csv"] = []string{"", "left=1", "for=carrier", "for=carrier&left=1"}
	exports["/admin/audit.csv"] = []string{"", "from=2026-01-01&to=2026-01-02"}
	exports["/admin/audit"] = append(exports["/admin/audit"], "limit=50&from=2026-01-01",
		"limit=50&adminEmail=super@example.com")
	refused := func(pattern, query string) string {
		return refusal(super.get(strings.Replace(pattern, ":slug", film, 1), query))
	}
	for _, pattern := range slices.Sorted(maps.Keys(exports)) {
		for _, query := range exports[pattern] {
			if got := refused(pattern, query); got != "" {
				t.Errorf("%s?%s after a recent sign-in: rejected with %q", pattern, query, got)
			}
		}
	}
	e.Advance(access.FreshLife + time.Second)
	for _, pattern := range slices.Sorted(maps.Keys(exports)) {
		for _, query := range exports[pattern] {
			if got := refused(pattern, query); got != "old" {
				t.Errorf("%s?%s after an old sign-in: rejected with %q", pattern, query, got)
			}
		}
	}
	for pattern, query := range screens {
		e.wantStatus(super.get(strings.Replace(pattern, ":slug", film, 1), query), 200)
		e.wantStatus(super.get(strings.Replace(pattern, ":slug", film, 1), query+"&cursor=0"), 200)
	}
}
