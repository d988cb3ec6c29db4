package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/usage"
	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

// provider returns the same response to every request and records the requests.
type provider struct {
	asked []fetch.Request
	body  string
}

func (p *provider) Send(_ context.Context, r fetch.Request) (fetch.Response, error) {
	p.asked = append(p.asked, r)
	return fetch.Response{Status: 200, Body: []byte(p.body)}, nil
}

// Only super admins see plan usage. Either token setting works, and nothing is written.
//
// Proves PLN-01, PLN-02, PLN-05.
func TestPlanUsage(t *testing.T) {
	for _, setting := range []string{"EDGE_USAGE_API_TOKEN", "EDGE_ANALYTICS_API_TOKEN", ""} {
		env := map[string]string{"EDGE_ACCOUNT_ID": "account", "PLAN_USAGE_EDGE_PLAN": "paid"}
		if setting != "" {
			env[setting] = "a read-only token"
		}
		watching, touched := false, []string{}
		e := newEdge(t, memory.Options{Env: env, Fail: func(op memkv.Op) error {
			if watching && (op.Kind == memkv.OpPut || op.Kind == memkv.OpDelete || op.Kind == memkv.OpList) {
				touched = append(touched, fmt.Sprint(op.Kind, " ", op.Key))
			}
			return nil
		}})
		p := &provider{body: `{"data":{"viewer":{"accounts":[{"workersInvocationsAdaptive":[{"sum":{"requests":9000000}}],
			"durableObjectsInvocationsAdaptiveGroups":[],"kvOperationsAdaptiveGroups":[],"kvStorageAdaptiveGroups":[]}]}},"errors":null}`}
		without := e.API
		api, err := httpapi.New(e.Services, httpapi.Options{Fetch: p})
		if err != nil {
			t.Fatal(err)
		}
		e.API = api
		user, super := e.signedIn("user@example.com", access.CampaignUser, game),
			e.signedIn("super@example.com", access.SuperAdmin)
		before := e.kept()
		e.wantFailure(e.get("/admin/plan-usage", ""), 401, "You are not signed in")
		e.wantFailure(e.get("/admin/plan-usage", "", e.admin()...), 401, "You are not signed in")
		e.wantStatus(user.ask("GET", "/admin/plan-usage", nil), 403)
		if len(p.asked) != 0 {
			t.Errorf("an unauthorized user's request reached the provider")
		}
		watching = true
		r := super.ask("GET", "/admin/plan-usage", nil)
		watching = false
		e.wantStatus(r, 200)
		if len(touched) > 0 {
			t.Errorf("it does %v", touched)
		}
		got := decode[usage.Report](t, r)
		if diff := cmp.Diff(before, e.kept()); diff != "" {
			t.Errorf("reading wrote (-before +after):\n%s", diff)
		}
		if setting == "" {
			if len(got.Missing) != 1 || len(p.asked) != 0 {
				t.Errorf("without a token: %+v", got)
			}
			continue
		}
		if len(p.asked) != 1 || p.asked[0].URL != usage.Endpoint ||
			p.asked[0].Header["Authorization"] != "Bearer a read-only token" ||
			!strings.Contains(p.asked[0].Body, `"account":"account"`) {
			t.Errorf("%s: asked %+v", setting, p.asked)
		}
		if got.Plan != "Workers Paid" || got.Severity != usage.Warning || got.Usage[0].Used != 9_000_000 {
			t.Errorf("%s: %+v", setting, got)
		}
		e.API = without
		e.wantStatus(super.ask("GET", "/admin/plan-usage", nil), 503)
	}
}
