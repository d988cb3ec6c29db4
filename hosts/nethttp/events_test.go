package nethttp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/internal/responses"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// streams serves events with totals that the test sets.
func streams(t *testing.T, numbers *atomic.Pointer[string]) (*nethttp.Events, string) {
	t.Helper()
	e := &nethttp.Events{Live: func(_ context.Context, slug string) (json.RawMessage, error) {
		switch slug {
		case "film":
			return json.RawMessage(*numbers.Load()), nil
		case "gone":
			return nil, fault.New(fault.NotFound, "Campaign not found")
		}
		return nil, errors.New("down")
	}}
	mux := http.NewServeMux()
	mux.Handle("GET /live/{slug}/events", e)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return e, server.URL
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	r, err := http.Get(url) //nolint:noctx,gosec // a server of this test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Body.Close() })
	return r
}

// openStream opens a stream from an address and returns the response after the stream has ended.
func openStream(t *testing.T, e *nethttp.Events, method, address string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(t.Context(), method, "/live/film/events", nil)
	r.SetPathValue("slug", "film")
	r.Header.Set("X-Client", address)
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

func constantTotals(context.Context, string) (json.RawMessage, error) {
	return json.RawMessage(`{"n":1}`), nil
}

// A client has a limited number of streams, no matter how many addresses it uses. A stream ends
// after a time and frees its place.
func TestStreams_PerClientLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &nethttp.Events{Live: constantTotals, TrustedHeader: "X-Client"}
		var open sync.WaitGroup
		began := time.Now()
		for n := range 40 {
			open.Go(func() { watch(t, e, fmt.Sprintf("2001:db8:0:1::%x", n)) })
		}
		synctest.Wait()
		if w := openStream(t, e, "GET", "2001:db8:0:1:9::9"); w.Code != 503 {
			t.Errorf("one more stream of the client: status %d", w.Code)
		}
		for _, address := range []string{"2001:db8:0:2::1", "192.0.2.1"} {
			open.Go(func() { watch(t, e, address) })
		}
		open.Wait()
		if lived := time.Since(began); lived != 30*time.Minute {
			t.Errorf("stream lasted %s", lived)
		}
		open.Go(func() { watch(t, e, "2001:db8:0:1::1") })
		synctest.Wait()
		e.Stop()
		open.Wait()
	})
}

func TestEvents_IPv6Network(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &nethttp.Events{Live: constantTotals, TrustedHeader: "X-Client"}
		var open sync.WaitGroup
		for n := range 40 * httpapi.WideFactor {
			open.Go(func() { watch(t, e, fmt.Sprintf("2001:db8:c:%x::1", n)) })
		}
		synctest.Wait()
		if w := openStream(t, e, "GET", "2001:db8:c:ffff::1"); w.Code != 503 {
			t.Errorf("one more stream of the /48: status %d", w.Code)
		}
		open.Go(func() { watch(t, e, "2001:db8:d::1") })
		synctest.Wait()
		e.Stop()
		open.Wait()
	})
}

// The total number of streams is limited, too. HEAD requests do not count.
func TestStreams_TotalLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &nethttp.Events{Live: constantTotals, TrustedHeader: "X-Client"}
		var open sync.WaitGroup
		for n := range 2000 {
			open.Go(func() { watch(t, e, fmt.Sprintf("10.0.%d.%d", n/250, n%250)) })
		}
		synctest.Wait()
		w := openStream(t, e, "GET", "192.0.2.1")
		responses.Host{}.Check(t, "GET", responses.Response{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}, 503)
		w = openStream(t, e, "HEAD", "192.0.2.1")
		if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Type") != "text/event-stream" {
			t.Errorf("the head: %d %s", w.Code, w.Body)
		}
		e.Stop()
		open.Wait()
	})
}

// watch opens a stream and waits for its end.
func watch(t *testing.T, e *nethttp.Events, address string) {
	t.Helper()
	if w := openStream(t, e, "GET", address); w.Code != 200 || !strings.HasPrefix(w.Body.String(), `data: {"n":1}`) {
		t.Errorf("%s: %d %.40s", address, w.Code, w.Body)
	}
}

// Totals are sent immediately and whenever they change, until the server stops.
func TestEvents(t *testing.T) {
	var numbers atomic.Pointer[string]
	say := func(s string) { numbers.Store(&s) }
	say(`{"n":1}`)
	e, url := streams(t, &numbers)
	r := get(t, url+"/live/film/events")
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/event-stream" ||
		r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	lines := bufio.NewReader(r.Body)
	next := func() string {
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return err.Error()
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				return strings.TrimSpace(data)
			}
		}
	}
	if got := next(); got != `{"n":1}` {
		t.Error(got)
	}
	say(`{"n":2}`)
	if got := next(); got != `{"n":2}` {
		t.Error(got)
	}
	e.Stop()
	if _, err := io.ReadAll(lines); err != nil {
		t.Error(err)
	}
	for slug, want := range map[string]int{"gone": 204, "down": 503} {
		if r := get(t, url+"/live/"+slug+"/events"); r.StatusCode != want {
			t.Errorf("%s: %d", slug, r.StatusCode)
		}
	}
}
