package pledge

import "strings"

// CardLabel identifies a card to its holder. PCI DSS 4.0 allows both fields to be stored and shown;
// its requirements 3.4 and 3.5 restrict only the other digits.
type CardLabel struct {
	Brand string `json:"brand,omitempty"` // Stripe's name, such as "visa"
	Last4 string `json:"last4"`           // last four digits of the number
}

// BrandName returns the brand's display name, such as "American Express", or "" if Brand is empty.
func (c CardLabel) BrandName() string {
	if name := brandNames[c.Brand]; name != "" {
		return name
	}
	if c.Brand == "" {
		return ""
	}
	return strings.ToUpper(c.Brand[:1]) + strings.ReplaceAll(c.Brand[1:], "_", " ")
}

// brandNames has the display names that differ from the capitalized identifier.
// hosts/site/scripts/brand.ts has the same names.
var brandNames = map[string]string{
	"amex": "American Express", "diners": "Diners Club", "jcb": "JCB", "unionpay": "UnionPay",
}
