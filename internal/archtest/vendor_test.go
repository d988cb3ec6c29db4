package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

var vendorName = regexp.MustCompile(`(?i)stripe`)

// vendorHost matches the vendor's URLs, which are allowed.
var vendorHost = regexp.MustCompile(`https://(\*\.)?([a-z]+\.)+stripe\.com`)

// shown lists packages outside of the core whose identifiers or texts clients or operators see.
var shown = []string{"hosts/compose", "hosts/httpapi", "hosts/nethttp", "hosts/nethttp/telemetry", "hosts/site"}

// checkVendor checks that no identifier or string in a file contains the vendor's name, because
// clients, operators and stored records see them. Comments and the vendor's URLs may contain it.
func checkVendor(where string, file *ast.File, fset *token.FileSet) []string {
	var violations []string
	ast.Inspect(file, func(n ast.Node) bool {
		text := ""
		switch n := n.(type) {
		case *ast.Ident:
			text = n.Name
		case *ast.BasicLit:
			text = n.Value
		}
		if vendorName.MatchString(vendorHost.ReplaceAllString(text, "")) {
			violations = append(violations,
				fmt.Sprintf("%s:%d: %s contains the vendor's name: use psp", where, fset.Position(n.Pos()).Line, text))
		}
		return true
	})
	return violations
}

// Proves CFG-04.
func TestNeutralNames(t *testing.T) {
	named := func(path string) bool { return inCore(path) || slices.Contains(shown, path) }
	eachFileOf(t, named, func(name string, file *ast.File, fset *token.FileSet) {
		report(t, checkVendor(name, file, fset))
	})
	pages, err := filepath.Glob(filepath.Join(root, "hosts/site/templates/*.html"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d templates, %v", len(pages), err)
	}
	for _, page := range pages {
		if text, err := os.ReadFile(page); err != nil || vendorName.Match(text) {
			t.Errorf("%s contains the vendor's name or is unreadable: %v", page, err)
		}
	}
	guide, err := os.ReadFile(filepath.Join(root, "docs/configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	settings := regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| ([^|]*) \\|").FindAllStringSubmatch(string(guide), -1)
	if len(settings) < 20 {
		t.Fatalf("the guide names only %d settings", len(settings))
	}
	for _, s := range settings {
		if vendorName.MatchString(s[1] + s[2]) {
			t.Errorf("the setting %s contains the vendor's name: use psp", s[1])
		}
	}
}

func TestVendor_FindsViolations(t *testing.T) {
	for body, want := range map[string]string{
		"// The stripe adapter hangs below.\nvar pspCustomerID = \"pspCustomerId\"": "",
		"var stripeCustomer string":                        "stripeCustomer",
		"const header = \"Stripe-Signature\"":              "Stripe-Signature",
		"type T struct { ID string `json:\"stripe_id\"` }": "stripe_id",
		"const script = \"https://js.stripe.com\"":         "",
		"const scripts = \"https://*.js.stripe.com\"":      "",
		"import \"github.com/stripe/stripe-go/v82\"":       "stripe-go",
	} {
		file, fset := snippet(t, "package x\n"+body)
		expect(t, checkVendor("x.go", file, fset), want)
	}
}
