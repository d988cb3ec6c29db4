// Package settlement charges the supporters of a campaign that has ended and is
// funded: each of them once, whatever crashes on the way.
//
// All unpaid pledges of one supporter to one campaign are a [Group]. Its request
// to the processor is frozen in the campaign's settlement object before the
// processor hears of it, under an idempotency key made of nothing that can
// change. What follows is a walk in small steps, each decided by one pure
// function over the frozen record:
//
//	claim the pledges → freeze → send ─┬─ succeeded → mark, project, mail → booked
//	                                   ├─ failed    → mark, project, mail → booked
//	                                   └─ no answer → ask; send the same again
//	                                                  until 23 hours have passed,
//	                                                  then ask only: needsAttention
//
// A new key exists only after a known failure, and with a newer card. Any
// prefix of the walk may be run again, by this process or another: the safety
// rests on the frozen key. The campaign's lock, a numbered [Lease], keeps two
// runs from working side by side, and every write of a group carries its
// number and its owner; only what was learned from the processor is accepted from anybody.
//
// The database may have gone back to an earlier moment. So a run that does not follow
// on its own process's last [Lease] begins with the processor's list of payments.
package settlement
