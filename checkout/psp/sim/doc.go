// Package sim is an in-memory payment processor. It keeps customers, setup sessions, saved cards,
// payments and books, forgets idempotency keys after a day, and signs and retries webhooks. It
// simulates all known faults of the real processor, on request or at random from a seed.
//
// It is used by tests, which check that no supporter is charged twice, by the demo, and to try
// the service without a processor account. Its only sources of time and randomness are Options
// and Advance, and it starts no goroutines and opens no connections, so the same seed and the
// same calls give the same responses.
//
// [Sim.Processor] implements psp.Processor in process. [Sim.Serve] is the API
// itself, independent of a transport; package simhttp serves it over HTTP. Both
// perform the same checks:
//
//	key 401 → version 400 → rate 429 → idempotency key (replay, 400, 409)
//	        → parameters 400 → work 200, 402, 429, 500
//
// Once a request was executed, its response is stored under the idempotency key, whether 200, 402 or
// 500. A payment has these states:
//
//	requires_confirmation ─confirm→ succeeded
//	        │                ├────→ processing ─later→ succeeded | requires_payment_method
//	        │                └─402→ requires_payment_method ─confirm→ …
//	        └─cancel→ canceled
//
// # Time
//
// Time advances with Options.Now and [Sim.Advance]. Every call first runs all
// tasks that are due: sessions expire, charges are booked, processing payments
// end. Webhooks are delivered by the caller, with [Sim.Due] and [Sim.RecordResponse].
package sim
