package fulfilment

import (
	"fmt"
	"regexp"
	"strconv"
)

// shipStationDate matches a date as written by ShipStation: "4/2/2026 4:00:00 AM".
var shipStationDate = regexp.MustCompile(`^([0-9]{1,2})/([0-9]{1,2})/([0-9]{4}) [0-9]{1,2}:[0-9]{2}(?::[0-9]{2})? ?[AaPp][Mm]$`)

// normalizeDates rewrites ShipStation's dates as 2026-01-31. ShipStation writes the month first for
// accounts in the United States and the day first for others. If the first number of any date is
// above 12, all dates are read with the day first.
func normalizeDates(rows []row) {
	dayFirst := false
	for _, r := range rows {
		if m := shipStationDate.FindStringSubmatch(r.mark.SentOn); m != nil {
			first, _ := strconv.Atoi(m[1]) // at most two digits
			dayFirst = dayFirst || first > 12
		}
	}
	for i, r := range rows {
		m := shipStationDate.FindStringSubmatch(r.mark.SentOn)
		if m == nil {
			continue
		}
		month, _ := strconv.Atoi(m[1])
		day, _ := strconv.Atoi(m[2])
		if dayFirst {
			month, day = day, month
		}
		rows[i].mark.SentOn = fmt.Sprintf("%s-%02d-%02d", m[3], month, day)
	}
}
