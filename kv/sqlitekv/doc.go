// Package sqlitekv implements kv.Store and kv.Coordinator in one SQLite file.
//
// # Group commit
//
// One goroutine writes. It takes all waiting requests, runs them in one transaction,
// commits once, and only then answers them: an acknowledged write is on disk, and
// concurrent requests share the cost of the disk sync.
//
//	Apply, Increment, Do --> queue --> writer: BEGIN, run each, COMMIT --> answer all
//	Get, List, queries   --> pool of read-only connections (see every commit)
//
// A command buffers its writes until it has succeeded, so a failed command leaves
// nothing to roll back. A disk error fails the whole batch.
//
// # Concurrency
//
// A [DB] is safe for concurrent use. Several processes may use one file: SQLite's locks
// serialize their transactions.
package sqlitekv
