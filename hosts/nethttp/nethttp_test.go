package nethttp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/pledge"
)

const game = "tidepool-traders"

func newHost(t *testing.T) *memory.Host {
	t.Helper()
	h, err := memory.New(memory.Options{Campaigns: os.DirFS("../../examples/site")})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func countCommands(h *memory.Host) []string {
	var keys []string
	for _, e := range h.DB.Snapshot().Stores["RATELIMIT"] {
		keys = append(keys, e.Key)
	}
	return keys
}

// Proves LIM-02.
func TestClientAddress(t *testing.T) {
	for _, tc := range []struct{ name, trusted, remote, header, value, want string }{
		{"the connection's", "", "192.0.2.7:5000", "", "", "192.0.2.7"},
		{"the trusted header's", "CF-Connecting-IP", "10.0.0.1:5000", "CF-Connecting-IP", "192.0.2.8", "192.0.2.8"},
		{"in any spelling", "cf-connecting-ip", "10.0.0.1:5000", "Cf-Connecting-Ip", " 192.0.2.8 ", "192.0.2.8"},
		{"an untrusted header", "", "192.0.2.7:5000", "CF-Connecting-IP", "192.0.2.8", "192.0.2.7"},
		{"another header", "CF-Connecting-IP", "192.0.2.7:5000", "X-Forwarded-For", "192.0.2.8", "192.0.2.7"},
		{"a header without an address", "CF-Connecting-IP", "192.0.2.7:5000", "CF-Connecting-IP", "rl:admin:x", "192.0.2.7"},
		{"a list of addresses", "CF-Connecting-IP", "192.0.2.7:5000", "CF-Connecting-IP", "1.1.1.1, 2.2.2.2", "192.0.2.7"},
		{"another spelling of an address", "CF-Connecting-IP", "10.0.0.1:5000", "CF-Connecting-IP",
			"::ffff:192.0.2.8", "192.0.2.8"},
		{"version six", "", "[2001:DB8:0::1]:5000", "", "", "2001:db8::/64 rl:pledge:2001:db8::/48"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := newHost(t)
			handler := nethttp.Handler(h.API, nethttp.Options{TrustedHeader: tc.trusted})
			r := httptest.NewRequest("GET", "/pledge", nil)
			r.RemoteAddr = tc.remote
			if tc.header != "" {
				r.Header.Set(tc.header, tc.value)
			}
			handler.ServeHTTP(httptest.NewRecorder(), r)
			want := strings.Fields("rl:pledge:" + tc.want)
			slices.Sort(want)
			if got := countCommands(h); !slices.Equal(got, want) {
				t.Errorf("counted for %v, want %v", got, want)
			}
		})
	}
}

// endless is a body that a server must not read to its end.
type endless struct{ read atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '{'
	}
	e.read.Add(int64(len(p)))
	return len(p), nil
}

func TestBodies_SizeLimit(t *testing.T) {
	handler := nethttp.Handler(newHost(t).API, nethttp.Options{})
	for _, tc := range []struct {
		path   string
		length int64
		limit  int
	}{
		{"/pledge/cancel", -1, httpapi.MaxPublicBody},
		{"/webhooks/psp", -1, httpapi.MaxWebhookBody},
		{"/pledge/cancel", 1 << 30, 0}, // declared as too large, not read at all
		{"/nothing", -1, 0},
	} {
		body := &endless{}
		r := httptest.NewRequest("POST", tc.path, body)
		r.ContentLength = tc.length
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		want := http.StatusRequestEntityTooLarge
		if tc.path == "/nothing" {
			want = http.StatusNotFound
		}
		if w.Code != want {
			t.Errorf("%s: status %d, want %d", tc.path, w.Code, want)
		}
		if read := body.read.Load(); read > int64(tc.limit)+4096 {
			t.Errorf("%s: read %d bytes", tc.path, read)
		}
	}
}

// A large body is read only with authorization, up to the route's limit.
//
// Proves MED-02, MED-14.
func TestUploads_Authorization(t *testing.T) {
	h := newHost(t)
	server := httptest.NewServer(nethttp.Handler(h.API, nethttp.Options{}))
	defer server.Close()
	for _, tc := range []struct {
		kind, secret string
		length       int64 // -1 if not declared
		status       int
		most         int64 // bytes that the client sent, some of which are in network buffers
	}{
		{"video", "", -1, http.StatusUnauthorized, 32 << 20},
		{"video", h.Config.Secrets.Admin.Reveal(), 100<<20 + 1, http.StatusRequestEntityTooLarge, 32 << 20},
		// not a picture, and not too large
		{"video", h.Config.Secrets.Admin.Reveal(), 100 << 20, http.StatusBadRequest, 100 << 20},
		{"image", h.Config.Secrets.Admin.Reveal(), -1, http.StatusRequestEntityTooLarge, 40 << 20},
	} {
		body := &endless{}
		r, err := http.NewRequestWithContext(t.Context(), "POST",
			server.URL+"/admin/settings/"+tc.kind+"-upload?filename=a."+map[string]string{"video": "mp4",
				"image": "png"}[tc.kind]+"&campaignSlug="+game, io.LimitReader(body, cmp.Or(max(tc.length, 0), 1<<40)))
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = tc.length
		r.Header.Set("Authorization", "Bearer "+tc.secret)
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatalf("%+v: %v", tc, err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tc.status || body.read.Load() > tc.most {
			t.Errorf("%s of %d bytes: status %d after %d bytes, want %d", tc.kind, tc.length,
				resp.StatusCode, body.read.Load(), tc.status)
		}
	}
}

func TestResponses_Wire(t *testing.T) {
	server := httptest.NewServer(nethttp.Handler(newHost(t).API, nethttp.Options{}))
	defer server.Close()
	do := func(method, path string) *http.Response {
		r, err := http.NewRequestWithContext(context.Background(), method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	get, head, options := do("GET", "/stats/"+game), do("HEAD", "/stats/"+game), do("OPTIONS", "/stats/"+game)
	body, err := io.ReadAll(get.Body)
	if err != nil || !json.Valid(body) {
		t.Fatalf("%s %v", body, err)
	}
	if head.StatusCode != 200 || head.ContentLength != int64(len(body)) {
		t.Errorf("HEAD: status %d with length %d, want %d", head.StatusCode, head.ContentLength, len(body))
	}
	if options.StatusCode != 204 || options.Header.Get("Content-Type") != "" ||
		options.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("OPTIONS: status %d %v", options.StatusCode, options.Header)
	}
	ids := map[string]bool{}
	for _, r := range []*http.Response{get, head, options} {
		ids[r.Header.Get("X-Request-Id")] = true
		if r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("headers = %v", r.Header)
		}
	}
	if len(ids) != 3 || ids[""] {
		t.Errorf("request IDs = %v", ids)
	}
}

// A checkout whose client disconnects is completed.
func TestRequests_ClientDisconnects(t *testing.T) {
	h := newHost(t)
	started, err := h.Services.Checkout.Start(t.Context(), checkout.StartRequest{Email: "a@example.com",
		Cart: checkout.Cart{Items: []checkout.Item{{ID: "night-ferry__digital-premiere"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Sim.Complete(started.SessionID, "ok"); err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	body := `{"orderId":"` + started.OrderID + `","sessionId":"` + started.SessionID + `"}`
	r := httptest.NewRequest("POST", "/checkout-intent/complete", strings.NewReader(body)).WithContext(gone)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", string(h.Config.Site.Base))
	w := httptest.NewRecorder()
	nethttp.Handler(h.API, nethttp.Options{}).ServeHTTP(w, r)
	if w.Code != 200 {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// A running request gets its response when the server is stopped.
func TestServe_FinishesRequests(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	slow := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-finish
		_, _ = io.WriteString(w, "whole")
	})
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served, answered := make(chan error, 1), make(chan string, 1)
	go func() { served <- nethttp.Serve(ctx, l, slow, nethttp.Serving{ShutdownTimeout: time.Minute}) }()
	go func() {
		resp, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		answered <- string(b)
	}()
	<-begun
	stop()
	select {
	case err := <-served:
		t.Fatalf("the server did not finish a request: %v", err)
	default:
	}
	close(finish)
	if got := <-answered; got != "whole" {
		t.Errorf("response = %q", got)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if _, err := net.DialTimeout("tcp", l.Addr().String(), time.Second); err == nil {
		t.Error("listener is still open")
	}
}

// lastCharge signals when a number of charges has been made.
type lastCharge struct {
	psp.Processor
	left int
	made chan struct{}
}

func (l *lastCharge) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	out := l.Processor.Charge(ctx, c)
	if l.left--; l.left == 0 {
		close(l.made)
	}
	return out
}

// The worker runs all batches that settlement requests, and accepts no more after it has been
// stopped.
func TestWorker_SettlementBatches(t *testing.T) {
	h := newHost(t)
	worker := nethttp.NewWorker(slog.New(slog.DiscardHandler))
	h.Services.Settlement.Next = worker.ScheduleBatch
	last := &lastCharge{Processor: h.Services.Processor, left: 60, made: make(chan struct{})}
	h.Services.Settlement.Processor = last
	home := &pledge.Address{Name: "A supporter", Line1: "1 Shore Road", City: "Taos",
		State: "NM", PostalCode: "87571", Country: "US"}
	for n := range 60 {
		_, err := h.Pledge(t.Context(),
			checkout.StartRequest{Email: "fan" + string(rune('a'+n%26)) + string(rune('a'+n/26)) + "@example.com",
				Cart: checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__the-game"}},
					ShippingAddress: home}}, "")
		if err != nil {
			t.Fatal(err)
		}
	}
	h.Advance(48 * time.Hour)
	if _, err := h.Services.Settlement.Dispatch(t.Context(), game); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() { worker.Run(ctx, h.Services); close(stopped) }()
	<-last.made
	stop()
	<-stopped
	if got := len(h.Sim.Entries()); got != 60 {
		t.Errorf("%d charges, want 60", got)
	}
	if err := worker.ScheduleBatch(t.Context(), game); !errors.Is(err, nethttp.ErrStopping) {
		t.Errorf("a stopped worker accepted more work: %v", err)
	}
}
