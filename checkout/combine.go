package checkout

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Combined describes the other pledges that are charged in the same payment. They
// are counted but not identified.
type Combined struct {
	Others int         `json:"others"`       // pledges, at least one
	Amount money.Cents `json:"othersAmount"` // cents, of the others
	Total  money.Cents `json:"total"`        // cents, of the payment
	// SameBrowser reports whether the pledges are combined because they were made in one browser
	// session, and not because they were joined or have the same address.
	SameBrowser bool `json:"sameBrowser"`
}

// browserSession returns the keyed hash of a browser session's secret and an address, or "" for an
// empty secret. The hash differs for each address, so that it does not link addresses that are used
// in the same browser. It fails with code Invalid for a malformed secret.
func (s *Service) browserSession(email, secret string) (string, error) {
	if secret == "" {
		return "", nil
	}
	if len(secret) < 22 || !isSecret(secret) {
		return "", fault.New(fault.Invalid, "Expected 22 to 64 letters, digits, - and _").In("session")
	}
	mac := hmac.New(sha256.New, s.Intents.Secret)
	mac.Write([]byte("session:" + email + ":" + secret))
	return hex.EncodeToString(mac.Sum(nil)[:16]), nil
}

// combinations describes, for each campaign of a checkout, the other pledges that will be charged
// in the same payment; an element is nil if there are none. It counts the pledges of the checkout's
// browser session and, if the checkout was started from a link, those that are joined with it. It
// reveals no other pledges of the address.
func (s *Service) combinations(ctx context.Context, m order.Manifest) ([]*Combined, error) {
	all := make([]*Combined, len(m.Campaigns))
	if m.Session == "" && m.Link == "" {
		return all, nil
	}
	for i, c := range m.Campaigns {
		others, err := s.addressPledges(ctx, c.CampaignSlug, m.Email, c.PledgeID)
		if err != nil {
			return nil, err
		}
		others = slices.DeleteFunc(others, func(o *pledge.Pledge) bool { return !joins(m, o) })
		if all[i], err = combine(c.Totals.Amount, others, m.Link == ""); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// joins reports whether another pledge of the address will be in the same group as the checkout's
// pledges.
func joins(m order.Manifest, o *pledge.Pledge) bool {
	switch {
	case !o.Unpaid() || o.Claimed():
		return false
	case m.Link == "":
		return o.CombinedBy() != "" && o.CombinedBy() == m.Session
	}
	return o.JoinedAt != nil || o.OrderID == m.Link || o.Session != "" && o.Session == m.Session
}

// combine returns the totals of a pledge and the other pledges of its group, or nil if there are
// no others.
func combine(amount money.Cents, others []*pledge.Pledge, sameBrowser bool) (*Combined, error) {
	if len(others) == 0 {
		return nil, nil
	}
	c := Combined{Others: len(others), SameBrowser: sameBrowser}
	var err error
	for _, o := range others {
		if c.Amount, err = money.Sum(c.Amount, o.Amount); err != nil {
			return nil, err
		}
	}
	c.Total, err = money.Sum(amount, c.Amount)
	return &c, err
}

// combined describes the other pledges that will be charged in the same payment as a pledge: those
// of its browser session or, with pledge.ByEmail, of its address. It returns nil if there are none,
// if the pledge is claimed or cannot be charged, and for a joined pledge unless pledges are grouped
// by address.
func (s *Service) combined(ctx context.Context, p *pledge.Pledge) (*Combined, error) {
	byEmail := s.Settings.Grouping == pledge.ByEmail
	session := p.CombinedBy()
	if p.Claimed() || !p.Unpaid() || session == "" && !byEmail {
		return nil, nil
	}
	others, err := s.otherPledges(ctx, p)
	if err != nil {
		return nil, err
	}
	return combine(p.Amount, slices.DeleteFunc(others, func(o *pledge.Pledge) bool {
		return o.Claimed() || !o.Unpaid() || !byEmail && o.CombinedBy() != session
	}), !byEmail)
}
