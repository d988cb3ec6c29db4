package shippingtest_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/shipping/shippingtest"
)

// testCarrier carries up to a pound for ten cents per ounce. fault names its defect; "" if it has
// none.
type testCarrier struct {
	fault string
	mu    sync.Mutex
	calls int
}

func (p *testCarrier) Rate(ctx context.Context, s shipping.Shipment) (shipping.Rate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	oz := s.Parcel.Weight.Ceil().IntPart()
	r := shipping.Rate{Price: money.Cents(oz * 10), Source: "test"}
	switch {
	case p.fault == "price of zero":
		r.Price = 0
	case p.fault == "varying prices":
		r.Price += money.Cents(p.calls)
	case p.fault == "lower price for heavier parcels":
		r.Price = money.Cents(1000 - oz)
	case p.fault == "other error for heavy parcels" && oz > 16:
		return shipping.Rate{}, errors.New("too heavy")
	case p.fault == "cancellation affects later calls" && ctx.Err() != nil:
		p.fault = "fails after a cancellation"
		return shipping.Rate{}, ctx.Err()
	case p.fault == "fails after a cancellation":
		return shipping.Rate{}, errors.New("no")
	case p.fault == "busy after some calls" && p.calls > 60:
		return shipping.Rate{}, shipping.ErrBusy
	case oz > 16:
		return shipping.Rate{}, shipping.ErrNotCarried
	}
	return r, nil
}

func TestRun_DetectsBrokenCarriers(t *testing.T) {
	shipment := func(oz int64) shipping.Shipment {
		return shipping.Shipment{Parcel: shipping.Parcel{Weight: decimal.NewFromInt(oz)}, To: shipping.Address{Country: "US"}}
	}
	harness := func(broken string) shippingtest.Harness {
		return shippingtest.Harness{Carrier: &testCarrier{fault: broken},
			Carried: []shipping.Shipment{shipment(3), shipment(16)}, Refused: []shipping.Shipment{shipment(17)}}
	}
	shippingtest.Run(t, harness(""))
	breaks := map[string]string{
		"a price is positive and has a source": "price of zero", "equal shipments have equal prices": "varying prices",
		"a heavier parcel does not cost less": "lower price for heavier parcels",
		"refused shipments are ErrNotCarried": "other error for heavy parcels",
		"canceled calls do not affect others": "cancellation affects later calls",
		"concurrent calls":                    "busy after some calls",
	}
	for _, p := range shippingtest.Requirements() {
		if err := p.Check(harness(breaks[p.Name])); err == nil {
			t.Errorf("a carrier with the fault %[2]q passes %[1]q", p.Name, breaks[p.Name])
		}
	}
}
