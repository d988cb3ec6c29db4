package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// Kinds of terms, used as a prefix in keys.
const (
	emailTerm = "e:"
	nameTerm  = "n:"
	cardTerm  = "c:"
)

// maxTerm is the maximum length in bytes of an address or name in a term. A key with the longest
// term, slug and ID is not longer than kv.MaxKey.
const maxTerm = pledge.MaxEmail

// maxNames is the maximum number of terms of a name, one for each of its first words.
const maxNames = 10

const keyPrefix = "supporter-search:v1:"

func prefixOf(slug string) string { return keyPrefix + slug + ":" }

func keyOf(slug, term, id string) string { return prefixOf(slug) + term + ":" + id }

// parseKey returns the term and the pledge ID in a key of the campaign. IDs do not contain colons.
func parseKey(slug, key string) (term, id string, ok bool) {
	rest, ok := strings.CutPrefix(key, prefixOf(slug))
	at := strings.LastIndexByte(rest, ':')
	if !ok || at < 0 {
		return "", "", false
	}
	return rest[:at], rest[at+1:], true
}

// termsOf returns a pledge's terms, sorted.
func termsOf(p *pledge.Pledge) []string {
	terms := []string{emailTerm + cut(p.Email)}
	for _, a := range []*pledge.Address{p.ShippingAddress, p.BillingAddress} {
		if a != nil {
			terms = append(terms, rotations(a.Name)...)
		}
	}
	if p.Card != nil {
		terms = append(terms, cardTerm+p.Card.Last4)
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// rotations returns the terms of a name, one starting at each word: "ada lovelace" and "lovelace
// ada".
func rotations(name string) (terms []string) {
	words := strings.Fields(fold(name))
	for i := range min(len(words), maxNames) {
		terms = append(terms, nameTerm+cut(strings.Join(slices.Concat(words[i:], words[:i]), " ")))
	}
	return terms
}

// cut truncates a text to at most maxTerm bytes without splitting a character.
func cut(s string) string {
	if len(s) <= maxTerm {
		return s
	}
	n := maxTerm
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// putTerm returns the write of one term.
func putTerm(p *pledge.Pledge, term string) kv.Write {
	return kv.Put(keyOf(p.CampaignSlug, term, p.OrderID), []byte("1"))
}

// writesOf returns the writes of all terms of a pledge.
func writesOf(p *pledge.Pledge) (writes []kv.Write) {
	for _, term := range termsOf(p) {
		writes = append(writes, putTerm(p, term))
	}
	return writes
}

// Change returns the writes that update a pledge's terms, or none if its email address, names and
// card are unchanged. They add new terms before they delete old ones.
func Change(before, after *pledge.Pledge) (writes []kv.Write) {
	was, is := termsOf(before), termsOf(after)
	for _, term := range is {
		if !slices.Contains(was, term) {
			writes = append(writes, putTerm(after, term))
		}
	}
	for _, term := range was {
		if !slices.Contains(is, term) {
			writes = append(writes, kv.Delete(keyOf(before.CampaignSlug, term, before.OrderID)))
		}
	}
	return writes
}
