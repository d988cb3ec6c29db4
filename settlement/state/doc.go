// Package state has the state machine of a settlement: the object that records a campaign's charges
// and their results, and that decides which changes are allowed. It calls no processor and reads no
// pledges; package settlement does that and reports the results here.
//
// # Objects
//
// There is one settlement object per campaign and one for the platform, serialized by a
// [kv.Coordinator]. [NewClass] has their commands. [Client] sends commands to a campaign's object,
// [Platform] and [Switch] to the platform's, which records the processor's account, the idle
// campaigns and whether charging is stopped.
//
// # Charge groups
//
// A [Group] is one charge. Its request is frozen for as long as its generation lasts, so that it can
// be sent again with the same idempotency key. [NextStep] returns what to do next from the record and
// the time alone.
//
//	   ┌───────────────────── Submit: next generation ──────────────────────┐
//	   ▼                                                                    │
//	┌───────────┐           declined, canceled or refused             ┌─────┴──┐
//	│ Submitted ├────────────────────────────────────────────────────▶│ Failed ├─ Drop ─▶ dropped
//	└──┬─────┬──┘                                                     └─┬────┬─┘
//	   │     │                              its supporter confirmed it  │    │
//	   │     └──────── succeeded ─────────▶ ┌───────────┐ ◀─────────────┘    │
//	   │                                    │ Succeeded │                    │ succeeded
//	   │ no answer until the key is         └───────────┘                    │ after all
//	   │ too old, another amount, or               ▲ lookup, or              │
//	   │ an answer about another charge            │ two operators           │
//	   │                                   ┌───────┴────────┐                │
//	   └──────────────────────────────────▶│ NeedsAttention │◀───────────────┘
//	                                       └───────┬────────┘
//	                                               └─▶ Failed, if nothing was charged
//
// A group begins with Submit, or with Adopt if only the processor knows its payment. A success of an
// earlier generation makes a group need attention, whatever its status. Withdraw ends a submitted
// group whose request was never sent as failed and void.
//
// MarkBooked records that the pledges have the outcome. A booked success is final. The next
// generation of a failed group is submitted only after the failure was booked.
//
// # Campaigns
//
// The object of a campaign also records the lease, the job that settles in batches, the circuit
// breaker, and decisions of operators.
//
//	             CloseMissed            StartDetaching
//	┌───────────┐         ┌────────┐          ┌─────────────────┐
//	│ no groups ├────────▶│ closed ├─────────▶│ closed for good │
//	└─────┬─────┘         └───┬────┘          └─────────────────┘
//	      │    ▲              │
//	      │    └──────────────┘ Reopen (two operators)
//	      │ Submit, Adopt
//	      ▼
//	┌───────────┐ Complete: no open group or visit request  ┌──────────┐
//	│   begun   ├──────────────────────────────────────────▶│ complete │
//	└───────────┘                                           └──────────┘
//
//	lease     free ── Acquire ─▶ held (Renew) ── Release, or it expires ─▶ free
//	job       Start ─▶ running (Checkpoint) ─▶ done or needs_attention ── Start ─▶ running
//	breaker   closed ── failures, refusals, no answers, Pause ─▶ held ── ResetBreaker, an answer ─▶ closed
//
// A complete campaign still accepts groups and visit requests: a failed charge may be recovered
// after the completion. Its completion keeps the first time.
//
// Every command that changes a group carries the number and the owner of a lease, so that a run that
// has lost its lease changes nothing. Results and visit requests are accepted without one.
//
// # Errors
//
// Commands fail with [fault] codes: Busy without a valid lease, Conflict if the state does not allow
// the change, and NotFound for an unknown group. Errors that wrap [ErrHeld] have a cause that an
// operator, the clock or the processor has to remove first.
package state
