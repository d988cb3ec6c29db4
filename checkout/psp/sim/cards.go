package sim

import (
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// card is how a test card behaves. A snapshot keeps it with the payment method.
type card struct {
	Name, Number string
	SetupDecline string // decline code when it is saved
	Decline      string // decline code when it is charged
	Challenge    challenge
	AvailableNow bool

	DeclineTimes int // declines so many charges, then behaves
	Processing   time.Duration
	ProcessFails bool          // with Processing: fails in the end
	RollForward  time.Duration // answers 500 and succeeds after this
	Captures     money.Cents   // captures at most this much of a charge; zero is all of it
	Refund       refundCourse
	Life         time.Duration // runs out at the end of the month in which this is over; zero is three years
}

// challenge is when the issuer wants the supporter present.
type challenge string

const (
	never       challenge = ""
	unlessSetUp challenge = "unless_set_up"
	always      challenge = "always"
)

// refundCourse is what happens to the refunds of a card after they were made.
type refundCourse string

const (
	refundStays   refundCourse = ""        // succeeds at once, for good
	refundPending refundCourse = "pending" // is pending at first
	refundFails   refundCourse = "fails"   // succeeds and fails later
)

// The named test cards with fixed behaviour. Every one is also known by its number.
const (
	CardOK               = "ok"
	CardDeclined         = "declined"                // refused when it is saved
	CardInsufficient     = "insufficient_funds"      // refused when it is saved
	CardExpired          = "expired_card"            // refused when it is saved
	CardProcessingError  = "processing_error"        // refused when it is saved
	CardChargeDeclined   = "charge_declined"         // saves, every charge is refused
	CardAuthUnlessSetUp  = "auth_unless_set_up"      // as a setup session saves it, charges pass
	CardAuthAlways       = "auth_always"             // every off-session charge needs the supporter
	CardAuthSetUp        = "auth_already_set_up"     // charges pass
	CardAuthInsufficient = "auth_insufficient_funds" // saves, then lacks the funds
	CardAvailableNow     = "available_now"           // funds are available at once
	CardRefundPending    = "refund_pending"          // a refund is pending for a minute, then succeeds
	CardRefundFails      = "refund_fails"            // a refund succeeds, and fails a minute later
)

// The names of cards that take an argument after a colon.
const (
	CardDeclineTimes = "decline_times" // "decline_times:2" refuses two charges, then passes
	CardProcessing   = "processing"    // "processing:1h" is pending for an hour, then passes
	CardProcessFails = "process_fails" // "process_fails:1h" is pending for an hour, then fails
	CardPartial      = "partial"       // "partial:500" captures at most 500 cents of a charge
	CardExpires      = "expires"       // "expires:720h" passes, and runs out at the end of the month that is then
	CardRollsForward = "rolls_forward" // "rolls_forward:1h" answers 500, and passes after an hour
)

var cards = []card{
	{Name: CardOK, Number: "4242424242424242"},
	{Name: CardDeclined, Number: "4000000000000002", SetupDecline: "generic_decline", Decline: "generic_decline"},
	{Name: CardInsufficient, Number: "4000000000009995", SetupDecline: "insufficient_funds", Decline: "insufficient_funds"},
	{Name: CardExpired, Number: "4000000000000069", SetupDecline: "expired_card", Decline: "expired_card"},
	{Name: CardProcessingError, Number: "4000000000000119", SetupDecline: "processing_error", Decline: "processing_error"},
	{Name: CardChargeDeclined, Number: "4000000000000341", Decline: "generic_decline"},
	{Name: CardAuthUnlessSetUp, Number: "4000002500003155", Challenge: unlessSetUp},
	{Name: CardAuthAlways, Number: "4000002760003184", Challenge: always},
	{Name: CardAuthSetUp, Number: "4000003800000446"},
	{Name: CardAuthInsufficient, Number: "4000008260003178", Decline: "insufficient_funds"},
	{Name: CardAvailableNow, Number: "4000000000000077", AvailableNow: true},
	{Name: CardRefundPending, Number: "4000000000007726", Refund: refundPending},
	{Name: CardRefundFails, Number: "4000000000005126", Refund: refundFails},
}

// Cards lists the named cards with their numbers, for a page that offers them.
func Cards() [][2]string {
	out := make([][2]string, 0, len(cards))
	for _, c := range cards {
		out = append(out, [2]string{c.Name, c.Number})
	}
	return out
}

// findCard reads a card number, with or without spaces, a name, or a name with
// an argument.
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
			return card{}, fault.New(fault.Invalid, "A card declines from 0 to 1000 times").In("card")
		}
		c.DeclineTimes = n
		return c, nil
	}
	if name == CardPartial && has {
		n, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || n < 1 || n > int64(money.MaxCharge) {
			return card{}, fault.New(fault.Invalid, "A partial capture is of 1 to %d cents", int64(money.MaxCharge)).In("card")
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
	return card{}, fault.New(fault.Invalid, "There is no test card %q", s).In("card")
}

func (c card) last4() string { return c.Number[len(c.Number)-4:] }

// declined words a refusal of the issuer. Three reasons are codes of their own.
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

// wantsSupporter reports whether a refusal is only for want of the supporter.
func (r *refusal) wantsSupporter() bool { return r != nil && r.DeclineCode == authRequired }

const authRequired = "authentication_required"
