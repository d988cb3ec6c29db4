package campaignfile

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

var dollarText = regexp.MustCompile(`^\$?\s?([0-9]{1,12}|[0-9]{1,3}(?:,[0-9]{3}){1,3})(?:\.([0-9]{1,2}))?$`)

// ParseDollars parses an amount in dollars as written in a file: "25", "25.00", "$25", "$1,200.50".
// It fails with code Invalid for more than two decimal places, an exponent, a sign, or an amount
// above the limit.
func ParseDollars(s string, limit money.Cents) (money.Cents, error) {
	m := dollarText.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, fault.New(fault.Invalid, "write an amount in dollars such as 25 or 25.00")
	}
	places := (m[2] + "00")[:2]
	n, err := strconv.ParseInt(strings.ReplaceAll(m[1], ",", "")+places, 10, 64)
	if err != nil || money.Cents(n) > limit {
		return 0, fault.New(fault.Invalid, "the amount is above the limit of %s", limit)
	}
	return money.Cents(n), nil
}
