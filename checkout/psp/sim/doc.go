// Package sim is a payment processor that lives in memory: it keeps customers,
// setup sessions, saved cards, payments and books, forgets idempotency keys
// after a day, signs and retries webhooks, and fails in every way the real one
// is known to, on order or drawn from a seed.
//
// It serves three readers: tests, which ask it whether a supporter was charged
// twice; the demo, which needs no account anywhere; and whoever embeds the
// service and wants to see it work first. It has no clock and no chance of its
// own beyond Options, starts no goroutine and opens no connection, so the same
// seed and the same calls give the same answers.
//
// Processor is the contract in process. Serve is the API itself, free of any
// transport; package simhttp puts it on HTTP. Both go through the same checks:
//
//	key 401 → version 400 → rate 429 → idempotency key (replay, 400, 409)
//	        → parameters 400 → work 200, 402, 429, 500
//
// The answer of work that was begun is remembered under its key: 200, 402 and
// 500 alike. A payment moves like this:
//
//	requires_confirmation ─confirm→ succeeded
//	        │                ├────→ processing ─later→ succeeded | requires_payment_method
//	        │                └─402→ requires_payment_method ─confirm→ …
//	        └─cancel→ canceled
//
// Time passes by Options.Now and Advance. Whoever looks finds everything done
// that had fallen due by then: expired sessions, booked charges, payments that
// were processing. Webhooks are pumped by the caller, with Due and Done.
package sim
