// Package simulation runs the whole service in one thread under a virtual
// clock: the real core behind the real handlers, the real processor adapter
// over a transport in process, the stateful simulator of the processor, the
// real adapters of two mail providers over peers of their APIs, two servers with
// clocks of their own, and people who pledge, change their minds and replace
// cards. A seed decides everything: who does what, who runs next, and what goes
// wrong.
//
// Every request, cron run and webhook attempt is a coroutine. It gives way
// before and after each effect on the store, an object or the processor; there
// a fault may befall the effect, or the server may die. After every step the
// books are held against what may never happen, and at the end, when faults
// have stopped, against what must have happened.
//
// The same seed and plan give the same history to the byte, so a failure is
// printed as a seed and a short plan of faults, and replayed from it.
package simulation
