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

// The bounds of what is said of a parcel, in bytes.
const (
	maxCarrier  = 60
	maxTracking = 60
)

// known are the carriers whose parcels can be followed: what a name begins with, in lower
// case, and the address that a tracking number belongs at the end of. The addresses are those
// that WooCommerce's fulfilments have in 2026; USPS, DHL and Canada Post stand the same in
// release 1.3.2 of github.com/jkeen/tracking_number_data. Spain's Correos has changed its pages
// since either wrote them down, so its parcels have no link.
var known = []struct{ begins, page string }{
	{"usps", "https://tools.usps.com/go/TrackConfirmAction?tLabels="},
	{"united states postal", "https://tools.usps.com/go/TrackConfirmAction?tLabels="},
	{"ups", "https://www.ups.com/track?tracknum="},
	{"fedex", "https://www.fedex.com/fedextrack/?trknbr="},
	{"dhl", "https://www.dhl.com/en/express/tracking.html?AWB="},
	{"canada post", "https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor="},
	{"royal mail", "https://www.royalmail.com/track-your-item#/tracking-results/"},
	{"australia post", "https://auspost.com.au/mypost/track/details/"},
}

// trackingLink is where a parcel is followed, "" where that is not known.
func trackingLink(carrier, number string) string {
	name := strings.ToLower(carrier)
	for _, k := range known {
		rest, ok := strings.CutPrefix(name, k.begins)
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

func carrier(name string) (string, error) {
	name = strings.TrimSpace(name)
	if len(name) > maxCarrier || !utf8.ValidString(name) || strings.ContainsFunc(name, unseen) || strings.ContainsAny(name, "<>") {
		return "", fault.New(fault.Invalid, "A carrier's name is one line of at most %d bytes", maxCarrier).In("carrier")
	}
	return name, nil
}

// unseen reports what could disguise a name, or reach beyond its line.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar || r == '\u2028' || r == '\u2029'
}

var (
	plainNumber = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z ._/-]*$`)
	// shortened is what a spreadsheet makes of a long number.
	shortened = regexp.MustCompile(`^[0-9][.,]?[0-9]*[Ee]\+?[0-9]+$`)
	// quoted is how a spreadsheet is told to leave a number as it is.
	quoted = regexp.MustCompile(`^="(.*)"$`)
)

func tracking(number string) (string, error) {
	number = strings.TrimSpace(number)
	if m := quoted.FindStringSubmatch(number); m != nil {
		number = m[1]
	}
	number = strings.TrimPrefix(number, "'") // as report.Safe writes it
	switch {
	case number == "":
		return "", nil
	case shortened.MatchString(number):
		return "", fault.New(fault.Invalid, "A spreadsheet has shortened this number: save its column as text").In("trackingNumber")
	case len(number) > maxTracking || !plainNumber.MatchString(number):
		return "", fault.New(fault.Invalid, "A tracking number has at most %d letters and digits, with - . _ / or spaces between them", maxTracking).In("trackingNumber")
	}
	return number, nil
}

// day reads the day on which something was sent, "" for none. Days that are written with
// slashes are read where there is one way to.
func day(text, today string) (string, error) {
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
			return "", badDay()
		}
		found = t
	}
	if found.IsZero() || found.Year() < 2000 {
		return "", badDay()
	}
	d := found.Format(time.DateOnly)
	if d > today {
		return "", fault.New(fault.Invalid, "This day has not come yet").In("sentOn")
	}
	return d, nil
}

func badDay() error {
	return fault.New(fault.Invalid, "A day is written as 2026-01-31").In("sentOn")
}
