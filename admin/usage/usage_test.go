package usage_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/usage"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	token     = "read-only-token"
	accountID = "0123456789abcdef0123456789abcdef"
)

// row is one day's usage, as returned by the fake server.
type row struct {
	dataset, date, action, namespace string
	n                                int64
}

// cloudflare is a fake GraphQL Analytics API: 401 without the token, 400 for an invalid
// query, rows within the requested dates, and no rows for another account.
func cloudflare(t *testing.T, rows []row, asked *int) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		var q struct {
			Query     string            `json:"query"`
			Variables map[string]string `json:"variables"`
		}
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&q); r.Method != http.MethodPost ||
			r.Header.Get("Content-Type") != "application/json" || err != nil || strings.Contains(q.Query, "mutation") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		accounts := []map[string]any{}
		if q.Variables["account"] == accountID {
			a := map[string]any{}
			for name, fields := range map[string]string{
				"workersInvocationsAdaptive":              "from sum { requests }",
				"durableObjectsInvocationsAdaptiveGroups": "from sum { requests }",
				"kvOperationsAdaptiveGroups":              "from sum { requests } dimensions { actionType }",
				"kvStorageAdaptiveGroups":                 "stored max { byteCount } dimensions { namespaceId date }",
			} {
				since, wanted, _ := strings.Cut(fields, " ")
				if !strings.Contains(q.Query,
					" "+name+"(limit: 10000, filter: {date_geq: $"+since+", date_leq: $to}) { "+wanted+" }") {
					_ = json.NewEncoder(w).
						Encode(map[string]any{"data": nil, "errors": []any{map[string]any{"message": "unknown field"}}})
					return
				}
				found := []any{}
				for _, row := range rows {
					if row.dataset == name && row.date >= q.Variables[since] && row.date <= q.Variables["to"] {
						found = append(found, map[string]any{
							"sum": map[string]any{"requests": row.n}, "max": map[string]any{"byteCount": row.n},
							"dimensions": map[string]any{"actionType": row.action, "namespaceId": row.namespace, "date": row.date},
						})
					}
				}
				a[name] = found
			}
			accounts = append(accounts, a)
		}
		_ = json.NewEncoder(w).
			Encode(map[string]any{"data": map[string]any{"viewer": map[string]any{"accounts": accounts}}, "errors": nil})
	}))
	t.Cleanup(s.Close)
	return s
}

func service(endpoint string, plan usage.Plan) usage.Service {
	return usage.Service{Fetch: overhttp.New(nil, 5*time.Second), Token: token, Account: accountID,
		Plan: plan, Endpoint: endpoint,
		Now: func() time.Time { return time.Date(2026, time.November, 20, 23, 30, 0, 0, time.FixedZone("", -3600)) }}
}

func used(r usage.Report) map[string]int64 {
	all := map[string]int64{}
	for _, u := range r.Usage {
		all[u.ID] = u.Used
	}
	return all
}

// Usage covers today on a free plan, and the current month on a paid one.
//
// Proves PLN-03, PLN-04, PLN-07.
func TestUsage(t *testing.T) {
	asked := 0
	peer := cloudflare(t, []row{
		{"workersInvocationsAdaptive", "2026-11-21", "", "", 60_000},
		{"workersInvocationsAdaptive", "2026-11-21", "", "", 20_000},
		{"workersInvocationsAdaptive", "2026-11-01", "", "", 1_000_000},
		{"workersInvocationsAdaptive", "2026-10-31", "", "", 7},
		{"durableObjectsInvocationsAdaptiveGroups", "2026-11-21", "", "", 79_999},
		{"kvOperationsAdaptiveGroups", "2026-11-21", "read", "", 3},
		{"kvOperationsAdaptiveGroups", "2026-11-21", "write", "", 1000},
		{"kvOperationsAdaptiveGroups", "2026-11-21", "delete", "", 5},
		{"kvOperationsAdaptiveGroups", "2026-11-21", "list", "", 6},
		{"kvStorageAdaptiveGroups", "2026-11-21", "", "a", 100}, {"kvStorageAdaptiveGroups", "2026-11-20", "", "a", 900},
		{"kvStorageAdaptiveGroups", "2026-11-20", "", "b", 30}, {"kvStorageAdaptiveGroups", "2026-11-18", "", "c", 5000},
	}, &asked)
	r, err := service(peer.URL, usage.Free).Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"workers.requests": 80_000, "objects.requests": 79_999, "kv.reads": 3,
		"kv.writes": 1000, "kv.deletes": 5, "kv.lists": 6, "kv.stored": 130}
	if diff := cmp.Diff(want, used(r)); diff != "" {
		t.Errorf("today (-want +got):\n%s", diff)
	}
	severities := map[string]usage.Severity{}
	for _, u := range r.Usage {
		severities[u.ID] = u.Severity
		if !strings.HasPrefix(u.Link, "https://developers.cloudflare.com/") || u.Limit == 0 || u.Name == "" {
			t.Errorf("%+v", u)
		}
	}
	if severities["workers.requests"] != usage.Warning || severities["objects.requests"] != usage.OK ||
		severities["kv.writes"] != usage.Critical || r.Severity != usage.Critical {
		t.Errorf("%v, the worst %s", severities, r.Severity)
	}
	if r.Plan != "Workers Free" || r.From != "2026-11-21" || r.To != "2026-11-21" || r.Link == "" {
		t.Errorf("%+v", r)
	}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), token) || strings.Contains(string(text), accountID) {
		t.Errorf("the report shows the token or the account: %s, %v", text, err)
	}

	r, err = service(peer.URL, usage.Paid).Report(t.Context())
	if err != nil || used(r)["workers.requests"] != 1_080_000 || r.Plan != "Workers Paid" ||
		r.From != "2026-11-01" || r.Severity != usage.OK {
		t.Errorf("month: %+v, %v", r, err)
	}
}

// No request is sent if settings are missing.
//
// Proves PLN-05, PLN-06.
func TestReport_MissingSettings(t *testing.T) {
	asked := 0
	peer := cloudflare(t, nil, &asked)
	for _, tt := range []struct {
		token, account string
		want           []string
	}{
		{"", "", []string{"EDGE_USAGE_API_TOKEN or EDGE_ANALYTICS_API_TOKEN", "EDGE_ACCOUNT_ID"}},
		{token, "", []string{"EDGE_ACCOUNT_ID"}},
	} {
		s := service(peer.URL, usage.Free)
		s.Token, s.Account = tt.token, tt.account
		r, err := s.Report(t.Context())
		if diff := cmp.Diff(tt.want, r.Missing); diff != "" || err != nil || asked != 0 || len(r.Usage) != 0 {
			t.Errorf("%+v, %v, asked %d times: %s", r, err, asked, diff)
		}
	}
	s := service(peer.URL, usage.Free)
	s.Token = "another"
	if _, err := s.Report(t.Context()); !fault.Is(err, fault.Unavailable) ||
		!strings.Contains(err.Error(), "rejects the token") {
		t.Errorf("with another token: %v", err)
	}
	s = service(peer.URL, usage.Free)
	s.Account = "another"
	if _, err := s.Report(t.Context()); !fault.Is(err, fault.Unavailable) ||
		!strings.Contains(err.Error(), "no access to the account") {
		t.Errorf("with another account: %v", err)
	}
}

// Invalid responses are reported without their content.
func TestReport_InvalidResponses(t *testing.T) {
	for name, tt := range map[string]struct {
		status     int
		body, text string
	}{
		"too many requests": {429, "", "Too many requests"}, "down": {502, "secret", "responded with status 502"},
		"malformed JSON": {200, "<html>secret", "could not be decoded"},
		"errors":         {200, `{"data":null,"errors":[{"message":"secret"}]}`, "rejected the query"},
		"nothing":        {200, `{}`, "no access"},
		"no figures":     {200, `{"data":{"viewer":{"accounts":[{"workersInvocationsAdaptive":[]}]}}}`, "is incomplete"},
		"a text": {200,
			`{"data":{"viewer":{"accounts":[{"workersInvocationsAdaptive":[{"sum":{"requests":"secret"}}]}]}}}`,
			"could not be decoded"},
	} {
		peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			_, _ = w.Write([]byte(tt.body))
		}))
		_, err := service(peer.URL, usage.Free).Report(t.Context())
		peer.Close()
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), tt.text) ||
			strings.Contains(fault.Of(err).Message, "secret") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := service(peer.URL, usage.Free).Report(t.Context()); !fault.Is(err, fault.Unavailable) {
			t.Errorf("no server: %v", err)
		}
	}
}
