package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

type quoteCommand struct {
	Campaign string   `arg:"" help:"The campaign."`
	Items    []string `arg:"" help:"Tiers, support items and add-ons with a number: the-game=2, support__crabs=10, addon__pin."`
	Country  string   `help:"Two-letter country code."`
	State    string   `help:"State, province or region."`
	Postal   string   `help:"Postal code."`
	City     string   `help:"City."`
	Street   string   `help:"Street and number."`
	Option   string   `help:"Shipping option."`
	JSON     bool     `help:"Print the quotes as JSON."`
}

// Run prints the quotes that a checkout would get. It writes nothing.
func (c quoteCommand) Run(w *environ) error {
	cart, err := c.cart()
	if err != nil {
		return err
	}
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		tax, err := a.Services.Checkout.QuoteTax(ctx, checkout.TaxQuoteRequest{Cart: cart})
		if err != nil {
			return err
		}
		shipping, err := a.Services.Checkout.QuoteShipping(ctx, cart)
		if err != nil {
			return err
		}
		if c.JSON {
			return show(w, map[string]any{"tax": tax, "shipping": shipping})
		}
		return printQuotes(w.out, tax, shipping)
	})
}

func (c quoteCommand) cart() (checkout.Cart, error) {
	cart := checkout.Cart{CampaignSlug: c.Campaign, ShippingOption: c.Option, ShippingAddress: &pledge.Address{
		Line1: c.Street, City: c.City, State: c.State, PostalCode: c.Postal, Country: strings.ToUpper(c.Country)}}
	for _, text := range c.Items {
		item, err := c.item(text)
		if err != nil {
			return cart, err
		}
		cart.Items = append(cart.Items, item)
	}
	return cart, nil
}

// item parses "the-game=2". For support items the number is an amount in dollars.
func (c quoteCommand) item(text string) (checkout.Item, error) {
	id, number, given := strings.Cut(text, "=")
	item := checkout.Item{ID: id}
	if !strings.HasPrefix(id, c.Campaign+"__") && !strings.HasPrefix(id, "addon__") {
		item.ID = c.Campaign + "__" + id
	}
	if !given {
		return item, nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return item, fault.New(fault.Invalid, "%q: the number must be a positive integer", text).In("items")
	}
	if strings.Contains(item.ID, "__support__") {
		amount := int64(n)
		item.Amount = &amount
	} else {
		item.Quantity = &n
	}
	return item, nil
}

func printQuotes(out io.Writer, q checkout.TaxQuote, s checkout.ShippingQuote) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "Subtotal\t%s\n", q.Subtotal)
	fmt.Fprintf(t, "Shipping\t%s\n", q.Shipping)
	fmt.Fprintf(t, "Tax\t%s\n", taxText(q))
	for _, parcel := range s.Quotes {
		printParcel(t, parcel)
	}
	for _, c := range q.Campaigns {
		a := c.Quote
		fmt.Fprintf(t, "\nTAX\t%s\t%s\n", c.CampaignSlug, a.Tax)
		fmt.Fprintf(t, "status\t%s by %s\n", a.Status, a.Provider)
		printIfSet(t, "missing", strings.Join(a.Missing, ", "))
		printIfSet(t, "place", a.Jurisdiction)
		printIfSet(t, "base",
			a.Base.String()+map[bool]string{true: ", with shipping", false: ", without shipping"}[a.ShippingTaxed])
		for _, part := range a.Breakdown {
			fmt.Fprintf(t, "%s\t%s\tof %s at %s\n", part.Label, part.Tax, part.Base, part.Rate)
		}
		printIfSet(t, "source", a.Source)
		printIfSet(t, "as of", a.AsOf)
		printIfSet(t, "notice", a.Notice)
	}
	return t.Flush()
}

func printParcel(t io.Writer, q checkout.ParcelQuote) {
	fmt.Fprintf(t, "\nSHIPPING\t%s\t%s\n", cmp.Or(q.CampaignSlug, "platform parcel"), q.Shipping)
	fmt.Fprintf(t, "reason\t%s\n", q.Reason)
	printIfSet(t, "because", string(q.Fallback))
	printIfSet(t, "missing", strings.Join(q.Missing, ", "))
	fmt.Fprintf(t, "source\t%s\n", q.Source)
	printIfSet(t, "option", q.Option)
	for _, o := range q.Options {
		if o.Surcharge > 0 {
			fmt.Fprintf(t, "offered\t%s\t%s more\n", o.ID, o.Surcharge)
		}
	}
	if p := q.Parcel; p != nil {
		fmt.Fprintf(t, "parcel\t%s oz, %s × %s × %s in\n", p.Weight, p.Length, p.Width, p.Height)
	}
}

// printIfSet prints a field unless its value is empty.
func printIfSet(out io.Writer, name, value string) {
	if value != "" {
		fmt.Fprintf(out, "%s\t%s\n", name, value)
	}
}

// taxText returns the tax or, if the address is incomplete, the missing parts of the address.
func taxText(q checkout.TaxQuote) string {
	if q.Provisional {
		return "-- missing " + strings.Join(q.Missing, ", ")
	}
	return q.Tax.String()
}
