package httpapi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// personal lists fields with personal data or keys that lead to it.
var personal = []string{
	"email", "adminEmail", "shippingAddress", "billingAddress", "author", "by", "statedBy", "token", "checkoutToken",
	"line1", "phone", "users", "target", "browser", "userChoice", "pspCustomerId", "rows", "qr",
	"createdBy", "grantedBy", "startedBy", "recipient", "endedBy", "emails", "reviewers", "network", "postalCode", "city",
}

// impersonal lists files with totals by day, and files with pictures.
var impersonal = []string{
	"/admin/accounting/:slug/xero.csv", "/admin/accounting/:slug/quickbooks.csv",
	"/admin/accounting/:slug/journal.txt", "/admin/accounting/:slug/ledger.txt", "/admin/accounting/:slug/tax.csv",
	"/admin/media/:slug/file",
}

// Every route whose response contains personal data declares it, and no other route does.
func TestRoutes_PersonalData(t *testing.T) {
	e := newEdge(t, memory.Options{})
	named := 0
	for _, r := range e.API.Routes() {
		if r.TestOnly {
			continue
		}
		fields := map[string]bool{}
		op := e.doc.Paths.Find(strings.Replace(r.Pattern, ":slug", "{slug}", 1)).GetOperation(r.Method)
		for _, answer := range op.Responses.Map() {
			for kind, media := range answer.Value.Content {
				if strings.Contains(kind, "json") && media.Schema != nil && media.Schema.Ref != "#/components/schemas/Error" {
					propertiesOf(media.Schema, fields, 0)
				}
			}
		}
		tells := slices.DeleteFunc(slices.Sorted(maps.Keys(fields)),
			func(f string) bool { return !slices.Contains(personal, f) })
		file := r.Type != "" && strings.HasPrefix(r.Pattern, "/admin/")
		if file && len(r.Personal) == 0 && !slices.Contains(impersonal, r.Pattern) {
			t.Errorf("%s %s is a file without declared personal data", r.Method, r.Pattern)
		}
		if !file && (len(tells) > 0) != (len(r.Personal) > 0) {
			t.Errorf("%s %s contains %v, but declares %v", r.Method, r.Pattern, tells, r.Personal)
		}
		if len(r.Personal) > 0 {
			named++
		}
		if slices.Contains(r.Personal, httpapi.Supporters) && r.Operator == "" && r.Secret == 0 {
			t.Errorf("%s %s is public but shows supporters", r.Method, r.Pattern)
		}
	}
	if named < 20 {
		t.Errorf("only %d routes contain personal data", named)
	}
}

func propertiesOf(s *openapi3.SchemaRef, into map[string]bool, depth int) {
	if s == nil || s.Value == nil || depth > 12 {
		return
	}
	for name, p := range s.Value.Properties {
		into[name] = true
		propertiesOf(p, into, depth+1)
	}
	propertiesOf(s.Value.Items, into, depth+1)
	propertiesOf(s.Value.AdditionalProperties.Schema, into, depth+1)
	for _, one := range s.Value.OneOf {
		propertiesOf(one, into, depth+1)
	}
}
