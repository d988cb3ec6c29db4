package analytics

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Period is a range of days in the platform's time zone. From and To are inclusive and have the
// format 2026-11-30. The zero Period is the whole campaign.
type Period struct{ From, To string }

// maxPeriod is the maximum length of a period in days.
const maxPeriod = 3660

// ParsePeriod returns the period between two days, or the zero Period for two empty texts. It fails
// with code Invalid if only one day is given, for a text that is not a day, and for a period that
// ends before it starts or is longer than about ten years.
func ParsePeriod(from, to string) (Period, error) {
	if from == "" && to == "" {
		return Period{}, nil
	}
	first, err := time.Parse(time.DateOnly, from)
	if err != nil {
		return Period{}, fault.New(fault.Invalid, "Use a date such as 2026-01-31").In("from")
	}
	last, err := time.Parse(time.DateOnly, to)
	if err != nil {
		return Period{}, fault.New(fault.Invalid, "Use a date such as 2026-01-31").In("to")
	}
	if last.Before(first) || last.After(first.AddDate(0, 0, maxPeriod)) {
		return Period{}, fault.New(fault.Invalid, "The period must be from 1 to %d days long", maxPeriod).In("to")
	}
	return Period{from, to}, nil
}

// contains reports whether a day is in the period. The zero Period contains every day.
func (p Period) contains(day string) bool { return p == Period{} || p.From <= day && day <= p.To }

// before returns the period of the same length that ends the day before this one starts. It
// must not be the zero Period.
func (p Period) before() Period {
	first, _ := time.Parse(time.DateOnly, p.From) // validated by ParsePeriod
	last, _ := time.Parse(time.DateOnly, p.To)
	days := int(last.Sub(first).Hours() / 24)
	return Period{first.AddDate(0, 0, -days-1).Format(time.DateOnly), first.AddDate(0, 0, -1).Format(time.DateOnly)}
}

// Before holds the figures of the period before the reported one, for comparison.
type Before struct {
	From    string      `json:"from"`
	To      string      `json:"to"`
	Pledges int         `json:"pledges"` // including cancelled and dropped ones
	Pledged money.Cents `json:"pledged"` // toward the goal
	First   int         `json:"first"`
}

func (b *Before) add(p *pledge.Pledge, first bool) {
	b.Pledges++
	if p.Status != pledge.Cancelled {
		b.Pledged += p.CampaignSubtotal
	}
	if first {
		b.First++
	}
}

// isFirst reports whether a pledge is its supporter's first on the platform.
func (s *Service) isFirst(ctx context.Context, p *pledge.Pledge) (bool, error) {
	ids, err := s.Orders(ctx, p.Email)
	return len(ids) > 0 && ids[0] == p.OrderID, err
}
