// Shippingquote prints the shipping cost of one parcel from a custom carrier. It shows how to use
// the shipping package without the rest of the service.
//
//	go run ./examples/shippingquote US 87571
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: shippingquote COUNTRY POSTAL_CODE")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2], time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, country, postalCode string, at time.Time) error {
	rules := shipping.Rules{FlatRate: 1500, OriginCountry: "US", Carrier: bicycle{perOunce: 25}}
	q, err := rules.Quote(ctx, shipping.Request{
		Destination: pledge.Address{Country: country, PostalCode: postalCode}, At: at,
		Items: []shipping.Item{{Name: "The game", Quantity: 2, Delivery: campaign.Delivery{
			Category: campaign.Physical,
			Package: &campaign.Package{
				Weight: ounces(32), Packaging: ounces(4), Length: ounces(12), Width: ounces(12), Height: ounces(3),
			},
		}}},
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s, %s: %s\n", q.Shipping, q.Reason, q.Source)
	return err
}

func ounces(n int64) decimal.Decimal { return decimal.NewFromInt(n) }

// bicycle is a carrier that delivers in the United States and charges by weight.
type bicycle struct{ perOunce money.Cents }

// Rate implements shipping.Carrier.
func (b bicycle) Rate(_ context.Context, s shipping.Shipment) (shipping.Rate, error) {
	if s.To.Country != "US" {
		return shipping.Rate{}, shipping.ErrNotCarried
	}
	weight := s.Parcel.Weight.Ceil().IntPart()
	return shipping.Rate{Price: b.perOunce * money.Cents(weight), Source: fmt.Sprintf("bicycle, %d oz", weight)}, nil
}
