package state

import (
	"strings"
	"testing"
)

// A reason is shown to other people: its length is limited, and it has no control characters
// or markup.
func TestCheckReason(t *testing.T) {
	for reason, taken := range map[string]bool{
		"The bank called (again), 5 times - twice at night.": true,
		strings.Repeat("é", 500):                             true,
		strings.Repeat("é", 501):                             false,
		"":                                                   false,
		"<b>bold</b>":                                        false,
		"two\nlines":                                         false,
	} {
		if err := CheckReason(reason); (err == nil) != taken {
			t.Errorf("%.20q: %v, want valid %t", reason, err, taken)
		}
	}
}
