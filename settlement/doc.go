// Package settlement charges the supporters of a campaign that has ended and is
// funded: once for each group of pledges, whatever crashes on the way.
//
// A [Group] is one charge. It is for the unpaid pledges to the campaign that the holder of
// an address joined through a pledge link, for the unpaid pledges of an address that were
// made in one browser session, or for a single pledge; with [pledge.ByEmail], for all unpaid
// pledges of an address. A pledge stays in the group that claimed it first. The group's
// request to the processor is frozen in the campaign's settlement object before it is sent,
// under an idempotency key made of nothing that can change. What follows is a walk in small steps, each decided by one pure
// function over the frozen record:
//
//	claim the pledges → freeze → send ─┬─ succeeded → mark, project, mail → booked
//	                                   ├─ failed    → mark, project, mail → booked
//	                                   └─ no answer → ask; send the same again
//	                                                  until 23 hours have passed,
//	                                                  then ask only: needsAttention
//
// A new key exists only after a known failure: for a newer card, or for the same card when
// the campaign's policy has it tried again. Any
// prefix of the walk may be run again, by this process or another: the safety
// rests on the frozen key. The campaign's lock, a numbered [Lease], keeps two
// runs from working side by side, and every write of a group carries its
// number and its owner; only what was learned from the processor is accepted from anybody.
//
// The database may have gone back to an earlier moment. So a run that does not follow
// on its own process's last [Lease] begins with the processor's list of payments.
package settlement
