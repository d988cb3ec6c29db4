// Package httpapi implements the HTTP API of the service: routes, access rules, request decoding
// and error responses. It does not depend on a server: Serve takes a Request and returns a
// Response, so that net/http, Cloudflare Workers and tests run the same code.
//
//	api, err := httpapi.New(services, httpapi.Options{Version: version})
//	// ...
//	resp := api.Serve(ctx, httpapi.Request{Method: r.Method, Path: r.URL.Path, Stream: r.Body})
//
// # Routes and rules
//
// All routes are in one table, see edge_routes.go. Each Route declares its Rules as data: who may
// call it, its rate limits, its body limit and its action in the audit log. Serve applies them to
// every request in the same order:
//
//	route and test mode → preflight → method → clock → origin → body size → content type →
//	rate limits → credentials → body → challenge → limits by body → campaign and recent sign-in →
//	handler
//
// A handler decodes the request, calls one function of a core package and encodes its result. The
// OpenAPI document is generated from the same table: see Document.
//
// # Files
//
// The prefix of a file's name states who calls the routes in it:
//
//	public_     anyone, without a token: a campaign's numbers and stock, security.txt
//	supporter_  supporters: checkout, manage links, votes, reminders, subscriptions
//	admin_      users of the dashboard and holders of the admin secret
//	webhook_    the payment processor and the mail provider, with signed events
//	machine_    monitoring, and tests of an installation in test mode
//	edge_       code that all routes share: the table of routes, rules, limits, credentials,
//	            headers, encoding and measurements
//
// Tests have the prefix of the routes that they call. A name must not end in an operating system
// or an architecture, such as _windows.go, because that is a build constraint: files in _js.go
// are compiled only for Workers.
//
// # Errors
//
// Errors have fault codes. Package status maps the codes to HTTP statuses, and edge_errors.go maps
// the codes that only this package uses. An error without a code is logged and results in status
// 500.
//
// # Concurrency
//
// API is safe for concurrent use.
package httpapi
