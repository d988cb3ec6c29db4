package disputes

import (
	"context"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
)

// Service reads disputes. All fields except PaymentPage are required. It is safe for concurrent use.
type Service struct {
	Settlement *settlement.Service
	Supporters *supporters.Service
	// Consent returns the text that a pledge's supporter accepted; ok is false for a text of another
	// release.
	Consent func(p *pledge.Pledge, title string) (c checkout.Consent, ok bool)
	// PaymentPage returns the address of a payment at the processor; nil if it has no pages.
	PaymentPage func(paymentID string) string
}

// Dispute is a dispute as operators see it. Amounts are in cents.
type Dispute struct {
	ID                string            `json:"disputeId"`
	Phase             dispute.Phase     `json:"phase"`
	Status            psp.DisputeStatus `json:"status"` // as named by the processor
	Amount            money.Cents       `json:"amount"`
	Reason            string            `json:"reason"` // as named by the processor
	NetworkReasonCode string            `json:"networkReasonCode,omitempty"`
	OpenedAt          time.Time         `json:"openedAt"`
	// AnswerBy is the deadline for an answer; nil if none is awaited.
	AnswerBy  *time.Time  `json:"answerBy,omitempty"`
	DecidedAt *time.Time  `json:"decidedAt,omitempty"`
	Withdrawn money.Cents `json:"withdrawn"` // and not returned
	Fees      money.Cents `json:"fees"`
	Lost      money.Cents `json:"lost"`
	// BlocksRefunds reports whether the payment cannot be refunded because of the dispute.
	BlocksRefunds bool     `json:"blocksRefunds"`
	PaymentID     string   `json:"paymentIntentId"`
	PaymentURL    string   `json:"paymentUrl,omitempty"`
	Pledges       []string `json:"orderIds"` // of the payment
}

// Page is a page of disputes, by ID. Next is "" on the last page.
type Page struct {
	Disputes []Dispute `json:"disputes"`
	Next     string    `json:"next"`
}

// List returns at most limit of a campaign's disputes after a cursor, or of the open ones only. It fails with
// code NotFound for an unknown campaign, and with Invalid for a cursor that is not one.
func (s *Service) List(ctx context.Context, slug string, open bool, after string, limit int) (Page, error) {
	if !isID(after) {
		return Page{}, fault.New(fault.Invalid, "Invalid cursor").In("cursor")
	}
	page, err := s.Settlement.Disputes(ctx, slug, open, after, limit)
	if err != nil {
		return Page{}, err
	}
	out := Page{Disputes: []Dispute{}}
	for _, d := range page.Disputes {
		view, err := s.View(ctx, d)
		if err != nil {
			return Page{}, err
		}
		out.Disputes = append(out.Disputes, view)
	}
	if len(page.Disputes) == limit {
		out.Next = page.Next
	}
	return out, nil
}

// isID reports whether a text can be the ID of a dispute, or is "".
func isID(s string) bool {
	return len(s) < 100 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// All returns all of a campaign's disputes, or the open ones.
func (s *Service) All(ctx context.Context, slug string, open bool) ([]Dispute, error) {
	all := []Dispute{}
	for after := ""; ; {
		page, err := s.List(ctx, slug, open, after, 100)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Disputes...)
		if after = page.Next; after == "" {
			return all, nil
		}
	}
}

// View returns a mirrored dispute as operators see it.
func (s *Service) View(ctx context.Context, d dispute.Dispute) (Dispute, error) {
	out := Dispute{ID: d.ID, Phase: d.Phase(), Status: d.Status, Amount: d.Amount, Reason: d.Reason,
		NetworkReasonCode: d.NetworkReasonCode, OpenedAt: d.OpenedAt, DecidedAt: d.DecidedAt, Withdrawn: d.Withdrawn(),
		Fees: d.Fees(), Lost: d.Loss, BlocksRefunds: d.BlocksRefunds(), PaymentID: d.PaymentID, Pledges: []string{}}
	if by, ok := d.AnswerDue(); ok {
		out.AnswerBy = &by
	}
	if s.PaymentPage != nil {
		out.PaymentURL = s.PaymentPage(d.PaymentID)
	}
	g, err := s.Settlement.Group(ctx, d.CampaignSlug, d.Group)
	if err != nil {
		return Dispute{}, err
	}
	if g != nil && g.PaymentIntentID == d.PaymentID {
		out.Pledges = g.OrderIDs()
	}
	return out, nil
}
