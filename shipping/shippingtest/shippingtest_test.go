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

// testCarrier carries up to a pound for ten cents per ounce. broken is how it misbehaves.
type testCarrier struct {
	broken string
	mu     sync.Mutex
	asked  int
}

func (p *testCarrier) Rate(ctx context.Context, s shipping.Shipment) (shipping.Rate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	oz := s.Parcel.Weight.Ceil().IntPart()
	r := shipping.Rate{Price: money.Cents(oz * 10), Source: "test"}
	switch {
	case p.broken == "free":
		r.Price = 0
	case p.broken == "moody":
		r.Price += money.Cents(p.asked)
	case p.broken == "backwards":
		r.Price = money.Cents(1000 - oz)
	case p.broken == "silent about the weight" && oz > 16:
		return shipping.Rate{}, errors.New("too heavy")
	case p.broken == "offended" && ctx.Err() != nil:
		p.broken = "offended for good"
		return shipping.Rate{}, ctx.Err()
	case p.broken == "offended for good":
		return shipping.Rate{}, errors.New("no")
	case p.broken == "once" && p.asked > 60:
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
		return shippingtest.Harness{Carrier: &testCarrier{broken: broken}, Carried: []shipping.Shipment{shipment(3), shipment(16)}, Refused: []shipping.Shipment{shipment(17)}}
	}
	shippingtest.Run(t, harness(""))
	breaks := map[string]string{
		"a price is positive and has a source": "free", "equal shipments have equal prices": "moody",
		"a heavier parcel does not cost less": "backwards", "refused shipments are ErrNotCarried": "silent about the weight",
		"canceled calls do no harm": "offended", "concurrent calls": "once",
	}
	for _, p := range shippingtest.Promises() {
		if err := p.Check(harness(breaks[p.Name])); err == nil {
			t.Errorf("a carrier that is %[2]s passes %[1]q", p.Name, breaks[p.Name])
		}
	}
}
