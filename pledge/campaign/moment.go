package campaign

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Moment is a date, or a date with a time, as written in a file. It is in the
// platform's time zone unless it has an offset. The zero Moment means no date.
type Moment struct {
	text  string
	clock time.Time // the wall clock in UTC, or the instant if fixed
	day   bool      // date only
	fixed bool      // with an offset
}

var layouts = []struct {
	layout     string
	day, fixed bool
}{
	{layout: "2006-01-02", day: true},
	{layout: "2006-01-02 15:04"},
	{layout: "2006-01-02 15:04:05"},
	{layout: "2006-01-02T15:04"},
	{layout: "2006-01-02T15:04:05"},
	{layout: "2006-01-02T15:04Z07:00", fixed: true},
	{layout: "2006-01-02T15:04:05Z07:00", fixed: true},
	{layout: "2006-01-02 15:04:05Z07:00", fixed: true},
	{layout: "2006-01-02 15:04:05 Z07:00", fixed: true},
	{layout: "2006-01-02 15:04:05 -0700", fixed: true},
}

// ParseMoment parses "2026-03-01", "2026-03-01 18:00" or "2026-03-01T18:00:00-07:00".
// It fails with code Invalid.
func ParseMoment(s string) (Moment, error) {
	s = strings.TrimSpace(s)
	for _, l := range layouts {
		t, err := time.Parse(l.layout, s)
		if err != nil || t.Year() < 1970 || t.Nanosecond() != 0 {
			continue
		}
		return Moment{text: s, clock: t.UTC(), day: l.day, fixed: l.fixed}, nil
	}
	return Moment{}, fault.New(fault.Invalid,
		"write a date such as 2026-03-01, or a date and time such as 2026-03-01 18:00")
}

// IsZero reports whether m is the zero Moment.
func (m Moment) IsZero() bool { return m.text == "" }

// String returns the moment as written.
func (m Moment) String() string { return m.text }

// Starts returns the first instant of the moment, or of its day if it is a date. For a local time
// that occurs twice, it returns the first occurrence. A local time that a clock change skips is
// read with the offset before the change, so it is later by the length of the gap.
func (m Moment) Starts(zone *time.Location) time.Time {
	if m.IsZero() || m.fixed {
		return m.clock
	}
	first, _ := occurrences(m.clock, zone)
	return first
}

// Ends returns the instant after the moment's last second, or after its day if it is a date. For a
// local time that occurs twice, it uses the last occurrence.
func (m Moment) Ends(zone *time.Location) time.Time {
	if m.IsZero() {
		return m.clock
	}
	if m.fixed {
		return m.clock.Add(time.Second)
	}
	clock := m.clock
	if m.day {
		clock = clock.Add(24*time.Hour - time.Second)
	}
	_, last := occurrences(clock, zone)
	return last.Add(time.Second)
}

// occurrences returns the first and last instant at which the zone's wall clock shows clock. It
// does not use time.Date, which may return either of them.
func occurrences(clock time.Time, zone *time.Location) (first, last time.Time) {
	at := func(neighbor time.Time) time.Time {
		_, offset := neighbor.In(zone).Zone()
		return clock.Add(-time.Duration(offset) * time.Second).In(zone)
	}
	before, after := at(clock.Add(-36*time.Hour)), at(clock.Add(36*time.Hour))
	switch {
	case !shows(before, clock) && !shows(after, clock):
		return before, before
	case !shows(before, clock):
		return after, after
	case !shows(after, clock):
		return before, before
	case after.Before(before):
		return after, before
	}
	return before, after
}

func shows(t, clock time.Time) bool {
	const wall = "2006-01-02 15:04:05"
	return t.Format(wall) == clock.Format(wall)
}

// Equal reports whether both moments were written identically.
func (m Moment) Equal(other Moment) bool { return m.text == other.text }

// Compare orders moments by their wall clocks, without a zone, for sorting lists.
func (m Moment) Compare(other Moment) int { return m.clock.Compare(other.clock) }

// MarshalText returns the moment as written, "" for the zero Moment.
func (m Moment) MarshalText() ([]byte, error) { return []byte(m.text), nil }

// UnmarshalText decodes with ParseMoment; "" is the zero Moment.
func (m *Moment) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*m = Moment{}
		return nil
	}
	v, err := ParseMoment(string(b))
	if err != nil {
		return err
	}
	*m = v
	return nil
}
