package nethttp

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
)

// Options say what stands in front of the handler.
type Options struct {
	// TrustedHeader is the header in which a proxy puts the client's address,
	// such as CF-Connecting-IP. Set it only where every request comes through
	// that proxy. "" takes the address of the connection.
	TrustedHeader string
	// Log takes what went wrong; nil is slog's default.
	Log *slog.Logger
	// Begin is told of every request, for a monitor, and what it returns is told of its
	// end: with the route's pattern, "" for none. It may be nil.
	Begin func(ctx context.Context, r *http.Request) (context.Context, func(route string, status int))
}

// Handler serves the API.
func Handler(api *httpapi.API, o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Begin == nil {
		o.Begin = func(ctx context.Context, _ *http.Request) (context.Context, func(string, int)) {
			return ctx, func(string, int) {}
		}
	}
	return &handler{api: api, trusted: http.CanonicalHeaderKey(o.TrustedHeader), log: o.Log, begin: o.Begin}
}

type handler struct {
	api     *httpapi.API
	trusted string
	log     *slog.Logger
	begin   func(ctx context.Context, r *http.Request) (context.Context, func(route string, status int))
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := rand.Text()
	defer h.recover(w, r, id)
	body, err := h.read(w, r)
	if err != nil {
		return
	}
	ctx, end := h.begin(lasting(r), r)
	resp := h.api.Serve(ctx, httpapi.Request{
		ID:       id,
		Method:   r.Method,
		Path:     r.URL.Path,
		RawQuery: r.URL.RawQuery,
		Header:   r.Header.Get,
		Body:     body,
		ClientIP: h.client(r),
	})
	end(resp.Route, resp.Status)
	header := w.Header()
	for k, v := range resp.Header {
		header[k] = v
	}
	header["X-Request-Id"] = []string{id}
	if resp.Status == http.StatusNoContent {
		header.Del("Content-Type")
	} else {
		header["Content-Length"] = []string{strconv.Itoa(len(resp.Body))}
	}
	w.WriteHeader(resp.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(resp.Body) // a client that has gone wants no answer
	}
}

// lasting is the request's context. What changes something is finished even
// when its client has gone, so that nobody's closed tab leaves work half done.
func lasting(r *http.Request) context.Context {
	if r.Method == http.MethodPost {
		return context.WithoutCancel(r.Context())
	}
	return r.Context()
}

// read returns the body, at most one byte beyond what the route takes: the API
// refuses it then. A body that is announced as too large is not read at all.
func (h *handler) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit := int64(h.api.BodyLimit(r.Method, r.URL.Path))
	if limit == 0 {
		return nil, nil
	}
	if r.ContentLength > limit {
		w.Header().Set("Connection", "close")
		return make([]byte, limit+1), nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
	return body, err
}

// client is the address the request is counted under. What the trusted header
// holds counts only as an address; else it is the connection's.
func (h *handler) client(r *http.Request) string {
	if h.trusted != "" {
		if ip, err := netip.ParseAddr(strings.TrimSpace(r.Header.Get(h.trusted))); err == nil {
			return ip.Unmap().WithZone("").String()
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return ""
	}
	return ip.Unmap().WithZone("").String()
}

// recover answers for a defect of ours, which must not take the server along.
func (h *handler) recover(w http.ResponseWriter, r *http.Request, id string) {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	h.log.ErrorContext(r.Context(), "panic", "request", id, "panic", v, "stack", string(debug.Stack()))
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = io.WriteString(w, `{"error":"Internal error","code":"internal"}`)
}
