package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/shipping/shippingtest"
)

func TestRun_CarrierAndFallback(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ country, postalCode, want string }{
		{"US", "87571", "$17.00, carrier_rate: bicycle, 68 oz\n"},
		{"DE", "10115", "$15.00, fallback_flat_rate: shipping.fallback_flat_rate\n"},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), &out, tt.country, tt.postalCode, at); err != nil || out.String() != tt.want {
			t.Errorf("to %s: %q, %v, want %q", tt.country, out.String(), err, tt.want)
		}
	}
}

func TestBicycle_Conformance(t *testing.T) {
	parcel := shipping.Parcel{Weight: ounces(10), Length: ounces(5), Width: ounces(5), Height: ounces(5)}
	to := func(country string) []shipping.Shipment {
		return []shipping.Shipment{{Parcel: parcel, To: pledge.Address{Country: country, PostalCode: "87571"}}}
	}
	shippingtest.Run(t, shippingtest.Harness{Carrier: bicycle{perOunce: 25}, Carried: to("US"), Refused: to("DE")})
}
