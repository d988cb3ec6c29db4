package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// settlementLayers are the files of package settlement, from the lowest layer to the highest. A
// file may refer to files of its layer and of lower ones.
var settlementLayers = []string{
	"chargegroup payer plan",                    // rules about the pledges of a charge
	"leases service",                            // the service and its state in memory
	"active checks groups tally",                // reads and checks without a lease
	"admission",                                 // the lease of an admission
	"copies promise",                            // records and promises under a lease
	"agreements findpledges forgotten payments", // imports from the processor
	"acts admit",                                // all checks, and the irreversible actions
	"run",                                       // the state of a run
	"book drive held reclaim recover",           // steps of one charge group
	"lifecycle supporter sweep walk",            // the order in which a run visits groups
	"batch",                                     // jobs
	"cards close due preview report settle upcoming verify", // operations of hosts
	"accept cancel disputes failures financials ledger payouts payoutrows refunds refundrun refundsteps release remind reopen resolve status terms", // operations of operators
}

// maxUpward is the allowed percentage of references to a higher layer.
const maxUpward = 10

// reference is a use of another file's declaration. Repeated uses count once.
type reference struct{ from, to, name string }

// upwardReferences returns the references to a higher layer and the number of all references between the
// files of a package.
func upwardReferences(s source, layers []string) (up []reference, all int) {
	fileOf := func(p token.Pos) string {
		return strings.TrimSuffix(filepath.Base(s.fset.Position(p).Filename), ".go")
	}
	seen := map[reference]bool{}
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			if used := s.info.Uses[id]; used != nil && used.Pkg() == s.types {
				r := reference{fileOf(id.Pos()), fileOf(used.Pos()), used.Name()}
				seen[r] = seen[r] || r.from != r.to
			}
			return true
		})
	}
	for r, between := range seen {
		if !between {
			continue
		}
		if all++; layerOf(layers, r.to) > layerOf(layers, r.from) {
			up = append(up, r)
		}
	}
	slices.SortFunc(up, func(a, b reference) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.name, b.name))
	})
	return up, all
}

// layerOf returns the layer of a file, or -1.
func layerOf(layers []string, file string) int {
	return slices.IndexFunc(layers, func(layer string) bool { return slices.Contains(strings.Fields(layer), file) })
}

// checkLayering checks that every file of a package has a layer, that the listed files exist,
// and that at most maxUpward percent of the references lead to a higher layer.
func checkLayering(s source, layers []string) []string {
	var violations []string
	listed := strings.Fields(strings.Join(layers, " "))
	for _, file := range s.files {
		name := strings.TrimSuffix(filepath.Base(s.fset.Position(file.Pos()).Filename), ".go")
		at := slices.Index(listed, name)
		if at >= 0 {
			listed = slices.Delete(listed, at, at+1)
		} else if name != "doc" {
			violations = append(violations, fmt.Sprintf("%s/%s.go has no layer", s.path, name))
		}
	}
	for _, name := range listed {
		violations = append(violations, fmt.Sprintf("there is no file %s/%s.go", s.path, name))
	}
	up, all := upwardReferences(s, layers)
	if len(up)*100 > all*maxUpward {
		violations = append(violations, fmt.Sprintf("%s: %d of %d references lead to a higher layer, more than %d %%: %v",
			s.path, len(up), all, maxUpward, up))
	}
	return violations
}

func TestLayering_Settlement(t *testing.T) {
	for _, s := range sources(t) {
		if s.path == "settlement" {
			up, all := upwardReferences(s, settlementLayers)
			t.Logf("%d of %d references lead to a higher layer", len(up), all)
			report(t, checkLayering(s, settlementLayers))
		}
	}
}

func TestLayering_FindsViolations(t *testing.T) {
	low := "package x\nfunc low() int { return 1 }\n"
	high := "package x\nfunc high() int { return low() + low() }\n"
	for _, tt := range []struct{ low, high, layers, want string }{
		{low, high, "low/high", ""},
		{low, high, "low high", ""},
		{low, high, "high/low", "1 of 1 references lead to a higher layer"},
		{low + "func up() int { return high() }\n", high, "low/high", "1 of 2 references"},
		{low, high, "high", "x/low.go has no layer"},
		{low, high, "low/high/gone", "there is no file x/gone.go"},
	} {
		fset := token.NewFileSet()
		var files []*ast.File
		for name, text := range map[string]string{"low.go": tt.low, "high.go": tt.high} {
			file, err := parser.ParseFile(fset, name, text, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		s, err := typed(modulePath+"/x", files, fset, importer.Default())
		if err != nil {
			t.Fatal(err)
		}
		expect(t, checkLayering(s, strings.Split(tt.layers, "/")), tt.want)
	}
}
