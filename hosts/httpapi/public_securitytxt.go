package httpapi

import (
	"context"
	"fmt"
	"time"
)

// securityTextRoute returns the route of /.well-known/security.txt.
func (a *API) securityTextRoute() Route {
	return Route{
		Method: "GET", Pattern: "/.well-known/security.txt", Tag: "service",
		Summary: "Where to report a vulnerability (RFC 9116)",
		Rules:   Rules{Public: true},
		Type:    plainType, Errors: []int{404},
		handle: func(context.Context, *exchange) (any, error) { return a.securityText() },
	}
}

// plainType is the content type that RFC 9116 requires.
const plainType = "text/plain; charset=utf-8"

// securityText returns the security.txt file. It fails with code NotFound if no contact is
// configured or if the contact has expired.
func (a *API) securityText() (any, error) {
	site := a.services.Config.Site
	expires := site.SecurityExpiry()
	if site.SecurityContact == "" || !a.now().Before(expires) {
		return nil, notFound()
	}
	body := fmt.Sprintf("Contact: %s\nExpires: %s\nPreferred-Languages: en, es\nCanonical: %s/.well-known/security.txt\n",
		site.SecurityContact, expires.UTC().Format(time.RFC3339), a.base)
	return Response{Status: 200, Body: []byte(body), Header: Header{"Content-Type": {plainType}}}, nil
}
