package main

import (
	"strings"
	"testing"

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
