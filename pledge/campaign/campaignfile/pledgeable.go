package campaignfile

import (
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// checkPledgeable refuses a public campaign that nobody could pledge to.
func (m *mapping) checkPledgeable(c *campaign.Campaign) {
	if !c.Public() || c.Custom.Enabled || len(c.SupportItems) > 0 {
		return
	}
	switch locked := locked(c); {
	case len(c.Tiers) == 0:
		m.failKey("tiers", "offers nothing to pledge for: write a reward, a support item, or custom_amount: {enabled: true}")
	case locked == len(c.Tiers):
		m.failKey("tiers", "no reward is open from the start, so nothing can reach a threshold: remove one requires_threshold")
	}
}

// locked is how many rewards wait for a threshold.
func locked(c *campaign.Campaign) int {
	n := 0
	for _, t := range c.Tiers {
		if !t.Open(0) {
			n++
		}
	}
	return n
}

// pledgeable is the price of a reward, which is pledged for alone.
func (m *mapping) pledgeable(key string) money.Cents {
	c := m.price(key)
	if raw, _ := m.scalar(key); raw != "" && c < money.MinCharge && !m.faulty(key) {
		m.failKey(key, "the payment processor takes no less than %s", money.MinCharge)
	}
	return c
}

// faulty reports whether a key's value was refused already.
func (m *mapping) faulty(key string) bool {
	for _, p := range m.problems {
		if p.Field == m.field(key) {
			return true
		}
	}
	return false
}
