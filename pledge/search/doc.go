// Package search finds pledges by an email address, a name, an order ID, or the last four digits of
// a card. The beginning of an address or of a word in the name is enough.
//
// # Index
//
// The index consists of terms in the Store, with the keys
// supporter-search:v1:{slug}:{term}:{orderId}. A term is "e:" and an address, "c:" and four digits,
// or "n:" and a name. A name has one term starting at each of its words, so that a search for the
// surname also matches.
//
// Checkout does not write terms. [Index.Update] writes those of new pledges in batches. If a
// pledge's name or card changes, its terms are written with the change (see [Change]). So a new
// pledge can be found immediately by its whole address and its order ID, and by other texts after
// the next Update.
//
// [Index.Find] checks every match against the pledge's record, so outdated terms match
// nothing. [Index.Rebuild] deletes them.
package search
