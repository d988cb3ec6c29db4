// Package pledge defines the domain types: pledges with their amounts, how each amount
// was calculated, and their status.
//
// # Lifecycle
//
//	                 confirm
//	(none) ───────────────────────▶ active ───── cancel ────▶ cancelled
//	                                 │  ▲ └─ modify ─┐
//	                      settlement │  └────────────┘
//	                    ┌────────────┴──────────┐
//	                    ▼                       ▼
//	                 charged ◀── retry ── payment_failed
//
// A pledge belongs to one campaign. A checkout for several campaigns creates one [Pledge] per
// campaign; they share an order ID and are otherwise independent.
//
// # Storage
//
// The authoritative record of a pledge is in its order's object (package order). A
// campaign's stock and totals are in the campaign's object (package inventory). The
// records in the Store under the keys of this package are projections, which package
// projection writes and can rebuild.
//
// Amounts are in cents (package money). Errors that a caller may have to handle are
// *fault.Error values.
package pledge
