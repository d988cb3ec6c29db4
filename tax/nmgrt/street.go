package nmgrt

import (
	"context"
	"regexp"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Street is a whole address.
type Street struct {
	Number, Before, Name, Suffix string // "120", "S", "Plaza", "Street"
	City, ZIP                    string
}

// Answer is the place of an address and its whole rate.
type Answer struct {
	Rate   money.Rate
	Code   string // "01-123"
	Source string
}

// Service knows the place of a whole address. The text of its errors says why
// there is no answer, and names nothing of the address.
type Service interface {
	Ask(ctx context.Context, where Street) (Answer, error)
}

var (
	line1      = regexp.MustCompile(`^(\d{1,6}[A-Za-z]?)\s+(.+)$`)
	directions = regexp.MustCompile(`^(?i)(N|S|E|W|NE|NW|SE|SW)$`)
	suffixes   = regexp.MustCompile(`^(?i)(st|street|ave|avenue|rd|road|dr|drive|ln|lane|blvd|boulevard|ct|court|pl|place|cir|circle|way|trl|trail|loop|pkwy|hwy)\.?$`)
)

// streetOf reads "120 S Plaza Street"; ok is false where the address is not whole.
func streetOf(r tax.Request, zip string) (Street, bool) {
	m := line1.FindStringSubmatch(strings.TrimSpace(r.Destination.Line1))
	city := strings.TrimSpace(r.Destination.City)
	if m == nil || city == "" {
		return Street{}, false
	}
	s, words := Street{Number: m[1], City: city, ZIP: zip}, strings.Fields(m[2])
	if len(words) > 1 && directions.MatchString(words[0]) {
		s.Before, words = strings.ToUpper(words[0]), words[1:]
	}
	if last := len(words) - 1; last > 0 && suffixes.MatchString(words[last]) {
		s.Suffix, words = strings.TrimSuffix(words[last], "."), words[:last]
	}
	s.Name = strings.Join(words, " ")
	return s, true
}
