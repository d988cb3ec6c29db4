// Package search finds a campaign's pledges by the beginning of an address or a name, a
// whole address, an order ID, or the last four digits of a card.
//
// # Index
//
// The index consists of terms in the Store, under supporter-search:v1:{slug}:{term}:{orderId}. A
// term is an address after "e:", four digits after "c:", or the words of a name after "n:", with
// one term starting at each word, so that a search for the surname also matches.
//
// Checkout does not write terms: [Index.Update] processes new entries of the campaign's index in
// batches. If a pledge's name or card changes, its terms are written with the change (see
// [Change]). So a new pledge can be found immediately by its whole address and its order ID, and
// by the other terms after the next Update.
//
// [Index.Find] checks every match against the pledge's record, so outdated terms match
// nothing. [Index.Rebuild] deletes them.
package search
