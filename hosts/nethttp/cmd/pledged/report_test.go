package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

func TestReportFulfillment_Readers(t *testing.T) {
	s := newTestInstall(t)
	s.pledge("-ines", "download", sim.CardOK)
	s.now = s.now.AddDate(0, 0, 7)
	s.ok(s.settle())
	for flags, cell := range map[string]string{"": ",'-ines@", " --for=spreadsheet": ",'-ines@",
		" --for=carrier": ",-ines@"} {
		if out, code := s.run("report fulfillment song"+flags, ""); code != 0 || !strings.Contains(out, cell) {
			t.Errorf("with %q: exit status %d: %s", flags, code, out)
		}
	}
	if out, code := s.run("report fulfillment song --for=ups", ""); code == 0 || !strings.Contains(out, "carrier") {
		t.Errorf("unknown reader: exit status %d: %s", code, out)
	}
}

// The command prints the tax that was charged and refunded, by month and rate.
func TestReportTax(t *testing.T) {
	s := newTestInstall(t)
	s.env["SALES_TAX_RATE"] = "0.1"
	id := s.pledge("ana", "download", sim.CardOK)
	s.ok(s.settle())
	rows := func() []string {
		t.Helper()
		text, code := s.run("report tax song", "")
		if code != 0 {
			t.Fatalf("exit status %d: %s", code, text)
		}
		return strings.Split(strings.TrimSpace(text[strings.Index(text, "month,"):]), "\n")
	}
	const head = "month,kind,charged_month,country,state,rule,rate,pledges,taxable,tax"
	charged := "2026-11,charge,2026-11,,,flat: Sales tax,0.1,1,20.00,2.00"
	if diff := cmp.Diff([]string{head, charged}, rows()); diff != "" {
		t.Errorf("after the charge (-want +got):\n%s", diff)
	}
	s.now = s.now.AddDate(0, 1, 0)
	if text, code := s.run("refund song "+id+" --cents=1100", "ada's"); code != 0 {
		t.Fatalf("exit status %d: %s", code, text)
	}
	if diff := cmp.Diff([]string{head, charged, "2026-12,refund,2026-11,,,flat: Sales tax,0.1,1,-10.00,-1.00"}, rows()); diff != "" {
		t.Errorf("after the refund (-want +got):\n%s", diff)
	}
	if text, code := s.run("report tax nothing", ""); code == 0 || !strings.Contains(text, "Campaign not found") {
		t.Errorf("unknown campaign: exit status %d: %s", code, text)
	}
}
