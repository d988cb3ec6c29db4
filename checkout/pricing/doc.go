// Package pricing checks a cart against the catalogue and computes its totals. It
// writes nothing, reads no store, and holds no units: the same inputs have the same
// result.
//
//	Cart ── Select ──▶ Selection ── Choose ──▶ Choices ── Price ──▶ Draft
//	                                  ▲                     ▲
//	                     catalogue, amounts pledged   shipping, tax
//
// A [Cart] is what a client sends. [Cart.Select] parses it, and [Pricer.Choose]
// resolves it to lines and wanted units of the campaigns that accept pledges now.
// [Pricer.Price] quotes shipping and tax and returns a [Draft] with the totals of each
// campaign's pledge and the derivation of every amount.
//
//	sel, err := cart.Select()
//	…
//	in, err := pricer.Inputs(cart)
//	…
//	choices, err := pricer.Choose(ctx, sel, pledged)
//	…
//	draft, err := pricer.Price(ctx, choices, in)
//
// [Pricer.QuoteTax] and [Pricer.QuoteShipping] preview a cart with an incomplete
// address.
//
// # Changed pledges
//
// [Offering.For] is the offering to the supporter of an existing pledge, whose items
// keep their prices and stay available. [Revise] returns the picks of the changed
// pledge.
//
// # Errors
//
// Errors are of package fault, with the request's field. Code Invalid means that the cart must be
// changed, Conflict that the address must be corrected, and Unavailable that tax or shipping
// cannot be determined at the moment. An error about an address has a tax.Question as its
// details, so that pages can localize it.
//
// # Concurrency
//
// A Pricer is safe for concurrent use if its providers are.
package pricing
