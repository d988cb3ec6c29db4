package schema_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/schema"
)

// Every field requires existing permissions. The fields of a list require the list's permissions,
// because lists are hidden as a whole. docs/security.md lists the fields whose permissions differ
// from the default.
func TestDescribe_Permissions(t *testing.T) {
	known := append(slices.Clone(access.Permissions), access.Platform)
	usual := map[string]access.Permission{schema.OfCampaign: access.Content, schema.OfAddOns: access.Platform,
		schema.OfSettings: access.Platform}
	var unusual []string
	for _, of := range schema.Kinds() {
		lists := map[string]schema.Field{}
		forEachField(describe(t, of, "en"), func(above string, f schema.Field) {
			at := above + f.Path
			lists[at+"[]."] = f
			if list, ok := lists[above]; ok &&
				!cmp.Equal([2][]access.Permission{list.Read, list.Write}, [2][]access.Permission{f.Read, f.Write}) {
				t.Errorf("%s %s requires %v and %v, its list %v and %v", of, at, f.Read, f.Write, list.Read, list.Write)
			}
			if len(f.Read) == 0 || f.Write == nil || slices.ContainsFunc(slices.Concat(f.Read, f.Write),
				func(p access.Permission) bool { return !slices.Contains(known, p) }) {
				t.Errorf("%s %s requires %v and %v", of, at, f.Read, f.Write)
			}
			read, write := schema.Required(of, at)
			if !cmp.Equal(read, f.Read) || !cmp.Equal(write, f.Write) {
				t.Errorf("%s %s has permissions %v and %v, Required returns %v and %v", of, at, f.Read, f.Write, read, write)
			}
			if plain := []access.Permission{usual[of]}; above == "" && !(cmp.Equal(f.Read, plain) && cmp.Equal(f.Write, plain)) {
				unusual = append(unusual,
					fmt.Sprintf("| `%s` | %s | %s |", at, joinPermissions(f.Read), joinPermissions(f.Write)))
			}
		})
	}
	guide, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guide), "|---|---|---|\n"+strings.Join(unusual, "\n")+"\n") {
		t.Errorf("docs/security.md does not contain\n%s", strings.Join(unusual, "\n"))
	}
}

func joinPermissions(all []access.Permission) string {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = string(p)
	}
	if len(names) == 0 {
		return "nobody"
	}
	return strings.Join(names, ", ")
}

func TestRequired(t *testing.T) {
	content, platform := []access.Permission{access.Content}, []access.Permission{access.Platform}
	readers := []access.Permission{access.Content, access.Supporters, access.Money}
	for _, tc := range []struct {
		of, path    string
		read, write []access.Permission
	}{
		{schema.OfCampaign, "tiers[early-bird].price", content, content},
		{schema.OfCampaign, "tiers[]", content, content},
		{schema.OfCampaign, "tiers[3].nonsense", content, content},
		{schema.OfCampaign, "recovery", content, content},
		{schema.OfCampaign, "recovery.nonsense", platform, platform},
		{schema.OfCampaign, "slug.below", content, []access.Permission{}},
		{schema.OfCampaign, "body", content, content},
		{schema.OfCampaign, "runner_report_emails[0]", readers, readers},
		{schema.OfCampaign, "runner_report_emails[]", readers, readers},
		{schema.OfCampaign, "runner_report_excluded_emails.x", readers, readers},
		{schema.OfCampaign, "runner_report", platform, platform},
		{schema.OfCampaign, "_note", platform, platform},
		{schema.OfCampaign, "layout", platform, platform},
		{schema.OfCampaign, "", platform, platform},
		{schema.OfSettings, "platform", platform, platform},
		{schema.OfAddOns, "products[cap].price", platform, platform},
		{"nothing", "title", platform, platform},
	} {
		read, write := schema.Required(tc.of, tc.path)
		if !cmp.Equal(read, tc.read) || !cmp.Equal(write, tc.write) {
			t.Errorf("%s %q requires %v and %v, want %v and %v", tc.of, tc.path, read, write, tc.read, tc.write)
		}
	}
}
