package checkout

import (
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/checkout/pricing"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// The cart is stored in the session's metadata at the processor, so that a supporter whose order
// was lost can get a link that fills the cart again. Its format is
// "film__seat*2,film__custom-support=25": item IDs with a quantity or whole dollars. It contains
// nothing about the supporter.

// Metadata values have at most 500 characters at the processor. A cart that needs more than
// cartPieces values is omitted, and the link opens the campaign page.
const (
	cartPiece  = 500
	cartPieces = 8
)

func cartKey(n int) string {
	if n == 0 {
		return "cart"
	}
	return "cart" + strconv.Itoa(n+1)
}

// formatCart returns a manifest's selection as text.
func formatCart(m order.Manifest) string {
	var items []string
	for _, c := range m.Campaigns {
		for _, l := range c.Lines {
			if item := pricing.FormatItem(c.CampaignSlug, l); item != "" {
				items = append(items, item)
			}
		}
	}
	return strings.Join(items, ",")
}

// storeCart adds a cart to a session's metadata, split into as many values as
// needed.
func storeCart(metadata map[string]string, cart string) {
	if len(cart) > cartPiece*cartPieces {
		return
	}
	for n := 0; cart != ""; n++ {
		piece := cart[:min(cartPiece, len(cart))]
		metadata[cartKey(n)], cart = piece, cart[len(piece):]
	}
}

// readCart returns the cart from a session's metadata, or "" if there is none.
func readCart(metadata map[string]string) string {
	var cart strings.Builder
	for n := range cartPieces {
		cart.WriteString(metadata[cartKey(n)])
	}
	return cart.String()
}
