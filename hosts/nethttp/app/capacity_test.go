package app

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// The settings limit one client's requests on every path that reads a body.
func TestHandler_RequestsPerClient(t *testing.T) {
	for _, path := range []string{"/webhooks/psp", "/webhooks/content", "/nowhere"} {
		t.Run(path, func(t *testing.T) {
			folder := contentOf(t)
			a, _ := openOn(t, folder, map[string]string{"REQUESTS_PER_CLIENT": "6"})
			server := httptest.NewServer(a.Handler())
			t.Cleanup(server.Close)
			for range 6 {
				c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = c.Close() })
				if _, err := fmt.Fprint(c,
					"POST /webhooks/psp HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\nhalf"); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(100 * time.Millisecond) // until the server reads their bodies
			for target, want := range map[string]int{path: 503, "/healthz": 200} {
				method := http.MethodPost
				if want == 200 {
					method = http.MethodGet
				}
				r, err := http.NewRequestWithContext(t.Context(), method, server.URL+target, strings.NewReader(""))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := server.Client().Do(r)
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				if resp.StatusCode != want || want == 503 && resp.Header.Get("Retry-After") == "" {
					t.Errorf("%s: status %d, %v", target, resp.StatusCode, resp.Header)
				}
			}
		})
	}
}

func TestHandler_SecurityText(t *testing.T) {
	a, _ := openOn(t, contentOf(t),
		map[string]string{"SECURITY_CONTACT": "mailto:finder@harbor.example", "SECURITY_EXPIRES": "2094-05-06T07:08:09Z"})
	server := httptest.NewServer(a.Handler())
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/.well-known/security.txt", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 ||
		!strings.HasPrefix(string(text), "Contact: mailto:finder@harbor.example\nExpires: 2094-05-06T07:08:09Z\n") {
		t.Errorf("%d %s, %v", resp.StatusCode, text, err)
	}
}
