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
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Every message and remedy has a translation with the same values in the same order, and
// there is no unused translation.
func TestSpanish_Complete(t *testing.T) {
	spoken, known := messagesAndTranslations(t)
	for _, k := range health.Kinds() {
		spoken = append(spoken, k.Remedy)
	}
	verb := regexp.MustCompile(`%[a-z]`)
	for _, text := range spoken {
		es, ok := known[text]
		if !ok || es == "" {
			t.Errorf("no translation: %q", text)
		} else if diff := cmp.Diff(verb.FindAllString(text, -1), verb.FindAllString(es, -1)); diff != "" {
			t.Errorf("%q: the translation has different values: %s", text, diff)
		}
	}
	for text := range known {
		if !slices.Contains(spoken, text) {
			t.Errorf("unused translation: %q", text)
		}
	}
}

// messagesAndTranslations returns the messages in the package's source and the
// translations.
func messagesAndTranslations(t *testing.T) (spoken []string, known map[string]string) {
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
				spoken = append(spoken, messageOf(n)...)
			}
			return true
		})
	}
	// Inserted into other messages.
	return append(spoken, "see the server's log for the cause", "All mails", "There are unresolved critical differences from the payment processor's records",
		"There are unresolved differences from the payment processor's records", "Charges need an operator's decision",
		"Charges are on hold because too many failed or got no response", "Charges are on hold because the payment processor rejects them as invalid",
		"Pledges are not charged because the payment processor has different terms for them",
		"The campaign's file contradicts what its pledges rely on", "The displayed data differs from the recorded pledges"), known
}

func messageOf(call *ast.CallExpr) []string {
	name, at := "", 1
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name, at = f.Sel.Name, 0
	}
	switch name {
	case "finding", "passed":
	case "orPassed":
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

// In translates the findings into Spanish and returns English ones unchanged.
func TestIn(t *testing.T) {
	m := healthy()
	m.Bound = returns(&state.Account{Mode: psp.Live, ID: "acct_2"}, nil)
	m.Backup = returns(before(90*time.Hour), nil)
	m.Campaigns = returns(health.Campaigns{Attention: []string{"night-ferry"}}, nil)
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
		t.Error("In changed an English report")
	}
}
