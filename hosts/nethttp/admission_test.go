package nethttp_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
)

var halfSent = flag.Int("half-sent", 300, "connections with half-sent bodies that TestAdmission_HalfSentBodies opens")

// serveAPI runs a server with the capacity and returns its address and Admission. Clients choose
// their address with a header.
func serveAPI(t *testing.T, c nethttp.Capacity) (string, *nethttp.Admission) {
	t.Helper()
	admission := nethttp.NewAdmission(c, "X-Client")
	handler := nethttp.Handler(newHost(t).API, nethttp.Options{TrustedHeader: "X-Client", Admission: admission})
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- nethttp.Serve(ctx, l, handler, nethttp.Serving{Capacity: c, ShutdownTimeout: time.Second})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Log(err) // unfinished requests exceed the shutdown timeout
		}
	})
	return l.Addr().String(), admission
}

// wire is a connection for hand-written requests.
type wire struct {
	net.Conn
	*testing.T
}

func dial(t *testing.T, address string) wire {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return wire{c, t}
}

// post writes the head of a request and part of its body.
func (w wire) post(path, client string, length, sent int, header string) {
	// the server may have closed the connection
	_, _ = fmt.Fprintf(w, "POST %s HTTP/1.1\r\nHost: x\r\nX-Client: %s\r\nContent-Length: %d\r\n%s\r\n%s",
		path, client, length, header, strings.Repeat("{", sent))
}

// answer reads a response; the status is 0 if there is none in time.
func (w wire) answer(within time.Duration) *http.Response {
	_ = w.SetReadDeadline(time.Now().Add(within))
	resp, err := http.ReadResponse(bufio.NewReader(w), nil)
	if err != nil {
		return &http.Response{Header: http.Header{}}
	}
	resp.Body = io.NopCloser(resp.Body)
	return resp
}

func healthy(t *testing.T, address string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+address+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("/healthz: %v", err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("/healthz: status %d", resp.StatusCode)
	}
}

// heap returns the bytes of live objects.
func heap() uint64 {
	runtime.GC()
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// Unfinished bodies are held up to the budget, and further ones are rejected while the service
// keeps responding. A heavier run, not part of the regular tests:
//
//	go test ./hosts/nethttp -run HalfSentBodies -args -half-sent=5000
func TestAdmission_HalfSentBodies(t *testing.T) {
	const budget, sent = 2 << 20, 150 << 10
	address, admission := serveAPI(t,
		nethttp.Capacity{BodyBytes: budget, Connections: *halfSent + 100, Stall: time.Minute})
	before := heap()
	var wires []wire
	var sending sync.WaitGroup
	for n := range *halfSent {
		w := dial(t, address)
		wires = append(wires, w)
		sending.Go(func() { w.post("/webhooks/psp", fmt.Sprintf("2001:db8:%x::1", n), sent+1, sent, "") })
		if held := admission.InFlight(); held > budget {
			t.Fatalf("%d bytes in flight", held)
		}
		if n%50 == 0 {
			healthy(t, address)
		}
	}
	sending.Wait()
	healthy(t, address)
	if held := admission.InFlight(); held > budget || held == 0 {
		t.Errorf("%d bytes in flight, want at most %d", held, budget)
	}
	// Each connection also needs goroutines and buffers on both sides.
	if grown, most := int64(heap()-before), int64(4*budget+*halfSent*48<<10); grown > most { //nolint:gosec // small
		t.Errorf("heap grew by %d bytes, want at most %d", grown, most)
	}
	refused := 0
	for _, w := range wires[len(wires)-100:] {
		if r := w.answer(2 * time.Second); r.StatusCode == 503 {
			refused++
			if r.Header.Get("Retry-After") == "" || !r.Close {
				t.Fatalf("rejected body: response %v, close %t", r.Header, r.Close)
			}
		}
	}
	if refused < 80 {
		t.Errorf("%d of the last 100 bodies were rejected", refused)
	}
	for _, w := range wires {
		_ = w.Close()
	}
	for end := time.Now().Add(10 * time.Second); admission.InFlight() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes still in flight after the connections were closed", admission.InFlight())
		}
	}
}

// A request that is rejected because of its route, method, credential or rate limit is answered
// before its body arrives, and the connection is closed.
func TestAdmission_RefusesBeforeTheBody(t *testing.T) {
	address, admission := serveAPI(t, nethttp.Capacity{})
	const json = "Content-Type: application/json\r\n"
	for _, tc := range []struct {
		name, path, header string
		length, status     int
	}{
		{"no route", "/nowhere", json, 9000, 404},
		{"no method", "/healthz", json, 9000, 405},
		{"no credential", "/admin/content/publish", json, 1_000_000, 401},
		{"wrong credential", "/admin/settings/publish", json + "Authorization: Bearer wrong\r\n", 500_000, 401},
		{"no session", "/admin/sessions/revoke", json + "Cookie: __Host-admin-session=none\r\n", 60_000, 401},
		{"another type", "/pledge/cancel", "Content-Type: text/plain\r\n", 9000, 415},
		{"another site", "/tax/quote", json + "Origin: https://elsewhere.example\r\n", 9000, 403},
		{"too large", "/pledge/cancel", json, httpapi.MaxPublicBody + 1, 413},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := dial(t, address)
			w.post(tc.path, "198.51.100.7", tc.length, 1, tc.header)
			if r := w.answer(5 * time.Second); r.StatusCode != tc.status || !r.Close {
				t.Errorf("status %d, close %t, want %d", r.StatusCode, r.Close, tc.status)
			}
		})
	}
	w := dial(t, address)
	for n := range 31 {
		if n > 0 {
			w = dial(t, address)
		}
		w.post("/pledge/cancel", "198.51.100.9", 2, 2, json)
		if r := w.answer(5 * time.Second); r.StatusCode != 400 && n < 30 {
			t.Fatalf("request %d: status %d", n+1, r.StatusCode)
		}
	}
	w = dial(t, address)
	w.post("/pledge/cancel", "198.51.100.9", 2000, 0, json)
	if r := w.answer(5 * time.Second); r.StatusCode != 429 {
		t.Errorf("client over its limit: status %d before its body", r.StatusCode)
	}
	if held := admission.InFlight(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}

// The rest of an unread body is not parsed as the next request.
func TestAdmission_UnreadBodyIsNoRequest(t *testing.T) {
	address, _ := serveAPI(t, nethttp.Capacity{})
	w := dial(t, address)
	inner := "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	_, err := fmt.Fprintf(w,
		"POST /admin/content/publish HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		len(inner), inner)
	if err != nil {
		t.Fatal(err)
	}
	_ = w.SetReadDeadline(time.Now().Add(10 * time.Second))
	all, _ := io.ReadAll(w)
	if n := strings.Count(string(all), "HTTP/1.1 "); n != 1 || !strings.HasPrefix(string(all), "HTTP/1.1 401") {
		t.Errorf("%d answers: %.300s", n, all)
	}
}

// After a body is read, the connection stays open for the next request.
func TestAdmission_ReadBodyKeepsTheConnection(t *testing.T) {
	address, _ := serveAPI(t, nethttp.Capacity{})
	w := dial(t, address)
	b := bufio.NewReader(w)
	for n := range 3 {
		w.post("/pledge/cancel", "198.51.100.20", 40, 40, "Content-Type: application/json\r\n")
		_ = w.SetReadDeadline(time.Now().Add(5 * time.Second))
		resp, err := http.ReadResponse(b, nil)
		if err != nil {
			t.Fatalf("request %d: %v", n+1, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		if resp.StatusCode != 400 || resp.Close {
			t.Errorf("request %d: %d, close %t", n+1, resp.StatusCode, resp.Close)
		}
	}
}

func TestAdmission_StalledBody(t *testing.T) {
	address, admission := serveAPI(t, nethttp.Capacity{Stall: 300 * time.Millisecond})
	w := dial(t, address)
	began := time.Now()
	w.post("/webhooks/psp", "198.51.100.30", 5000, 70, "")
	if r := w.answer(10 * time.Second); r.StatusCode != 400 || !r.Close || time.Since(began) > 8*time.Second {
		t.Errorf("status %d after %s, close %t", r.StatusCode, time.Since(began), r.Close)
	}
	if held := admission.InFlight(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}

// A single client network can use neither the whole budget nor all request slots.
func TestAdmission_OneClientNetwork(t *testing.T) {
	t.Run("bytes", func(t *testing.T) {
		const budget = 800 << 10
		address, admission := serveAPI(t, nethttp.Capacity{BodyBytes: budget, Stall: time.Minute})
		for n := range 8 {
			w := dial(t, address)
			w.post("/webhooks/psp", fmt.Sprintf("2001:db8:5:%x::%x", n, n), 120<<10+1, 120<<10, "")
			if r := w.answer(time.Second); n > 0 && r.StatusCode != 503 {
				t.Errorf("body %d: status %d", n+1, r.StatusCode)
			}
		}
		if held := admission.InFlight(); held > budget/4 || held == 0 {
			t.Errorf("%d bytes held for one network", held)
		}
	})
	for _, tc := range []struct {
		name    string
		address func(n int) string
		most    int
	}{
		{"an IPv4 address", func(int) string { return "203.0.113.50" }, 5},
		{"an IPv6 /64", func(n int) string { return fmt.Sprintf("2001:db8:7:1::%x", n+1) }, 5},
		{"an IPv6 /48", func(n int) string { return fmt.Sprintf("2001:db8:8:%x::1", n) }, 5 * httpapi.WideFactor},
	} {
		t.Run(tc.name, func(t *testing.T) {
			address, _ := serveAPI(t, nethttp.Capacity{RequestsPerClient: 5, Stall: time.Minute})
			refused := 0
			for n := range tc.most + 3 {
				w := dial(t, address)
				w.post("/webhooks/psp", tc.address(n), 100, 10, "")
				within := 20 * time.Millisecond
				if n >= tc.most {
					within = 5 * time.Second
				}
				if r := w.answer(within); r.StatusCode == 503 {
					refused++
				}
			}
			if refused != 3 {
				t.Errorf("%d of %d requests were rejected, want 3", refused, tc.most+3)
			}
			w := dial(t, address)
			w.post("/webhooks/psp", "192.0.2.77", 4, 4, "")
			if r := w.answer(5 * time.Second); r.StatusCode == 503 || r.StatusCode == 0 {
				t.Errorf("another network: status %d", r.StatusCode)
			}
		})
	}
}

func TestServe_ConnectionsInTotal(t *testing.T) {
	address, _ := serveAPI(t, nethttp.Capacity{Connections: 4})
	var open []wire
	for range 4 {
		w := dial(t, address)
		w.post("/webhooks/psp", "192.0.2.9", 100, 10, "")
		open = append(open, w)
	}
	time.Sleep(100 * time.Millisecond) // until the server has accepted them
	w := dial(t, address)
	w.post("/pledge/cancel", "192.0.2.10", 0, 0, "")
	if r := w.answer(5 * time.Second); r.StatusCode != 0 {
		t.Errorf("connection beyond the limit: status %d", r.StatusCode)
	}
	_ = open[0].Close()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		w := dial(t, address)
		w.post("/pledge/cancel", "192.0.2.10", 0, 0, "")
		if r := w.answer(time.Second); r.StatusCode == 415 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("closing a connection did not make room for another")
		}
	}
}
