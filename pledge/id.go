package pledge

import (
	"io"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// An order's ID is "pw-" and a ULID in lower case. A pledge's ID is that of
// its order, followed by "-" and the campaign's slug where the order covers
// several campaigns.
const (
	orderPrefix = "pw-"
	orderLength = len(orderPrefix) + ulid.EncodedSize
)

// NewOrderID makes an order's ID from the time and ten bytes of randomness.
func NewOrderID(now time.Time, random io.Reader) (string, error) {
	id, err := ulid.New(ulid.Timestamp(now), random)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "No randomness for an order ID")
	}
	return orderPrefix + strings.ToLower(id.String()), nil
}

// IDFor returns the ID of an order's pledge to a campaign.
func IDFor(orderID, slug string, bundle bool) string {
	if bundle {
		return orderID + "-" + slug
	}
	return orderID
}

// OrderOf returns the order that a pledge belongs to. It fails with code
// Invalid when id has not the shape of an order's or pledge's ID.
func OrderOf(id string) (string, error) {
	if len(id) < orderLength || !strings.HasPrefix(id, orderPrefix) {
		return "", badOrderID()
	}
	order, rest := id[:orderLength], id[orderLength:]
	if strings.Trim(order[len(orderPrefix):], "0123456789abcdefghjkmnpqrstvwxyz") != "" {
		return "", badOrderID()
	}
	if rest != "" && (len(rest) < 2 || rest[0] != '-' || !isSlug(rest[1:])) {
		return "", badOrderID()
	}
	return order, nil
}

func badOrderID() error {
	return fault.New(fault.Invalid, "Invalid order ID").In("orderId")
}

func isSlug(s string) bool {
	return len(s) <= 100 && strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyz-") == ""
}
