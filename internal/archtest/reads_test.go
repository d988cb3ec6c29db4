package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fieldsOf lists the fields with a tag in the struct type root and in the structs below it, as
// "Struct.Field".
func fieldsOf(of *types.Package, root, tag string) []string {
	var fields []string
	seen := map[types.Type]bool{}
	var walk func(t types.Type)
	walk = func(t types.Type) {
		for {
			inner, ok := t.Underlying().(interface{ Elem() types.Type })
			if !ok {
				break
			}
			t = inner.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok || seen[t] {
			return
		}
		seen[t] = true
		for i := range s.NumFields() {
			if f := s.Field(i); f.Pkg() == of {
				if _, tagged := reflect.StructTag(s.Tag(i)).Lookup(tag); tagged {
					fields = append(fields, fieldName(t, f))
				}
				walk(f.Type())
			}
		}
	}
	walk(of.Scope().Lookup(root).Type())
	return fields
}

func fieldName(of types.Type, f *types.Var) string {
	if n, ok := of.(*types.Named); ok {
		return n.Obj().Name() + "." + f.Name()
	}
	return "struct." + f.Name()
}

// reads lists the fields of a package's structs that a source reads, as
// "Struct.Field". Assignments do not count.
func reads(s source, of string, fills func(file string) bool) []string {
	var fields []string
	for _, file := range s.files {
		if fills(s.path + "/" + filepath.Base(s.fset.Position(file.Pos()).Filename)) {
			continue
		}
		assigned := map[ast.Expr]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					assigned[e] = n.Tok == token.ASSIGN
				}
			case *ast.SelectorExpr:
				if name := fieldAt(s.info.Selections[n], of); name != "" && !assigned[n] {
					fields = append(fields, name)
				}
			}
			return true
		})
	}
	return fields
}

// fieldAt returns the field that a selection ends at, if it belongs to the
// package.
func fieldAt(s *types.Selection, of string) string {
	if s == nil || s.Kind() != types.FieldVal {
		return ""
	}
	t, name := s.Recv(), ""
	for _, i := range s.Index() {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		f := t.Underlying().(*types.Struct).Field(i)
		name = ""
		if f.Pkg() != nil && inside(f.Pkg().Path()) == of {
			name = fieldName(t, f)
		}
		t = f.Type()
	}
	return name
}

// unreadFields returns the tagged fields below a type that no code reads, except for the files
// that fill them. Such a field is an input without an effect.
func unreadFields(all []source, of, root, tag string, fills func(file string) bool) []string {
	var missing []string
	for _, s := range all {
		if s.path == of {
			missing = fieldsOf(s.types, root, tag)
		}
	}
	for _, s := range all {
		read := reads(s, of, fills)
		missing = slices.DeleteFunc(missing, func(field string) bool { return slices.Contains(read, field) })
	}
	slices.Sort(missing)
	return missing
}

// shownByPages lists, by package, the fields that only templates read.
var shownByPages = map[string][]string{
	"hosts/site": {"struct.SocialImageAlt", "struct.XHandle"},
	"pledge/campaign": {
		"AddOn.Description", "AddOn.SourceURL", "AddOn.VariantOption", "Campaign.OngoingItems",
		"Campaign.Questions", "Campaign.ShowOngoing", "Creator.Instagram", "Creator.Links",
		"Decision.Type", "Link.Label", "Link.URL", "OngoingItem.Label", "OngoingItem.Remaining", "Question.Answer",
		"Question.Question", "StretchGoal.Description", "StretchGoal.Status", "SupportItem.Need",
		"Tier.Includes",
	},
}

// byLookup are settings that are looked up by name before the others are read.
var byLookup = []string{"Server.ContentDir"}

func TestSettings_AllRead(t *testing.T) {
	all := sources(t)
	for _, tt := range []struct {
		of, root, tag string
		fills         string // the files that fill the fields
		known         []string
	}{
		{"hosts/config", "Config", "env", `^hosts/config/([^c]|check)`, byLookup},
		{"hosts/site", "settings", "yaml", `^hosts/site/settings\.go$`, shownByPages["hosts/site"]},
		{"pledge/campaign", "Campaign", "json", `^pledge/campaign/campaignfile/`, shownByPages["pledge/campaign"]},
	} {
		got := unreadFields(all, tt.of, tt.root, tt.tag, regexp.MustCompile(tt.fills).MatchString)
		slices.Sort(tt.known)
		if diff := cmp.Diff(tt.known, got); diff != "" {
			t.Errorf("%s: unread fields (-known +found):\n%s", tt.of, diff)
		}
	}
}

func TestSettings_ShownByPages(t *testing.T) {
	shown := map[string]bool{}
	files(t, ".html", func(path string, text []byte) {
		for _, m := range regexp.MustCompile(`\.([A-Z]\w*)`).FindAllStringSubmatch(string(text), -1) {
			shown[m[1]] = shown[m[1]] || under(path, "hosts/site/templates")
		}
	})
	for _, field := range slices.Concat(slices.Collect(maps.Values(shownByPages))...) {
		if _, name, _ := strings.Cut(field, "."); !shown[name] {
			t.Errorf("no page shows %s", field)
		}
	}
}

func TestUnread_FindsViolations(t *testing.T) {
	const types = "package x\ntype C struct {\n\tG G\n\tL []*E\n}\ntype G struct {\n\tA int `k:\"a\"`\n}\ntype E struct {\n\tB int `k:\"b\"`\n\tn int\n}\n"
	for body, want := range map[string]string{
		"func f(c *C) int { return c.G.A + c.L[0].B }":                    "",
		"func f(g G, e E) int { return g.A + e.B + e.n }":                 "",
		"type w struct{ *C; E }\nfunc f(w w) int { w.B++; return w.G.A }": "",
		"func f(c C) int { return c.G.A }":                                "E.B",
		"func f(c C) int { c.G.A = 1; return c.L[0].B }":                  "G.A",
		"func f(c C) int { e := E{B: 1}; _ = e; return c.G.A }":           "E.B",
	} {
		file, fset := snippet(t, types+body)
		s, err := typed(modulePath+"/x", []*ast.File{file}, fset, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, unreadFields([]source{s}, "x", "C", "k", func(string) bool { return false }), want)
	}
}
