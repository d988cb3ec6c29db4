package compose_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// The setting determines how many payments two pledges with one address result in, and the text
// that the supporter agrees to.
func TestSettlementGrouping(t *testing.T) {
	for name, tt := range map[string]struct {
		env      map[string]string
		sessions [2]string
		payments int
		consent  string
	}{
		"the default, different browsers": {nil, [2]string{"browser-a-0123456789abcdef", "browser-b-0123456789abcdef"},
			2, "in this browser"},
		"the default, one browser": {nil, [2]string{"browser-a-0123456789abcdef", "browser-a-0123456789abcdef"},
			1, "in this browser"},
		"by email": {map[string]string{"SETTLEMENT_GROUPING": "email"}, [2]string{},
			1, "with your email address, even if another person made them"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, memory.Options{Env: tt.env})
			for _, session := range tt.sessions {
				r := checkout.StartRequest{Email: "twice@example.org", Cart: bigCart(), Session: session}
				s, err := h.Pledge(context.Background(), r, sim.CardOK)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(s.Consent.Text, tt.consent) {
					t.Errorf("consent = %s", s.Consent.Text)
				}
			}
			if err := h.Pass(context.Background(), 3*24*time.Hour); err != nil {
				t.Fatal(err)
			}
			if n := len(h.Sim.Entries()); n != tt.payments {
				t.Errorf("%d payments, want %d", n, tt.payments)
			}
		})
	}
}
