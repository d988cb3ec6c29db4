package httpapi

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// checkOrigin lets only the public site pass. A browser tells where a request
// comes from in Sec-Fetch-Site and Origin, or at least in Referer; what tells
// nothing is not the site.
func (a *API) checkOrigin(_ context.Context, x *exchange) error {
	if !x.route.SameOrigin {
		return nil
	}
	if x.header("Sec-Fetch-Site") == "cross-site" || a.site == "" || sender(x) != a.site {
		return fault.New(fault.Forbidden, "Origin not allowed")
	}
	return nil
}

func sender(x *exchange) string {
	if origin := x.header("Origin"); origin != "" {
		return originOf(origin)
	}
	return originOf(x.header("Referer"))
}

// originOf returns scheme and host in their normal form, or "" for what is no
// web address.
func originOf(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	host := strings.ToLower(u.Host)
	if u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host
}

const (
	allowedHeaders = "Authorization, Content-Type, X-Admin-Key, X-Svc-Admin-Csrf"
	preflightLife  = "600" // seconds
)

// headers completes a response's headers: the same ones on every answer, the
// successful, the failed and the preflight.
func (a *API) headers(x *exchange, r Response) Header {
	h := a.baseHeaders(x, r)
	if len(r.Header) == 0 {
		return h
	}
	return with(h, r.Header)
}

// preflight answers a browser that asks what it may send.
func (x *exchange) preflight() Response {
	return Response{Status: 204, Header: Header{
		"Access-Control-Allow-Methods": {x.place.allow},
		"Access-Control-Allow-Headers": {allowedHeaders},
		"Access-Control-Max-Age":       {preflightLife},
	}}
}

// baseHeaders picks the prepared header for the route and the outcome. A public
// answer may be read by any origin and kept for a while; nothing else may.
func (a *API) baseHeaders(x *exchange, r Response) Header {
	open := x.place != nil && x.place.public
	if x.route != nil {
		open = x.route.Public
	}
	if x.route != nil && x.route.Lifetime != nil && r.Status == 200 {
		return a.lasting[x.route]
	}
	if open {
		return a.open
	}
	return a.closed
}

func (a *API) prepareHeaders() {
	security := Header{
		"Content-Type":           {jsonType},
		"X-Content-Type-Options": {"nosniff"},
		"X-Frame-Options":        {"DENY"},
		"X-Xss-Protection":       {"1; mode=block"},
		"Referrer-Policy":        {"strict-origin-when-cross-origin"},
		"Cache-Control":          {"private, no-store"},
	}
	anybody := []string{"*"}
	a.open = with(security, Header{"Access-Control-Allow-Origin": anybody})
	a.closed = with(security, Header{"Vary": {"Origin"}})
	if a.corsOrigin != "" {
		a.closed["Access-Control-Allow-Origin"] = []string{a.corsOrigin}
	}
	a.lasting = map[*Route]Header{}
	for i := range a.routes {
		r := &a.routes[i]
		if r.Lifetime == nil {
			continue
		}
		age := "public, max-age=" + strconv.Itoa(int(r.Lifetime(a).Seconds()))
		a.lasting[r] = with(a.open, Header{"Cache-Control": {age}})
	}
}

func with(h, more Header) Header {
	out := make(Header, len(h)+len(more))
	for k, v := range h {
		out[k] = v
	}
	for k, v := range more {
		out[k] = v
	}
	return out
}
