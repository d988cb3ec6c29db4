// Package search finds a campaign's pledges by what people say of themselves: the beginning
// of an address or of a name, a whole address, an order's ID, or the last four digits of a card.
//
// It keeps an index of terms in the Store, under supporter-search:v1:{slug}:{term}:{orderId}.
// A term is an address after "e:", four digits after "c:", or the words of a name after "n:",
// once from each word on, so that whoever types a surname first finds it too. Nothing on the
// way of a pledge writes it: Follow goes after the campaign's own index, some pledges at a
// time, and only a pledge whose name or card has changed brings its terms along. So a new pledge is found by its
// address and its order ID at once, and by the rest when Follow has come by.
//
// What is found is held against the pledge's record, so a term that is out of date finds
// nobody. Rebuild deletes such terms.
package search
