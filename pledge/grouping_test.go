package pledge_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
)

func TestCombinedBy(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		edit func(p *pledge.Pledge)
		want string
	}{
		"unchanged":    {func(*pledge.Pledge) {}, "here"},
		"failed":       {func(p *pledge.Pledge) { p.Status = pledge.PaymentFailed }, "here"},
		"joined":       {func(p *pledge.Pledge) { p.JoinedAt = &at }, ""},
		"card by link": {func(p *pledge.Pledge) { p.CardByLink = true }, ""},
		"cancelled":    {func(p *pledge.Pledge) { p.Status = pledge.Cancelled }, ""},
		"no session":   {func(p *pledge.Pledge) { p.Session = "" }, ""},
	} {
		p := &pledge.Pledge{Status: pledge.Active, Session: "here"}
		tt.edit(p)
		if got := p.CombinedBy(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
