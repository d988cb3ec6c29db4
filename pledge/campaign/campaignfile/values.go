package campaignfile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// text reads plain text.
func (m *mapping) text(key string, limit int) string {
	s, ok := m.prose(key)
	if !ok {
		return ""
	}
	s, err := safety.Plain(s, limit)
	m.failIf(key, err)
	return s
}

// name reads required, visible text.
func (m *mapping) name(key string, limit int) string {
	raw, _ := m.prose(key)
	s, err := safety.Plain(raw, limit)
	m.failIf(key, err)
	if s == "" && err == nil {
		m.failKey(key, "is missing: write a %s", key)
	}
	return s
}

func (m *mapping) rich(key string, limit int) string {
	s, ok := m.prose(key)
	if !ok {
		return ""
	}
	s, err := richtext.Check(s, limit)
	if err != nil {
		m.failIf(key, err)
		return ""
	}
	for _, address := range richtext.Images(s) {
		m.recordReference(key, address, true)
	}
	m.recordAnchors(m.lineOf(key), m.field(key), richtext.Anchors(s))
	return s
}

// required reads required rich text.
func (m *mapping) required(key string, limit int) string {
	s := m.rich(key, limit)
	if raw, _ := m.scalar(key); strings.TrimSpace(raw) == "" {
		m.failKey(key, "is missing")
	}
	return s
}

func (m *mapping) address(key string, check func(string) error) string {
	s, _ := m.scalar(key)
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	m.failIf(key, check(s))
	return s
}

func (m *mapping) media(key string) string {
	s := m.address(key, safety.Media)
	m.recordReference(key, s, false)
	return s
}

// amount reads dollars as cents, and reports whether the key has an amount.
func (m *mapping) amount(key string) (money.Cents, bool) { return m.amountUpTo(key, money.Max) }

// amountUpTo reads an optional amount with a limit.
func (m *mapping) amountUpTo(key string, limit money.Cents) (money.Cents, bool) {
	s, ok := m.scalar(key)
	if !ok || s == "" {
		return 0, false
	}
	c, err := ParseDollars(s, limit)
	m.failIf(key, err)
	return c, err == nil
}

// dollars reads an amount in whole dollars.
func (m *mapping) dollars(key string) (money.Cents, bool) {
	c, ok := m.amount(key)
	if ok && c%100 != 0 {
		m.failKey(key, "write whole dollars, without cents")
		return 0, false
	}
	return c, ok
}

// price reads a required amount.
func (m *mapping) price(key string) money.Cents { return m.priceUpTo(key, money.Max) }

// priceUpTo reads a required amount with a limit.
func (m *mapping) priceUpTo(key string, limit money.Cents) money.Cents {
	c, ok := m.amountUpTo(key, limit)
	if raw, _ := m.scalar(key); !ok && raw == "" {
		m.failKey(key, "is missing: write an amount in dollars such as 25 or 25.00")
	}
	return c
}

func (m *mapping) boolean(key string, otherwise bool) bool {
	s, ok := m.scalar(key)
	if !ok {
		return otherwise
	}
	switch strings.ToLower(s) {
	case "true":
		return true
	case "false":
		return false
	case "yes", "on", "y", "1":
		m.failKey(key, "write true, without quotes")
	case "no", "off", "n", "0":
		m.failKey(key, "write false, without quotes")
	default:
		m.failKey(key, "write true or false")
	}
	return otherwise
}

var wholeNumber = regexp.MustCompile(`^[0-9]{1,9}$`)

// units reads a number of units. It returns nil if the key is absent or its value is not valid.
func (m *mapping) units(key string) *int {
	s, _ := m.scalar(key)
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	n, _ := strconv.Atoi(s) // values that are not numbers do not match below
	if !wholeNumber.MatchString(s) || n > campaign.MaxUnits {
		m.failKey(key, "write a whole number from 0 to %d", campaign.MaxUnits)
		return nil
	}
	return &n
}

var measure = regexp.MustCompile(`^[0-9]{1,4}(?:\.[0-9]{1,3})?$`)

// measure reads a weight or a length, without rounding.
func (m *mapping) measure(key string, required bool) decimal.Decimal {
	s, _ := m.scalar(key)
	if s = strings.TrimSpace(s); s == "" {
		if required {
			m.failKey(key, "is missing: write a number such as 6.5")
		}
		return decimal.Decimal{}
	}
	d, _ := decimal.NewFromString(s) // values that are not numbers do not match below
	if !measure.MatchString(s) || required && d.IsZero() {
		m.failKey(key, "write a number such as 6.5, with at most three places")
		return decimal.Decimal{}
	}
	return d
}

func (m *mapping) moment(key string) campaign.Moment {
	s, _ := m.scalar(key)
	if s == "" {
		return campaign.Moment{}
	}
	t, err := campaign.ParseMoment(s)
	m.failIf(key, err)
	return t
}

// choice reads one of the values. The first is the default.
func (m *mapping) choice(key string, values ...string) string {
	s, _ := m.scalar(key)
	if s == "" {
		return values[0]
	}
	if !contains(values, s) {
		m.failKey(key, "write one of: %s%s", strings.Trim(strings.Join(values, ", "), ", "), fault.DidYouMean(s, values))
		return values[0]
	}
	return s
}

// id reads an entry's ID or, if it has none, derives one from its name. taken has the IDs of the
// list so far.
func (m *mapping) id(key, name string, taken map[string]bool) string {
	id, _ := m.scalar(key)
	if id == "" {
		if id = campaign.Slug(name); id == "" {
			if name != "" {
				m.failKey(key, "is missing and cannot be derived: write lower-case letters, digits and hyphens")
			}
			return ""
		}
	}
	if _, err := campaign.ParseSlug(id); err != nil {
		m.failIf(key, err)
		return ""
	}
	if taken[id] {
		m.failKey(key, "is also the ID of another entry: IDs must be unique")
	}
	taken[id] = true
	return id
}

var email = regexp.MustCompile(`^[^\s@<>"',;:\\()\[\]]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$`)

// isEmail reports whether a text is an email address within the limits of RFC 5321 in bytes: 64
// before the @, 63 for each part of the domain, and 254 in all.
func isEmail(text string) bool {
	name, domain, _ := strings.Cut(text, "@")
	tooLong := func(part string) bool { return len(part) > 63 }
	return email.MatchString(text) && len(text) <= 254 && len(name) <= 64 &&
		!slices.ContainsFunc(strings.Split(domain, "."), tooLong)
}

func (m *mapping) emails(key string) []string {
	var list []string
	for _, n := range m.list(key, campaign.MaxList) {
		address := strings.ToLower(strings.TrimSpace(follow(n).Value))
		if !isEmail(address) {
			m.fail(n.Line, m.field(key), "write email addresses such as crew@example.com")
			continue
		}
		list = append(list, address)
	}
	return list
}
