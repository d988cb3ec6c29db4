package archtest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// coreStandard lists the packages of the standard library that the core may use. They work the
// same on a server and in a WebAssembly isolate and provide no randomness; coreForbids excludes
// the clock and timers of package time. Package html is used to escape mails.
var coreStandard = strings.Fields(`
	bytes cmp context crypto/hmac crypto/sha256 crypto/subtle embed encoding
	encoding/base64 encoding/hex encoding/json errors fmt html io io/fs iter log/slog
	maps math math/big net/url path reflect regexp slices sort strconv strings sync time
	unicode unicode/utf8`)

// coreModules lists the modules that the core may use.
var coreModules = []string{
	"github.com/shopspring/decimal",
	"github.com/oklog/ulid/v2",
}

// placed maps folders to the modules that only their packages may use: packages outside of the
// core, and the parsers of user input.
var placed = map[string][]string{
	"admin/repository/localgit":    {"github.com/gofrs/flock"},
	"admin/repository/folder":      {"github.com/gofrs/flock"},
	"notify/mailtext":              {"github.com/yuin/goldmark/ast", "github.com/yuin/goldmark/extension/ast"},
	"pledge":                       {"golang.org/x/net/idna", "golang.org/x/text/unicode/norm"},
	"pledge/campaign/richtext":     {"github.com/yuin/goldmark"},
	"pledge/campaign/campaignfile": {"go.yaml.in/yaml/v3"},
	"kv/sqlitekv":                  {"zombiezen.com/go/sqlite"},
	"kv/postgreskv":                {"github.com/jackc/pgx/v5"},
	"checkout/psp/stripe":          {"github.com/stripe/stripe-go/v82"},
	"notify/smtp": {"golang.org/x/net/idna", "github.com/wneessen/go-mail",
		"github.com/emersion/go-msgauth/dkim"},
	"shipping/usps": {"github.com/hashicorp/golang-lru/v2", "golang.org/x/sync/singleflight"},
	"tax/live": {"github.com/hashicorp/go-retryablehttp",
		"github.com/hashicorp/golang-lru/v2", "github.com/sony/gobreaker/v2"},
	"hosts/config": {"github.com/shopspring/decimal", "go.yaml.in/yaml/v3"},
	"hosts/nethttp": {"golang.org/x/time/rate", "github.com/alecthomas/kong",
		"github.com/schollz/progressbar/v3", "github.com/gofrs/flock", "github.com/oklog/ulid/v2",
		"github.com/fsnotify/fsnotify"},
	"hosts/nethttp/bench":     {"github.com/HdrHistogram/hdrhistogram-go"},
	"hosts/nethttp/telemetry": {"github.com/prometheus/client_golang", "go.opentelemetry.io"},
	"hosts/memory":            {"github.com/oklog/ulid/v2"},
	"hosts/site": {"go.yaml.in/yaml/v3", "github.com/nicksnyder/go-i18n/v2/i18n",
		"golang.org/x/text/language", "golang.org/x/image", "golang.org/x/sync/semaphore"},
	"hosts/site/bundle": {"github.com/evanw/esbuild/pkg/api"},
	"internal":          {"pgregory.net/rapid"},
	"examples/ownstore": {"github.com/jackc/pgx/v5"},
	"internal/cluster":  {"github.com/jackc/pgx/v5"},
	"internal/mutants":  {"golang.org/x/sync/errgroup"},
}

// testModules lists the modules that any test and any test suite may use.
var testModules = []string{
	"github.com/google/go-cmp",
	"github.com/anishathalye/porcupine", "pgregory.net/rapid",
	"github.com/rogpeppe/go-internal", "github.com/stripe/stripe-mock",
	"zombiezen.com/go/sqlite", // the raw database that benchmarks compare with
	"github.com/getkin/kin-openapi",
}

// testPlaced maps folders to additional modules for their tests, such as the processor's client
// library, against which its simulator is tested.
var testPlaced = map[string][]string{
	"checkout/psp/sim/simhttp": {"github.com/stripe/stripe-go/v82"},
	"internal/deployment":      {"go.yaml.in/yaml/v3"},
	"internal/rendering":       {"go.yaml.in/yaml/v3"},
	// schema validation as in editors
	"hosts/schema": {"github.com/santhosh-tekuri/jsonschema/v6",
		"go.yaml.in/yaml/v3", "golang.org/x/text"},
	"pledge/campaign/campaignfile": {"github.com/santhosh-tekuri/jsonschema/v6"},
	// the schemas of the OpenAPI document, against which every response is checked
	"hosts/httpapi": {"github.com/santhosh-tekuri/jsonschema/v6"},
	// the implementation of plural rules to which ours is compared
	"pledge/locale": {"github.com/nicksnyder/go-i18n/v2", "golang.org/x/text"},
	// the provider's published request schema
	"notify/resend": {"github.com/santhosh-tekuri/jsonschema/v6"},
	"notify/smtp":   {"github.com/emersion/go-smtp", "github.com/emersion/go-sasl"},
	// the collector's view of an export
	"hosts/nethttp/telemetry": {"google.golang.org/protobuf/proto"},
	// the raw database that benchmarks compare with, and a mail server
	"hosts/nethttp": {"github.com/jackc/pgx/v5", "github.com/emersion/go-smtp"},
}

// neverInHosts lists packages that hosts compiled for Workers must not use.
var neverInHosts = []string{"net/http", "os", "math/rand", "math/rand/v2", "html/template", "text/template"}

// checkImports checks the imports from outside of the module.
func checkImports(all []pkg) []string {
	var violations []string
	for _, p := range all {
		from := p.path()
		for _, imported := range p.Imports {
			if ours(imported) {
				continue
			}
			if problem := outsideImport(from, imported); problem != "" {
				violations = append(violations, fmt.Sprintf("%s imports %s: %s", from, imported, problem))
			}
		}
		for _, imported := range p.tests() {
			allowed := slices.Concat(coreModules, testModules, modulesOf(placed, from), modulesOf(testPlaced, from))
			if !ours(imported) && !standard(imported) && !underAny(imported, allowed) {
				violations = append(violations,
					fmt.Sprintf("a test of %s imports %s: not among the dependencies for tests", from, imported))
			}
		}
	}
	return violations
}

func outsideImport(from, imported string) string {
	switch {
	case inCore(from) && standard(imported) && !slices.Contains(coreStandard, imported):
		return "not allowed in the core"
	case inCore(from) && !standard(imported) && !underAny(imported, slices.Concat(coreModules, modulesOf(placed, from))):
		return "vendor module in the core"
	case slices.Contains(neverInHosts, imported) && underAny(from, []string{"hosts/compose", "hosts/httpapi"}):
		return "not allowed in a transport-neutral host"
	case standard(imported) || underAny(imported, modulesOf(placed, from)):
		return ""
	case underAny(from, testOnly) && underAny(imported, testModules):
		return ""
	case underAny(imported, coreModules) && (inCore(from) || !under(from, "internal")):
		return ""
	}
	return "dependency not allowed in this package"
}

func modulesOf(table map[string][]string, path string) []string {
	var all []string
	for dir, modules := range table {
		if under(path, dir) {
			all = append(all, modules...)
		}
	}
	return all
}

func TestImports(t *testing.T) { report(t, checkImports(packages(t))) }

func TestImports_FindsViolations(t *testing.T) {
	tests := []struct{ from, imported, test, want string }{
		{from: "checkout", imported: "encoding/json"},
		{from: "pledge/campaign/campaignfile", imported: "go.yaml.in/yaml/v3"},
		{from: "pledge/campaign/richtext", imported: "github.com/yuin/goldmark/parser"},
		{from: "kv/sqlitekv", imported: "zombiezen.com/go/sqlite/sqlitex"},
		{from: "kv/sqlitekv", imported: "os"},
		{from: "hosts/nethttp/cmd/pledged", imported: "github.com/alecthomas/kong"},
		{from: "kv/kvtest", imported: "github.com/google/go-cmp/cmp"},
		{from: "checkout", test: "github.com/google/go-cmp/cmp"},
		{from: "checkout", test: "os"},
		{from: "checkout/psp/sim/simhttp", test: "github.com/stripe/stripe-go/v82"},

		{from: "checkout", imported: "net/http", want: "not allowed in the core"},
		{from: "checkout", imported: "os", want: "not allowed in the core"},
		{from: "pledge/campaign", imported: "go.yaml.in/yaml/v3", want: "vendor module in the core"},
		{from: "tax", imported: "github.com/yuin/goldmark/parser", want: "vendor module in the core"},
		{from: "pledge/campaign", imported: "html/template", want: "not allowed in the core"},
		{from: "kv", imported: "unsafe", want: "not allowed in the core"},
		{from: "settlement", imported: "math/rand/v2", want: "not allowed in the core"},
		{from: "checkout/psp", imported: "github.com/stripe/stripe-go/v82", want: "vendor module in the core"},
		{from: "pledge", imported: "github.com/shopspring/decimalx", want: "vendor module in the core"},
		{from: "hosts/httpapi", imported: "net/http", want: "transport-neutral host"},
		{from: "hosts/nethttp", imported: "zombiezen.com/go/sqlite", want: "dependency not allowed"},
		{from: "hosts/nethttp", imported: "example.org/new", want: "dependency not allowed"},
		{from: "hosts/nethttp", imported: "github.com/google/go-cmp/cmp", want: "dependency not allowed"},
		{from: "checkout/psp/sim", test: "github.com/stripe/stripe-go/v82", want: "not among the dependencies for tests"},
		{from: "checkout", test: "github.com/stretchr/testify/require", want: "not among the dependencies for tests"},
		{from: "checkout", test: "github.com/alecthomas/kong", want: "not among the dependencies for tests"},
	}
	for _, tt := range tests {
		t.Run(tt.from+" to "+tt.imported+tt.test, func(t *testing.T) {
			p := pkg{ImportPath: modulePath + "/" + tt.from}
			if tt.imported != "" {
				p.Imports = []string{tt.imported}
			}
			if tt.test != "" {
				p.TestImports = []string{tt.test}
			}
			expect(t, checkImports([]pkg{p}), tt.want)
		})
	}
}

// A program that uses only campaigns and tax links exactly these modules.
func TestLinkedModules_SmallProgram(t *testing.T) {
	want, err := os.ReadFile("testdata/linked.txt")
	if err != nil {
		t.Fatal(err)
	}
	linked, err := list("-deps", modulePath+"/pledge/campaign", modulePath+"/tax")
	if err != nil {
		t.Fatal(err)
	}
	report(t, checkLinked(linked, strings.Fields(string(want))))
}

// checkLinked checks that only allowed modules are linked.
func checkLinked(linked []pkg, allowed []string) []string {
	var violations []string
	for _, p := range linked {
		if p.Module == nil || p.Module.Path == modulePath || slices.Contains(allowed, p.Module.Path) {
			continue
		}
		violations = append(violations, fmt.Sprintf("a program with campaign and tax links %s", p.ImportPath))
	}
	return violations
}

func TestLinkedModules_FindsViolations(t *testing.T) {
	of := func(module string) pkg { return pkg{ImportPath: module + "/x", Module: &struct{ Path string }{module}} }
	expect(t, checkLinked([]pkg{of(modulePath), of("a.example/b"), {ImportPath: "fmt"}}, []string{"a.example/b"}), "")
	expect(t, checkLinked([]pkg{of("a.example/b"), of("c.example/d")}, []string{"a.example/b"}), "links c.example/d/x")
}
