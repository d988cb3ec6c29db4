// Quote prints the price, tax and total of each tier in a campaign file, for a delivery in New
// Mexico. It shows how to use the campaign and tax packages without the rest of the service.
//
//	go run ./examples/quote examples/site/campaigns/tidepool-traders.md 0.07875
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
	"github.com/pledgeworks/pledgeworks/tax/flat"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: quote CAMPAIGN.md RATE")
		os.Exit(2)
	}
	if err := run(os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer, file, rate string) error {
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	c, err := campaignfile.Parse(file, src)
	if err != nil {
		return err
	}
	r, err := money.ParseRate(rate)
	if err != nil {
		return err
	}
	provider := flat.Provider{Rate: r}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\tprice\ttax\ttotal\t\n", c.Title)
	for _, t := range c.Tiers {
		q, err := provider.Quote(context.Background(), request(t))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\n", t.Name, t.Price, q.Tax, t.Price+q.Tax)
	}
	return w.Flush()
}

func request(t campaign.Tier) tax.Request {
	return tax.Request{
		At:          time.Now(),
		Destination: pledge.Address{Country: "US", State: "NM", PostalCode: "87501"},
		Lines: []pledge.Line{{
			Kind: pledge.TierLine, ID: t.ID, Name: t.Name, Quantity: 1,
			UnitPrice: t.Price, Amount: t.Price, Category: t.Category,
		}},
	}
}
