// Package audit records what operators do, as a chain: every event carries the hash of the
// one before it, so that none can be altered or removed unseen (Schneier and Kelsey, Secure
// Audit Logs to Support Computer Forensics, 1999). One object appends, in one order.
//
// An act is noted before it begins and becomes an event when it ends, with how it ended. One
// whose program died on the way becomes an event too, whose end is unknown: nothing is done
// that leaves no trace. Events are kept for 400 days; of what is dropped, the chain keeps the
// last hash.
//
// Whoever can write the database can write a whole new chain: note its head elsewhere. Each
// event goes to the program's log with its number and hash, and Verify takes such a Head.
package audit
