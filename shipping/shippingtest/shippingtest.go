// Package shippingtest is the conformance test suite for implementations of
// shipping.Carrier. Every carrier runs all of it with [Run].
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

// Harness configures the suite for a carrier.
type Harness struct {
	Carrier shipping.Carrier
	// Carried are domestic and international shipments that the carrier prices.
	Carried []shipping.Shipment
	// Refused are shipments that the carrier does not accept.
	Refused []shipping.Shipment
}

// Requirement is a property that every carrier must have. Check returns nil, or an error that
// describes how the carrier violates it.
type Requirement struct {
	Name  string
	Check func(Harness) error
}

// Requirements returns all requirements.
func Requirements() []Requirement {
	return []Requirement{
		{"a price is positive and has a source", checkPrice},
		{"equal shipments have equal prices", checkRepeatedRequest},
		{"a heavier parcel does not cost less", checkHeavierParcel},
		{"refused shipments are ErrNotCarried", checkRefused},
		{"canceled calls do not affect others", checkCanceled},
		{"concurrent calls", checkConcurrent},
	}
}

// Run checks all requirements.
func Run(t *testing.T, h Harness) {
	if len(h.Carried) == 0 || len(h.Refused) == 0 {
		t.Fatal("shippingtest: a Harness needs carried and refused shipments")
	}
	for _, p := range Requirements() {
		t.Run(p.Name, func(t *testing.T) {
			if err := p.Check(h); err != nil {
				t.Error(err)
			}
		})
	}
}

func checkPrice(h Harness) error {
	for _, s := range h.Carried {
		r, err := h.Carrier.Rate(context.Background(), s)
		if err != nil {
			return fmt.Errorf("to %s: %w", s.To.Country, err)
		}
		if r.Price <= 0 || r.Price.Check() != nil || r.Source == "" {
			return fmt.Errorf("to %s: a price of %d cents with source %q", s.To.Country, r.Price, r.Source)
		}
	}
	return nil
}

func checkRepeatedRequest(h Harness) error {
	for _, s := range h.Carried {
		first, err := h.Carrier.Rate(context.Background(), s)
		if err != nil {
			return err
		}
		if again, err := h.Carrier.Rate(context.Background(), s); err != nil || again != first {
			return fmt.Errorf("the first answer is %+v, the second %+v, %w", first, again, err)
		}
	}
	return nil
}

func checkHeavierParcel(h Harness) error {
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

func checkRefused(h Harness) error {
	for _, s := range h.Refused {
		if r, err := h.Carrier.Rate(context.Background(), s); !errors.Is(err, shipping.ErrNotCarried) ||
			r != (shipping.Rate{}) {
			return fmt.Errorf("%s oz to %s: %+v, %w", s.Parcel.Weight, s.To.Country, r, err)
		}
	}
	return nil
}

func checkCanceled(h Harness) error {
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range h.Carried {
		s.Parcel.Weight = s.Parcel.Weight.Add(decimal.NewFromInt(1)) // not requested before
		if r, err := h.Carrier.Rate(canceled, s); err == nil && r.Price <= 0 {
			return fmt.Errorf("a canceled call returned %+v", r)
		}
		if _, err := h.Carrier.Rate(context.Background(), s); err != nil && !errors.Is(err, shipping.ErrNotCarried) {
			return fmt.Errorf("after a canceled call: %w", err)
		}
	}
	return nil
}

func checkConcurrent(h Harness) error {
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
