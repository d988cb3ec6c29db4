// Package order implements the order object, the authoritative record of one checkout
// and of the pledges made from it. Each order is one object of a kv.Coordinator.
//
// # States
//
//	open ──── confirm ────▶ confirmed        pledges: see package pledge
//	  └───── abandon ────▶ abandoned
//
// An order has a [Manifest] (the cart with its frozen prices, tax and shipping) and a Stripe
// session. Once the session is confirmed, it also has one pledge per campaign.
//
// Every change of a pledge is a command to its order, so modifications, cancellations and charges
// are serialized. Settlement claims a pledge ([Client.Claim]) before it requests a charge, and a
// claimed pledge cannot be modified or cancelled.
//
// # Usage
//
// [NewClass] returns the class to register with the coordinator, and [Client] sends the
// commands. Every method can be repeated, because a command that is delivered again has no effect.
// Errors are *fault.Error values, mostly with code NotFound or Conflict.
//
// Objects of the same class store each supporter's list of pledges (see [Client.AddToList]). Their
// names cannot be order IDs.
package order
