package pledgehealth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// MaxPage is the maximum number of pledges per page. It is small because each charge requires a
// request to the payment processor while the operator waits.
const MaxPage = 50

// Service finds pledges at risk and asks their supporters for another card. All fields are
// required. It is safe for concurrent use.
type Service struct {
	Settlement *settlement.Service
	// Card reads a card, as psp.Processor does.
	Card         func(ctx context.Context, paymentMethodID string) (psp.Card, error)
	Outbox       *notify.Outbox
	Suppressions *suppression.List
	Links        mailtext.Links
	Zone         *time.Location
	Now          func() time.Time
}

// Trouble is a problem with a pledge.
type Trouble string

// The kinds of problems.
const (
	CardExpires Trouble = "card_expires"    // the card expires before it is charged
	CardGone    Trouble = "card_gone"       // there is no card, or it can no longer be charged
	CardUnread  Trouble = "card_unread"     // the payment processor did not respond, so the card's state is not known
	Unreachable Trouble = "address_bounced" // mails to the supporter bounce
)

// cardTroubles maps the problems that are reported to supporters to the reason in the mail.
var cardTroubles = map[Trouble]mailtext.CardTrouble{CardExpires: mailtext.CardEnds, CardGone: mailtext.CardGone}

// Page describes the pledges of a page of supporters.
type Page struct {
	CampaignSlug string    `json:"campaignSlug"`
	ChargeAt     time.Time `json:"chargeAt"` // when cards are charged at the earliest
	// Charges is the number of charges, one per card, and Amount their total in cents. AtRisk is
	// the total of the charges with a problem.
	Charges  int         `json:"charges"`
	Amount   money.Cents `json:"amount"`
	AtRisk   money.Cents `json:"atRiskAmount"`
	Findings []Finding   `json:"findings"`
	Next     string      `json:"next"` // the cursor of the next page, "" after the last
}

// Finding is one charge with a problem.
type Finding struct {
	Email    string      `json:"email"`
	OrderIDs []string    `json:"orderIds"`
	Amount   money.Cents `json:"amount"`
	Troubles []Trouble   `json:"troubles"`
	// CardExpires is the card's last valid month, for example "2027-03"; "" if there is no card or
	// it could not be read.
	CardExpires string `json:"cardExpires,omitempty"`
	// Asked is set if the supporter was already asked for another card for this reason.
	Asked bool `json:"asked"`

	card *pledge.Pledge // the pledge to which a new card is saved
}

// Findings returns the charges with problems of a page of supporters. The cursor is "" for the
// first page. It fails with code Conflict if the campaign has ended or has no deadline, and with
// Invalid for an invalid cursor or a limit that is not from 1 to MaxPage.
func (s *Service) Findings(ctx context.Context, c *campaign.Campaign, cursor string, limit int) (Page, error) {
	if limit < 1 || limit > MaxPage {
		return Page{}, fault.New(fault.Invalid, "The limit must be from 1 to %d pledges", MaxPage).In("limit")
	}
	if len(cursor) > 128 || strings.Trim(cursor, "0123456789abcdef") != "" {
		return Page{}, fault.New(fault.Invalid, "Invalid cursor: use the next value of a page").In("cursor")
	}
	if c.Deadline.IsZero() || c.State(s.Now(), s.Zone) == campaign.Ended {
		return Page{}, fault.New(fault.Conflict, "The campaign has ended or has no deadline")
	}
	charges, next, err := s.Settlement.UpcomingCharges(ctx, c, cursor, limit)
	if err != nil {
		return Page{}, err
	}
	out := Page{CampaignSlug: c.Slug, ChargeAt: c.EndsAt(s.Zone).Add(settlement.Margin).UTC(),
		Charges: len(charges), Findings: []Finding{}, Next: next}
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

func (s *Service) examine(ctx context.Context, slug string, u settlement.UpcomingCharge,
	chargeAt time.Time) (Finding, error) {
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
	if why := f.requestReason(); why != "" {
		f.Asked, err = s.wasAsked(ctx, slug, u.Email, why)
	}
	return f, err
}

// readCard reads the card of a pledge, nil for none, and adds its problems to f. If the payment
// processor does not respond, readCard adds a problem instead of failing, so that the other cards
// are still checked.
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

// requestReason returns the reason for asking the supporter for another card, "" for none.
func (f *Finding) requestReason() mailtext.CardTrouble {
	for _, t := range f.Troubles {
		if why, asks := cardTroubles[t]; asks {
			return why
		}
	}
	return ""
}

// wasAsked reports whether the mail that asks a supporter of the campaign for another card for this
// reason was already queued.
func (s *Service) wasAsked(ctx context.Context, slug, email string, why mailtext.CardTrouble) (bool, error) {
	_, err := s.Outbox.Delivery(ctx, mailtext.NewCardIdentity(slug, email, why))
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}
