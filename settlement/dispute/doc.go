// Package dispute mirrors the processor's disputes and early fraud warnings in a campaign's settlement
// object. It calls no processor; package settlement does that and reports what it read.
//
// # Observations
//
// The processor's events can be lost, repeated or reordered, so they only cause a lookup. A lookup is an
// [Observation]: a dispute with everything that it has moved so far, and when it was asked for. An older
// observation never overwrites a newer one, but what it moved is recorded in any case: a movement that
// was reported once has happened.
//
// A [Dispute] and its ledger entries are one transaction. Every movement has its own entry, named
// after its balance transaction, and so is the loss, so that an observation can be recorded any number of
// times.
//
// # Statuses
//
// The statuses are the processor's, and the list is open. [Dispute.Phase] classifies them; a status that
// this release does not know counts as open and blocks refunds.
//
//	warning_needs_response ──▶ warning_under_review ──▶ warning_closed
//	          └────────────┬────────────┘
//	                       ▼ money is withdrawn
//	                 needs_response ──▶ under_review ──▶ won | lost
//
// # Places
//
// A dispute names a payment but no campaign. The object of all campaigns records the [Place] of each
// dispute, with the time of its next lookup, and the progress of the import.
//
// # Errors
//
// Errors are [fault] values: NotFound for an unknown dispute, Conflict from [Blocked].
package dispute
