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

// Options say what stands in front of the handler.
type Options struct {
	// TrustedHeader is the header in which a proxy puts the client's address,
	// such as CF-Connecting-IP. Set it only where every request comes through
	// that proxy. "" takes the address of the connection.
	TrustedHeader string
	// Admission bounds the requests and their bodies; nil is one with the default Capacity.
	Admission *Admission
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
	ctx, end := h.begin(lasting(r), r)
	resp := h.api.Serve(ctx, req)
	end(resp.Route, resp.Status)
	w.Header()["X-Request-Id"] = []string{id}
	if !read(r) {
		closeAfter(w, r)
	}
	write(w, r, resp)
}

// offer hands the body to the API, which reads it only if the request passes the rules that
// need no body.
func (h *handler) offer(r *http.Request, req *httpapi.Request) {
	if h.api.BodyLimit(r.Method, r.URL.Path) == 0 {
		return
	}
	req.Length, req.Stream = r.ContentLength, r.Body
	if b, ok := r.Body.(*body); ok && h.api.Streams(r.Method, r.URL.Path) {
		req.Stream = &upload{b}
	}
}

// upload is an operator's body, which has more time from its first read on.
type upload struct{ *body }

// Read implements io.Reader.
func (u *upload) Read(p []byte) (int, error) {
	if !u.body.upload {
		u.expectUpload()
	}
	return u.body.Read(p)
}

// read reports whether the whole body was read.
func read(r *http.Request) bool {
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
