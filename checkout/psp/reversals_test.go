package psp_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func TestReversals_Refunded(t *testing.T) {
	refund := func(s psp.RefundStatus, amount money.Cents) psp.Refund { return psp.Refund{Status: s, Amount: amount} }
	for name, tt := range map[string]struct {
		refunds []psp.Refund
		want    money.Cents
	}{
		"none":            {nil, 0},
		"succeeded":       {[]psp.Refund{refund(psp.RefundStatusSucceeded, 300)}, 300},
		"pending":         {[]psp.Refund{refund(psp.RefundStatusPending, 200)}, 200},
		"failed":          {[]psp.Refund{refund(psp.RefundStatusFailed, 100)}, 0},
		"canceled":        {[]psp.Refund{refund(psp.RefundStatusCanceled, 100)}, 0},
		"requires action": {[]psp.Refund{refund(psp.RefundStatusRequiresAction, 100)}, 0},
		"several": {[]psp.Refund{refund(psp.RefundStatusPending, 1), refund(psp.RefundStatusFailed, 20),
			refund(psp.RefundStatusSucceeded, 300)}, 301},
	} {
		r := psp.Reversals{Refunds: tt.refunds, Disputes: []psp.Dispute{{Amount: 5000, Status: psp.DisputeStatusLost}}}
		if got := r.Refunded(); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
