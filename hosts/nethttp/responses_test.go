package nethttp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/internal/responses"
)

// serve runs a server until the test ends. It returns the server's address and a function that
// stops it.
func serve(t *testing.T, h http.Handler, s nethttp.Serving) (address string, stop func()) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = nethttp.Serve(ctx, l, h, s) // the listener is closed below
	}()
	t.Cleanup(func() {
		stop()
		_ = l.Close()
		<-served
	})
	return l.Addr().String(), stop
}

// broken returns an API whose Projector is nil, to simulate a programming error.
func broken(t *testing.T, log io.Writer) *httpapi.API {
	t.Helper()
	h, err := memory.New(memory.Options{Campaigns: os.DirFS("../../examples/site"),
		Log: slog.New(slog.NewJSONHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	h.Services.Projector = nil
	api, err := httpapi.New(h.Services, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// raw sends text unmodified, closes the sending side, and reads the response.
func raw(t *testing.T, address, text string) responses.Response {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		if err := tcp.CloseWrite(); err != nil {
			t.Fatal(err)
		}
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return responses.Response{Status: res.StatusCode, Header: res.Header, Body: body}
}

// Proves SEC-09, SEC-10, SEC-11, SEC-12, ERR-01.
func TestResponses(t *testing.T) {
	host := newHost(t)
	var log bytes.Buffer
	mux := http.NewServeMux()
	mux.Handle("/", nethttp.Handler(host.API, nethttp.Options{}))
	mux.Handle("GET /live/{slug}/events", &nethttp.Events{Live: host.Services.Projector.Live})
	mux.Handle("GET /down/{slug}/events",
		&nethttp.Events{Live: func(context.Context, string) (json.RawMessage, error) { return nil, errors.New("down") }})
	mux.Handle("/broken/", http.StripPrefix("/broken", nethttp.Handler(broken(t, &log), nethttp.Options{})))
	address, stop := serve(t, mux, nethttp.Serving{DrainDelay: time.Hour})
	ask := responses.Over("http://" + address)
	is := responses.Host{Ask: ask, Site: string(host.Config.Site.Base), Slug: game}
	responses.Run(t, is)
	post := "POST /pledge/cancel HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	for name, tc := range map[string]struct {
		text   string
		status int
	}{
		"a defect":               {"GET /broken/stats/" + game + " HTTP/1.1\r\nHost: x\r\n\r\n", 500},
		"another path":           {"GET //stats/" + game + " HTTP/1.1\r\nHost: x\r\n\r\n", 307},
		"no events of it":        {"GET /live/unknown/events HTTP/1.1\r\nHost: x\r\n\r\n", 204},
		"no events now":          {"GET /down/" + game + "/events HTTP/1.1\r\nHost: x\r\n\r\n", 503},
		"an unknown method":      {"BREW /votes HTTP/1.1\r\nHost: x\r\n\r\n", 405},
		"no path":                {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 404},
		"an unreadable body":     {post + "Transfer-Encoding: chunked\r\n\r\nx\r\n", 400},
		"a body that ends early": {post + "Content-Length: 99\r\n\r\n" + `{"token":"x"}`, 400},
	} {
		t.Run(name, func(t *testing.T) { is.Check(t, "", raw(t, address, tc.text), tc.status) })
	}
	if !strings.Contains(log.String(), "panic") {
		t.Errorf("log = %s", &log)
	}
	t.Run("events", func(t *testing.T) {
		r, err := http.Get("http://" + address + "/live/" + game + "/events")
		if err != nil {
			t.Fatal(err)
		}
		is.Check(t, "GET", responses.Response{Status: r.StatusCode, Header: r.Header}, 200)
		if err := r.Body.Close(); err != nil {
			t.Error(err)
		}
	})
	stop()
	t.Run("stopping", func(t *testing.T) {
		is.Check(t, "GET", ask(t, responses.Request{Method: "GET", Path: "/readyz"}), 503)
	})
}
