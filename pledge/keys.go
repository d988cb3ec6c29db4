package pledge

import "fmt"

// The keys of this package's records. All are in the primary namespace.

// Key holds a Pledge, for good.
func Key(pledgeID string) string { return "pledge:" + pledgeID }

// EmailKey holds the order IDs of one supporter, for good.
func EmailKey(email string) string { return "email:" + email }

// IndexKey holds a segment of a campaign's order IDs, oldest first, for good.
// Segment 0 is under the plain key; the later ones follow it. It is for reading
// from outside: what decides about money walks the campaign object's own list.
func IndexKey(slug string, segment int) string {
	if segment == 0 {
		return "campaign-pledges:" + slug
	}
	return fmt.Sprintf("campaign-pledges:%s:%06d", slug, segment)
}

// IndexSegment is how many order IDs one segment holds where nothing else is asked
// for. It bounds what a new pledge has to rewrite, whatever the size of its campaign.
const IndexSegment = 100

// StatsKey holds a campaign's Stats.
func StatsKey(slug string) string { return "stats:" + slug }

// InventoryKey holds a campaign's public stock.
func InventoryKey(slug string) string { return "tier-inventory:" + slug }

// AddOnsSoldKey holds the units sold of each platform add-on.
const AddOnsSoldKey = "add-on-inventory-sold:v1"

// ChargedKey holds when a campaign's settlement was complete.
func ChargedKey(slug string) string { return "campaign-charged:" + slug }
