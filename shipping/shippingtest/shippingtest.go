// Package shippingtest proves that an implementation keeps the promises of
// shipping.Carrier. Every carrier runs the whole of it.
package shippingtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/shipping"
)

// Harness tells the suite what to ask.
type Harness struct {
	Carrier shipping.Carrier
	// Carried are shipments that the carrier has a price for, at home and abroad.
	Carried []shipping.Shipment
	// Refused are those that it takes nowhere.
	Refused []shipping.Shipment
}

// Promise is one thing that every carrier keeps. Check returns nil, or how the
// carrier breaks it.
type Promise struct {
	Name  string
	Check func(Harness) error
}

// Promises returns all of them.
func Promises() []Promise {
	return []Promise{
		{"a price is an amount with a source", priced},
		{"the same question has the same answer", sameAnswer},
		{"more of the same weight costs no less", heavierCostsNoLess},
		{"what is not carried is told apart", notCarried},
		{"who leaves is let go", letGo},
		{"many ask at once", atOnce},
	}
}

// Run proves every promise.
func Run(t *testing.T, h Harness) {
	if len(h.Carried) == 0 || len(h.Refused) == 0 {
		t.Fatal("shippingtest: a Harness needs shipments that are carried and some that are not")
	}
	for _, p := range Promises() {
		t.Run(p.Name, func(t *testing.T) {
			if err := p.Check(h); err != nil {
				t.Error(err)
			}
		})
	}
}

func priced(h Harness) error {
	for _, s := range h.Carried {
		r, err := h.Carrier.Rate(context.Background(), s)
		if err != nil {
			return fmt.Errorf("to %s: %w", s.To.Country, err)
		}
		if r.Price <= 0 || r.Price.Check() != nil || r.Source == "" {
			return fmt.Errorf("to %s: a price of %d cents by %q", s.To.Country, r.Price, r.Source)
		}
	}
	return nil
}

func sameAnswer(h Harness) error {
	for _, s := range h.Carried {
		first, err := h.Carrier.Rate(context.Background(), s)
		if err != nil {
			return err
		}
		if again, err := h.Carrier.Rate(context.Background(), s); err != nil || again != first {
			return fmt.Errorf("%+v is answered, and then %+v, %w", first, again, err)
		}
	}
	return nil
}

func heavierCostsNoLess(h Harness) error {
	for _, s := range h.Carried {
		light, err := h.Carrier.Rate(context.Background(), s)
		if err != nil {
			return err
		}
		s.Parcel.Weight = s.Parcel.Weight.Mul(decimal.NewFromInt(2))
		heavy, err := h.Carrier.Rate(context.Background(), s)
		if errors.Is(err, shipping.ErrNotCarried) {
			continue
		}
		if err != nil || heavy.Price < light.Price {
			return fmt.Errorf("%s costs %d cents, twice the weight %d, %w", light.Source, light.Price, heavy.Price, err)
		}
	}
	return nil
}

func notCarried(h Harness) error {
	for _, s := range h.Refused {
		if r, err := h.Carrier.Rate(context.Background(), s); !errors.Is(err, shipping.ErrNotCarried) || r != (shipping.Rate{}) {
			return fmt.Errorf("%s oz to %s: %+v, %w", s.Parcel.Weight, s.To.Country, r, err)
		}
	}
	return nil
}

func letGo(h Harness) error {
	gone, leave := context.WithCancel(context.Background())
	leave()
	for _, s := range h.Carried {
		s.Parcel.Weight = s.Parcel.Weight.Add(decimal.NewFromInt(1)) // nobody has asked about it
		if r, err := h.Carrier.Rate(gone, s); err == nil && r.Price <= 0 {
			return fmt.Errorf("who left is told %+v", r)
		}
		if _, err := h.Carrier.Rate(context.Background(), s); err != nil && !errors.Is(err, shipping.ErrNotCarried) {
			return fmt.Errorf("after somebody left: %w", err)
		}
	}
	return nil
}

func atOnce(h Harness) error {
	var wg sync.WaitGroup
	errs := make([]error, 50)
	for i := range errs {
		wg.Go(func() {
			s := h.Carried[i%len(h.Carried)]
			want, err := h.Carrier.Rate(context.Background(), s)
			if got, again := h.Carrier.Rate(context.Background(), s); err != nil || again != nil || got != want {
				errs[i] = fmt.Errorf("%+v, %w and %+v, %w", want, err, got, again)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
