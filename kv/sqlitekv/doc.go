// Package sqlitekv keeps a kv.Store and its objects in one SQLite file.
//
// One goroutine writes. It takes every request that is waiting, carries them
// out in one transaction, commits once, and only then answers: what was
// answered is on the disk, and the cost of reaching it is shared by all who
// wait. Reads go to connections of their own and see every commit.
//
// A command runs against the transaction and keeps its writes in memory until
// it has succeeded, so that one that fails leaves nothing to undo. Two processes
// may use one file: SQLite's locks keep their transactions apart.
package sqlitekv
