// Package kv defines the storage interfaces that the rest of the program is written
// against. They are narrow enough for Cloudflare (Workers KV and Durable Objects) and
// for SQL databases.
//
// # Concepts
//
// A [Store] holds plain keys and values. Reads may be stale, and a failed batch leaves
// a prefix of its writes, so callers order their writes such that every prefix is a
// valid state.
//
// A [Coordinator] delivers commands to small objects, one at a time per object. An object's state
// is strongly consistent, a command is atomic, and a command that is delivered again changes
// nothing.
//
// Everything that decides about money or stock is stored in an object. Copies of it in
// the Store are projections, which can be rebuilt from the objects.
//
// A [Class] registers the commands of one kind of object with [On], [OnRepeatable] and
// [OnQuery]. Callers use [Send] and [Ask]. Objects store JSON records with [Load] and
// [PutValue], stores with [Read], [Record], [Rewrite] and [Save]; all of them preserve
// members that were written by another release (see record.go).
//
// # How a command runs
//
// The host opens a transaction on the object's state and calls [Class.Dispatch]:
//
//	Send(object, id, command)
//	  |
//	  v
//	reply stored under id? --yes--> return it; the handler does not run
//	  | no                          (a different command under id: error)
//	  v
//	handler reads the state and writes to an overlay
//	  |
//	  |-- *fault.Error (refusal) --> discard the overlay
//	  |                              store the refusal under id    --> commit
//	  |-- any other error ---------> store nothing                 --> roll back
//	  |                              (the id can be sent again)
//	  '-- result ------------------> flush the overlay
//	                                 store the reply under id      --> commit
//
// A repeatable command ([OnRepeatable]) skips the lookup and stores no reply. A query
// ([OnQuery]) reads the state without a transaction for writing. Stored replies are
// deleted after [ReplyMemory]: one in eight commands sweeps up to 32 of them, and
// [DropReplies] clears objects that receive no more commands.
//
// # Errors
//
// Expected failures are *fault.Error values: NotFound for an absent key, Invalid for a
// key, value or name outside the limits, Unavailable if the host cannot be reached. Any
// error of [Coordinator.Do] means that the result is unknown; send the command again
// with the same identity.
//
// # Implementations
//
// Packages memkv (memory), sqlitekv (SQLite) and postgreskv (PostgreSQL) implement both
// interfaces. Every implementation must pass package kvtest. All of them are safe for
// concurrent use.
package kv
