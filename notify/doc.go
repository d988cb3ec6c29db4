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
// Mails leave by lanes: what somebody has just asked for, the rest about their own pledge,
// reminders, updates. A marker for each puts what is due first, one Pace holds all of them
// within the provider's rate, and a Switch stops them. What a provider reports later is
// noted by the mail's key; suppression and feedback, below this package, decide who gets no
// more. News to many is a broadcast, in a package of its own.
//
// Every mail is written once, as blocks of which both its plain text and its HTML are
// made, with exact amounts. A link opens a page and changes nothing by itself, so a mail
// scanner that follows it does no harm. The HTML fetches nothing but the site's own
// pictures, in a campaign's news, and runs nothing.
//
// Senders hang below this package: resend and smtp deliver, devmail keeps mails for a
// developer to read, and notifytest is what all of them hold to.
package notify
