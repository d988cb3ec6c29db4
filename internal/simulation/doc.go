// Package simulation runs the complete service in one thread under a virtual
// clock: the real core behind the real HTTP API, the real processor adapter with
// an in-process transport, the stateful processor simulator, the real adapters of
// two email providers with fake servers of their APIs, two servers with separate
// clocks, and supporters who pledge, change their pledges and replace cards. A
// seed determines everything: who does what, who runs next, and which faults
// occur.
//
// Every request, scheduled run and webhook delivery is a coroutine. It yields
// before and after each effect on the store, an object or the processor; there
// the effect may fail, or the server may crash. After every step the safety
// properties (S1 to S21) are checked, and at the end, after faults have stopped,
// the liveness properties (L1 to L7, M1 to M5).
//
// The same seed and [Plan] produce the same history to the byte, so a failure is
// reported as a seed and a short list of faults and can be replayed with
// [Replay].
package simulation
