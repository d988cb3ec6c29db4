// Package workers hosts Pledgeworks on Cloudflare Workers: kv.Store on Workers KV, kv objects as
// Durable Objects, and scheduled work by cron triggers.
//
// The Go code is compiled to WebAssembly (package wasm) and started by the JavaScript modules in
// the folder worker. They keep a pool of instances and lease each to one request at a time. Export
// makes the program's functions callable from JavaScript; the program calls the platform through a
// Bridge, which runs an operation by name with JSON input and output.
//
// Two workers run the same program: the front worker receives all requests, and the background worker
// has the objects, the triggers and operators' requests.
//
// New composes a Host, which handles requests (Handle), cron triggers (Hourly, Minutely) and the batches
// of settlements (Settle). Store
// implements kv.Store on a KV namespace and Coordinator implements kv.Coordinator on Durable
// Objects. A command runs inside its Durable Object: Act executes it synchronously within one
// storage transaction, so that no other event of the object can interleave.
//
// # Errors
//
// A failed Bridge call to KV or an object is reported as fault.Unavailable. New reports all invalid
// variables at once or, if there are none, all settings that Workers do not support.
//
// # Concurrency
//
// A Host serves one request at a time. Package workers compiles natively for tests; only package
// wasm and Platform require GOOS=js.
package workers
