package ownprocessor_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/psptest"
	"github.com/pledgeworks/pledgeworks/examples/ownprocessor"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func TestCapped_Conformance(t *testing.T) {
	psptest.Run(t, psptest.Harness{New: func(testing.TB) (psp.Processor, psptest.Bench) {
		b := psptest.NewSimBench(nil)
		return &ownprocessor.Capped{Processor: b.Sim.Processor(), Ceiling: money.Max}, b
	}})
}

func TestCapped_RejectsChargesAboveCeiling(t *testing.T) {
	b := psptest.NewSimBench(nil)
	p := &ownprocessor.Capped{Processor: b.Sim.Processor(), Ceiling: 5000}
	got := p.Charge(t.Context(), psp.NewCharge{Amount: 5001})
	if got.Status != psp.Declined || got.MayPass || p.Charges() != 0 || b.Received() != 0 {
		t.Errorf("%+v, %d charges, %d requests", got, p.Charges(), b.Received())
	}
	if p.Charge(t.Context(), psp.NewCharge{Amount: 5000}); p.Charges() != 1 {
		t.Errorf("%d charges at the ceiling", p.Charges())
	}
}
