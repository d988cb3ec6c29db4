package checkout

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Start turns a cart into a checkout. It freezes the totals, which it computes
// itself, holds scarce units, and opens the session in which the supporter saves
// a card. It fails with code Invalid and the field for a bad cart, SoldOut if
// units are unavailable, Busy if the client already holds its share of them,
// Conflict if tax needs a more precise address, and Unavailable if an external
// service fails; then nothing stays reserved.
func (s *Service) Start(ctx context.Context, r StartRequest) (Started, error) {
	d, err := s.prepareDraft(ctx, r)
	if err != nil {
		return Started{}, err
	}
	err = s.checkUnits(ctx, d)
	if err == nil {
		err = s.reserve(ctx, &d)
	}
	if unitsUnavailable(err) && s.freeUnits(ctx, d) {
		err = s.reserve(ctx, &d)
	}
	if err != nil {
		return Started{}, err
	}
	started, err := s.openSession(ctx, &d)
	if err != nil {
		s.abandonFailed(ctx, d, d.limitedCampaigns())
		return Started{}, err
	}
	return started, nil
}

// checkUnits fails if the units that are limited cannot be held, so that a refused start writes
// nothing.
func (s *Service) checkUnits(ctx context.Context, d draft) error {
	for _, c := range d.claims() {
		if !slices.ContainsFunc(c.wants, func(w inventory.Request) bool { return w.Limit > 0 }) {
			continue
		}
		if err := s.Inventory.CanHold(ctx, c.object, c.hold, c.wants); err != nil {
			return err
		}
	}
	return nil
}

// reserve opens an order and holds its units. The order is created first, so that every hold has
// an order. If reserve fails, it leaves no holds.
func (s *Service) reserve(ctx context.Context, d *draft) error {
	if err := s.assignID(d); err != nil {
		return err
	}
	var err error
	if d.order, err = s.Orders.Open(ctx, d.manifest); err != nil {
		return err
	}
	for i, c := range d.claims() {
		if err := s.Inventory.Hold(ctx, c.object, c.hold, c.wants); err != nil {
			seen := d.limitedCampaigns()
			if i == 0 && unitsUnavailable(err) {
				seen = nil // no units were held
			}
			s.abandonFailed(ctx, *d, seen)
			return err
		}
	}
	return nil
}

// assignID assigns new IDs and the times of expiry to a draft.
func (s *Service) assignID(d *draft) error {
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

// unitsUnavailable reports whether units could not be held because of existing
// holds.
func unitsUnavailable(err error) bool {
	return fault.Is(err, fault.SoldOut) || fault.Is(err, fault.Busy)
}

// freeUnits ends the client's previous attempt and sweeps expired holds that may block the draft.
// It reports whether units may have become available.
func (s *Service) freeUnits(ctx context.Context, d draft) bool {
	ended := s.endPreviousAttempt(ctx, d.attempt)
	return s.sweepFor(ctx, d) || ended
}

// sweepFor sweeps expired holds of the draft's campaigns and reports whether it released any.
func (s *Service) sweepFor(ctx context.Context, d draft) bool {
	var seen Swept
	for _, c := range d.claims() {
		if err := s.sweepObject(ctx, c.object, sweepAtStart, &seen); err != nil {
			return false
		}
	}
	return seen.Released > 0
}

const sweepAtStart = 20 // holds swept by one start

// openSession creates the order's customer and session at the processor and records them. The
// idempotency keys derive from the order, so retries inside the adapter create nothing twice.
func (s *Service) openSession(ctx context.Context, d *draft) (Started, error) {
	m := d.manifest
	customer, err := s.Processor.CreateCustomer(ctx, psp.NewCustomer{
		Key: "customer:" + m.OrderID, Email: m.Email, Metadata: map[string]string{"orderId": m.OrderID},
	})
	if err != nil {
		return Started{}, processorError(err)
	}
	session, err := s.Processor.StartSetup(ctx, s.sessionSetup(*d, customer))
	if err != nil {
		return Started{}, processorError(err)
	}
	d.order.SessionID = session.ID
	if err := s.Orders.Attach(ctx, m.OrderID, session.ID); err != nil {
		return Started{}, err
	}
	if err := s.recordStart(ctx, *d); err != nil {
		return Started{}, err
	}
	tok, err := s.Intents.Sign(token.Claims{
		Scope: token.Checkout, OrderID: m.OrderID, CampaignSlug: d.anchor, Expires: m.Expires.Add(holdMargin),
	})
	return s.startedResponse(m, tok, session, d.due, d.combined), err
}

// processorError wraps a processor's error in a message for the supporter.
func processorError(err error) error {
	return fault.Wrap(err, fault.Unavailable, "The payment processor cannot be reached. Please try again.")
}

func (s *Service) sessionSetup(d draft, customerID string) psp.NewSetup {
	m := d.manifest
	setup := s.pageSetup(m.OrderID, m.PreferredLang, "/pledge-success/", "/pledge-cancelled/")
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
	storeCart(setup.Metadata, formatCart(m))
	return setup
}

// pageSetup configures where the card is entered and where the supporter is sent
// afterwards.
func (s *Service) pageSetup(orderID, lang, success, cancel string) psp.NewSetup {
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

// startedResponse builds the response for the browser.
func (s *Service) startedResponse(m order.Manifest, tok string, session psp.Session,
	heldUntil time.Time, combined []*Combined) Started {
	out := Started{
		UIMode: psp.Hosted, URL: session.URL,
		OrderID: m.OrderID, SessionID: session.ID, Token: tok, ExpiresAt: m.Expires, HeldUntil: heldUntil,
		Amount:    m.Amount,
		Campaigns: s.campaignTotals(m),
		Email:     m.Email, ShippingAddress: m.ShippingAddress, BillingAddress: m.BillingAddress,
		TipPercent:     m.TipPercent,
		ShippingOption: m.Campaigns[0].ShippingOption,
		Consent: consentText(consentSubject{
			lang: m.PreferredLang, by: savesCard, amount: m.Amount, campaigns: s.promisedCampaigns(m, combined),
			zone: s.Settings.Zone,
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

func (s *Service) promisedCampaigns(m order.Manifest, combined []*Combined) []promisedCampaign {
	out := make([]promisedCampaign, 0, len(m.Campaigns))
	for i, part := range m.Campaigns {
		c := s.campaign(part.CampaignSlug)
		out = append(out, promisedCampaign{title: c.Title, deadline: c.EndsAt(s.Settings.Zone), combined: combined[i]})
	}
	return out
}

func (s *Service) campaignTotals(m order.Manifest) []CampaignTotal {
	out := make([]CampaignTotal, 0, len(m.Campaigns))
	for _, c := range m.Campaigns {
		out = append(out, CampaignTotal{
			OrderID: c.PledgeID, CampaignSlug: c.CampaignSlug, Title: s.campaign(c.CampaignSlug).Title,
			Totals: c.Totals, Lines: c.Lines, Explanation: c.Explanation,
		})
	}
	return out
}

// abandonFailed ends an order whose session was never given to the browser, releases its units, and
// refreshes the campaigns that may have shown the units as reserved. If that fails, Sweep completes
// it.
func (s *Service) abandonFailed(ctx context.Context, d draft, seen []string) {
	ctx = context.WithoutCancel(ctx)
	m := d.manifest
	err := s.Orders.Abandon(ctx, m.OrderID, d.order.SessionID)
	if err == nil {
		_, err = s.releaseUnits(ctx, m)
	}
	for _, slug := range seen {
		if err == nil {
			err = s.Projector.Refresh(ctx, slug)
		}
	}
	if err != nil {
		s.Log.WarnContext(ctx, "could not clean up failed checkout", "order", m.OrderID, "error", fmt.Sprint(err))
	}
}
