package nethttp

import (
	"context"
	"crypto/rand"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
)

// Options configure a Handler.
type Options struct {
	// TrustedHeader is the header in which a reverse proxy passes the client's address, such as
	// CF-Connecting-IP. Set it only if every request comes through that proxy. If it is "", the
	// address of the connection is used.
	TrustedHeader string
	// Admission limits the requests and their bodies; nil means a new one with the default
	// Capacity.
	Admission *Admission
	// Begin is called for every request, for monitoring. The returned function is called when the
	// request ends, with the route's pattern, "" for none, and the status. Begin may be nil.
	Begin func(ctx context.Context, r *http.Request) (context.Context, func(route string, status int))
}

// Handler returns the handler of the API.
func Handler(api *httpapi.API, o Options) http.Handler {
	if o.Begin == nil {
		o.Begin = func(ctx context.Context, _ *http.Request) (context.Context, func(string, int)) {
			return ctx, func(string, int) {}
		}
	}
	if o.Admission == nil {
		o.Admission = NewAdmission(Capacity{}, o.TrustedHeader)
	}
	return o.Admission.Admit(&handler{api: api, trusted: http.CanonicalHeaderKey(o.TrustedHeader), begin: o.Begin})
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
	h.offer(r, &req)
	ctx, end := h.begin(requestContext(r), r)
	resp := h.api.Serve(ctx, req)
	end(resp.Route, resp.Status)
	w.Header()["X-Request-Id"] = []string{id}
	if !wasBodyRead(r) {
		closeAfter(w, r)
	}
	write(w, r, resp)
}

// offer passes the body to the API, which reads it only after the checks that do not need it.
func (h *handler) offer(r *http.Request, req *httpapi.Request) {
	if h.api.BodyLimit(r.Method, r.URL.Path) == 0 {
		return
	}
	req.Length, req.Stream = r.ContentLength, r.Body
	if b, ok := r.Body.(*body); ok && h.api.Streams(r.Method, r.URL.Path) {
		req.Stream = &upload{b}
	}
}

// upload is the body of an operator's upload. At its first read, its time limit is extended.
type upload struct{ *body }

// Read implements io.Reader.
func (u *upload) Read(p []byte) (int, error) {
	if !u.body.upload {
		u.expectUpload()
	}
	return u.body.Read(p)
}

// wasBodyRead reports whether the whole body was read.
func wasBodyRead(r *http.Request) bool {
	b, ok := r.Body.(*body)
	return ok && b.ended
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
		_, _ = w.Write(resp.Body) // fails if the client has disconnected
	default:
		if err := resp.Stream(w); err != nil {
			panic(http.ErrAbortHandler) // aborts, so that the client notices that the response is incomplete
		}
	}
}

// requestContext returns the request's context. For a POST request it is not canceled when the
// client disconnects, so changes are completed.
func requestContext(r *http.Request) context.Context {
	if r.Method == http.MethodPost {
		return context.WithoutCancel(r.Context())
	}
	return r.Context()
}

// clientIP returns the client's address: from the trusted header if it contains a valid address,
// otherwise from the connection.
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
