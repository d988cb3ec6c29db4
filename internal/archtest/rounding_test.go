package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// roundings are the methods of decimal and big numbers that may lose precision.
var roundings = []string{
	"Round", "RoundBank", "RoundCash", "RoundCeil", "RoundDown", "RoundFloor", "RoundUp",
	"Ceil", "Floor", "Truncate", "IntPart", "BigInt",
	"Div", "DivRound", "Quo", "QuoRem", "Mod", "Rem", "Pow", "PowInt32", "PowBigInt",
	"StringFixed", "StringFixedBank", "InexactFloat64",
}

// mayRound lists the functions of the core, its adapters and the HTTP layer that
// may round or divide, with what they round.
var mayRound = map[string]string{
	"money.Of":    "an amount, to the cent: the only rounding of amounts",
	"money.Split": "an amount among its parts, which sum to it",

	"money.Dollars":          "a bound",
	"money.String":           "dollars and cents, as text",
	"pricing.badAmount":      "a bound, as text",
	"campaignfile.dollars":   "checks for a remainder of cents",
	"projection.percent":     "percentage of the goal, for display",
	"projection.book":        "a number of pledges",
	"search.after":           "a number of pledges",
	"compose.updateSearch":   "a minute",
	"compose.span":           "minutes, hours and days",
	"overview.wholeDays":     "whole days",
	"inventory.share":        "a number of units",
	"inventory.networkShare": "a number of units",
	"shipping.Billable":      "pounds",
	"state.ChargeResult":     "seconds",
	"kv.save":                "a byte",
	"locale.holds":           "a remainder in a plural rule",
	"notify.rate":            "a number of requests",
	"notify.narrow":          "a number of requests",
	"notify.say":             "every second element of a list",
	"pricing.FormatItem":     "whole dollars, as text",

	"money.readRate":       "a rate from another program",
	"money.ReadDollars":    "a price from another program",
	"usps.retryAfter":      "seconds",
	"usps.newPriceRequest": "ounces and pounds",
	"usps.envelopeRequest": "ounces",
	"config.display":       "dollars and cents, as text",
	"config.dollars":       "an amount in whole cents",
	"httpapi.response":     "seconds",
	"httpapi.smallCart":    "whole dollars of a test pledge",
	"site.structuredData":  "dollars and cents, as text",
	"site.centeredCrop":    "pixels",
	"site.homePages":       "a number of pages",
	"site.percent":         "percentage of the goal, for display",
	"site.newView":         "days",
	"site.palette":         "colors",
	"site.resize":          "pixels",
	"site.scaled":          "pixels",
	"site.averaged":        "pixels",
	"site.averageSquare":   "pixels",
}

// hasAmounts reports whether a package creates or processes amounts.
func hasAmounts(path string) bool {
	adapter := slices.Contains([]string{"tax", "shipping"}, contractOf(path)) && !slices.Contains(testOnly, path)
	return inCore(path) || adapter ||
		slices.Contains([]string{"hosts/compose", "hosts/config", "hosts/httpapi", "hosts/site"}, path)
}

// checkRounding checks that only the functions in mayRound round or divide amounts.
func checkRounding(name string, file *ast.File, fset *token.FileSet) []string {
	var violations []string
	// Files that use neither package may call methods with the same names, such as
	// time.Duration.Round. Files of package money use decimals without importing them.
	exact := importOf(file, "decimal") == "" && importOf(file, "big") == "" && file.Name.Name != "money"
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && mayRound[file.Name.Name+"."+f.Name.Name] != "" {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			what := ""
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.QUO || n.Op == token.REM || n.Op == token.SHR {
					what = n.Op.String()
				}
			case *ast.AssignStmt:
				if n.Tok == token.QUO_ASSIGN || n.Tok == token.REM_ASSIGN || n.Tok == token.SHR_ASSIGN {
					what = n.Tok.String()
				}
			case *ast.SelectorExpr:
				if !exact && slices.Contains(roundings, n.Sel.Name) {
					what = n.Sel.Name
				}
			}
			if what != "" {
				violations = append(violations,
					fmt.Sprintf("%s:%d: %s: only a money.Rate may round an amount", name, fset.Position(n.Pos()).Line, what))
			}
			return true
		})
	}
	return violations
}

// Proves MON-17.
func TestRounding(t *testing.T) {
	eachFileOf(t, hasAmounts, func(name string, file *ast.File, fset *token.FileSet) {
		report(t, checkRounding(name, file, fset))
	})
}

func TestRounding_FindsViolations(t *testing.T) {
	const imports = `import ("math/big"; "github.com/shopspring/decimal");`
	for body, want := range map[string]string{
		`func (r Rate) Of(c Cents) Cents { return Cents(r.d.Round(0).IntPart()) }`:          "",
		`func (r Rate) Down(c Cents) Cents { return cents(r.d.Truncate(0)) }`:               "Truncate",
		`func half(c Cents) Cents { return c / 2 }`:                                         "/: only",
		`func half(c Cents) Cents { c >>= 1; return c }`:                                    ">>=: only",
		`func odd(c Cents) bool { return c%2 != 0 }`:                                        "%: only",
		`var third = new(big.Int).Quo(a, b)`:                                                "Quo",
		`var ceil = decimal.Decimal.Ceil`:                                                   "Ceil",
		`func twice(c Cents, d decimal.Decimal) (Cents, bool) { return 2 * c, d.IsZero() }`: "",
	} {
		file, fset := snippet(t, "package money\n"+imports+body)
		expect(t, checkRounding("x.go", file, fset), want)
	}
	file, fset := snippet(t, `package money; func (r Rate) Down(c Cents) Cents { return cents(r.d.Floor()) }`)
	expect(t, checkRounding("x.go", file, fset), "Floor")
	file, fset = snippet(t,
		`package x; import "time"; func f(d time.Duration) time.Duration { return d.Round(time.Second) }`)
	expect(t, checkRounding("x.go", file, fset), "")
}
