package checkout

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Start turns a cart into a checkout: it takes nothing of the cart but what was
// chosen, freezes the totals, reserves what is scarce and opens the session in
// which the supporter saves a card. It fails with code Invalid and the field
// for a bad cart, SoldOut when units are missing, Busy when the client holds its
// share of them already, Conflict when the tax needs more of the address, and
// Unavailable when something outside fails; then nothing stays reserved.
func (s *Service) Start(ctx context.Context, r StartRequest) (Started, error) {
	d, err := s.draft(ctx, r)
	if err != nil {
		return Started{}, err
	}
	err = s.reserve(ctx, &d)
	if refused(err) && s.makeRoom(ctx, d) {
		err = s.reserve(ctx, &d)
	}
	if err != nil {
		return Started{}, err
	}
	started, err := s.openSession(ctx, &d)
	if err != nil {
		s.giveUp(ctx, d, d.scarce())
		return Started{}, err
	}
	return started, nil
}

// reserve begins an order and holds its units. The order comes first: a hold
// always leads to one. When it fails nothing is held.
func (s *Service) reserve(ctx context.Context, d *draft) error {
	if err := s.identify(d); err != nil {
		return err
	}
	var err error
	if d.order, err = s.Orders.Open(ctx, d.manifest); err != nil {
		return err
	}
	for i, c := range d.claims() {
		if err := s.Inventory.Hold(ctx, c.object, c.hold, c.wants); err != nil {
			seen := d.scarce()
			if i == 0 && refused(err) {
				seen = nil // nothing was held at any time
			}
			s.giveUp(ctx, *d, seen)
			return err
		}
	}
	return nil
}

// identify makes a draft an order of its own.
func (s *Service) identify(d *draft) error {
	now := s.Now().UTC()
	id, err := pledge.NewOrderID(now, s.Rand)
	if err != nil {
		return err
	}
	m := &d.manifest
	if m.Nonce, err = s.nonce(); err != nil {
		return err
	}
	m.OrderID, m.BookedAt, m.Expires = id, now, s.sessionEnd(*m, now)
	d.due = s.firstDue(*d)
	for i := range m.Campaigns {
		m.Campaigns[i].PledgeID = pledge.IDFor(id, m.Campaigns[i].CampaignSlug, len(m.Campaigns) > 1)
	}
	return nil
}

// refused reports whether units could not be held because of what is held already.
func refused(err error) bool { return fault.Is(err, fault.SoldOut) || fault.Is(err, fault.Busy) }

// makeRoom ends what need not be held any more of what the draft wants, and
// reports whether units may have come free.
func (s *Service) makeRoom(ctx context.Context, d draft) bool {
	ended := s.endFormer(ctx, d.attempt)
	return s.sweepFor(ctx, d) || ended
}

// sweepFor looks after due holds of the draft's campaigns, and reports whether
// units may have come free.
func (s *Service) sweepFor(ctx context.Context, d draft) bool {
	var seen Swept
	for _, c := range d.claims() {
		if err := s.sweepObject(ctx, c.object, sweepAtStart, &seen); err != nil {
			return false
		}
	}
	return seen.Released > 0
}

const sweepAtStart = 20 // holds that one start looks after

// openSession makes the processor's side of an order. Its keys come from the
// order, so a call that is repeated inside the adapter makes nothing twice.
func (s *Service) openSession(ctx context.Context, d *draft) (Started, error) {
	m := d.manifest
	customer, err := s.Processor.CreateCustomer(ctx, psp.NewCustomer{
		Key: "customer:" + m.OrderID, Email: m.Email, Metadata: map[string]string{"orderId": m.OrderID},
	})
	if err != nil {
		return Started{}, outside(err)
	}
	session, err := s.Processor.StartSetup(ctx, s.setup(*d, customer))
	if err != nil {
		return Started{}, outside(err)
	}
	d.order.SessionID = session.ID
	if err := s.Orders.Attach(ctx, m.OrderID, session.ID); err != nil {
		return Started{}, err
	}
	if err := s.noteStart(ctx, *d); err != nil {
		return Started{}, err
	}
	tok, err := s.Intents.Sign(token.Claims{
		Scope: token.Checkout, OrderID: m.OrderID, CampaignSlug: d.anchor, Expires: m.Expires.Add(holdMargin),
	})
	return s.started(m, tok, session, d.due, d.combined), err
}

// outside makes a processor's failure one that the supporter can act on.
func outside(err error) error {
	return fault.Wrap(err, fault.Unavailable, "The payment processor cannot be reached. Please try again.")
}

func (s *Service) setup(d draft, customerID string) psp.NewSetup {
	m := d.manifest
	setup := s.page(m.OrderID, m.PreferredLang, "/pledge-success/", "/pledge-cancelled/")
	setup.Key, setup.CustomerID, setup.Expires = "setup:"+m.OrderID, customerID, m.Expires
	setup.Metadata = map[string]string{
		"orderId":          m.OrderID,
		"campaignSlug":     d.anchor,
		"checkoutProvider": "psp",
		"checkoutNonce":    m.Nonce,
		"checkoutCartHash": d.order.Hash,
		"amountCents":      strconv.FormatInt(int64(m.Amount), 10),
		"tipPercent":       strconv.Itoa(m.TipPercent),
		"hasPhysical":      strconv.FormatBool(d.physical()),
		"preferredLang":    m.PreferredLang,
	}
	putCart(setup.Metadata, cartText(m))
	return setup
}

// page says where the card is entered and where the supporter goes afterwards.
func (s *Service) page(orderID, lang, success, cancel string) psp.NewSetup {
	at := func(path string) string {
		return s.Settings.SiteBase + path + "?orderId=" + url.QueryEscape(orderID)
	}
	setup := psp.NewSetup{UIMode: psp.Custom, Locale: lang}
	back := at(success) + "&session_id={CHECKOUT_SESSION_ID}"
	if s.Settings.PublishableKey != "" {
		setup.ReturnURL = back
		return setup
	}
	setup.UIMode, setup.SuccessURL, setup.CancelURL = psp.Hosted, back, at(cancel)
	return setup
}

// started is what the browser goes on with.
func (s *Service) started(m order.Manifest, tok string, session psp.Session, heldUntil time.Time, combined []*Combined) Started {
	out := Started{
		UIMode: psp.Hosted, URL: session.URL,
		OrderID: m.OrderID, SessionID: session.ID, Token: tok, ExpiresAt: m.Expires, HeldUntil: heldUntil, Amount: m.Amount,
		Campaigns: s.totals(m),
		Consent: consent(subject{
			lang: m.PreferredLang, by: savesCard, amount: m.Amount, campaigns: s.promised(m, combined), zone: s.Settings.Zone,
			rule: s.ruleOf(m.Link != "", m.Session),
		}),
	}
	for i, c := range combined {
		out.Campaigns[i].Combined = c
	}
	if s.Settings.PublishableKey != "" {
		out.UIMode, out.URL = psp.Custom, ""
		out.ClientSecret, out.PublishableKey = session.ClientSecret, s.Settings.PublishableKey
	}
	return out
}

func (s *Service) promised(m order.Manifest, combined []*Combined) []promised {
	out := make([]promised, 0, len(m.Campaigns))
	for i, part := range m.Campaigns {
		c := s.campaign(part.CampaignSlug)
		out = append(out, promised{title: c.Title, deadline: c.EndsAt(s.Settings.Zone), combined: combined[i]})
	}
	return out
}

func (s *Service) totals(m order.Manifest) []CampaignTotal {
	out := make([]CampaignTotal, 0, len(m.Campaigns))
	for _, c := range m.Campaigns {
		out = append(out, CampaignTotal{
			OrderID: c.PledgeID, CampaignSlug: c.CampaignSlug, Title: s.campaign(c.CampaignSlug).Title, Totals: c.Totals, Lines: c.Lines,
		})
	}
	return out
}

// giveUp ends an order whose session nobody was given, also for the public of
// the campaigns that may have seen its units as reserved. What it does not get
// done is left to Sweep.
func (s *Service) giveUp(ctx context.Context, d draft, seen []string) {
	ctx = context.WithoutCancel(ctx)
	m := d.manifest
	err := s.Orders.Abandon(ctx, m.OrderID, d.order.SessionID)
	if err == nil {
		_, err = s.release(ctx, m)
	}
	for _, slug := range seen {
		if err == nil {
			err = s.Projector.Refresh(ctx, slug)
		}
	}
	if err != nil {
		s.Log.WarnContext(ctx, "a checkout that failed is not yet cleaned up", "order", m.OrderID, "error", fmt.Sprint(err))
	}
}
