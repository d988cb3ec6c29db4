package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages in import order: a package may import packages of
// earlier rows, and none of its own or a later row. Packages below a host belong
// to the host.
var layers = [][]string{
	{"pledge/fault", "hosts/fetch"},
	{"kv", "pledge/money", "pledge/campaign/safety", "pledge/token", "pledge/zipcode", "pledge/locale"},
	{"pledge/campaign", "pledge/campaign/richtext"},
	{"pledge"},
	{"pledge/inventory", "pledge/search"},
	{"pledge/order"},
	{"pledge/vote"},
	{"pledge/projection"},
	{"tax", "shipping", "notify", "checkout/psp", "hosts/challenge"},
	{"notify/mailtext"},
	{"notify/suppression", "notify/broadcast"},
	{"notify/reminder"},
	{"notify/feedback"},
	{"checkout/evidence", "checkout/agreement", "checkout/cards", "checkout/pricing"},
	{"checkout"},
	{"settlement/ledger"},
	{"settlement/dispute", "settlement/payout"},
	{"settlement/state", "settlement/refund"},
	{"settlement"},
	{"settlement/reconcile", "pledge/campaign/campaignfile"},
	{""}, // the composition of all of these
	{"admin", "admin/repository", "admin/report", "admin/passkey", "admin/marketing",
		"admin/analytics", "admin/visits"},
	{"admin/repository/disk"},
	{"admin/access", "admin/accounting", "admin/audit", "admin/health", "admin/supporters", "admin/fulfilment",
		"admin/usage", "admin/pledgehealth", "admin/content", "admin/media"},
	{"admin/disputes", "admin/payouts"},
	{"admin/preview", "admin/overview"},
	{"hosts/config", "hosts/status"},
	{"hosts/compose", "hosts/schema"},
	{"hosts/httpapi", "hosts/site"},
	{"hosts/memory", "hosts/providers"},
	{"hosts/nethttp", "hosts/workers", "hosts/embed"},
}

// contracts are the packages with adapters in subpackages. neutral lists what an
// adapter may import besides its contract.
var (
	contracts = []string{"hosts/fetch", "kv", "tax", "shipping", "notify", "checkout/psp",
		"hosts/challenge", "admin/passkey", "admin/repository", "admin/media"}
	neutral = []string{"pledge/fault", "pledge/money", "pledge/zipcode", "hosts/fetch", "admin/repository/disk"}
)

// narrower maps packages that may import less than their row allows to their permitted imports.
var narrower = map[string][]string{
	"kv": {"pledge/fault"},
	"settlement/state": {"pledge/fault", "pledge/money", "pledge", "pledge/campaign", "pledge/inventory",
		"kv", "checkout/psp", "checkout/agreement", "settlement/ledger"},
	"settlement/ledger":  {"pledge/fault", "pledge/money", "pledge", "kv"},
	"settlement/dispute": {"pledge/fault", "pledge/money", "kv", "checkout/psp", "settlement/ledger"},
	"settlement/payout":  {"pledge/fault", "pledge/money", "kv", "checkout/psp", "settlement/ledger"},
	"settlement/refund":  {"pledge/fault", "pledge/money", "pledge", "kv", "checkout/psp", "settlement/ledger"},
	"hosts/status":       {"pledge/fault"},
	"hosts/embed":        {"", "checkout", "pledge/fault", "hosts/status"},
	"hosts/config":       {"pledge/fault", "pledge/money", "pledge", "checkout/psp"},
}

// testOnly lists packages that only tests and each other import.
var testOnly = []string{"internal", "kv/kvtest", "checkout/psp/psptest", "tax/taxtest", "shipping/shippingtest",
	"notify/notifytest", "admin/repository/repositorytest", "admin/media/s3/s3test"}

// outside lists folders whose packages may import any package. Only packages of the same folder
// import them, and tests, but tests of other packages do not import examples.
var outside = []string{"examples", "internal"}

// coreDoubles are the adapters and test suites that tests of the core may use;
// they have no dependencies.
var coreDoubles = []string{"kv/memkv", "admin/repository/memory", "checkout/psp/sim",
	"checkout/psp/pace", "checkout/psp/psptest"}

// inCore reports whether a package belongs to the core: the packages before admin in import order,
// without adapters.
func inCore(path string) bool {
	row := rowOf(path)
	return row >= 0 && row < rowOf("admin") && contractOf(path) == ""
}

// rowOf returns the package's row in layers, or -1. Adapters are in the row of their contract, and
// packages below a host in the host's row.
func rowOf(path string) int {
	if c := contractOf(path); c != "" {
		path = c
	}
	for under(path, "hosts") && strings.Count(path, "/") > 1 {
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return slices.IndexFunc(layers, func(row []string) bool { return slices.Contains(row, path) })
}

// contractOf returns the contract that an adapter implements, or "". A package
// with its own row is not an adapter.
func contractOf(path string) string {
	if slices.ContainsFunc(layers, func(row []string) bool { return slices.Contains(row, path) }) {
		return ""
	}
	for _, c := range contracts {
		if path != c && under(path, c) {
			return c
		}
	}
	return ""
}

// checkImportOrder checks the imports between the module's packages.
func checkImportOrder(all []pkg) []string {
	var violations []string
	for _, p := range all {
		from := p.path()
		if rowOf(from) < 0 && !underAny(from, outside) {
			violations = append(violations, fmt.Sprintf("%s has no layer: add it to a row in internal/archtest", from))
			continue
		}
		for _, imported := range p.Imports {
			if to := inside(imported); ours(imported) && !mayImport(from, to) {
				violations = append(violations, fmt.Sprintf("%s imports %s", from, to))
			}
		}
		for _, imported := range p.tests() {
			to := inside(imported)
			if ours(imported) && inCore(from) && contractOf(to) != "" && !slices.Contains(coreDoubles, to) {
				violations = append(violations, fmt.Sprintf("a test of %s imports the adapter %s", from, to))
			}
			if ours(imported) && under(to, "examples") && !under(from, "examples") {
				violations = append(violations, fmt.Sprintf("a test of %s imports the example %s", from, to))
			}
		}
	}
	return violations
}

func mayImport(from, to string) bool {
	switch {
	case underAny(to, outside) || underAny(to, testOnly):
		return underAny(from, outside) && under(from, first(to)) || underAny(from, testOnly) && !underAny(to, outside)
	case underAny(from, outside):
		return true
	case underAny(from, testOnly) && slices.Contains(coreDoubles, to):
		return contractOf(from) == contractOf(to)
	case underAny(from, testOnly) && contractOf(from) != "" && contractOf(to) == "":
		// A test suite may import its contract and the packages of earlier rows.
		return to == contractOf(from) || rowOf(to) >= 0 && rowOf(to) < rowOf(from)
	case contractOf(from) != "":
		c := contractOf(from)
		return to == c || slices.Contains(neutral, to) || sameOwner(from, to)
	case contractOf(to) != "":
		return rowOf(from) >= rowOf("hosts/compose")
	case under(from, "hosts") && sameOwner(from, to):
		return true
	}
	if few, ok := narrower[from]; ok {
		return slices.Contains(few, to)
	}
	return rowOf(to) >= 0 && rowOf(to) < rowOf(from)
}

// sameOwner reports whether both packages belong to the same adapter or the same host.
func sameOwner(from, to string) bool {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	depth := 2
	if c := contractOf(from); c != "" {
		depth = strings.Count(c, "/") + 2
	}
	return len(a) >= depth && len(b) >= depth && slices.Equal(a[:depth], b[:depth])
}

func first(path string) string {
	f, _, _ := strings.Cut(path, "/")
	return f
}

func TestImportOrder(t *testing.T) { report(t, checkImportOrder(packages(t))) }

func TestImportOrder_FindsViolations(t *testing.T) {
	tests := []struct{ from, to, test, want string }{
		{from: "pledge/money", to: "pledge/fault"},
		{from: "kv", to: "pledge/fault"},
		{from: "settlement", to: "checkout"},
		{from: "settlement", to: "settlement/state"},
		{from: "settlement/state", to: "checkout/psp"},
		{from: "kv/sqlitekv", to: "kv"},
		{from: "checkout/psp/stripe", to: "pledge/money"},
		{from: "checkout/psp/stripe/wire", to: "checkout/psp/stripe"},
		{from: "checkout/psp/psptest", to: "checkout/psp"},
		{from: "checkout/psp/psptest", to: "checkout/psp/sim"},
		{from: "tax/taxtest", to: "tax"},
		{from: "tax/taxtest", to: "pledge"},
		{from: "hosts/memory", to: "kv/memkv"},
		{from: "hosts/nethttp/cmd/pledged", to: "hosts/nethttp"},
		{from: "hosts/nethttp/cmd/pledged", to: "hosts/memory"},
		{from: "hosts/nethttp", to: "hosts/config"},
		{from: "examples/embed", to: "hosts/nethttp"},
		{from: "internal/simulation", to: "hosts/memory"},
		{from: "checkout", test: "kv/memkv"},
		{from: "checkout", test: "checkout/psp/sim"},
		{from: "kv/sqlitekv", test: "kv/kvtest"},
		{from: "hosts/nethttp", test: "internal/simulation"},

		{from: "pledge/fault", to: "pledge/money", want: "pledge/fault imports pledge/money"},
		{from: "pledge/money", to: "kv", want: "imports kv"},
		{from: "kv", to: "pledge/money", want: "imports pledge/money"},
		{from: "tax", to: "shipping", want: "imports shipping"},
		{from: "checkout", to: "settlement", want: "imports settlement"},
		{from: "settlement/state", to: "pledge/order", want: "imports pledge/order"},
		{from: "settlement/state", to: "settlement", want: "imports settlement"},
		{from: "settlement", to: "hosts/httpapi", want: "imports hosts/httpapi"},
		{from: "hosts/compose", to: "hosts/httpapi", want: "imports hosts/httpapi"},
		{from: "hosts/config", to: "pledge/campaign", want: "imports pledge/campaign"},
		{from: "hosts/memory", to: "hosts/nethttp", want: "imports hosts/nethttp"},
		{from: "hosts/nethttp", to: "hosts/workers", want: "imports hosts/workers"},
		{from: "checkout", to: "checkout/psp/sim", want: "imports checkout/psp/sim"},
		{from: "hosts/config", to: "kv/memkv", want: "imports kv/memkv"},
		{from: "checkout/psp/psptest", to: "checkout/psp/stripe", want: "imports checkout/psp/stripe"},
		{from: "checkout/psp/psptest", to: "kv/memkv", want: "imports kv/memkv"},
		{from: "kv/sqlitekv", to: "kv/memkv", want: "imports kv/memkv"},
		{from: "kv/sqlitekv", to: "pledge/campaign", want: "imports pledge/campaign"},
		{from: "kv/memkv", to: "kv/kvtest", want: "imports kv/kvtest"},
		{from: "tax/flat", to: "pledge", want: "imports pledge"},
		{from: "tax/taxtest", to: "shipping", want: "imports shipping"},
		{from: "tax/taxtest", to: "checkout", want: "imports checkout"},
		{from: "tax/flat", to: "kv", want: "imports kv"},
		{from: "hosts/nethttp", to: "internal/simulation", want: "imports internal/simulation"},
		{from: "hosts/nethttp", to: "examples/embed", want: "imports examples/embed"},
		{from: "checkout", test: "kv/sqlitekv", want: "a test of checkout imports the adapter kv/sqlitekv"},
		{from: "pledge/order", test: "kv/kvtest", want: "imports the adapter kv/kvtest"},
		{from: "checkout", test: "examples/embed", want: "imports the example"},
		{from: "pledge/ledger", to: "pledge", want: "has no layer"},
		{from: "store", want: "has no layer"},
	}
	for _, tt := range tests {
		t.Run(tt.from+" to "+tt.to+tt.test, func(t *testing.T) {
			p := pkg{ImportPath: modulePath + "/" + tt.from}
			if tt.to != "" {
				p.Imports = []string{modulePath + "/" + tt.to}
			}
			if tt.test != "" {
				p.XTestImports = []string{modulePath + "/" + tt.test}
			}
			expect(t, checkImportOrder([]pkg{p}), tt.want)
		})
	}
}
