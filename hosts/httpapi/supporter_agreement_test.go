package httpapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/pricing"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

var cartSeed = flag.Uint64("carts", 0, "seed of the random carts, instead of the time")

// randomCart is a cart with the API's responses to it, as the site's scripts receive them.
type randomCart struct {
	email   string
	Cart    checkout.Cart         `json:"cart"`
	Quote   pricing.TaxQuote      `json:"quote"`
	Started checkout.Started      `json:"started"`
	Views   []checkout.PledgeView `json:"views"`
}

// TestAmounts_AgreeEverywhere pledges 44 random carts. Quote, checkout, pledge, email,
// the bills on the pages and the processor's charges must have the same amounts, to the cent.
func TestAmounts_AgreeEverywhere(t *testing.T) {
	seed := *cartSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d: repeat with -carts %d", seed, seed)
	r := rand.New(rand.NewPCG(seed, 0))
	e := newEdge(t, memory.Options{})
	carts := make([]*randomCart, 44)
	for i := range carts {
		c := &randomCart{email: fmt.Sprintf("cart%d@example.org", i), Cart: drawCart(r)}
		carts[i] = c
		e.Advance(time.Minute) // avoids rate limits
		e.pledgeCart(c)
		c.checkAmounts(t)
	}
	mails := map[string]string{}
	for _, m := range sure(e.Mails(t.Context()))(t) {
		mails[m.To] += m.Text
	}
	pages := renderBills(t, carts)
	for i, c := range carts {
		for _, v := range c.Views {
			for name, amount := range map[string]money.Cents{"total": v.Amount, "tax": v.Tax, "subtotal": v.Subtotal} {
				if !strings.Contains(mails[c.email], amount.Amount("en")) {
					t.Errorf("cart %d: email has no %s of %s:\n%s", i, name, amount, mails[c.email])
				}
			}
		}
		if pages != nil {
			c.checkPages(t, pages[i])
		}
	}
	e.checkCharges(carts)
}

// drawCart returns a random cart of one or two campaigns that can be ordered regardless of the
// other carts.
func drawCart(r *rand.Rand) checkout.Cart {
	at := func(n int) *int { return new(1 + r.IntN(n)) }
	var c checkout.Cart
	campaigns := 1 + r.IntN(3) // film, game or both
	if campaigns&1 != 0 {
		c.Items = append(c.Items,
			checkout.Item{ID: film + []string{"__digital-premiere", "__bluray"}[r.IntN(2)], Quantity: at(4)})
		if r.IntN(2) == 0 {
			c.Items = append(c.Items, checkout.Item{ID: film + "__support__safety-boat", Amount: new(int64(1 + r.IntN(60)))})
		}
		if r.IntN(3) == 0 {
			c.Items = append(c.Items, checkout.Item{ID: film + "__custom-support", Amount: new(int64(5 + r.IntN(60)))})
		}
	}
	if campaigns&2 != 0 {
		c.Items = append(c.Items,
			checkout.Item{ID: game + []string{"__the-game", "__game-and-expansion"}[r.IntN(2)], Quantity: at(5)})
		for _, addOn := range []string{"__addon__print-and-play", "__addon__crab-pawns__variant__coral"} {
			if r.IntN(3) == 0 {
				c.Items = append(c.Items, checkout.Item{ID: game + addOn, Quantity: new(1)})
			}
		}
	}
	if r.IntN(3) == 0 {
		c.Items = append(c.Items, checkout.Item{ID: "addon__house-soundtrack", Quantity: at(3)})
		c.CampaignSlug = strings.Split(c.Items[0].ID, "__")[0]
	}
	switch r.IntN(3) {
	case 0:
		c.TipPercent = new(r.IntN(16))
	case 1:
		c.Tip = new(pricing.MinTip + money.Cents(r.IntN(3000)))
	}
	places := []pledge.Address{home,
		{Name: "A supporter", Line1: "9 Main Street", City: "Portland", State: "OR", PostalCode: "97201", Country: "US"},
		{Name: "A supporter", Line1: "Hauptstraße 1", City: "Berlin", PostalCode: "10115", Country: "DE"},
	}
	c.ShippingAddress = &places[r.IntN(len(places))]
	if c.ShippingAddress.Country == "US" && campaigns == 2 && r.IntN(2) == 0 {
		c.ShippingOption = "signature_required" // only the game offers it
	}
	return c
}

// pledgeCart quotes a cart, completes its checkout and reads its pledges.
func (e *edge) pledgeCart(c *randomCart) {
	e.t.Helper()
	quoted := e.post("/tax/quote", c.Cart)
	e.wantStatus(quoted, 200)
	c.Quote = decode[pricing.TaxQuote](e.t, quoted)
	c.Started, _ = e.pledge(c.email, c.Cart, cardOK)
	for _, part := range c.Started.Campaigns {
		tok, err := e.Token(part.OrderID, c.email, part.CampaignSlug)
		if err != nil {
			e.t.Fatal(err)
		}
		c.Views = append(c.Views, e.view(tok))
	}
}

// checkAmounts compares quote, checkout and pledges.
func (c *randomCart) checkAmounts(t *testing.T) {
	t.Helper()
	if c.Quote.Amount != c.Started.Amount || len(c.Quote.Campaigns) != len(c.Views) {
		t.Errorf("%+v: quoted %s, agreed to %s", c.Cart, c.Quote.Amount, c.Started.Amount)
	}
	var sum, tip money.Cents
	for i, v := range c.Views {
		var lines money.Cents
		for _, l := range v.Lines {
			lines += l.Amount
		}
		q, s := c.Quote.Campaigns[i], c.Started.Campaigns[i]
		if lines != v.Subtotal || v.Amount != v.Subtotal+v.Shipping+v.Tax+v.TipAmount ||
			s.Amount != v.Amount || s.Totals != v.Totals {
			t.Errorf("%+v: lines of %s, pledge %+v, agreed %+v", c.Cart, lines, v.Totals, s.Totals)
		}
		if q.Subtotal != v.Subtotal || q.Shipping != v.Shipping || q.Quote.Tax != v.Tax ||
			q.Tip != v.TipAmount || q.Amount != v.Amount {
			t.Errorf("%+v: quoted %+v, pledge %+v", c.Cart, q, v.Totals)
		}
		sum += v.Amount
		tip += v.TipAmount
	}
	if sum != c.Started.Amount || c.Cart.Tip != nil && tip != *c.Cart.Tip {
		t.Errorf("%+v: pledges of %s with a tip of %s, agreed to %s", c.Cart, sum, tip, c.Started.Amount)
	}
	if want := "no more than " + sum.Amount("en") + " for "; !strings.Contains(c.Started.Consent.Text, want) {
		t.Errorf("%+v: consent lacks %q: %s", c.Cart, want, c.Started.Consent.Text)
	}
}

// renderedBills contains the amounts of a cart's bills as the site's scripts show them, by row.
type renderedBills struct {
	Quote   map[string]string
	Confirm []map[string]string
	Manage  []map[string]string
}

// renderBills renders the bills with the site's scripts. Without Node.js it returns nil.
func renderBills(t *testing.T, carts []*randomCart) []renderedBills {
	t.Helper()
	dir := filepath.Join("..", "site", "scripts")
	node, err := exec.LookPath("node")
	if _, missing := os.Stat(filepath.Join(dir, "node_modules", "typescript")); err != nil || missing != nil {
		t.Log("skipping the pages' bills: Node.js or the scripts' packages are missing")
		return nil
	}
	in, err := json.Marshal(carts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "--import", "./tests/typescript.mjs", "tests/bills.ts")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var all []renderedBills
	if err := json.Unmarshal(out, &all); err != nil || len(all) != len(carts) {
		t.Fatalf("%v: %s", err, out)
	}
	return all
}

// checkPages compares the bills on the checkout form, the card step and the pledges' pages.
func (c *randomCart) checkPages(t *testing.T, shown renderedBills) {
	t.Helper()
	if got, want := shown.Quote["bill_later"], "USD\u00a0"+c.Started.Amount.Amount("en"); got != want {
		t.Errorf("%+v: the form shows %s, want %s", c.Cart, got, want)
	}
	for i, v := range c.Views {
		want := map[string]string{
			"bill_subtotal": v.Subtotal.Amount("en"), "bill_tax": v.Tax.Amount("en"),
			"bill_later": "USD\u00a0" + v.Amount.Amount("en"), "bill_today": "$0.00",
		}
		if v.Shipping > 0 {
			want["bill_shipping"] = v.Shipping.Amount("en")
		}
		tip := "bill_tip_amount"
		if v.TipPercent > 0 {
			tip = "bill_tip"
		}
		want[tip] = v.TipAmount.Amount("en")
		for page, bill := range map[string]map[string]string{"card step": shown.Confirm[i],
			"pledge's page": shown.Manage[i]} {
			maps.DeleteFunc(bill, func(row, _ string) bool { return !strings.HasPrefix(row, "bill_") })
			if !maps.Equal(bill, want) {
				t.Errorf("%+v: the %s shows %v, want %v", c.Cart, page, bill, want)
			}
		}
	}
}

// checkCharges advances the clock past both campaigns' ends and compares the processor's charges
// with the pledges to the campaigns that reached their goals.
func (e *edge) checkCharges(carts []*randomCart) {
	e.t.Helper()
	pledged := map[string]money.Cents{} // without tax, shipping and tip
	for _, c := range carts {
		for _, v := range c.Views {
			pledged[v.CampaignSlug] += v.Subtotal
		}
	}
	want := map[money.Cents]int{}
	for _, c := range carts {
		for _, v := range c.Views {
			if pledged[v.CampaignSlug] >= sure(examples().Campaign(v.CampaignSlug))(e.t).Goal {
				want[v.Amount]++
			}
		}
	}
	if len(want) == 0 {
		e.t.Fatal("no campaign reached its goal")
	}
	for range 40 {
		e.Advance(24 * time.Hour)
		e.cron()
	}
	got := map[money.Cents]int{}
	for _, p := range e.Sim.Entries() {
		got[p.Amount]++
	}
	if !maps.Equal(got, want) {
		e.t.Errorf("the processor charged %v, want %v", got, want)
	}
}
