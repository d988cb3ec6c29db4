package fulfilment

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// maxNote is the maximum length of a note in bytes.
const maxNote = 2000

// AddNote adds a note to an order of a campaign, once per ChangeID. Notes are visible to operators,
// not to the supporter. It fails with code Invalid for a text that is empty, longer than maxNote or
// not plain, and NotFound if the campaign has no such order.
func (s *Service) AddNote(ctx context.Context, b Batch, orderID, text string) error {
	if err := b.check(); err != nil {
		return err
	}
	text, err := parseNote(text)
	if err != nil {
		return err
	}
	p, err := s.Find(ctx, b.CampaignSlug, orderID)
	if err != nil {
		return err
	}
	return s.Orders.AddNote(ctx, b.actOn(p), text)
}

func parseNote(text string) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	bad := func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) ||
			r == unicode.ReplacementChar
	}
	if text == "" || len(text) > maxNote || !utf8.ValidString(text) || strings.ContainsFunc(text, bad) {
		return "", fault.New(fault.Invalid, "The note must have 1 to %d bytes of plain text", maxNote).In("text")
	}
	return text, nil
}

// actOn returns the batch's act on a pledge.
func (b Batch) actOn(p *pledge.Pledge) order.OperatorAct {
	return order.OperatorAct{CampaignSlug: b.CampaignSlug, PledgeID: p.OrderID, ID: b.ChangeID, By: b.By}
}
