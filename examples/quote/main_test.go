package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestRun_PricesWithTax(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, "../site/campaigns/tidepool-traders.md", "0.07875"); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		if strings.Contains(line, "Early crab") {
			if got := strings.Join(strings.Fields(line), " "); got != "Early crab $45.00 $3.54 $48.54" {
				t.Errorf("line %q", got)
			}
			return
		}
	}
	t.Errorf("no Early crab in\n%s", out.String())
}
