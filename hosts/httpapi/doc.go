// Package httpapi is the service's edge: the only place that knows routes,
// statuses and headers. It is neutral to the transport: a Request value goes
// in, a Response value comes out, so a server, a Worker and a test call the
// very same code.
//
// What guards a route is data in the one table (see routes.go), applied to
// every request in one order:
//
//	route and test mode → preflight → method → origin → body size → content type →
//	rate limit → credentials → handler → errors → headers
//
// A handler decodes, calls one function of a core package and encodes. Errors
// are fault codes; package status alone turns them into statuses, and errors.go those of the edge.
package httpapi
