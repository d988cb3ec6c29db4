package nethttp_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
)

// Malformed HTTP requests are rejected by net/http itself, without our headers. The responses are
// plain text that does not repeat input, and the connection is closed.
func TestServe_MalformedRequests(t *testing.T) {
	address, _ := serveAPI(t, nethttp.Capacity{})
	const planted = "<script>planted</script>"
	for _, tc := range []struct {
		name, request string
		status        int
	}{
		{"a broken escape", "GET /%zz" + planted + " HTTP/1.1\r\nHost: x\r\n\r\n", 400},
		{"a header without a colon", "GET /healthz HTTP/1.1\r\nHost: x\r\n" + planted + "\r\n\r\n", 400},
		{"a header with a space in its name", "GET /healthz HTTP/1.1\r\nHost: x\r\nX " + planted + ": 1\r\n\r\n", 400},
		{"two hosts", "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: " + planted + "\r\n\r\n", 400},
		{"a large header",
			"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Large: " + planted + strings.Repeat("a", 60<<10) + "\r\n\r\n", 431},
		{"an unknown encoding", "POST /pledge/cancel HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + planted + "\r\n\r\n", 501},
		{"another version", "GET /" + planted + " HTTP/3.7\r\nHost: x\r\n\r\n", 505},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := dial(t, address)
			if _, err := fmt.Fprint(w, tc.request); err != nil {
				t.Fatal(err)
			}
			r := w.answer(5 * time.Second)
			if r.StatusCode != tc.status || !r.Close || r.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Fatalf("%d %v, close %t", r.StatusCode, r.Header, r.Close)
			}
			var names []string
			for name := range r.Header {
				names = append(names, name)
			}
			if slices.Sort(names); !slices.Equal(names, []string{"Connection", "Content-Type"}) &&
				!slices.Equal(names, []string{"Content-Type"}) {
				t.Errorf("headers = %v", names)
			}
			if text, err := io.ReadAll(r.Body); err != nil || strings.Contains(string(text), "planted") || len(text) > 100 {
				t.Errorf("body = %q, %v", text, err)
			}
		})
	}
	for _, path := range []string{"/%20", "*"} { // still valid requests
		w := dial(t, address)
		if _, err := fmt.Fprintf(w, "OPTIONS %s HTTP/1.1\r\nHost: x\r\n\r\n", path); err != nil {
			t.Fatal(err)
		}
		if r := w.answer(5 * time.Second); r.StatusCode != http.StatusNotFound ||
			r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, r.StatusCode, r.Header)
		}
	}
}
