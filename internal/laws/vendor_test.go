package laws

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var vendorName = regexp.MustCompile(`(?i)stripe`)

// vendor is the law of neutral names: no identifier and no text of the core
// and of the edge, which clients and stored records get to see, carries the
// processor's vendor. Comments may say which adapters there are.
func vendor(where string, file *ast.File, fset *token.FileSet) []string {
	var violations []string
	ast.Inspect(file, func(n ast.Node) bool {
		text := ""
		switch n := n.(type) {
		case *ast.Ident:
			text = n.Name
		case *ast.BasicLit:
			text = n.Value
		}
		if vendorName.MatchString(text) {
			violations = append(violations, fmt.Sprintf("%s:%d: %s names the processor's vendor: say psp", where, fset.Position(n.Pos()).Line, text))
		}
		return true
	})
	return violations
}

// Proves CFG-04.
func TestNeutralNames(t *testing.T) {
	eachCoreFile(t, func(name string, file *ast.File, fset *token.FileSet) {
		report(t, vendor(name, file, fset))
	})
	for _, p := range packages(t) {
		if p.path() != "hosts/httpapi" && p.path() != "hosts/compose" {
			continue
		}
		names, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Error(err)
				continue
			}
			report(t, vendor(p.path()+"/"+filepath.Base(name), file, fset))
		}
	}
	guide, err := os.ReadFile(filepath.Join(root, "docs/configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	settings := regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| ([^|]*) \\|").FindAllStringSubmatch(string(guide), -1)
	if len(settings) < 20 {
		t.Fatalf("the guide names %d settings only", len(settings))
	}
	for _, s := range settings {
		if vendorName.MatchString(s[1] + s[2]) {
			t.Errorf("the setting %s names the processor's vendor: say psp", s[1])
		}
	}
}

func TestVendorFindsViolations(t *testing.T) {
	for body, want := range map[string]string{
		"// The stripe adapter hangs below.\nvar pspCustomerID = \"pspCustomerId\"": "",
		"var stripeCustomer string":                        "stripeCustomer",
		"const header = \"Stripe-Signature\"":              "Stripe-Signature",
		"type T struct { ID string `json:\"stripe_id\"` }": "stripe_id",
		"import \"github.com/stripe/stripe-go/v82\"":       "stripe-go",
	} {
		file, fset := snippet(t, "package x\n"+body)
		expect(t, vendor("x.go", file, fset), want)
	}
}
