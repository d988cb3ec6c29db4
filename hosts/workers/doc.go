// Package workers runs the service on Cloudflare Workers: keys in Workers KV, objects
// as Durable Objects, scheduled work by cron triggers.
//
// The Go code is compiled to WebAssembly (the package wasm below) and leased to one
// request at a time by worker/worker.mjs, which is the only JavaScript. Both speak over
// a Bridge: an operation of the platform by name, JSON in and JSON out. An object's
// command runs inside its Durable Object in one synchronous call, within one
// transaction of its storage, so that nothing comes in between.
//
// All of it is plain Go and compiles natively too; only the package wasm needs
// GOOS=js or TinyGo.
package workers
