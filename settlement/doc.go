// Package settlement charges the supporters of a campaign that has ended and is funded. Each
// charge group is charged once, even if a run crashes.
//
// # Groups and attempts
//
// A charge group ([state.Group]) is one charge. It covers the unpaid pledges to a campaign that the
// holder of an address joined through a pledge link, the unpaid pledges of an address that were made
// in one browser session, or a single pledge; with [pledge.ByEmail], all unpaid pledges of an
// address. A pledge stays in the group that claimed it first. The request to the processor is frozen
// in the campaign's settlement object before it is sent, under an idempotency key that depends only
// on the campaign, the group and the number of the attempt (its generation). Each step that follows
// is decided by one pure function over the frozen record ([state.NextStep]):
//
//	claim the pledges → freeze → send ─┬─ succeeded → pledges, accounts, email → booked
//	                                   ├─ failed    → pledges, accounts, email → booked
//	                                   └─ no answer → look up; send the same request again
//	                                                  until 23 hours have passed, then only
//	                                                  look up: needsAttention
//
// A new key exists only after a known failure: for a newer card, or for the same card if the
// campaign's policy retries it. Any prefix of these steps can be repeated, by this process or by
// another one, because the frozen key makes the processor charge once.
//
// # Leases and admissions
//
// A campaign's lease ([state.Lease]) is numbered and keeps two runs apart. Every write of a group
// carries the lease's number and owner; only results from the processor are accepted without one.
// Irreversible actions (a charge, the closing of a campaign, the deletion of a card, an email about an
// outcome) need an admission, which makes every check in one place.
//
// A restore may have taken the database back to an earlier moment. A run that does not directly
// follow its own process's last lease therefore lists the processor's payments first.
//
// # Layers
//
// Package [github.com/pledgeworks/pledgeworks/settlement/state] has the object's records, commands
// and rules; this package reads pledges, calls the processor and sends the commands. Its files form
// layers, from low to high: rules about the pledges of a charge; the [Service] with its checks; the
// admission and the irreversible actions; the run, which settles one supporter after another; and the
// operations that hosts and operators call. A test in internal/archtest checks that files refer to lower
// layers.
//
// # Errors
//
// Errors are [fault] values: NotFound for an unknown campaign, Conflict if a campaign cannot be
// settled now, Busy while another run holds the lease, and Unavailable if the processor or the
// database does not answer. Errors that concern one supporter are in the [Report].
//
// # Concurrency
//
// [Service] and [Leases] are safe for concurrent use, by any number of processes.
package settlement
