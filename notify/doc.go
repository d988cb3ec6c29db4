// Package notify writes the service's emails and delivers them through a Sender.
//
//	compose ──▶ Queue ──▶ outbox record ── Drain ──▶ Sender
//	                           │  ▲                    │
//	                           │  └─── retry later ────┤
//	                           ▼                       ▼
//	                        expired            accepted or failed
//
// # Composing
//
// Functions such as ConfirmationOf, ChargedOf and NewsOf write a Message. A message is built
// from blocks, from which both its plain text and its HTML are rendered, so the two always
// have the same content. Links open a page and change nothing by themselves, so that mail
// scanners that follow them do no harm. The HTML has no scripts and loads nothing except the
// site's own images in a campaign's news.
//
// # Queueing and delivery
//
// Every message has an identity, such as "confirmation:pw-…". The Outbox stores the first
// message that is queued under an identity, with its text and recipient frozen, and ignores
// later ones. Every attempt to send it uses the same idempotency key. Queueing a message
// twice, crashing between sending and recording the result, and draining on two servers at
// once therefore all result in one mail, as far as the provider recognizes keys.
//
//	err := outbox.Queue(ctx, m)
//	…
//	done, err := outbox.Drain(ctx, 100)
//
// Each kind of mail has a priority: mails that a user is waiting for, other mails about
// their own pledges, reminders, updates. A marker for each queued mail keeps the due ones
// first in its priority. One Pace keeps all of them within the provider's rate limit, and a
// Switch stops a stream or all mails.
//
// A Delivery record keeps the status of each mail for 400 days, long after its text was
// deleted. Later reports from the provider, such as bounces, are added to it by Note.
//
// # Errors
//
// Composing and queueing fail with code fault.Invalid, and the field's name, for a message
// that could not be sent. Drain returns only errors of the Store. What a Sender reports is
// recorded in the Delivery and counted in Drained.
//
// # Subpackages
//
// resend, postmark, ses and smtp are Senders. devmail keeps mails in memory for development,
// and notifytest is the conformance test for all of them. suppression and feedback decide
// which addresses get no more mails. broadcast sends a campaign's news to all its
// supporters, and reminder sends launch and cart reminders.
package notify
