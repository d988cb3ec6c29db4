// Package postgreskv implements kv.Store and kv.Coordinator in PostgreSQL or a compatible database,
// shared by any number of servers. It uses plain SQL: tables, row locks, transactions of
// milliseconds, and no extensions.
//
// # Writes
//
// A command locks its object's row, so commands to one object never overlap, on any
// server. Waiting commands of a server share a transaction (a group):
//
//	caller --> batcher --> one transaction, at most maxBatch jobs
//	                         1. BEGIN, lock every job's row, prefetch  (one round trip)
//	                         2. run the commands; their reads are
//	                            collected into rounds                  (one trip per round)
//	                         3. write the changes, COMMIT              (one round trip)
//
// A transaction that fails because of a conflict or a failover is retried. That is safe
// for commands, which carry an identity; other writes are not retried if the result of
// their COMMIT is unknown.
//
// # Cache
//
// Each server caches the values of objects' keys together with the object's version. A
// transaction changes the version by a random amount, so versions of a history that was
// lost in a failover never match.
//
// # Concurrency
//
// A [DB] is safe for concurrent use.
package postgreskv
