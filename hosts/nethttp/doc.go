// Package nethttp runs the service on net/http: Handler is what a Go program
// mounts, Serve listens and stops gracefully, and Worker does what nobody's
// request does: the minute's and the hour's work, and settlement's next batches.
package nethttp
