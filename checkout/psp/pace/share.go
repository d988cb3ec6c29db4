package pace

import (
	"maps"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Whole is a limit that nobody shares, in the unit of Parts.
const Whole = 1000

// Parts are parts of limits in thousandths, by kind of request. Account is the limit of
// all kinds together.
type Parts map[psp.Operation]int

// Account stands for requests of every kind.
const Account psp.Operation = "account"

// Share returns the part of each limit for one of several servers: wants are what each of
// them has use for, its own with them, and has is what the others have now. Nobody gets
// less than an even part who has use for it, and what nobody has use for is divided
// evenly. What others still have is theirs until they give it back.
func Share(own Parts, wants, has []Parts) Parts {
	shares := make(Parts, len(own))
	for _, op := range slices.Sorted(maps.Keys(own)) {
		taken := 0
		for _, h := range has {
			taken += h[op]
		}
		each := make([]int, len(wants))
		for i, w := range wants {
			each[i] = w[op]
		}
		shares[op] = max(0, min(fair(own[op], each), Whole-taken))
	}
	return shares
}

// fair fills every want up to one level, and adds an even part of what is left then.
func fair(own int, wants []int) int {
	left, level := Whole, Whole
	for i, want := range slices.Sorted(slices.Values(wants)) {
		if even := left / (len(wants) - i); want > even {
			level = even
			left -= even * (len(wants) - i)
			break
		}
		left -= want
	}
	return min(own, level) + left/len(wants)
}
