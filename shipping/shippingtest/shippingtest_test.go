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

// pigeon carries up to a pound for ten cents an ounce. broken is what it does wrong.
type pigeon struct {
	broken string
	mu     sync.Mutex
	asked  int
}

func (p *pigeon) Rate(ctx context.Context, s shipping.Shipment) (shipping.Rate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	oz := s.Parcel.Weight.Ceil().IntPart()
	r := shipping.Rate{Price: money.Cents(oz * 10), Source: "pigeon"}
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

func TestPromisesCanBeBroken(t *testing.T) {
	shipment := func(oz int64) shipping.Shipment {
		return shipping.Shipment{Parcel: shipping.Parcel{Weight: decimal.NewFromInt(oz)}, To: shipping.Address{Country: "US"}}
	}
	harness := func(broken string) shippingtest.Harness {
		return shippingtest.Harness{Carrier: &pigeon{broken: broken}, Carried: []shipping.Shipment{shipment(3), shipment(16)}, Refused: []shipping.Shipment{shipment(17)}}
	}
	shippingtest.Run(t, harness(""))
	breaks := map[string]string{
		"a price is an amount with a source": "free", "the same question has the same answer": "moody",
		"more of the same weight costs no less": "backwards", "what is not carried is told apart": "silent about the weight",
		"who leaves is let go": "offended", "many ask at once": "once",
	}
	for _, p := range shippingtest.Promises() {
		if err := p.Check(harness(breaks[p.Name])); err == nil {
			t.Errorf("%q is kept by a carrier that is %s", p.Name, breaks[p.Name])
		}
	}
}
