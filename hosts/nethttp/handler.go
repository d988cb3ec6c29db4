package nethttp

import (
	"context"
	"crypto/rand"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
)

// Options say what stands in front of the handler.
type Options struct {
	// TrustedHeader is the header in which a proxy puts the client's address,
	// such as CF-Connecting-IP. Set it only where every request comes through
	// that proxy. "" takes the address of the connection.
	TrustedHeader string
	// Begin is told of every request, for a monitor, and what it returns is told of its
	// end: with the route's pattern, "" for none. It may be nil.
	Begin func(ctx context.Context, r *http.Request) (context.Context, func(route string, status int))
}

// Handler serves the API.
func Handler(api *httpapi.API, o Options) http.Handler {
	if o.Begin == nil {
		o.Begin = func(ctx context.Context, _ *http.Request) (context.Context, func(string, int)) {
			return ctx, func(string, int) {}
		}
	}
	return &handler{api: api, trusted: http.CanonicalHeaderKey(o.TrustedHeader), begin: o.Begin}
}

type handler struct {
	api     *httpapi.API
	trusted string
	begin   func(ctx context.Context, r *http.Request) (context.Context, func(route string, status int))
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := rand.Text()
	req := httpapi.Request{
		ID:       id,
		Method:   r.Method,
		Path:     r.URL.Path,
		RawQuery: r.URL.RawQuery,
		Header:   r.Header.Get,
		ClientIP: clientIP(r, h.trusted),
	}
	h.read(w, r, &req)
	ctx, end := h.begin(lasting(r), r)
	resp := h.api.Serve(ctx, req)
	end(resp.Route, resp.Status)
	w.Header()["X-Request-Id"] = []string{id}
	write(w, r, resp)
}

// write sends a response.
func write(w http.ResponseWriter, r *http.Request, resp httpapi.Response) {
	header := w.Header()
	maps.Copy(header, http.Header(resp.Header))
	if resp.Status != http.StatusNoContent && resp.Stream == nil {
		header["Content-Length"] = []string{strconv.Itoa(len(resp.Body))}
	}
	w.WriteHeader(resp.Status)
	switch {
	case r.Method == http.MethodHead:
	case resp.Stream == nil:
		_, _ = w.Write(resp.Body) // a client that has gone wants no answer
	default:
		if err := resp.Stream(w); err != nil {
			panic(http.ErrAbortHandler) // the client must not take the part for the whole
		}
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

// read reads the body, at most one byte beyond what the route takes: the API
// refuses it then. A body that is announced as too large is not read at all, and one that
// may be large only when the API asks for it.
func (h *handler) read(w http.ResponseWriter, r *http.Request, req *httpapi.Request) {
	limit := int64(h.api.BodyLimit(r.Method, r.URL.Path))
	if limit == 0 {
		return
	}
	req.Length = r.ContentLength
	switch {
	case r.ContentLength > limit:
		w.Header().Set("Connection", "close")
	case h.api.Streams(r.Method, r.URL.Path):
		req.Stream = &upload{body: r.Body, control: http.NewResponseController(w)}
	default:
		req.Body, req.Unread = io.ReadAll(io.LimitReader(r.Body, limit+1))
	}
}

// uploadTime is how long a large body may take, and answering it: a film of 100 MB at
// 1.5 Mbit/s.
const uploadTime = 10 * time.Minute

// upload is a large body, for which the server waits longer from when it is first read.
type upload struct {
	body    io.Reader
	control *http.ResponseController
	begun   bool
}

func (u *upload) Read(b []byte) (int, error) {
	if !u.begun {
		u.begun = true
		end := time.Now().Add(uploadTime)
		// A server that can't wait longer ends slow uploads sooner.
		_, _ = u.control.SetReadDeadline(end), u.control.SetWriteDeadline(end.Add(writeTimeout))
	}
	return u.body.Read(b)
}

// clientIP is the address the request comes from. What the trusted header holds counts
// only as an address; else it is the connection's.
func clientIP(r *http.Request, trusted string) string {
	if trusted != "" {
		if ip, err := netip.ParseAddr(strings.TrimSpace(r.Header.Get(trusted))); err == nil {
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
