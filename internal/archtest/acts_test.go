package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// irreversibleCalls lists the calls that perform an irreversible action: charging a card, closing
// a campaign, deleting a card, or writing a mail about a charge or a missed goal. An entry without
// a dot matches a method of any value.
var irreversibleCalls = []string{"Processor.Charge", "Processor.DetachCard", "CloseMissed",
	"StartDetaching", "mailtext.ChargedMail", "mailtext.UpdateCardMail", "mailtext.CardReminderMail",
	"mailtext.DroppedMail", "mailtext.MissedMail"}

// irreversibleIn lists the functions of a file that perform an irreversible action, as
// "package.function".
func irreversibleIn(file *ast.File) []string {
	var found []string
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			_, method, _ := strings.Cut(calleeOrType(n), ".")
			if slices.Contains(irreversibleCalls, calleeOrType(n)) || slices.Contains(irreversibleCalls, method) {
				found = append(found, file.Name.Name+"."+fn.Name.Name)
				return false
			}
			return true
		})
	}
	return slices.Compact(found)
}

// calleeOrType returns the name of a called function or method with its qualifier, such as
// "Processor.Charge", or the type of a composite literal that has elements. For other nodes it
// returns "".
func calleeOrType(n ast.Node) string {
	switch n := n.(type) {
	case *ast.CallExpr:
		method, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		switch of := method.X.(type) {
		case *ast.SelectorExpr:
			return of.Sel.Name + "." + method.Sel.Name
		case *ast.Ident:
			return of.Name + "." + method.Sel.Name
		}
	case *ast.CompositeLit:
		if name, ok := n.Type.(*ast.Ident); ok && len(n.Elts) > 0 {
			return name.Name
		}
	}
	return ""
}

var actRow = regexp.MustCompile("(?m)^\\| [^|]+ \\| `([a-z]+\\.[A-Za-z]+)` \\| ")

// The table of irreversible actions in docs/reliability.md lists exactly the functions that
// perform one.
func TestIrreversibleActions(t *testing.T) {
	var found []string
	places := []string{"", "settlement", "checkout", "admin", "hosts/compose", "hosts/httpapi", "notify"}
	eachFileOf(t, func(path string) bool { return slices.Contains(places, path) },
		func(_ string, file *ast.File, _ *token.FileSet) {
			found = append(found, irreversibleIn(file)...)
		})
	slices.Sort(found)
	page, err := os.ReadFile("../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Irreversible actions\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for _, row := range actRow.FindAllStringSubmatch(section, -1) {
		listed = append(listed, row[1])
	}
	slices.Sort(listed)
	if fmt.Sprint(found) != fmt.Sprint(listed) {
		t.Errorf("the sources perform irreversible actions in\n%v\ndocs/reliability.md lists\n%v", found, listed)
	}
}

// Only admit creates an admission.
func TestAdmissions_OnlyByAdmit(t *testing.T) {
	eachFileOf(t, func(path string) bool { return path == "settlement" },
		func(name string, file *ast.File, _ *token.FileSet) {
			for _, d := range file.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil || fn.Name.Name == "admit" {
					continue
				}
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					if calleeOrType(n) == "admission" {
						t.Errorf("%s: %s creates an admission", name, fn.Name.Name)
					}
					return true
				})
			}
		})
}

func TestIrreversibleActions_FindsCalls(t *testing.T) {
	for body, want := range map[string]string{
		`func (a *admission) f() { a.Processor.Charge(ctx, c) }`:                  "[p.f]",
		`func f() { s.Processor.DetachCard(ctx, card, "k") }`:                     "[p.f]",
		`func f() { a.object.CloseMissed(ctx, l) }`:                               "[p.f]",
		`func f() { x := a.object; x.StartDetaching(ctx, l) }`:                    "[p.f]",
		`func f() { m, err = mailtext.MissedMail(p) }`:                            "[p.f]",
		`func f() { s.Orders.Charge(ctx, id) }; func (c Client) CloseMissed() {}`: "[]",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p; "+body, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(irreversibleIn(file)); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
