// Package nethttp runs the service on net/http:
//
//	worker := nethttp.NewWorker(log)                  // compose.Deps.Next is worker.ScheduleBatch
//	go worker.Run(ctx, services)
//	handler := nethttp.Handler(api, nethttp.Options{})
//	err := nethttp.Serve(ctx, listener, handler, nethttp.Serving{ShutdownTimeout: 30 * time.Second})
//
// Handler adapts an httpapi.API to an http.Handler, which other Go programs can mount. Serve adds
// limits for connections and a graceful shutdown. Worker does the scheduled work and the batches of
// settlements. Events streams live totals as server-sent events. Admission limits the concurrent
// requests and the memory for their bodies.
package nethttp
