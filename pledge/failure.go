package pledge

import (
	"cmp"
	"slices"
)

// Reason is why a bank declined a charge, as far as a supporter may be told. A card that
// is reported as lost, stolen or suspicious is Refused like any other.
type Reason string

// The reasons.
const (
	InsufficientFunds Reason = "insufficient_funds"
	OverLimit         Reason = "limit"
	CardExpired       Reason = "expired"
	WrongDetails      Reason = "details"
	Unsupported       Reason = "unsupported"
	TryLater          Reason = "try_later"
	WantsApproval     Reason = "approval"
	CardGone          Reason = "card_gone" // nobody can charge it any more
	Duplicate         Reason = "duplicate"
	Refused           Reason = "refused" // for a reason that the bank keeps to itself
	UnknownReason     Reason = "unknown"
)

// Reasons are all of them.
func Reasons() []Reason {
	return []Reason{InsufficientFunds, OverLimit, CardExpired, WrongDetails, Unsupported, TryLater, WantsApproval, CardGone, Duplicate, Refused, UnknownReason}
}

// codes are the processor's codes and decline codes, by the reason that they mean.
var codes = map[Reason][]string{
	InsufficientFunds: {"insufficient_funds"},
	OverLimit:         {"card_velocity_exceeded", "withdrawal_count_limit_exceeded"},
	CardExpired:       {"expired_card"},
	WrongDetails: {"incorrect_number", "invalid_number", "incorrect_cvc", "invalid_cvc", "incorrect_zip", "incorrect_address",
		"invalid_expiry_month", "invalid_expiry_year", "invalid_account", "new_account_information_available"},
	Unsupported: {"card_not_supported", "currency_not_supported", "transaction_not_allowed", "service_not_allowed", "not_permitted",
		"invalid_amount", "payment_method_not_available", "offline_pin_required", "online_or_offline_pin_required"},
	TryLater:      {"processing_error", "issuer_not_available", "try_again_later", "reenter_transaction", "approve_with_id"},
	WantsApproval: {"authentication_required", "authentication_not_handled"},
	CardGone:      {"resource_missing", "payment_method_unusable", "payment_method_unexpected_state"},
	Duplicate:     {"duplicate_transaction"},
	Refused: {"generic_decline", "do_not_honor", "call_issuer", "no_action_taken", "do_not_try_again", "security_violation",
		"stop_payment_order", "revocation_of_authorization", "revocation_of_all_authorizations", "restricted_card", "pickup_card",
		"lost_card", "stolen_card", "fraudulent", "merchant_blacklist", "pin_try_exceeded"},
}

// Reason reads the processor's codes. The decline code is the bank's own word and goes
// before the code; what neither says is UnknownReason.
func (f *Failure) Reason() Reason {
	if f.Kind == "needs_action" {
		return WantsApproval
	}
	return cmp.Or(reasonOf(f.DeclineCode), reasonOf(f.Code), UnknownReason)
}

func reasonOf(code string) Reason {
	for _, r := range Reasons() {
		if slices.Contains(codes[r], code) {
			return r
		}
	}
	return ""
}
