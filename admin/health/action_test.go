package health_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/health"
)

// The worst findings come first: by severity, and then by harm to supporters and money.
func TestReport_ByUrgency(t *testing.T) {
	var r health.Report
	for _, k := range health.Kinds() {
		r.Add(health.Finding{ID: k.ID, Severity: k.Severity})
	}
	r.Add(health.Finding{ID: "disk", Severity: health.OK})
	before := slices.Clone(r.Findings)
	got := r.ByUrgency().Findings
	var first []string
	for i, f := range got {
		if i > 0 && health.CompareSeverity(f.Severity, got[i-1].Severity) > 0 {
			t.Errorf("%s (%s) follows %s (%s)", f.ID, f.Severity, got[i-1].ID, got[i-1].Severity)
		}
		if first = append(first, f.ID); f.ID == "config.faulty" {
			break
		}
	}
	want := []string{"charge.attention", "settlement.held", "settlement.refused", "break.critical",
		"promise.broken", "mail.none", "mail.refused", "config.faulty"}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("critical findings (-want +got): %s", diff)
	}
	if len(got) != len(before) || got[len(got)-1].ID != "disk" || got[len(got)-2].Severity != health.Notice {
		t.Errorf("the last ones: %+v", got[len(got)-2:])
	}
	for i := range before {
		if r.Findings[i].ID != before[i].ID {
			t.Fatal("the report itself was sorted")
		}
	}
}

// A finding links to the page where it can be resolved, with the affected campaigns.
func TestFindings_Action(t *testing.T) {
	for name, tc := range map[string]struct {
		set  func(*health.Deps)
		id   string
		want health.Action
	}{
		"unclear charges": {func(m *health.Deps) {
			m.Campaigns = returns(health.Campaigns{Attention: []string{"film", "game"}}, nil)
		}, "charge.attention", health.Action{Kind: health.OpenSettlement, Campaigns: []string{"film", "game"}}},
		"differences": {func(m *health.Deps) {
			m.Campaigns = returns(health.Campaigns{Breaks: []string{"film"}}, nil)
		}, "break.open", health.Action{Kind: health.OpenReconciliation, Campaigns: []string{"film"}}},
		"report readers": {func(m *health.Deps) { m.Readers = returns([]string{"film"}, nil) }, "reports.refused",
			health.Action{Kind: health.OpenReportReaders, Campaigns: []string{"film"}}},
		"second super admin": {func(m *health.Deps) { m.SuperAdmins = returns(1, nil) }, "people.one",
			health.Action{Kind: health.AddSuperAdmin, Campaigns: []string{}}},
		"full disk": {func(m *health.Deps) {
			m.Disk = func(context.Context) (uint64, uint64, error) { return 1, 100 << 30, nil }
		}, "disk.full", health.Action{Kind: health.NoAction, Campaigns: []string{}}},
		"passed": {func(*health.Deps) {}, "people", health.Action{Kind: health.NoAction, Campaigns: []string{}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := healthy()
			tc.set(&m)
			all := m.Run(t.Context(), nil).Findings
			n := slices.IndexFunc(all, func(f health.Finding) bool { return f.ID == tc.id })
			if n < 0 {
				t.Fatalf("no finding %s: %+v", tc.id, all)
			}
			if diff := cmp.Diff(tc.want, all[n].Action); diff != "" {
				t.Errorf("(-want +got): %s", diff)
			}
		})
	}
}
