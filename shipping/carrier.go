package shipping

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Carrier prices parcels. Implementations must be safe for concurrent use.
type Carrier interface {
	// Rate returns the price of a shipment. It returns within a time that the implementation
	// specifies, or as soon as ctx ends.
	//
	// It fails with ErrNotCarried if the carrier does not accept the parcel for the
	// destination, with ErrBusy while a rate limit applies, and with another error if there is
	// no valid answer. Errors do not contain the address.
	Rate(ctx context.Context, s Shipment) (Rate, error)
}

// Shipment is a parcel with its destination.
type Shipment struct {
	Parcel Parcel
	To     Address // with a country, and for domestic shipments a postal code
	// Signed is set if a signature is required. Its surcharge is not part of the carrier's
	// price.
	Signed bool
	At     time.Time // of the request
}

// Rate is a carrier's price, greater than zero.
type Rate struct {
	Price  money.Cents
	Source string // the service and what determined the price: "USPS Ground Advantage, 17 oz, 2026-11-21"
}

// Errors of a carrier that callers distinguish.
var (
	ErrNotCarried = errors.New("shipping: the carrier does not accept the parcel for this destination")
	ErrBusy       = errors.New("shipping: the carrier's rate limit applies")
)

// territories are the places, including the freely associated states, that have their own
// country codes but addresses and postage of the United States (USPS Publication 28,
// appendix B).
var territories = []string{"AS", "FM", "GU", "MH", "MP", "PR", "PW", "VI"}

// Domestic reports whether parcels from the origin to a country are domestic.
func Domestic(origin, country string) bool {
	return country == origin || isUSMail(origin) && isUSMail(country)
}

// isUSMail reports whether mail to a country code has the postage of the United States.
func isUSMail(country string) bool {
	return country == "US" || slices.Contains(territories, country)
}
