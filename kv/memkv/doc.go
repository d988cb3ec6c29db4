// Package memkv keeps a kv.Store and its objects in memory: for tests, demos,
// simulations, and programs that need nothing to outlive them.
//
// Reads can be ordered to be stale, and every effect can be failed before it
// happens (a crash) or after (a crash that lost the answer), see Options. The
// zero Options, with a clock, give a plain and fast store.
package memkv
