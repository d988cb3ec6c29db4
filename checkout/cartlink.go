package checkout

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// A cart travels with its session at the processor, so that a supporter whose order was
// lost gets a link that fills the cart again. It is text such as
// "film__seat*2,film__custom-support=25": items by their IDs, with a quantity or whole
// dollars. It says nothing about the supporter.

// The processor takes values of at most 500 characters. A cart of more pieces than that is
// left out, and the link leads to the campaign.
const (
	cartPiece  = 500
	cartPieces = 8
)

func cartPart(n int) string {
	if n == 0 {
		return "cart"
	}
	return "cart" + strconv.Itoa(n+1)
}

// cartText writes what was chosen in a manifest.
func cartText(m order.Manifest) string {
	var items []string
	for _, c := range m.Campaigns {
		for _, l := range c.Lines {
			if item := itemText(c.CampaignSlug, l); item != "" {
				items = append(items, item)
			}
		}
	}
	return strings.Join(items, ",")
}

func itemText(slug string, l pledge.Line) string {
	id := l.ID
	if l.Variant != "" {
		id += "__variant__" + l.Variant
	}
	switch l.Kind {
	case pledge.TierLine:
		return fmt.Sprintf("%s__%s*%d", slug, id, l.Quantity)
	case pledge.CampaignAddOnLine:
		return fmt.Sprintf("%s__addon__%s*%d", slug, id, l.Quantity)
	case pledge.PlatformAddOnLine:
		return fmt.Sprintf("addon__%s*%d", id, l.Quantity)
	case pledge.SupportLine:
		return fmt.Sprintf("%s__support__%s=%d", slug, id, l.Amount/100)
	case pledge.CustomLine:
		return fmt.Sprintf("%s__custom-support=%d", slug, l.Amount/100)
	case pledge.ShippingLine, pledge.TipLine:
	}
	return ""
}

// putCart adds a cart to a session's metadata, in as many pieces as it takes.
func putCart(metadata map[string]string, cart string) {
	if len(cart) > cartPiece*cartPieces {
		return
	}
	for n := 0; cart != ""; n++ {
		piece := cart[:min(cartPiece, len(cart))]
		metadata[cartPart(n)], cart = piece, cart[len(piece):]
	}
}

// cartIn returns the cart in a session's metadata, "" where there is none.
func cartIn(metadata map[string]string) string {
	var cart strings.Builder
	for n := range cartPieces {
		cart.WriteString(metadata[cartPart(n)])
	}
	return cart.String()
}
