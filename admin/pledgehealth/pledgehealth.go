package pledgehealth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// MaxPage is about how many pledges one question is for: each charge is a call to the
// processor, while somebody waits.
const MaxPage = 50

// Service looks and asks. All fields are required. It is safe for concurrent use.
type Service struct {
	Settlement *settlement.Service
	// Card reads a card, as psp.Processor does.
	Card         func(ctx context.Context, paymentMethodID string) (psp.Card, error)
	Outbox       *notify.Outbox
	Suppressions *suppression.List
	Links        notify.Links
	Zone         *time.Location
	Now          func() time.Time
}

// Trouble is what is wrong.
type Trouble string

// The troubles.
const (
	CardExpires Trouble = "card_expires"    // it runs out before it is charged
	CardGone    Trouble = "card_gone"       // there is none, or none that can be charged
	CardUnread  Trouble = "card_unread"     // the processor didn't answer: nobody knows
	Unreachable Trouble = "address_bounced" // no mail reaches the supporter
)

// asks is what a mail says about a trouble. There is none about the others.
var asks = map[Trouble]notify.CardTrouble{CardExpires: notify.CardEnds, CardGone: notify.CardGone}

// Page is the health of the pledges of some supporters.
type Page struct {
	CampaignSlug string    `json:"campaignSlug"`
	ChargeAt     time.Time `json:"chargeAt"` // when cards are charged at the earliest
	// Charges is how many were looked at, one for each card, and Amount what they come to, in
	// cents; AtRisk is the part of it that has any trouble.
	Charges  int         `json:"charges"`
	Amount   money.Cents `json:"amount"`
	AtRisk   money.Cents `json:"atRiskAmount"`
	Findings []Finding   `json:"findings"`
	Next     string      `json:"next"` // the cursor of the next page, "" on the last
}

// Finding is one charge that has trouble.
type Finding struct {
	Email    string      `json:"email"`
	OrderIDs []string    `json:"orderIds"`
	Amount   money.Cents `json:"amount"`
	Troubles []Trouble   `json:"troubles"`
	// CardExpires is the card's last month, "2027-03"; "" where it was not read.
	CardExpires string `json:"cardExpires,omitempty"`
	// Asked says that the supporter was asked for another card for this reason.
	Asked bool `json:"asked"`

	card *pledge.Pledge // to which a new one is to be saved
}

// Look finds the trouble of the supporters after a cursor, "" for the first. It fails with
// code Conflict once the campaign has ended, or where it has no deadline, and with Invalid
// for a cursor that is none, or a limit that is not from 1 to MaxPage.
func (s *Service) Look(ctx context.Context, c *campaign.Campaign, cursor string, limit int) (Page, error) {
	if limit < 1 || limit > MaxPage {
		return Page{}, fault.New(fault.Invalid, "A page is of 1 to %d pledges", MaxPage).In("limit")
	}
	if len(cursor) > 128 || strings.Trim(cursor, "0123456789abcdef") != "" {
		return Page{}, fault.New(fault.Invalid, "The cursor is the next of a page").In("cursor")
	}
	if c.Deadline.IsZero() || c.State(s.Now(), s.Zone) == campaign.Ended {
		return Page{}, fault.New(fault.Conflict, "The campaign has no deadline to come")
	}
	charges, next, err := s.Settlement.Coming(ctx, c, cursor, limit)
	if err != nil {
		return Page{}, err
	}
	out := Page{CampaignSlug: c.Slug, ChargeAt: c.EndsAt(s.Zone).Add(settlement.Margin).UTC(), Charges: len(charges), Findings: []Finding{}, Next: next}
	for _, u := range charges {
		f, err := s.examine(ctx, c.Slug, u, out.ChargeAt)
		if err != nil {
			return Page{}, err
		}
		out.Amount += u.Amount
		if len(f.Troubles) > 0 {
			out.AtRisk += u.Amount
			out.Findings = append(out.Findings, f)
		}
	}
	return out, nil
}

func (s *Service) examine(ctx context.Context, slug string, u settlement.Upcoming, chargeAt time.Time) (Finding, error) {
	f := Finding{Email: u.Email, Amount: u.Amount, card: u.Card}
	for _, p := range u.Pledges {
		f.OrderIDs = append(f.OrderIDs, p.OrderID)
	}
	if f.card == nil {
		f.card = u.Pledges[0]
	}
	if err := s.readCard(ctx, u.Card, chargeAt, &f); err != nil {
		return f, err
	}
	reasons, err := s.Suppressions.Reasons(ctx, suppression.Scope{}, u.Email)
	if err != nil {
		return f, err
	}
	if slices.Contains(reasons, suppression.Bounced) {
		f.Troubles = append(f.Troubles, Unreachable)
	}
	if why := f.why(); why != "" {
		f.Asked, err = s.asked(ctx, slug, u.Email, why)
	}
	return f, err
}

// readCard notes what is wrong with a card. What the processor does not answer is a trouble
// of its own, and no error: the other cards are still worth a look.
func (s *Service) readCard(ctx context.Context, p *pledge.Pledge, chargeAt time.Time, f *Finding) error {
	if p == nil {
		f.Troubles = append(f.Troubles, CardGone)
		return nil
	}
	card, err := s.Card(ctx, p.PaymentMethodID)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case fault.Is(err, fault.NotFound), err == nil && card.CustomerID != p.CustomerID:
		f.Troubles = append(f.Troubles, CardGone)
	case err != nil:
		f.Troubles = append(f.Troubles, CardUnread)
	default:
		f.CardExpires = fmt.Sprintf("%04d-%02d", card.ExpiresYear, card.ExpiresMonth)
		if card.Expired(chargeAt) {
			f.Troubles = append(f.Troubles, CardExpires)
		}
	}
	return nil
}

// why is what its supporter is asked about, "" for nothing.
func (f *Finding) why() notify.CardTrouble {
	for _, t := range f.Troubles {
		if why, asks := asks[t]; asks {
			return why
		}
	}
	return ""
}

// asked reports whether a supporter was asked already.
func (s *Service) asked(ctx context.Context, slug, email string, why notify.CardTrouble) (bool, error) {
	_, err := s.Outbox.Delivery(ctx, notify.NewCardIdentity(slug, email, why))
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}
