package shipping

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Carrier prices parcels. It is safe for concurrent use.
type Carrier interface {
	// Rate answers within a time that the implementation states, or as soon as ctx
	// ends. It fails with ErrNotCarried for a parcel that it does not take there,
	// with ErrBusy while it may not be asked, and with any other error where there is
	// no answer. An error names nothing of the address.
	Rate(ctx context.Context, s Shipment) (Rate, error)
}

// Shipment is what a carrier is asked about.
type Shipment struct {
	Parcel Parcel
	To     Address // with a country, and at home a postal code
	// Signed says that somebody has to sign. Its surcharge is not the carrier's.
	Signed bool
	At     time.Time // of the question
}

// Rate is a carrier's price, above nothing.
type Rate struct {
	Price  money.Cents
	Source string // the service, and what decided: "USPS Ground Advantage, 17 oz, 2026-11-21"
}

// The errors of a carrier that mean something of their own.
var (
	ErrNotCarried = errors.New("shipping: the carrier does not take the parcel there")
	ErrBusy       = errors.New("shipping: the carrier may not be asked for a while")
)

// territories have addresses and postage of the United States under codes of their
// own, with the freely associated states: USPS Publication 28, appendix B.
var territories = []string{"AS", "FM", "GU", "MH", "MP", "PR", "PW", "VI"}

// Domestic reports whether a destination, by its country, is at home for parcels
// from the origin.
func Domestic(origin, country string) bool {
	return country == origin || postOfTheStates(origin) && postOfTheStates(country)
}

func postOfTheStates(country string) bool {
	return country == "US" || slices.Contains(territories, country)
}
