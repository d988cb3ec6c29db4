package pledge

import "fmt"

// All keys of this file are in the primary namespace and do not expire.

// Key returns the key of a Pledge.
func Key(pledgeID string) string { return "pledge:" + pledgeID }

// EmailKey returns the key of a supporter's order IDs.
func EmailKey(email string) string { return "email:" + email }

// IndexKey returns the key of a segment of a campaign's order IDs, oldest first. The key of segment
// 0 has no suffix; the others end with their number. The index is for external readers; settlement
// reads the list in the campaign's object.
func IndexKey(slug string, segment int) string {
	if segment == 0 {
		return "campaign-pledges:" + slug
	}
	return fmt.Sprintf("campaign-pledges:%s:%06d", slug, segment)
}

// IndexSegment is the default number of order IDs per segment. It bounds the amount of data that
// a new pledge rewrites, regardless of the campaign's size.
const IndexSegment = 100

// StatsKey returns the key of a campaign's Stats.
func StatsKey(slug string) string { return "stats:" + slug }

// InventoryKey returns the key of a campaign's public stock.
func InventoryKey(slug string) string { return "tier-inventory:" + slug }

// AddOnsSoldKey is the key of the units sold of each platform add-on.
const AddOnsSoldKey = "add-on-inventory-sold:v1"

// ChargedKey returns the key of the time at which a campaign's settlement was first complete.
func ChargedKey(slug string) string { return "campaign-charged:" + slug }
