package health_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/notify"
)

var update = flag.Bool("update", false, "write the golden files")

// moreCases produce variants of texts that no other case produces.
var moreCases = []func(*health.Deps){
	func(m *health.Deps) { m.Faults = []string{"a", "b", "c", "d", "e", "f", "g"} },
	func(m *health.Deps) { m.Schema = nil },
	func(m *health.Deps) { m.Content = returns(1, nil) },
	func(m *health.Deps) { m.Backup = returns(before(time.Second), nil) },
	func(m *health.Deps) { m.Backup = returns(before(30*time.Hour), nil) },
	func(m *health.Deps) { m.Content = returns(0, errors.New("a\nb\nc\nd\ne\nf")) },
	func(m *health.Deps) { m.Cron = returns[*time.Time](nil, context.DeadlineExceeded) },
	func(m *health.Deps) { m.Cron = returns(before(73*time.Hour), nil) },
	func(m *health.Deps) {
		m.Mail.StopRecord = returnsStopped(&notify.Stopped{Since: noon})
	},
}

func returnsStopped(s *notify.Stopped) func(context.Context, notify.Stream) (*notify.Stopped, error) {
	return func(context.Context, notify.Stream) (*notify.Stopped, error) { return s, nil }
}

// allReports returns the reports of all cases.
func allReports(t *testing.T) []health.Report {
	t.Helper()
	all := []health.Report{{Findings: []health.Finding{health.DatabaseMissing("data"),
		health.Closed(errDown), health.ServerSilent(errDown)}}}
	addReport := func(set func(*health.Deps)) {
		m := healthy()
		set(&m)
		all = append(all, m.Run(t.Context(), nil))
	}
	for _, tt := range cases {
		addReport(tt.set)
	}
	for _, set := range moreCases {
		addReport(set)
	}
	return all
}

// Every finding matches the golden file of its language exactly.
func TestFindings_Golden(t *testing.T) {
	for _, lang := range []string{"en", "es"} {
		lines := map[string]bool{}
		for _, r := range allReports(t) {
			for _, f := range r.In(lang).Findings {
				lines[fmt.Sprintf("%s | %s | %s\n", f.ID, f.Found, f.Remedy)] = true
			}
		}
		got := strings.Join(slices.Sorted(maps.Keys(lines)), "")
		file := filepath.Join("testdata", "findings."+lang+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-file +written):\n%s", file, diff)
		}
	}
}
