// Package notify writes the service's mails and sees them delivered.
//
//	compose ──▶ Queue ──▶ outbox record ── Drain ──▶ Sender
//	                           │  ▲                    │
//	                           │  └─── retry later ────┤
//	                           ▼                       ▼
//	                        expired            accepted or failed
//
// A mail has an identity, such as "confirmation:pw-…". It is queued once under
// it, with its wording and recipient frozen, and every attempt to send it goes
// out under the same idempotency key, so asking for it again, crashing between
// sending and noting it, and two servers draining at once end in one mail. A
// delivery record says what became of each mail, long after its text is gone.
//
// Every mail is plain text with exact amounts and at most one link. A link
// opens a page and changes nothing by itself, so a mail scanner that follows
// it does no harm.
//
// Senders hang below this package: resend and smtp deliver, devmail keeps mails for a
// developer to read, and notifytest is what all of them hold to.
package notify
