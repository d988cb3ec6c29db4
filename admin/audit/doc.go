// Package audit is a tamper-evident log of operators' actions. The events form a hash chain: every
// event contains the hash of its predecessor, so that none can be altered or removed unnoticed
// (Schneier and Kelsey, Secure Audit Logs to Support Computer Forensics, 1999). All events are
// appended by one object, in one order.
//
// # Recording actions
//
// Log.Do runs an action between two records: a pending entry before it begins, and an event with
// its result when it ends. If the process dies in between, the event is added later with status
// Unknown, so every action that may have run is recorded. Log.DoResumable also stores the request,
// so that Log.Interrupted and Log.Resume can finish the action after a crash. Rejected actions
// leave no event.
//
// # Retention and verification
//
// Events are kept for 400 days. The chain keeps the hash of the last deleted event. Anyone with
// write access to the database can replace the whole chain, so store a Head of it elsewhere: Log.Do
// writes each event's number and hash to the service's log, and Log.Verify accepts such a Head.
//
// # Concurrency
//
// A Log is safe for concurrent use by any number of processes.
package audit
