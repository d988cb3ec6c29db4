package usps

import (
	"errors"
	"regexp"
	"time"
)

// zones are the time zones of origins by the first three digits of the ZIP code; each
// row applies up to the next. A prefix in two zones has the eastern one, because the
// service refuses past dates.
var zones = []struct{ from, zone string }{
	{"000", "America/New_York"},
	{"006", "America/Puerto_Rico"},
	{"010", "America/New_York"},
	{"350", "America/Chicago"},
	{"373", "America/New_York"}, // Chattanooga, Knoxville
	{"375", "America/Chicago"},
	{"376", "America/New_York"},
	{"380", "America/Chicago"},
	{"398", "America/New_York"},
	{"420", "America/Chicago"},
	{"425", "America/New_York"},
	{"463", "America/Chicago"},
	{"465", "America/New_York"},
	{"476", "America/Chicago"},
	{"478", "America/New_York"},
	{"500", "America/Chicago"},
	{"577", "America/Denver"},
	{"580", "America/Chicago"},
	{"586", "America/Denver"},
	{"587", "America/Chicago"},
	{"590", "America/Denver"},
	{"600", "America/Chicago"},
	{"692", "America/Denver"},
	{"700", "America/Chicago"},
	{"798", "America/Denver"},
	{"835", "America/Los_Angeles"},
	{"836", "America/Denver"},
	{"838", "America/Los_Angeles"},
	{"840", "America/Denver"},
	{"850", "America/Phoenix"},
	{"870", "America/Denver"},
	{"889", "America/Los_Angeles"},
	{"967", "Pacific/Honolulu"},
	{"969", "Pacific/Guam"},
	{"970", "America/Los_Angeles"},
	{"995", "America/Anchorage"},
}

var fiveDigits = regexp.MustCompile(`^\d{5}$`)

// timeZone returns the time zone that determines a parcel's mailing date.
func timeZone(origin string) (*time.Location, error) {
	if !fiveDigits.MatchString(origin) {
		return nil, errors.New("usps: the origin must be a five-digit ZIP code")
	}
	name := zones[0].zone
	for _, z := range zones {
		if origin[:3] >= z.from {
			name = z.zone
		}
	}
	return time.LoadLocation(name)
}
