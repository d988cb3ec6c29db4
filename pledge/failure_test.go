package pledge_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge"
)

func TestFailure_Reason(t *testing.T) {
	for _, tt := range []struct {
		kind, code, decline string
		want                pledge.Reason
	}{
		{"declined", "card_declined", "insufficient_funds", pledge.InsufficientFunds},
		{"declined", "expired_card", "expired_card", pledge.CardExpired},
		{"declined", "expired_card", "", pledge.CardExpired},
		{"declined", "expired_card", "a_new_word", pledge.CardExpired},
		{"declined", "card_declined", "generic_decline", pledge.Refused},
		{"declined", "card_declined", "stolen_card", pledge.Refused}, // must not be revealed to a thief
		{"declined", "card_declined", "a_new_word", pledge.UnknownReason},
		{"declined", "card_declined", "", pledge.UnknownReason},
		{"declined", "", "", pledge.UnknownReason},
		{"declined", "payment_method_unusable", "", pledge.CardGone},
		{"needs_action", "card_declined", "authentication_required", pledge.WantsApproval},
		{"needs_action", "", "", pledge.WantsApproval},
	} {
		f := pledge.Failure{Kind: tt.kind, Code: tt.code, DeclineCode: tt.decline}
		if got := f.Reason(); got != tt.want {
			t.Errorf("%+v: got %s, want %s", f, got, tt.want)
		}
	}
}
