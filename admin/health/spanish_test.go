package health_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Every sentence that a check says, and every remedy, is known in Spanish with the same values
// in the same order, and nothing else is.
func TestFindingsAreKnownInSpanish(t *testing.T) {
	spoken, known := spokenAndKnown(t)
	for _, k := range health.Kinds() {
		spoken = append(spoken, k.Remedy)
	}
	verb := regexp.MustCompile(`%[a-z]`)
	for _, text := range spoken {
		es, ok := known[text]
		if !ok || es == "" {
			t.Errorf("not known in Spanish: %q", text)
		} else if diff := cmp.Diff(verb.FindAllString(text, -1), verb.FindAllString(es, -1)); diff != "" {
			t.Errorf("%q has other values in Spanish: %s", text, diff)
		}
	}
	for text := range known {
		if !slices.Contains(spoken, text) {
			t.Errorf("nobody says %q", text)
		}
	}
}

// spokenAndKnown reads from the package the texts given to what makes findings, and the table.
func spokenAndKnown(t *testing.T) (spoken []string, known map[string]string) {
	t.Helper()
	known = map[string]string{}
	packages, err := parser.ParseDir(token.NewFileSet(), ".", nil, 0) //nolint:staticcheck // one folder without build tags to weigh
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range packages["health"].Files {
		table := strings.HasSuffix(name, "spanishwords.go")
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if table {
					known[text(n.Key)] = text(n.Value)
				}
			case *ast.CallExpr:
				spoken = append(spoken, said(n)...)
			}
			return true
		})
	}
	// Said within a finding.
	return append(spoken, "the log says why", "All mails", "Critical differences from the processor's books are open",
		"Differences from the processor's books are open", "Charges need an operator",
		"Charges are held because too many failed or got no answer", "The processor refuses charges as invalid",
		"The processor has other terms for pledges, which are not charged",
		"The file promises something else than the pledges rely on", "What is shown is not what is booked"), known
}

func said(call *ast.CallExpr) []string {
	name, at := "", 1
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name, at = f.Sel.Name, 0
	}
	switch name {
	case "found", "fine":
	case "or":
		at = 2
	default:
		return nil
	}
	if s := text(call.Args[at]); s != "" {
		return []string{s}
	}
	return nil
}

func text(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		s, _ := strconv.Unquote(l.Value)
		return s
	}
	return ""
}

// A report is said in Spanish with what was found, and in English as it is.
func TestAReportInSpanish(t *testing.T) {
	m := well()
	m.Bound = gives(&settlement.Account{Mode: psp.Live, ID: "acct_2"}, nil)
	m.Backup = gives(before(90*time.Hour), nil)
	m.Campaigns = gives(health.Campaigns{Attention: []string{"night-ferry"}}, nil)
	r := m.Look(t.Context(), nil)
	said := map[string]string{}
	for _, f := range r.In("es").Findings {
		said[f.ID] = f.Found + " / " + f.Remedy
	}
	want := map[string]string{
		"processor.account": "La base de datos es de la cuenta acct_2, y la clave, de acct_1 / Pon en PSP_SECRET_KEY_LIVE o PSP_SECRET_KEY_TEST una clave de la cuenta de la base de datos.",
		"backup.old":        "El último pledged backup se hizo hace 3 días / Ejecuta pledged backup y averigua por qué no se hicieron las últimas copias.",
		"charge.attention":  "Hay cobros que necesitan a una persona: night-ferry / Ejecuta pledged resolve para la campaña: dos personas dicen qué pasó con cada cobro.",
		"webhooks":          "El último llegó hace un minuto / ",
		"disk":              "Quedan libres 50 GB de 100 GB / ",
	}
	for id, text := range want {
		if said[id] != text {
			t.Errorf("%s: %q", id, said[id])
		}
	}
	if m.Look(t.Context(), nil).In("en").Findings[0].Found != r.Findings[0].Found {
		t.Error("a report in English is another")
	}
}
