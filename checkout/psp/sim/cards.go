package sim

import (
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// card is the behavior of a test card. Snapshots store it with the payment method.
type card struct {
	Name, Number string
	SetupDecline string // decline code when saved
	Decline      string // decline code when charged
	Challenge    challenge
	AvailableNow bool

	DeclineTimes int // number of charges to decline before accepting
	Processing   time.Duration
	ProcessFails bool          // with Processing: fails at the end
	RollForward  time.Duration // responds 500 and succeeds after this time
	Captures     money.Cents   // maximum capture of a charge; zero is unlimited
	Refund       refundCourse
	Life         time.Duration // age, in whose month the card expires; zero means three years
}

// challenge determines when the issuer requires authentication.
type challenge string

const (
	never       challenge = ""
	unlessSetUp challenge = "unless_set_up"
	always      challenge = "always"
)

// refundCourse determines how a card's refunds proceed after their creation.
type refundCourse string

const (
	refundStays   refundCourse = ""        // succeeds immediately
	refundPending refundCourse = "pending" // starts as pending
	refundFails   refundCourse = "fails"   // succeeds, then fails
)

// Test cards with fixed behavior. Each is also selected by its number.
const (
	CardOK               = "ok"
	CardDeclined         = "declined"                // declined when saved
	CardInsufficient     = "insufficient_funds"      // declined when saved
	CardExpired          = "expired_card"            // declined when saved
	CardProcessingError  = "processing_error"        // declined when saved
	CardChargeDeclined   = "charge_declined"         // can be saved; every charge is declined
	CardAuthUnlessSetUp  = "auth_unless_set_up"      // charges succeed if saved by a setup session
	CardAuthAlways       = "auth_always"             // every off-session charge requires authentication
	CardAuthSetUp        = "auth_already_set_up"     // charges succeed
	CardAuthInsufficient = "auth_insufficient_funds" // can be saved; charges lack funds
	CardAvailableNow     = "available_now"           // funds are available immediately
	CardRefundPending    = "refund_pending"          // refunds are pending for a minute, then succeed
	CardRefundFails      = "refund_fails"            // refunds succeed, then fail after a minute
)

// Test cards with an argument after a colon.
const (
	CardDeclineTimes = "decline_times" // "decline_times:2" declines two charges, then succeeds
	CardProcessing   = "processing"    // "processing:1h" is pending for an hour, then succeeds
	CardProcessFails = "process_fails" // "process_fails:1h" is pending for an hour, then fails
	CardPartial      = "partial"       // "partial:500" captures at most 500 cents of a charge
	CardExpires      = "expires"       // "expires:720h" succeeds and expires at the end of the month in 720 hours
	CardRollsForward = "rolls_forward" // "rolls_forward:1h" responds 500 and succeeds after an hour
)

var cards = []card{
	{Name: CardOK, Number: "4242424242424242"},
	{Name: CardDeclined, Number: "4000000000000002", SetupDecline: "generic_decline", Decline: "generic_decline"},
	{Name: CardInsufficient, Number: "4000000000009995", SetupDecline: "insufficient_funds",
		Decline: "insufficient_funds"},
	{Name: CardExpired, Number: "4000000000000069", SetupDecline: "expired_card", Decline: "expired_card"},
	{Name: CardProcessingError, Number: "4000000000000119", SetupDecline: "processing_error",
		Decline: "processing_error"},
	{Name: CardChargeDeclined, Number: "4000000000000341", Decline: "generic_decline"},
	{Name: CardAuthUnlessSetUp, Number: "4000002500003155", Challenge: unlessSetUp},
	{Name: CardAuthAlways, Number: "4000002760003184", Challenge: always},
	{Name: CardAuthSetUp, Number: "4000003800000446"},
	{Name: CardAuthInsufficient, Number: "4000008260003178", Decline: "insufficient_funds"},
	{Name: CardAvailableNow, Number: "4000000000000077", AvailableNow: true},
	{Name: CardRefundPending, Number: "4000000000007726", Refund: refundPending},
	{Name: CardRefundFails, Number: "4000000000005126", Refund: refundFails},
}

// Cards returns the named cards with their numbers, for display on a page.
func Cards() [][2]string {
	out := make([][2]string, 0, len(cards))
	for _, c := range cards {
		out = append(out, [2]string{c.Name, c.Number})
	}
	return out
}

// findCard returns the card with a number, with or without spaces and hyphens, or with a name,
// which may have an argument.
func findCard(s string) (card, error) {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(s)
	for _, c := range cards {
		if s == c.Name || digits == c.Number {
			return c, nil
		}
	}
	name, arg, has := strings.Cut(s, ":")
	c := card{Name: s, Number: cards[0].Number}
	if name == CardDeclineTimes && has {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 0 || n > 1000 {
			return card{}, fault.New(fault.Invalid, "A card can decline 0 to 1000 times").In("card")
		}
		c.DeclineTimes = n
		return c, nil
	}
	if name == CardPartial && has {
		n, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || n < 1 || n > int64(money.MaxCharge) {
			return card{}, fault.New(fault.Invalid, "A partial capture must be 1 to %d cents",
				int64(money.MaxCharge)).In("card")
		}
		c.Captures = money.Cents(n)
		return c, nil
	}
	d, err := time.ParseDuration(arg)
	if err == nil && d > 0 {
		switch name {
		case CardProcessing:
			c.Processing = d
			return c, nil
		case CardProcessFails:
			c.Processing, c.ProcessFails = d, true
			return c, nil
		case CardExpires:
			c.Life = d
			return c, nil
		case CardRollsForward:
			c.RollForward = d
			return c, nil
		}
	}
	return card{}, fault.New(fault.Invalid, "Unknown test card %q", s).In("card")
}

func (c card) last4() string { return c.Number[len(c.Number)-4:] }

// declined returns the issuer's decline with the given code. Three decline codes
// have their own error codes.
func declined(declineCode string) *refusal {
	r := &refusal{Code: "card_declined", DeclineCode: declineCode, Message: "Your card was declined."}
	switch declineCode {
	case "expired_card":
		r.Code, r.Message = "expired_card", "Your card has expired."
	case "processing_error":
		r.Code, r.Message = "processing_error", "An error occurred while processing your card."
	case "insufficient_funds":
		r.Message = "Your card has insufficient funds."
	}
	return r
}

func needsAuth() *refusal {
	return &refusal{Code: authRequired, DeclineCode: authRequired,
		Message: "Your card was declined. This transaction requires authentication."}
}

// needsAuthentication reports whether the decline only requires authentication.
func (r *refusal) needsAuthentication() bool { return r != nil && r.DeclineCode == authRequired }

const authRequired = "authentication_required"
