package campaignfile

import (
	"fmt"
	"regexp"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

const noLatePledges = "pledges cannot be made after the deadline"

// Everywhere is the value of ships_to without restrictions.
const Everywhere = "everywhere"

var countryCode = regexp.MustCompile(`^[A-Z]{2}$`)

// shipsTo reads two-letter country codes. It returns nil if the key is absent, and an empty,
// non-nil list for Everywhere, so that the campaign's default does not apply.
func (m *mapping) shipsTo() []string {
	if n := m.get("ships_to"); n != nil && n.Value == Everywhere {
		return []string{}
	}
	var list []string
	for _, n := range m.list("ships_to", 250) {
		code := follow(n).Value
		switch {
		case !countryCode.MatchString(code):
			m.fail(n.Line, m.field("ships_to"), "write countries by two letters, such as [US, CA], or %s", Everywhere)
		case !pledge.IsCountry(code):
			m.fail(n.Line, m.field("ships_to"),
				"%s is not a country: write the two letters of ISO 3166, such as GB for the United Kingdom", code)
		case !contains(list, code):
			list = append(list, code)
		}
	}
	return list
}

// applyShipsTo applies the campaign's countries to all physical items without their own.
func applyShipsTo(c *campaign.Campaign, countries []string) {
	inherit := func(d *campaign.Delivery) {
		if d.Category == campaign.Physical && d.ShipsTo == nil {
			d.ShipsTo = countries
		}
		if len(d.ShipsTo) == 0 {
			d.ShipsTo = nil
		}
	}
	for i := range c.Tiers {
		inherit(&c.Tiers[i].Delivery)
	}
	for i := range c.SupportItems {
		inherit(&c.SupportItems[i].Delivery)
	}
	for i := range c.AddOns {
		inherit(&c.AddOns[i].Delivery)
	}
}

const monthLayout = "2006-01"

// month reads a month such as "2027-05".
func (m *mapping) month(key string) string {
	s, _ := m.scalar(key)
	if s == "" {
		return ""
	}
	if t, err := time.Parse(monthLayout, s); err != nil || t.Year() < 1970 {
		m.failKey(key, "write a month such as 2027-05")
		return ""
	}
	return s
}

// checkDeliveries rejects rewards whose estimated delivery is before the month of the deadline,
// because cards are charged after it.
func (m *mapping) checkDeliveries(c *campaign.Campaign) {
	if c.Deadline.IsZero() {
		return
	}
	month := c.Deadline.Starts(time.UTC).Format(monthLayout)
	for i, t := range c.Tiers {
		if t.EstimatedDelivery != "" && t.EstimatedDelivery < month {
			field := fmt.Sprintf("tiers[%d].estimated_delivery", i)
			m.problems = append(m.problems, campaign.Problem{File: m.file, Line: m.lines[field], Field: field,
				Message: "is before the deadline, after which cards are charged"})
		}
	}
}
