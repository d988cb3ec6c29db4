package money

import "slices"

// Split divides a total in proportion to non-negative weights, by largest remainder, so
// that the parts add up to the total. Products do not overflow with weights up to Max.
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
