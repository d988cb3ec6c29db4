package pledge

import (
	"cmp"
	"slices"
)

// Reason is the reason for a declined charge, as shown to the supporter. A card reported as lost,
// stolen or suspicious is shown as Refused.
type Reason string

// Reasons for a declined charge.
const (
	InsufficientFunds Reason = "insufficient_funds"
	OverLimit         Reason = "limit"
	CardExpired       Reason = "expired"
	WrongDetails      Reason = "details"
	Unsupported       Reason = "unsupported"
	TryLater          Reason = "try_later"
	WantsApproval     Reason = "approval"
	CardGone          Reason = "card_gone" // the card was deleted at Stripe
	Duplicate         Reason = "duplicate"
	Refused           Reason = "refused" // no reason given, or none that may be shown
	UnknownReason     Reason = "unknown"
)

// Reasons returns all reasons.
func Reasons() []Reason {
	return []Reason{InsufficientFunds, OverLimit, CardExpired, WrongDetails, Unsupported, TryLater,
		WantsApproval, CardGone, Duplicate, Refused, UnknownReason}
}

// codes has Stripe's error codes and decline codes by reason.
var codes = map[Reason][]string{
	InsufficientFunds: {"insufficient_funds"},
	OverLimit:         {"card_velocity_exceeded", "withdrawal_count_limit_exceeded"},
	CardExpired:       {"expired_card"},
	WrongDetails: {"incorrect_number", "invalid_number", "incorrect_cvc", "invalid_cvc",
		"incorrect_zip", "incorrect_address",
		"invalid_expiry_month", "invalid_expiry_year", "invalid_account", "new_account_information_available"},
	Unsupported: {"card_not_supported", "currency_not_supported", "transaction_not_allowed",
		"service_not_allowed", "not_permitted",
		"invalid_amount", "payment_method_not_available", "offline_pin_required", "online_or_offline_pin_required"},
	TryLater: {"processing_error", "issuer_not_available", "try_again_later",
		"reenter_transaction", "approve_with_id"},
	WantsApproval: {"authentication_required", "authentication_not_handled"},
	CardGone:      {"resource_missing", "payment_method_unusable", "payment_method_unexpected_state"},
	Duplicate:     {"duplicate_transaction"},
	Refused: {"generic_decline", "do_not_honor", "call_issuer", "no_action_taken",
		"do_not_try_again", "security_violation",
		"stop_payment_order", "revocation_of_authorization", "revocation_of_all_authorizations",
		"restricted_card", "pickup_card",
		"lost_card", "stolen_card", "fraudulent", "merchant_blacklist", "pin_try_exceeded"},
}

// Reason returns the reason for the failure, according to its kind and codes. The decline code
// comes from the bank and takes precedence over the error code. Reason returns UnknownReason for
// unknown codes.
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
