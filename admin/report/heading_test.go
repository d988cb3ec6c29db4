package report_test

import (
	"slices"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/report"
)

// Every column has a name in each language.
func TestHeadings_Complete(t *testing.T) {
	for _, kind := range []report.Kind{report.PledgeReport, report.FulfillmentReport, report.LeftToSend} {
		for _, lang := range []string{"en", "es"} {
			var keys []string
			for _, h := range kind.Headings(lang) {
				keys = append(keys, h.Key)
				if h.Name == "" || h.Name == h.Key || h.Kind == "" {
					t.Errorf("%s in %s: %+v", kind, lang, h)
				}
			}
			if !slices.Equal(keys, kind.Columns()) {
				t.Errorf("%s in %s: %v", kind, lang, keys)
			}
		}
	}
}
