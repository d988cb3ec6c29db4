package checkout_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

var cartLink = regexp.MustCompile(`https?://[^\s"\\]*/checkout/#cart=([^\s"\\]*)`)

// linkedItems returns the items in the link of the email about a lost order.
func (w *fixture) linkedItems() (items []checkout.Item) {
	w.t.Helper()
	for _, e := range w.db.Snapshot().Stores["PLEDGES"] {
		m := cartLink.FindStringSubmatch(string(e.Value))
		if !strings.HasPrefix(e.Key, "email-outbox:v1:") || m == nil {
			continue
		}
		for text := range strings.SplitSeq(m[1], ",") {
			if id, amount, is := strings.Cut(text, "="); is {
				dollars, err := strconv.ParseInt(amount, 10, 64)
				if err != nil {
					w.t.Fatal(err)
				}
				items = append(items, checkout.Item{ID: id, Amount: &dollars})
				continue
			}
			id, quantity, _ := strings.Cut(text, "*")
			n, err := strconv.Atoi(quantity)
			if err != nil {
				w.t.Fatal(err)
			}
			items = append(items, checkout.Item{ID: id, Quantity: &n})
		}
	}
	return items
}

// The link in the mail about a lost order restores the complete cart.
func TestCartLink_RestoresCart(t *testing.T) {
	many := ""
	var all []checkout.Item
	for n := range 60 {
		id := fmt.Sprintf("a-very-long-name-of-a-reward-that-fills-up-metadata-%02d", n)
		many += fmt.Sprintf("  - {id: %s, name: N, price: 5}\n", id)
		all = append(all, one("film__"+id))
	}
	tests := map[string][]checkout.Item{
		"all kinds of items": {seats(2), one("film__thanks"), support(10), custom(20), one("film__addon__mug"),
			one("addon__sound"), one("addon__shirt__variant__s"), one("game__box")},
		"long cart": all,
	}
	for name, items := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			w.edit("  - {id: thanks", many+"  - {id: thanks")
			r := request("a@example.org", items...)
			r.CampaignSlug, r.ShippingAddress = "film", homeAddress()
			s, m, _ := w.startAndLoseOrder(r)
			if err := w.svc.AskToPledgeAgain(w.ctx, s.SessionID); err != nil {
				t.Fatal(err)
			}
			r.Items = w.linkedItems()
			again := w.start(r)
			o := must[order.Order](t)(w.svc.Orders.Get(w.ctx, again.OrderID))
			if diff := cmp.Diff(m.Campaigns, o.Manifest.Campaigns, cmp.FilterPath(func(p cmp.Path) bool {
				return p.Last().String() == ".PledgeID"
			}, cmp.Ignore())); diff != "" {
				t.Errorf("cart in the link (-lost +linked):\n%s", diff)
			}
		})
	}
}

// A cart is split into metadata values that the processor accepts, under stable names; a cart
// that needs too many values is omitted.
func TestCartLink_MetadataPieces(t *testing.T) {
	const maxLength = 4000
	for length, want := range map[int]map[string]int{
		maxLength: {"cart": 500, "cart2": 500, "cart3": 500, "cart4": 500, "cart5": 500,
			"cart6": 500, "cart7": 500, "cart8": 500},
		maxLength + 1: {},
	} {
		w := newFixture(t)
		tiers, items := "", []checkout.Item{}
		for n := range 40 { // the total, including commas, is exactly length
			id := fmt.Sprintf("%02d%s", n, strings.Repeat("x", 89))
			if n == 0 {
				id += strings.Repeat("x", length-len("film__*1,")*40-len(id)*40+1)
			}
			tiers += fmt.Sprintf("  - {id: %s, name: N, price: 5}\n", id)
			items = append(items, one("film__"+id))
		}
		w.edit("  - {id: thanks", tiers+"  - {id: thanks")
		s := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, w.start(request("a@example.org", items...)).SessionID))
		got := map[string]int{}
		for key, value := range s.Metadata {
			if strings.HasPrefix(key, "cart") {
				got[key] = len(value)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("cart of %d characters (-want +got):\n%s", length, diff)
		}
	}
}
