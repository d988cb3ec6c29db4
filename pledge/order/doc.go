// Package order is the order object: the truth about one checkout and about
// the pledges that came of it. There is one per order.
//
//	open ──── confirm ────▶ confirmed        pledges: see package pledge
//	  └───── abandon ────▶ abandoned
//
// It holds the manifest (the canonical cart with its frozen quote), the
// processor's session and, once the session is confirmed, one pledge for each
// campaign. Every later change of a pledge goes through here, so changing,
// cancelling and charging it cannot overtake each other: a settlement claims a
// pledge before it asks the processor for money, and what is claimed cannot be
// changed.
//
// The same class keeps, under names of their own, each supporter's list of
// orders (see Client.Enlist).
package order
