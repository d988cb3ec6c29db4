package demo_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/demo"
)

var bankButton = regexp.MustCompile(`data-path="([^"]+)" data-body=(?:'([^']+)'|"([^"]+)")[^>]*>([^<]+)<`)

// press presses the first button of the front page with a path and a text, as the page's script does.
func press(t *testing.T, d *demo.Demo, path, text string) {
	t.Helper()
	for _, b := range bankButton.FindAllStringSubmatch(do(d, "GET", "/demo/", "").Body.String(), -1) {
		if b[1] != path || b[4] != text {
			continue
		}
		if w := do(d, "POST", path, html.UnescapeString(b[2]+b[3])); w.Code != http.StatusOK {
			t.Fatalf("%s: status %d: %s", path, w.Code, w.Body)
		}
		return
	}
	t.Fatalf("the page has no button %q for %s", text, path)
}

// The front page has controls for payouts, disputes and failing refunds, and shows their results.
func TestPages_BankControls(t *testing.T) {
	d := openShowcase(t)
	processor, paid := d.App.Sim.Processor(), d.App.Sim.Entries()
	if _, err := d.App.Sim.Refund(paid[1].PaymentID, 100); err != nil {
		t.Fatal(err)
	}
	press(t, d, "/_sim/settle-refund", "Fails")
	of, err := processor.Reversals(t.Context(), paid[1].PaymentID)
	if err != nil || of.Refunds[0].Status != psp.RefundStatusFailed {
		t.Errorf("refunds %+v, %v", of.Refunds, err)
	}
	for _, result := range []struct {
		text   string
		status psp.DisputeStatus
	}{{"Won", psp.DisputeStatusWon}, {"Lost", psp.DisputeStatusLost}} {
		press(t, d, "/_sim/dispute", "Dispute")
		press(t, d, "/_sim/close-dispute", result.text)
		all, err := processor.Disputes(t.Context(), psp.DisputeQuery{Limit: 1})
		if err != nil || all.Disputes[0].Status != result.status {
			t.Errorf("%s: %+v, %v", result.text, all.Disputes, err)
		}
	}
	press(t, d, "/_sim/payout", "Pay out what is available")
	press(t, d, "/_sim/fail-payout", "Fails")
	all, err := processor.Payouts(t.Context(), psp.PayoutQuery{Limit: 1})
	if err != nil || len(all.Payouts) != 1 || all.Payouts[0].Status != psp.PayoutStatusFailed {
		t.Errorf("payouts %+v, %v", all.Payouts, err)
	}
	page := do(d, "GET", "/demo/", "").Body.String()
	if !strings.Contains(page, "<td>"+all.Payouts[0].ID+"</td><td>failed</td>") ||
		strings.Contains(page, "/_sim/fail-payout") {
		t.Error("the page does not show the failed payout, or shows a button for it")
	}
}
