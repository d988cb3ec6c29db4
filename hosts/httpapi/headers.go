package httpapi

import (
	"maps"
	"strconv"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

// security is on every response.
var security = Header{
	"X-Content-Type-Options":       {"nosniff"},
	"X-Frame-Options":              {"DENY"},
	"X-Xss-Protection":             {"1; mode=block"},
	"Referrer-Policy":              {"strict-origin-when-cross-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"}, // but on what others may read
}

// Public is on what any page of any site may read.
var Public = Header{"Access-Control-Allow-Origin": {"*"}, "Cross-Origin-Resource-Policy": {"cross-origin"}}

// private is on every response that is for nobody else.
var private = with(security, Header{"Content-Type": {jsonType}, "Cache-Control": {"private, no-store"}})

// Secure sets the headers that every response carries, for a host that answers by
// itself; strict is Strict-Transport-Security's, "" for none.
func Secure(h map[string][]string, strict string) {
	maps.Copy(h, security)
	if strict != "" {
		h["Strict-Transport-Security"] = []string{strict}
	}
}

const (
	allowedHeaders = "Authorization, Content-Type, X-Admin-Key, X-Browser-Session, X-Checkout-Token, X-Join-Token, X-Link-Token, X-Svc-Admin-Csrf"
	preflightLife  = "600" // seconds
)

// headers completes a response's headers: the same ones on every answer, the
// successful, the failed and the preflight.
func (a *API) headers(x *exchange, r Response) Header {
	h := a.baseHeaders(x, r)
	if x.caller != nil && x.caller.Cookie != "" {
		h = with(h, Header{"Set-Cookie": {cookie(sessionCookie, x.caller.Cookie, access.SessionLife)}})
	}
	if len(r.Header) == 0 && r.Status != 204 {
		return h
	}
	h = with(h, r.Header)
	if r.Status == 204 {
		delete(h, "Content-Type") // of nothing
	}
	return h
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
	if x.place != nil && x.place.session {
		return a.signedIn
	}
	return a.closed
}

func (a *API) prepareHeaders() {
	base := maps.Clone(private)
	Secure(base, a.services.Config.Mode.StrictTransport())
	a.open = with(base, Public)
	a.closed = with(base, Header{"Vary": {"Origin"}})
	if a.corsOrigin != "" {
		a.closed["Access-Control-Allow-Origin"] = []string{a.corsOrigin}
	}
	a.signedIn = a.closed
	if a.corsOrigin == a.site { // who may only read what is public gets no cookies along
		a.signedIn = with(a.closed, Header{"Access-Control-Allow-Credentials": {"true"}})
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
	out := maps.Clone(h)
	maps.Copy(out, more)
	return out
}
