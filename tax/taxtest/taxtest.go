// Package taxtest is the conformance test suite for implementations of tax.Provider.
// Every provider runs all of it with [Run].
package taxtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Harness configures the suite for a provider.
type Harness struct {
	Provider tax.Provider
	At       time.Time
	// Destinations are the addresses to test: complete, incomplete and empty ones.
	Destinations []pledge.Address
}

// Requirement is a property that every provider must have. Check returns nil, or an error that
// describes how the provider violates it for a destination.
type Requirement struct {
	Name  string
	Check func(h Harness, to pledge.Address) error
}

// Requirements returns all requirements.
func Requirements() []Requirement {
	return []Requirement{
		{"the status matches the quote", checkStatus},
		{"the breakdown adds up to the tax", checkBreakdown},
		{"the base does not exceed the lines", checkBase},
		{"a tip is never taxed", checkTip},
		{"ShippingTaxed matches the base", checkShipping},
		{"an empty request has no tax", checkEmptyRequest},
		{"the tax is rounded once, not per line", checkRounding},
		{"equal requests have equal quotes", checkRepeatedRequest},
		{"the request is not modified", checkRequestUnchanged},
		{"an error names the malformed line", checkMalformedLine},
	}
}

// Run checks every requirement for every destination.
func Run(t *testing.T, h Harness) {
	if len(h.Destinations) == 0 {
		t.Fatal("taxtest: a Harness needs destinations")
	}
	for _, p := range Requirements() {
		t.Run(p.Name, func(t *testing.T) {
			for _, to := range h.Destinations {
				if err := p.Check(h, to); err != nil {
					t.Errorf("to %+v: %v", to, err)
				}
			}
		})
	}
}

func line(kind pledge.LineKind, c campaign.Category, amount money.Cents) pledge.Line {
	return pledge.Line{Kind: kind, ID: string(kind), Name: string(kind), Quantity: 1,
		UnitPrice: amount, Amount: amount, Category: c}
}

func goods() []pledge.Line {
	return []pledge.Line{
		line(pledge.TierLine, campaign.Physical, 4000),
		line(pledge.CampaignAddOnLine, campaign.Digital, 1999),
		line(pledge.PlatformAddOnLine, campaign.Physical, 2501),
		line(pledge.SupportLine, campaign.Digital, 700),
		line(pledge.CustomLine, campaign.Digital, 300),
	}
}

var (
	tip    = line(pledge.TipLine, "", 850)
	parcel = line(pledge.ShippingLine, campaign.Physical, 1000)
)

func (h Harness) ask(to pledge.Address, lines ...pledge.Line) (tax.Quote, error) {
	return h.Provider.Quote(context.Background(), tax.Request{Destination: to, At: h.At, Lines: lines})
}

func checkStatus(h Harness, to pledge.Address) error {
	q, err := h.ask(to, goods()...)
	if err != nil {
		return err
	}
	switch {
	case q.Provider == "":
		return fmt.Errorf("no provider is named")
	case q.Status.Final() && (q.Source == "" || len(q.Missing) > 0):
		return fmt.Errorf("a final quote has source %q and missing %v", q.Source, q.Missing)
	case q.Status == tax.FallbackUsed && q.Notice == "":
		return fmt.Errorf("a fallback without a notice")
	case q.Status == tax.NeedsInput && len(q.Missing) == 0:
		return fmt.Errorf("status NeedsInput with an empty Missing")
	case !q.Status.Final() && (q.Tax != 0 || len(q.Breakdown) > 0):
		return fmt.Errorf("a tax of %s with status %q", q.Tax, q.Status)
	case !slices.Contains([]tax.Status{tax.Quoted, tax.FallbackUsed, tax.NeedsInput, tax.Unavailable}, q.Status):
		return fmt.Errorf("unknown status %q", q.Status)
	}
	return nil
}

func checkBreakdown(h Harness, to pledge.Address) error {
	q, err := h.ask(to, append(goods(), parcel)...)
	if err != nil {
		return err
	}
	var sum money.Cents
	for _, p := range q.Breakdown {
		if p.Label == "" || p.Tax < 0 || p.Base < 0 || p.Base > q.Base {
			return fmt.Errorf("part %+v of a base of %s", p, q.Base)
		}
		if off := p.Tax - p.Rate.Of(p.Base); off < -1 || off > 1 {
			return fmt.Errorf("part %+v is %d cents off its rate", p, off)
		}
		sum += p.Tax
	}
	if sum != q.Tax {
		return fmt.Errorf("the parts add up to %s, the tax is %s", sum, q.Tax)
	}
	return nil
}

func checkBase(h Harness, to pledge.Address) error {
	q, err := h.ask(to, append(goods(), parcel)...)
	if err != nil {
		return err
	}
	limit := parcel.Amount
	for _, l := range goods() {
		limit += l.Amount
	}
	if !q.ShippingTaxed {
		limit -= parcel.Amount
	}
	if q.Tax < 0 || q.Tax > q.Base || q.Base < 0 || q.Base > limit {
		return fmt.Errorf("a tax of %s on a base of %s; the lines total %s", q.Tax, q.Base, limit)
	}
	return nil
}

func checkTip(h Harness, to pledge.Address) error {
	without, err := h.ask(to, goods()...)
	if err != nil {
		return err
	}
	with, err := h.ask(to, append(goods(), tip)...)
	return compareQuotes(without, with, err)
}

func checkShipping(h Harness, to pledge.Address) error {
	without, err := h.ask(to, goods()...)
	if err != nil {
		return err
	}
	with, err := h.ask(to, append(goods(), parcel)...)
	if err != nil {
		return err
	}
	switch grown := with.Base - without.Base; {
	case without.ShippingTaxed:
		return fmt.Errorf("ShippingTaxed is set without shipping")
	case !with.ShippingTaxed && (grown != 0 || with.Tax != without.Tax):
		return fmt.Errorf("ShippingTaxed is not set, but shipping changes the base by %s and the tax from %s to %s",
			grown, without.Tax, with.Tax)
	case with.ShippingTaxed && grown != parcel.Amount:
		return fmt.Errorf("ShippingTaxed is set, but shipping changes the base by %s", grown)
	}
	return nil
}

func checkEmptyRequest(h Harness, to pledge.Address) error {
	q, err := h.ask(to)
	if err == nil && (q.Tax != 0 || q.Base != 0) {
		return fmt.Errorf("a tax of %s on a base of %s", q.Tax, q.Base)
	}
	return err
}

func checkRounding(h Harness, to pledge.Address) error {
	const amount = 997
	whole, err := h.ask(to, line(pledge.TierLine, campaign.Physical, 100*amount))
	if err != nil {
		return err
	}
	many := make([]pledge.Line, 100)
	for i := range many {
		many[i] = line(pledge.TierLine, campaign.Physical, amount)
	}
	split, err := h.ask(to, many...)
	if err == nil && (split.Tax != whole.Tax || split.Base != whole.Base) {
		return fmt.Errorf("one line has a tax of %s; split into a hundred lines, %s", whole.Tax, split.Tax)
	}
	return err
}

func checkRepeatedRequest(h Harness, to pledge.Address) error {
	first, err := h.ask(to, goods()...)
	if err != nil {
		return err
	}
	again, err := h.ask(to, goods()...)
	return compareQuotes(first, again, err)
}

func compareQuotes(a, b tax.Quote, err error) error {
	if err != nil {
		return err
	}
	x, err := json.Marshal(a)
	if err != nil {
		return err
	}
	y, err := json.Marshal(b)
	if err == nil && string(x) != string(y) {
		err = fmt.Errorf("the first quote is %s, the second %s", x, y)
	}
	return err
}

func checkRequestUnchanged(h Harness, to pledge.Address) error {
	lines, before := append(goods(), parcel, tip), append(goods(), parcel, tip)
	if _, err := h.ask(to, lines...); err != nil {
		return err
	}
	if !slices.Equal(lines, before) {
		return fmt.Errorf("the lines were changed to %+v", lines)
	}
	return nil
}

func checkMalformedLine(h Harness, to pledge.Address) error {
	for name, bad := range map[string]pledge.Line{
		"a negative amount":     line(pledge.TierLine, campaign.Physical, -1),
		"an amount above Max":   line(pledge.TierLine, campaign.Physical, money.Max+1),
		"a negative shipping":   line(pledge.ShippingLine, campaign.Physical, -1),
		"a line without a kind": line("", campaign.Physical, 100),
	} {
		_, err := h.ask(to, append(goods(), bad)...)
		f := fault.Of(err)
		if f == nil || f.Code != fault.Invalid || !strings.HasPrefix(f.Field, fmt.Sprintf("lines[%d]", len(goods()))) {
			return fmt.Errorf("%s: got error %w", name, err)
		}
	}
	return nil
}
