package psp_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/pace"
)

// The guide subscribes endpoints of both modes to the known events, describes
// each, and pins the version.
//
// Proves WHK-23.
func TestGuideSubscribes(t *testing.T) {
	b, err := os.ReadFile("../../docs/processor.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(b)
	var listed []psp.EventType
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| (.+) \\|$").FindAllStringSubmatch(guide, -1) {
		event := psp.EventType(row[1])
		listed = append(listed, event)
		hint := event.IsRefund() || event.IsDispute() || event.IsFraudWarning() || event.IsPayout() // causes a lookup
		if evidence := row[2] == "evidence"; evidence != (event.Observed() && !hint) ||
			slices.Contains(psp.Applied(), event) == event.Observed() {
			t.Errorf("%s: %s", event, row[2])
		}
	}
	if diff := cmp.Diff(psp.Subscriptions(), listed); diff != "" {
		t.Errorf("events (-known +guide):\n%s", diff)
	}
	for _, event := range []psp.EventType{psp.SessionCompleted, psp.PaymentFailed} {
		if !slices.Contains(listed, event) {
			t.Errorf("%s is not subscribed to", event)
		}
	}
	for _, word := range []string{"One endpoint in each mode", psp.Version, "PSP_WEBHOOK_SECRET_TEST",
		"PSP_WEBHOOK_SECRET_LIVE", "/webhooks/psp"} {
		if !strings.Contains(guide, word) {
			t.Errorf("the guide does not mention %s", word)
		}
	}
	live, test := pace.LimitsOf(psp.Live, 0), pace.LimitsOf(psp.Test, 0)
	if live != (pace.Limits{Account: 97, Operation: 24.25}) ||
		test != (pace.Limits{Account: 24.25, Operation: 24.25}) {
		t.Errorf("rate limits %v and %v differ from the guide", live, test)
	}
}
