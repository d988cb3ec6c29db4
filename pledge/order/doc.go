// Package order implements the order object, the authoritative record of one checkout
// and of the pledges made from it. Each order is one object of a kv.Coordinator.
//
// # States
//
//	open ──── confirm ────▶ confirmed        pledges: see package pledge
//	  └───── abandon ────▶ abandoned
//
// An order has a [Manifest] (the cart with its frozen prices, tax and shipping), the
// Stripe session and, once the session is confirmed, one pledge per campaign.
//
// Every change of a pledge is a command to its order, so changes, cancellations and
// charges are serialized: settlement claims a pledge ([Client.Claim]) before it
// requests a charge, and a claimed pledge cannot be changed.
//
// # Usage
//
// [NewClass] returns the class to register with the coordinator, and [Client] sends the
// commands. Every method can be repeated: a command that is delivered again changes
// nothing. Errors are *fault.Error values, mostly NotFound and Conflict.
//
// Objects of the same class store each supporter's list of pledges, under names of
// another form (see [Client.AddToList]).
package order
