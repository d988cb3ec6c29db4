// Package pledge is the domain: what a supporter promised, what it comes to
// and how that came about, and where it stands.
//
//	                 confirm
//	(none) ───────────────────────▶ active ───── cancel ────▶ cancelled
//	                                 │  ▲ └─ modify ─┐
//	                      settlement │  └────────────┘
//	                    ┌────────────┴──────────┐
//	                    ▼                       ▼
//	                 charged ◀── retry ── payment_failed
//
// A pledge belongs to one campaign. A checkout over several campaigns makes
// one pledge in each, and they live and settle apart. The truth about a pledge
// is in its order's object (package order); what a campaign counts is in the
// campaign's object (package inventory); the records in the Store are
// projections of these.
package pledge
