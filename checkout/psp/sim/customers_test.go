package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

func TestCustomersAPI(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true, WebhookSecret: secret})
	first := id(t,
		s.Serve(call("POST", "/v1/customers", "email=ada@example.com&name=Ada&metadata[a]=1&metadata[b]=2", "")))
	second := id(t, s.Serve(call("POST", "/v1/customers", "email=bob@example.com", "")))
	type customer struct {
		ID       string            `json:"id"`
		Email    string            `json:"email"`
		Name     string            `json:"name"`
		Metadata map[string]string `json:"metadata"`
		Deleted  bool              `json:"deleted"`
	}
	var got customer
	decode(t, s.Serve(call("POST", "/v1/customers/"+first, "name=Ada+L&metadata[b]=&metadata[c]=3", "")), &got)
	want := customer{ID: first, Email: "ada@example.com", Name: "Ada L",
		Metadata: map[string]string{"a": "1", "c": "3"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("updated (-want +got):\n%s", diff)
	}
	if n := count(s, "customer.updated"); n != 1 {
		t.Errorf("%d update events", n)
	}
	ids := func(query string) []string {
		var list struct{ Data []customer }
		decode(t, s.Serve(call("GET", "/v1/customers", query, "")), &list)
		out := []string{}
		for _, c := range list.Data {
			out = append(out, c.ID)
		}
		return out
	}
	for query, want := range map[string][]string{"": {second, first}, "limit=1": {second},
		"starting_after=" + second: {first},
		"email=ada@example.com":    {first}, "created[lt]=" + in(0): {}, "created[gte]=" +
			in(0): {second, first}, "created[gte]=" + in(1e9): {}} {
		if diff := cmp.Diff(want, ids(query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	decode(t, s.Serve(call("DELETE", "/v1/customers/"+second, "", "")), &got)
	if !got.Deleted || got.ID != second || count(s, psp.CustomerDeleted) != 1 {
		t.Errorf("deleted: %+v, %d events", got, count(s, psp.CustomerDeleted))
	}
	if diff := cmp.Diff([]string{first}, ids("")); diff != "" {
		t.Errorf("after the deletion (-want +got):\n%s", diff)
	}
	got = customer{}
	if decode(t, s.Serve(call("GET", "/v1/customers/"+second, "", "")), &got); !got.Deleted || got.Email != "" {
		t.Errorf("read back: %+v", got)
	}
	for _, tt := range []struct {
		method, id, form string
		status           int
		param            string
	}{
		{"POST", second, "name=x", 404, "id"}, {"DELETE", second, "", 404, "id"},
		{"POST", "cus_no", "", 404, "id"}, {"DELETE", "cus_no", "", 404, "id"},
		{"GET", "cus_no", "", 404, "id"}, {"POST", first, pairs(48), 200, ""},
		{"POST", first, "metadata[one]=1", 400, "metadata"},
		{"POST", first, "metadata[a]=&metadata[one]=1", 200, ""}, {"POST", first, "surprise=1", 400, "surprise"},
	} {
		a, param := s.Serve(call(tt.method, "/v1/customers/"+tt.id, tt.form, "")), ""
		if a.Status != 200 {
			_, _, param = parseProblem(t, a)
		}
		if a.Status != tt.status || param != tt.param {
			t.Errorf("%s %s %s: %d %q, want %d %q", tt.method, tt.id, tt.form, a.Status, param, tt.status, tt.param)
		}
	}
}
