package pledge

import (
	"io"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// An order ID is "pw-" followed by a lower-case ULID. A pledge ID is its order's ID or, if the
// order covers several campaigns, the order's ID, "-" and the campaign's slug.
const (
	orderPrefix = "pw-"
	orderLength = len(orderPrefix) + ulid.EncodedSize
)

// NewOrderID returns an order ID made from the time and ten random bytes.
func NewOrderID(now time.Time, random io.Reader) (string, error) {
	id, err := ulid.New(ulid.Timestamp(now), random)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "Could not create an order ID: no random bytes")
	}
	return orderPrefix + strings.ToLower(id.String()), nil
}

// IDFor returns the ID of an order's pledge to a campaign. bundle is set if the order covers
// several campaigns.
func IDFor(orderID, slug string, bundle bool) string {
	if bundle {
		return orderID + "-" + slug
	}
	return orderID
}

// OrderOf returns the order ID of a pledge ID or of an order ID. It fails with code Invalid if id
// has another format.
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
