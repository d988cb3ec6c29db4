package money

import "slices"

// Split divides a total in proportion to non-negative weights. The parts add up to the total: cents
// that remain after rounding down go to the parts with the largest remainders. If all weights are
// zero, all parts are zero. A total and weights up to Max do not overflow.
func Split(total Cents, weights []Cents) []Cents {
	parts := make([]Cents, len(weights))
	var sum Cents
	for _, w := range weights {
		sum += w
	}
	if sum == 0 {
		return parts
	}
	left := total
	remainders := make([]Cents, len(weights))
	for i, w := range weights {
		parts[i], remainders[i] = total*w/sum, total*w%sum
		left -= parts[i]
	}
	largest := make([]int, len(weights))
	for i := range largest {
		largest[i] = i
	}
	slices.SortStableFunc(largest, func(a, b int) int { return int(remainders[b] - remainders[a]) })
	for _, i := range largest[:left] {
		parts[i]++
	}
	return parts
}
