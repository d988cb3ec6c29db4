package pace

import (
	"maps"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Whole is a complete limit, in the unit of Parts.
const Whole = 1000

// Parts are shares of limits in thousandths, by operation. Account is the limit
// of all operations together.
type Parts map[psp.Operation]int

// Account is the key of the limit for all operations together.
const Account psp.Operation = "account"

// Share returns one server's share of each limit. own and wants are the demand of this server and
// of all servers; has lists the shares that the other servers currently hold. Every server gets
// at least an even share of its demand, and unused capacity is divided evenly. Shares that other
// servers still hold are not reassigned before they release them.
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
		shares[op] = max(0, min(fairShare(own[op], each), Whole-taken))
	}
	return shares
}

// fairShare returns the share of a server with demand own. Demands are satisfied up to a common
// level, and the remainder is divided evenly.
func fairShare(own int, wants []int) int {
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
