// Package memkv implements kv.Store and kv.Coordinator in memory, for tests, demos and
// simulations.
//
// [Options] can make reads stale and inject a failure before an effect (a crash) or
// after it (a lost answer). With only a clock set, the store is plain and fast.
package memkv
