package rehearsal

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// No command can create such a pledge, so the test constructs it.
func TestCheckLines(t *testing.T) {
	lines := []pledge.Line{{Kind: pledge.TierLine, ID: "seat", Quantity: 1, Amount: 2500}}
	right, err := pledge.CalculateTotals(lines, 100, 0, pledge.Tip{Percent: 5})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*pledge.Pledge){
		"":                func(*pledge.Pledge) {},
		"the amount":      func(p *pledge.Pledge) { p.Amount++ },
		"the subtotal":    func(p *pledge.Pledge) { p.Subtotal-- },
		"what is counted": func(p *pledge.Pledge) { p.CampaignSubtotal-- },
		"a line": func(p *pledge.Pledge) {
			p.Lines = append(lines[:1:1], pledge.Line{Kind: pledge.CustomLine, Amount: 1})
		},
		"a negative line": func(p *pledge.Pledge) { p.Lines = []pledge.Line{{Kind: pledge.TierLine, Amount: -1}} },
	} {
		p := &pledge.Pledge{OrderID: "a", Lines: lines, Totals: right}
		change(p)
		f := Forecast{}
		f.checkLines(p)
		if found := len(f.Findings) == 1 && f.Findings[0].Kind == AmountDiffers; found != (name != "") {
			t.Errorf("%s: %+v", name, f.Findings)
		}
	}
}
