package workerd_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pledgeworks/pledgeworks/internal/workerd"
)

// A worker may end a connection as soon as it has answered: none is used twice.
func TestEveryRequestHasItsOwnConnection(t *testing.T) {
	var opened atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := http.Client{Transport: workerd.Transport}
	for range 3 {
		res, err := client.Post(server.URL, "text/plain", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := opened.Load(); got != 3 {
		t.Errorf("3 requests went over %d connections", got)
	}
}
