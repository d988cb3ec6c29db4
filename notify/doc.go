// Package notify stores the service's emails and delivers them through a Sender.
//
//	Message ──▶ Queue ──▶ outbox record ── Drain ──▶ Sender
//	                           │  ▲                    │
//	                           │  └─── retry later ────┤
//	                           ▼                       ▼
//	                        expired            accepted or failed
//
// # Messages
//
// Package mailtext composes Messages. The outbox is independent of their wording and layout: it
// stores a message's text and the draft of its HTML, which Outbox.Render renders before the first
// attempt (see Message.RenderedFrom).
//
// # Queueing and delivery
//
// Every message has an identity, such as "confirmation:pw-…". The Outbox stores the first message
// that is queued under an identity, with its text and recipient frozen, and ignores later ones.
// Every attempt to send it uses the same idempotency key. Queueing a message twice, crashing
// between sending and recording the result, and draining on two servers at once therefore all
// result in one mail, provided that the provider recognizes keys.
//
//	err := outbox.Queue(ctx, m)
//	…
//	done, err := outbox.Drain(ctx, 100)
//
// Each kind of mail has a priority: mails that a user is waiting for come first, then other
// transactional mails, reminders, and updates. Each queued mail has a marker, a record whose key
// contains its priority and due time, so that a drain reads only due mails. A Switch stops a stream
// or all mails.
//
// # Rate
//
// One Pace keeps all mails within the provider's rate limit. Drain sends up to Outbox.Width mails at
// the same time, as many of them as the provider takes: see Pace. Servers that share a Store divide
// the mails with Outbox.Mine.
//
// A Delivery record keeps the status of each mail for 400 days, long after its text was
// deleted. Later reports from the provider, such as bounces, are added to it by Note.
//
// # Errors
//
// Queueing fails with code fault.Invalid, and the field's name, for a message that could not be
// sent. Drain returns only errors of the Store and the Suppressor. A Sender's results are recorded
// in the Delivery and counted in Drained.
//
// # Subpackages
//
// mailtext composes the mails. resend, postmark, ses and smtp are Senders, and notifytest is
// the conformance test for all of them. suppression and feedback decide which addresses get
// no more mails. broadcast sends a campaign's news to all its supporters, and reminder sends
// launch and cart reminders.
package notify
