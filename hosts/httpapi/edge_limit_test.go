package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

const orderID = "pw-01jd3q5v7w9x1y2z3a4b5c6d7e"

// from sends a request from a client address.
func (e *edge) from(ip, method, path string, body []byte, header ...string) httpapi.Response {
	e.t.Helper()
	all := map[string]string{"Origin": string(e.Config.Site.Base), "Content-Type": "application/json"}
	for i := 0; i+1 < len(header); i += 2 {
		all[header[i]] = header[i+1]
	}
	path, query, _ := strings.Cut(path, "?")
	r := e.API.Serve(context.Background(), httpapi.Request{
		Method: method, Path: path, RawQuery: query, Body: body, ClientIP: ip,
		Header: func(name string) string { return all[name] },
	})
	e.documented(method, r)
	return r
}

func (e *edge) counters() map[string]string {
	out := map[string]string{}
	for _, entry := range e.DB.Snapshot().Stores["RATELIMIT"] {
		out[entry.Key] = string(entry.Value)
	}
	return out
}

// Proves LIM-01, LIM-03, LIM-06, LIM-07, LIM-08, ERR-04, ERR-05, ERR-06, TAX-11.
func TestLimits_ByAddress(t *testing.T) {
	for _, tc := range []struct {
		name   string
		max    int
		routes []string
	}{
		{"checkout-intent-start", 40, []string{"POST /checkout-intent/start"}},
		{"tax-quote", 90, []string{"POST /tax/quote"}},
		{"shipping-quote", 90, []string{"POST /shipping/quote"}},
		{"pledge", 120, []string{"GET /pledge", "GET /pledges", "GET /checkout-intent/summary"}},
		{"pledge-change", 30, []string{"POST /pledge/cancel", "POST /pledge/modify", "POST /pledge/payment-method/start"}},
		{"votes", 45, []string{"GET /votes", "POST /votes"}},
		{"checkout-intent-open", 120, []string{"POST /checkout-intent/extend", "POST /checkout-intent/resume"}},
		{"checkout-intent-end", 60, []string{"POST /checkout-intent/complete", "POST /checkout-intent/abandon"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := newEdge(t, memory.Options{})
			send := func(n int, ip string) httpapi.Response {
				method, path, _ := strings.Cut(tc.routes[n%len(tc.routes)], " ")
				return e.from(ip, method, path, []byte(`{}`))
			}
			for n := range tc.max {
				if r := send(n, "192.0.2.1"); r.Status == 429 {
					t.Fatalf("request %d of %d was rejected", n+1, tc.max)
				}
			}
			e.Advance(10*time.Second + 500*time.Millisecond)
			for n := range tc.routes {
				e.wantLimited(send(n, "192.0.2.1"), tc.max, 50)
			}
			if _, ok := e.counters()["rl:"+tc.name+":192.0.2.1"]; !ok {
				t.Errorf("counters = %v", e.counters())
			}
			if r := send(0, "192.0.2.2"); r.Status == 429 {
				t.Error("another address was rejected, too")
			}
			e.Advance(50 * time.Second)
			if r := send(0, "192.0.2.1"); r.Status == 429 {
				t.Error("request in the next window was rejected")
			}
		})
	}
}

func TestNetworks(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1":              "192.0.2.1",
		"::ffff:192.0.2.1":       "192.0.2.1",
		"2001:db8:1:2:3:4:5:6":   "2001:db8:1:2::/64",
		"2001:DB8:1:2::9":        "2001:db8:1:2::/64",
		"2001:db8:1:3::9":        "2001:db8:1:3::/64",
		"fe80::1%eth0":           "fe80::/64",
		"::1":                    "::/64",
		"":                       "",
		"192.0.2":                "",
		"192.0.2.1, 192.0.2.2":   "",
		strings.Repeat("1", 100): "",
	} {
		if got := httpapi.Client(address); got != want {
			t.Errorf("networks of %q = %q, want %q", address, got, want)
		}
	}
}

// All addresses of an IPv6 network share one client's limit.
func TestLimits_SharedByNetwork(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for n := range 45 {
		if r := e.from(fmt.Sprintf("2001:db8:0:1::%x", n), "GET", "/votes", nil); r.Status == 429 {
			t.Fatalf("request %d was rejected", n+1)
		}
	}
	e.wantLimited(e.from("2001:db8:0:1:8000::1", "GET", "/votes", nil), 45, 60)
	if r := e.from("2001:db8:0:2::1", "GET", "/votes", nil); r.Status == 429 {
		t.Error("another network was rejected, too")
	}
	if _, ok := e.counters()["rl:votes:2001:db8:0:1::/64"]; !ok || len(e.counters()) != 3 {
		t.Errorf("counters = %v", e.counters())
	}
}

// A customer with a whole IPv6 /48 is limited, too.
func TestLimits_WideIPv6Network(t *testing.T) {
	e := newEdge(t, memory.Options{})
	const most = 5 * httpapi.WideFactor
	send := func(network string, n int) httpapi.Response {
		return e.from(fmt.Sprintf("2001:db8:%s:%x::1", network, n), "POST", "/pledge/links",
			[]byte(`{"email":"nobody@example.com"}`))
	}
	for n := range most {
		if r := send("a", n); r.Status == 429 {
			t.Fatalf("request %d was rejected", n+1)
		}
	}
	e.wantLimited(send("a", most), most, 60)
	if r := send("b", 0); r.Status == 429 {
		t.Error("another /48 was rejected, too")
	}
	if r := e.from("203.0.113.7", "POST", "/pledge/links", []byte(`{"email":"nobody@example.com"}`)); r.Status == 429 {
		t.Error("an IPv4 address was rejected, too")
	}
}

// A client that uses many order IDs is rejected, and its rejected requests do not count toward the
// orders' limits.
func TestLimits_ManyOrders(t *testing.T) {
	for _, path := range []string{"/checkout-intent/complete", "/checkout-intent/abandon"} {
		e := newEdge(t, memory.Options{})
		name := func(n int) []byte {
			return fmt.Appendf(nil, `{"orderId":"%s%02d","sessionId":"x","token":"x"}`, orderID[:len(orderID)-2], n)
		}
		for n := range 60 {
			if r := e.from("192.0.2.1", "POST", path, name(n)); r.Status == 429 {
				t.Fatalf("%s: order %d was rejected", path, n+1)
			}
		}
		before := e.counters()
		e.wantLimited(e.from("192.0.2.1", "POST", path, name(60)), 60, 60)
		if diff := cmp.Diff(before, e.counters()); diff != "" {
			t.Errorf("%s: a rejected request was counted: %s", path, diff)
		}
	}
}

// wantLimited checks the body and the headers of a 429 response.
func (e *edge) wantLimited(r httpapi.Response, limit, wait int) {
	e.t.Helper()
	f := e.wantFailure(r, 429, "Too many requests")
	if f.RetryAfter != wait {
		e.t.Errorf("retryAfter = %d, want %d", f.RetryAfter, wait)
	}
	reset := e.Now().Truncate(time.Second).Add(time.Duration(wait) * time.Second)
	for name, want := range map[string]string{
		"Retry-After": strconv.Itoa(wait), "X-Ratelimit-Limit": strconv.Itoa(limit), "X-Ratelimit-Remaining": "0",
		"X-Ratelimit-Reset": strconv.FormatInt(reset.Unix(), 10),
	} {
		if got := r.Header.Get(name); got != want {
			e.t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// Proves LIM-04, LIM-05, CHK-38.
func TestLimits_ByOrder(t *testing.T) {
	for _, path := range []string{"/checkout-intent/complete", "/checkout-intent/abandon"} {
		t.Run(path, func(t *testing.T) {
			e := newEdge(t, memory.Options{})
			body := func(id string) []byte { return fmt.Appendf(nil, `{"orderId":%q,"sessionId":"x","token":"x"}`, id) }
			for n := range 12 {
				if r := e.from(fmt.Sprintf("192.0.2.%d", n), "POST", path, body(orderID)); r.Status == 429 {
					t.Fatalf("request %d was rejected", n+1)
				}
			}
			e.wantLimited(e.from("192.0.2.99", "POST", path, body(orderID)), 12, 60)
			other := orderID[:len(orderID)-1] + "f"
			if r := e.from("192.0.2.1", "POST", path, body(other)); r.Status == 429 {
				t.Error("another order was rejected, too")
			}
			byOrder := func() (n int) {
				for key := range e.counters() {
					if !strings.HasPrefix(key, "rl:checkout-intent-end:") {
						n++
					}
				}
				return n
			}
			before := byOrder()
			for _, id := range []string{"", "x", "pw-", orderID + "-" + game, strings.Repeat("a", 5000),
				"pw-../../etc", "rl:x"} {
				if r := e.from("192.0.2.1", "POST", path, body(id)); r.Status != 400 {
					t.Errorf("order %.40q: status %d", id, r.Status)
				}
			}
			if byOrder() != before {
				t.Errorf("malformed orders were counted: %v", e.counters())
			}
		})
	}
}

// Proves LIM-09.
func TestLimits_AdminSecret(t *testing.T) {
	e := newEdge(t, memory.Options{})
	right := e.admin()
	for range 20 { // requests without a secret are not counted
		e.wantFailure(e.from("192.0.2.1", "POST", "/admin/projections/check", nil), 401, "Unauthorized")
	}
	for n := range 5 {
		secret := []string{"Authorization", "Bearer guess" + strconv.Itoa(n)}
		if n%2 == 0 {
			secret = []string{"X-Admin-Key", "guess" + strconv.Itoa(n)}
		}
		path := []string{"/admin/projections/check", "/stats/" + game + "/check", "/admin/settle/" + game}[n%3]
		e.wantFailure(e.from("192.0.2.1", "POST", path, nil, secret...), 401, "Unauthorized")
	}
	e.wantLimited(e.from("192.0.2.1", "POST", "/admin/projections/check", nil, right...), 5, 60)
	e.wantLimited(e.from("192.0.2.1", "POST", "/admin/settle-dispatch/"+game, nil, "X-Admin-Key", "guess"), 5, 60)
	e.wantStatus(e.from("192.0.2.2", "POST", "/admin/projections/check", nil, right...), 200)
	e.Advance(time.Minute)
	e.wantStatus(e.from("192.0.2.1", "POST", "/admin/projections/check", nil, right...), 200)
}

// Proves LIM-10.
func TestLimits_BlockedClientWritesNothing(t *testing.T) {
	writes := 0
	e := newEdge(t, memory.Options{Fail: func(op memkv.Op) error {
		if op.Namespace == "RATELIMIT" && op.Kind == memkv.OpPut && !op.After {
			writes++
		}
		return nil
	}})
	s := *e.Services
	s.Stores.RateLimit = struct{ kv.Store }{s.Stores.RateLimit} // without atomic increments
	var err error
	if e.API, err = httpapi.New(&s, httpapi.Options{}); err != nil {
		t.Fatal(err)
	}
	for range 45 {
		e.from("192.0.2.1", "GET", "/votes", nil)
	}
	if writes != 45 {
		t.Fatalf("%d writes for 45 requests", writes)
	}
	before := e.counters()
	for range 200 {
		e.Advance(time.Millisecond)
		if r := e.from("192.0.2.1", "GET", "/votes", nil); r.Status != 429 {
			t.Fatalf("status %d", r.Status)
		}
	}
	if diff := cmp.Diff(before, e.counters()); diff != "" || writes != 45 {
		t.Errorf("%d writes: %s", writes-45, diff)
	}
}

// These routes are not counted per client. Webhooks are protected by signatures and duplicate
// detection.
//
// Proves PUB-03, PUB-06, PUB-08, WHK-28.
func TestLimits_UnlimitedRoutes(t *testing.T) {
	signed := anEvent("evt_1", psp.PaymentFailed, "false")
	for _, without := range []bool{true, false} {
		e := newEdge(t, memory.Options{WithoutRateLimit: without})
		for n := range 300 {
			for _, path := range []string{"/stats/" + game, "/inventory/" + game, "/live/" + game} {
				e.wantStatus(e.from("192.0.2.1", "GET", path, nil), 200)
			}
			e.wantFailure(e.from("192.0.2.1", "POST", "/webhooks/psp", []byte(`{}`)), 401, "Invalid signature")
			r := e.hook(signed, e.Config.PSPWebhookSecret().Reveal())
			if got := decode[checkout.WebhookResult](t, r); r.Status != 200 || got.Duplicate != (n > 0) {
				t.Fatalf("delivery %d: status %d: %+v", n+1, r.Status, got)
			}
		}
	}
}

// Proves ERR-07, CFG-06.
func TestLimits_NoStorage(t *testing.T) {
	e := newEdge(t, memory.Options{WithoutRateLimit: true})
	for _, r := range e.API.Routes() {
		if len(r.Limits) == 0 && r.Secret == 0 {
			continue
		}
		path := strings.Replace(r.Pattern, ":slug", game, 1)
		body := fmt.Appendf(nil, `{"orderId":%q}`, orderID)
		e.wantFailure(e.from("192.0.2.1", r.Method, path, body, e.admin()...), 503, "Rate limit storage not configured")
	}
	e.wantFailure(e.get("/readyz", ""), 503, "Rate limit storage not configured")
	if stores := e.DB.Snapshot().Stores; len(stores["PLEDGES"]) > 0 {
		t.Errorf("something was written: %v", stores["PLEDGES"])
	}
}

func TestLimits_FailingStorage(t *testing.T) {
	broken := errors.New("disk of the rate limit store is full")
	e := newEdge(t, memory.Options{Fail: func(op memkv.Op) error {
		if op.Namespace == "RATELIMIT" {
			return broken
		}
		return nil
	}})
	r := e.post("/pledge/cancel", []byte(`{"token":"x"}`))
	e.wantFailure(r, 503, "Rate limiting unavailable")
	if strings.Contains(string(r.Body), "disk") {
		t.Errorf("the response contains the cause: %s", r.Body)
	}
}

func TestLimits_UnknownAddress(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for _, ip := range []string{"", "unix", strings.Repeat("1", 65)} {
		e.wantFailure(e.from(ip, "GET", "/pledge", nil), 503, "Unknown client address")
	}
	if len(e.counters()) > 0 {
		t.Errorf("counters = %v", e.counters())
	}
}

// client returns one of many addresses, each in its own network.
func client(n int) string { return fmt.Sprintf("2001:%x:%x::1", 0xdb8+(n>>16&0xff), n&0xffff) }
