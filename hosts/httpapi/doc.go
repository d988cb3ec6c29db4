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
// All routes are in one table (edge_routes.go). Each Route declares its Rules as data: who may call it,
// its rate limits, its body limit and its action in the audit log. Serve applies them to every
// request in the same order:
//
//	route and test mode → preflight → method → clock → origin → body size → content type →
//	rate limits → credentials → body → challenge → limits by body → campaign → handler
//
// A handler decodes the request, calls one function of a core package and encodes its result. The
// OpenAPI document is generated from the same table: see Document.
//
// # Errors
//
// Errors are fault codes. Package status maps them to HTTP statuses, edge_errors.go those that only this
// package uses. Errors without a code are logged and answered with 500.
//
// # Concurrency
//
// API is safe for concurrent use.
package httpapi
