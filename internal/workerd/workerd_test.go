package workerd_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pledgeworks/pledgeworks/internal/workerd"
)

// A worker may close a connection right after its response or while it is waiting, so connections
// are not reused, and at most eight are open at a time.
func TestTransport_NewConnectionPerRequest(t *testing.T) {
	const requests, atOnce = 100, 8
	var opened, left, most atomic.Int32
	entered, leave := make(chan bool), make(chan bool)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- true
		<-leave
		left.Add(1)
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			most.Store(max(most.Load(), opened.Add(1)-left.Load())) // called by one goroutine
		}
	}
	server.Start()
	defer server.Close()
	client := http.Client{Transport: workerd.Transport}
	var sent sync.WaitGroup
	for range requests {
		sent.Go(func() {
			res, err := client.Post(server.URL, "text/plain", strings.NewReader("x"))
			if err != nil {
				t.Error(err)
				return
			}
			_ = res.Body.Close()
		})
	}
	for n := range requests {
		<-entered
		if n >= atOnce-1 {
			leave <- true
		}
	}
	for range atOnce - 1 {
		leave <- true
	}
	sent.Wait()
	if opened.Load() != requests || most.Load() > atOnce {
		t.Errorf("%d requests used %d connections, at most %d at a time", requests, opened.Load(), most.Load())
	}
}
