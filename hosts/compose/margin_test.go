package compose_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// With the largest allowed clock errors, and a webhook as late as its signature's age limit allows,
// the last checkout still completes before the first charge.
func TestSettlementMargin(t *testing.T) {
	if last := checkout.LongestAfterDeadline + state.MaxClockError + psp.Tolerance; settlement.Margin < last {
		t.Errorf("a session may complete %s after the deadline, but settlement starts after %s", last, settlement.Margin)
	}
	if settlement.Margin <= 2*state.MaxClockError {
		t.Error("two clocks may differ by more than the margin")
	}
}
