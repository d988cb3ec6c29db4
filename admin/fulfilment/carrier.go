package fulfilment

import (
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Limits of the fields of a parcel, in bytes.
const (
	maxCarrier  = 60
	maxTracking = 60
)

// carriers are the carriers with tracking links: the prefix of a carrier's name, in lower
// case, and the URL to which the tracking number is appended. The URLs are those of
// WooCommerce's fulfilments in 2026; USPS, DHL and Canada Post are the same in release
// 1.3.2 of github.com/jkeen/tracking_number_data. Correos of Spain has changed its pages
// since, so its parcels have no link.
var carriers = []struct{ prefix, page string }{
	{"usps", "https://tools.usps.com/go/TrackConfirmAction?tLabels="},
	{"united states postal", "https://tools.usps.com/go/TrackConfirmAction?tLabels="},
	{"ups", "https://www.ups.com/track?tracknum="},
	{"fedex", "https://www.fedex.com/fedextrack/?trknbr="},
	{"dhl", "https://www.dhl.com/en/express/tracking.html?AWB="},
	{"canada post", "https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor="},
	{"royal mail", "https://www.royalmail.com/track-your-item#/tracking-results/"},
	{"australia post", "https://auspost.com.au/mypost/track/details/"},
}

// trackingLink returns the URL to track a parcel, or "" without a number or for an unknown
// carrier.
func trackingLink(carrier, number string) string {
	name := strings.ToLower(carrier)
	for _, k := range carriers {
		rest, ok := strings.CutPrefix(name, k.prefix)
		if !ok || strings.IndexFunc(rest, unicode.IsLetter) == 0 {
			continue // "Upstate Couriers" is not UPS
		}
		if number == "" {
			return ""
		}
		return k.page + url.QueryEscape(strings.ReplaceAll(number, " ", ""))
	}
	return ""
}

func parseCarrier(name string) (string, error) {
	name = strings.TrimSpace(name)
	if len(name) > maxCarrier || !utf8.ValidString(name) || strings.ContainsFunc(name, isInvisible) ||
		strings.ContainsAny(name, "<>") {
		return "", fault.New(fault.Invalid, "The carrier must be one line of at most %d bytes", maxCarrier).In("carrier")
	}
	return name, nil
}

// isInvisible reports whether a character could disguise a text or start a new line.
func isInvisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar ||
		r == '\u2028' || r == '\u2029'
}

var (
	plainNumber = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z ._/-]*$`)
	// shortened matches a long number in a spreadsheet's exponential notation.
	shortened = regexp.MustCompile(`^[0-9][.,]?[0-9]*[Ee]\+?[0-9]+$`)
	// quoted matches a number that is protected from conversion by a spreadsheet.
	quoted = regexp.MustCompile(`^="(.*)"$`)
)

func parseTracking(number string) (string, error) {
	number = strings.TrimSpace(number)
	if m := quoted.FindStringSubmatch(number); m != nil {
		number = m[1]
	}
	number = strings.TrimPrefix(number, "'") // added by report.EscapeFormula
	switch {
	case number == "":
		return "", nil
	case shortened.MatchString(number):
		return "", fault.New(fault.Invalid,
			"A spreadsheet has shortened this number: format its column as text and save again").In("trackingNumber")
	case len(number) > maxTracking || !plainNumber.MatchString(number):
		return "", fault.New(fault.Invalid, "The tracking number can have at most %d letters, digits, spaces and - . _ /",
			maxTracking).In("trackingNumber")
	}
	return number, nil
}

// parseDay parses the day of dispatch and returns it as 2026-01-31, or "" for no text. It fails
// with code Invalid for other texts, for a date with slashes whose day and month are ambiguous, and
// for a day before 2000 or in the future.
func parseDay(text, today string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	var found time.Time
	for _, layout := range []string{
		time.DateOnly, time.RFC3339, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04:05", "2006/01/02", "20060102",
		"1/2/2006", "2/1/2006", "2.1.2006",
	} {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if !found.IsZero() && !found.Equal(t) {
			return "", invalidDay()
		}
		found = t
	}
	if found.IsZero() || found.Year() < 2000 {
		return "", invalidDay()
	}
	d := found.Format(time.DateOnly)
	if d > today {
		return "", fault.New(fault.Invalid, "The day is in the future").In("sentOn")
	}
	return d, nil
}

func invalidDay() error {
	return fault.New(fault.Invalid, "Write the day as 2026-01-31").In("sentOn")
}
