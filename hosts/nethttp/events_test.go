package nethttp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/internal/responses"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// streams serves events of numbers that the test sets.
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

// Who comes when all places are taken is told so.
func TestEventsHaveSoManyPlaces(t *testing.T) {
	const many = 10_000
	entered, leave := make(chan bool), make(chan bool)
	e := &nethttp.Events{Live: func(context.Context, string) (json.RawMessage, error) {
		entered <- true
		<-leave
		return nil, fault.New(fault.NotFound, "Campaign not found")
	}}
	answers := make(chan responses.Response, many)
	look := func() {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", "/live/film/events", nil))
		answers <- responses.Response{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}
	}
	taken := 0
	for free := true; free && taken < many; {
		go look()
		select {
		case <-entered:
			taken++
		case r := <-answers:
			responses.Check(t, "GET", r, 503)
			free = false
		}
	}
	close(leave)
	for range taken {
		responses.Check(t, "GET", <-answers, 204)
	}
	if taken == many {
		t.Errorf("%d look at once", taken)
	}
}

// Numbers come at once and whenever they change, until the server goes.
func TestEvents(t *testing.T) {
	var numbers atomic.Pointer[string]
	say := func(s string) { numbers.Store(&s) }
	say(`{"n":1}`)
	e, url := streams(t, &numbers)
	r := get(t, url+"/live/film/events")
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/event-stream" || r.Header.Get("Cache-Control") != "no-store" {
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
