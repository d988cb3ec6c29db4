package fault

import "strings"

// DidYouMean suggests the known word nearest to an unknown one, as "; did you mean tiers?". Of
// several nearest words, it suggests the first. It returns "" if more than a third of the letters
// differ.
func DidYouMean(word string, known []string) string {
	nearest, least := "", len(word)
	for _, k := range known {
		if d := distance(plain(word), plain(k)); d < least && 3*d <= len(word) {
			nearest, least = k, d
		}
	}
	if nearest == "" {
		return ""
	}
	return "; did you mean " + nearest + "?"
}

// plain returns s in lower case, with underscores instead of hyphens and spaces.
func plain(s string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(s))
}

// distance returns the number of bytes that were added, removed, replaced, or swapped with their
// neighbor.
func distance(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := row[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			next[j] = min(row[j]+1, next[j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
