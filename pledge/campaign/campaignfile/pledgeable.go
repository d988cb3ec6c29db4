package campaignfile

import (
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// checkPledgeable rejects a public campaign without anything to pledge for.
func (m *mapping) checkPledgeable(c *campaign.Campaign) {
	if !c.Public() || c.Custom.Enabled || len(c.SupportItems) > 0 {
		return
	}
	switch locked := countLocked(c); {
	case len(c.Tiers) == 0:
		m.failKey("tiers",
			"there is nothing to pledge for: add a reward, a support item, or custom_amount: {enabled: true}")
	case locked == len(c.Tiers):
		m.failKey("tiers", "every reward has a requires_threshold, so no threshold can be reached: remove one of them")
	}
}

// countLocked returns the number of rewards that require a threshold.
func countLocked(c *campaign.Campaign) int {
	n := 0
	for _, t := range c.Tiers {
		if !t.Open(0) {
			n++
		}
	}
	return n
}

// pledgeable reads the price of a reward, which must be at least the processor's minimum charge.
func (m *mapping) pledgeable(key string) money.Cents {
	c := m.price(key)
	if raw, _ := m.scalar(key); raw != "" && c < money.MinCharge && !m.isRejected(key) {
		m.failKey(key, "the payment processor's minimum is %s", money.MinCharge)
	}
	return c
}

// isRejected reports whether a key's value was already rejected.
func (m *mapping) isRejected(key string) bool {
	for _, p := range m.problems {
		if p.Field == m.field(key) {
			return true
		}
	}
	return false
}
