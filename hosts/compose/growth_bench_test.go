package compose_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// BenchmarkHour measures the hourly work with the given number of ended campaigns: on the first
// day, when all of them are checked, and when they are idle. Each campaign has charged one
// supporter, except in the largest case, which has no pledges.
func BenchmarkHour(b *testing.B) {
	for many, card := range map[int]string{10: sim.CardOK, 1000: sim.CardOK, 10_000: ""} {
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			s := newSongs(b, many, card, "false")
			s.Advance(40 * time.Hour)
			s.pass(time.Hour) // all pledges are charged
			awake, _ := s.hour()
			s.Advance(50 * time.Hour) // so that the processor has booked its fees
			s.pass(2 * time.Hour)
			var commands, asked int
			for b.Loop() {
				commands, asked = s.hour()
			}
			if n := len(s.Sim.Entries()); n != many && card != "" {
				b.Errorf("%d of %d are charged", n, many)
			}
			b.ReportMetric(float64(awake), "commands-awake/hour")
			b.ReportMetric(float64(commands), "commands/hour")
			b.ReportMetric(float64(asked), "requests/hour")
		})
	}
}

// BenchmarkSettledSupporter measures the cost of a supporter with one pledge: the commands of the
// settlement, and the rows and bytes that remain when the campaign is idle.
func BenchmarkSettledSupporter(b *testing.B) {
	const many = 1000
	for b.Loop() {
		s := newSongs(b, 1, sim.CardOK, "false")
		for i := range many - 1 {
			s.pledge(0, fmt.Sprintf("another%d@example.org", i), sim.CardOK)
		}
		s.pass(30 * time.Hour)
		s.count.commands = 0
		s.pass(2 * time.Hour)
		per := func(n int, unit string) { b.ReportMetric(float64(n)/many, unit+"/supporter") }
		per(s.count.commands, "commands")
		s.days(5)
		db, rows, bytes := s.DB.Snapshot(), 0, 0
		add := func(entries []kv.Entry) {
			rows += len(entries)
			for _, e := range entries {
				bytes += len(e.Key) + len(e.Value)
			}
		}
		add(db.Objects[kv.Object{Class: state.ClassName, Name: "song-0"}])
		per(rows, "settlement-rows")
		per(bytes, "settlement-bytes")
		for o, entries := range db.Objects {
			if o.Class != state.ClassName {
				add(entries)
			}
		}
		per(rows, "object-rows")
		per(bytes, "object-bytes")
		for _, entries := range db.Stores {
			add(entries)
		}
		per(rows, "rows")
		per(bytes, "bytes")
		if n := len(s.Sim.Entries()); n != many {
			b.Errorf("%d of %d are charged", n, many)
		}
	}
}
