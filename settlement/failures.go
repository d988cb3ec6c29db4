package settlement

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Failure is a failed charge that can still be recovered.
type Failure struct {
	Email       string          `json:"email"`
	OrderIDs    []string        `json:"orderIds"`
	Amount      money.Cents     `json:"amount"` // cents
	Attempts    int             `json:"attempts"`
	Code        string          `json:"code"`        // the processor's
	DeclineCode string          `json:"declineCode"` // the issuer's
	FailedAt    time.Time       `json:"failedAt"`    // of the first failure
	Recovery    pledge.Recovery `json:"recovery"`
	PaymentID   string          `json:"paymentIntentId,omitempty"` // of the last attempt
	// Remindable reports whether the supporter can be reminded now (see Remind). RemindedAt is the
	// time of the last attempt's reminder, nil without one.
	Remindable bool       `json:"remindable"`
	RemindedAt *time.Time `json:"remindedAt,omitempty"`
}

// FailurePage is a page of failures; Next is "" on the last page.
type FailurePage struct {
	Failures []Failure `json:"failures"`
	Next     string    `json:"next"`
}

// MaxFailures is the maximum number of failures in a page.
const MaxFailures = 50

// Failures lists a campaign's failed charges that can still be recovered, after a cursor (""
// for the first page). It fails with code NotFound for an unknown campaign, and with Invalid
// for an invalid cursor.
func (s *Service) Failures(ctx context.Context, slug, after string) (FailurePage, error) {
	if !state.IsFailureCursor(after) {
		return FailurePage{}, fault.New(fault.Invalid, "Invalid cursor").In("cursor")
	}
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return FailurePage{}, err
	}
	page, err := s.objectOf(slug).Failures(ctx, after, MaxFailures+1)
	if err != nil {
		return FailurePage{}, err
	}
	out := FailurePage{Failures: []Failure{}}
	if len(page.Groups) > MaxFailures {
		page.Groups = page.Groups[:MaxFailures]
		out.Next = state.FailureCursor(page.Groups[MaxFailures-1].Hash)
	}
	for _, g := range page.Groups {
		p, err := s.Orders.Pledge(ctx, g.Orders[0].ID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return FailurePage{}, err
		}
		f := Failure{OrderIDs: g.OrderIDs(), Amount: g.Amount, Attempts: g.Generation,
			Code: g.Code, DeclineCode: g.DeclineCode,
			FailedAt: g.FirstFailure(), Recovery: g.Recovery(c.Recovery), PaymentID: g.PaymentIntentID}
		if p != nil {
			f.Email = p.Email
			if f.Remindable, f.RemindedAt, err = s.reminderOf(ctx, &g, p); err != nil {
				return FailurePage{}, err
			}
		}
		out.Failures = append(out.Failures, f)
	}
	return out, nil
}
