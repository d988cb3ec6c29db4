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
	Items    []string `arg:"" help:"Tiers, support items and add-ons as the site names them, with a number: the-game=2, support__crabs=10, addon__pin."`
	Country  string   `help:"Two letters."`
	State    string   `help:"State, province or region."`
	Postal   string   `help:"Postal code."`
	City     string   `help:"City."`
	Street   string   `help:"Street and number."`
	Option   string   `help:"Shipping option."`
	JSON     bool     `help:"Print the quotes as JSON."`
}

// Run asks what a checkout would be told, and writes nothing.
func (c quoteCommand) Run(w *world) error {
	cart, err := c.cart()
	if err != nil {
		return err
	}
	return w.using(c, func(ctx context.Context, a *app.App) error {
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

// item reads "the-game=2". The number of a support item is in dollars.
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
		return item, fault.New(fault.Invalid, "%q: the number is a whole one from 1", text).In("items")
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
	fmt.Fprintf(t, "Tax\t%s\n", dashed(q))
	for _, parcel := range s.Quotes {
		printParcel(t, parcel)
	}
	for _, c := range q.Campaigns {
		a := c.Quote
		fmt.Fprintf(t, "\nTAX\t%s\t%s\n", c.CampaignSlug, a.Tax)
		fmt.Fprintf(t, "answer\t%s by %s\n", a.Status, a.Provider)
		said(t, "missing", strings.Join(a.Missing, ", "))
		said(t, "place", a.Jurisdiction)
		said(t, "base", a.Base.String()+map[bool]string{true: ", with shipping", false: ", without shipping"}[a.ShippingTaxed])
		for _, part := range a.Breakdown {
			fmt.Fprintf(t, "%s\t%s\tof %s at %s\n", part.Label, part.Tax, part.Base, part.Rate)
		}
		said(t, "source", a.Source)
		said(t, "as of", a.AsOf)
		said(t, "notice", a.Notice)
	}
	return t.Flush()
}

func printParcel(t io.Writer, q checkout.ParcelQuote) {
	fmt.Fprintf(t, "\nSHIPPING\t%s\t%s\n", cmp.Or(q.CampaignSlug, "the platform's parcel"), q.Shipping)
	fmt.Fprintf(t, "reason\t%s\n", q.Reason)
	said(t, "because", string(q.Fallback))
	said(t, "missing", strings.Join(q.Missing, ", "))
	fmt.Fprintf(t, "source\t%s\n", q.Source)
	said(t, "option", q.Option)
	for _, o := range q.Options {
		if o.Surcharge > 0 {
			fmt.Fprintf(t, "offered\t%s\t%s more\n", o.ID, o.Surcharge)
		}
	}
	if p := q.Parcel; p != nil {
		fmt.Fprintf(t, "parcel\t%s oz, %s × %s × %s in\n", p.Weight, p.Length, p.Width, p.Height)
	}
}

// said prints what an answer has.
func said(out io.Writer, name, value string) {
	if value != "" {
		fmt.Fprintf(out, "%s\t%s\n", name, value)
	}
}

// dashed is the tax, or two dashes while it takes more of the address.
func dashed(q checkout.TaxQuote) string {
	if q.Provisional {
		return "-- until you give " + strings.Join(q.Missing, ", ")
	}
	return q.Tax.String()
}
