package httpapi

import (
	"maps"
	"strconv"
)

// security contains the headers of every response.
var security = Header{
	"X-Content-Type-Options":       {"nosniff"},
	"X-Frame-Options":              {"DENY"},
	"X-Xss-Protection":             {"1; mode=block"},
	"Referrer-Policy":              {"strict-origin-when-cross-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"}, // replaced for public responses
}

// Public contains the headers of responses that pages of any origin may read.
var Public = Header{"Access-Control-Allow-Origin": {"*"}, "Cross-Origin-Resource-Policy": {"cross-origin"}}

// private contains the headers of responses for one client.
var private = with(security, Header{"Content-Type": {jsonType}, "Cache-Control": {"private, no-store"}})

// Secure sets the headers that every response has, for responses written by the host itself. strict
// is the Strict-Transport-Security header, "" for none.
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

// headers returns the complete headers of a response, for successes, failures and preflights.
func (a *API) headers(x *exchange, r Response) Header {
	h := a.baseHeaders(x, r)
	if x.caller != nil && x.caller.Cookie != "" {
		h = with(h, Header{"Set-Cookie": {SessionCookieHeader(x.caller.Cookie)}})
	}
	if len(r.Header) == 0 && r.Status != 204 {
		return h
	}
	h = with(h, r.Header)
	if r.Status == 204 {
		delete(h, "Content-Type") // there is no content
	}
	return h
}

// preflight returns the response to a CORS preflight request.
func (x *exchange) preflight() Response {
	return Response{Status: 204, Header: Header{
		"Access-Control-Allow-Methods": {x.endpoint.allow()},
		"Access-Control-Allow-Headers": {allowedHeaders},
		"Access-Control-Max-Age":       {preflightLife},
	}}
}

// baseHeaders returns the prepared headers for the route and the status. Only public responses may
// be read by any origin and cached.
func (a *API) baseHeaders(x *exchange, r Response) Header {
	open := x.endpoint != nil && x.endpoint.public
	if x.route != nil {
		open = x.route.Public
	}
	if x.route != nil && x.route.Lifetime != nil && r.Status == 200 {
		return a.lasting[x.route]
	}
	if open {
		return a.open
	}
	if x.endpoint != nil && x.endpoint.session {
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
	if a.corsOrigin == a.site { // origins that may only read public responses get no cookies
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
