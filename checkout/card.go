package checkout

import (
	"context"
	"errors"
	"fmt"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const paymentUpdate = "isPaymentUpdate"

func isCardUpdate(sess psp.Session) bool { return sess.Metadata[paymentUpdate] == "true" }

// StartCard opens a session in which the token's supporter saves another card for the pledge. It
// fails with code Conflict if the pledge is charged or cancelled, or can no longer be charged for
// another reason.
func (s *Service) StartCard(ctx context.Context, r CardRequest) (CardStarted, error) {
	p, err := s.pledgeForToken(ctx, r.Token, r.OrderID)
	if err != nil {
		return CardStarted{}, err
	}
	if !p.Unpaid() {
		return CardStarted{}, fault.New(fault.Conflict, "The pledge has nothing left to pay")
	}
	nonce, err := s.nonce()
	if err != nil {
		return CardStarted{}, err
	}
	setup, err := s.prepareCardSetup(ctx, p, r, nonce)
	if err != nil {
		return CardStarted{}, err
	}
	sess, err := s.Processor.StartSetup(ctx, setup)
	if fault.Is(err, fault.NotFound) { // the customer was deleted at the processor
		if setup.CustomerID, err = s.createCustomer(ctx, p, nonce); err != nil {
			return CardStarted{}, err
		}
		setup.Key += ":new-customer"
		sess, err = s.Processor.StartSetup(ctx, setup)
	}
	if err != nil {
		return CardStarted{}, processorError(err)
	}
	if err := s.Orders.StartCard(ctx, p.OrderID, sess.ID); err != nil {
		return CardStarted{}, err
	}
	out := CardStarted{UIMode: setup.UIMode, SessionID: sess.ID, URL: sess.URL, ExpiresAt: setup.Expires}
	if p, err = s.Orders.Pledge(ctx, p.OrderID); err != nil { // its charge may have failed in the meantime
		return CardStarted{}, err
	}
	if out.DueNow, err = s.amountDue(ctx, p); err != nil {
		return CardStarted{}, err
	}
	if setup.UIMode == psp.Custom {
		out.URL, out.ClientSecret, out.PublishableKey = "", sess.ClientSecret, s.Settings.PublishableKey
	}
	return out, nil
}

func (s *Service) prepareCardSetup(ctx context.Context, p *pledge.Pledge, r CardRequest, nonce string) (psp.NewSetup, error) {
	lang := p.PreferredLang
	if r.PreferredLang != "" {
		lang = pledge.Language(r.PreferredLang)
	}
	setup := s.pageSetup(p.OrderID, lang, "/manage/updated/", "/manage/")
	setup.Key, setup.CustomerID = "card:"+p.OrderID+":"+nonce, p.CustomerID
	setup.Expires = s.Now().UTC().Add(s.sessionLife())
	setup.Metadata = map[string]string{
		"orderId": p.OrderID, "campaignSlug": p.CampaignSlug, "checkoutProvider": "psp",
		"checkoutNonce": nonce, "preferredLang": lang, paymentUpdate: "true",
	}
	if setup.CustomerID != "" {
		return setup, nil
	}
	var err error
	setup.CustomerID, err = s.createCustomer(ctx, p, nonce)
	return setup, err
}

func (s *Service) createCustomer(ctx context.Context, p *pledge.Pledge, nonce string) (string, error) {
	id, err := s.Processor.CreateCustomer(ctx, psp.NewCustomer{
		Key: "customer:" + p.OrderID + ":" + nonce, Email: p.Email, Metadata: map[string]string{"orderId": p.OrderID},
	})
	if err != nil {
		return "", processorError(err)
	}
	return id, nil
}

// errCardRejected marks errors about a saved card that its pledge does not accept.
var errCardRejected = errors.New("checkout: card not accepted")

// replaceCard sets the card of a complete session on its pledge. If the pledge's charge has failed,
// it is retried immediately. replaceCard may be repeated. It fails with errCardRejected if the
// pledge no longer accepts a card or the session is of another mode.
func (s *Service) replaceCard(ctx context.Context, sess psp.Session) error {
	switch {
	case sess.Status != psp.Complete:
		return fault.New(fault.Conflict, "The session is not complete").In("sessionId")
	case sess.Mode != s.Processor.Mode():
		return fault.Wrap(errCardRejected, fault.Conflict, "The session belongs to %s mode", sess.Mode).In("sessionId")
	}
	card, err := s.card(sess)
	if err != nil {
		return err
	}
	id := sess.Metadata["orderId"]
	if _, err := s.Orders.ReplaceCard(ctx, id, sess.ID, card); err != nil {
		if fault.Is(err, fault.Conflict) {
			err = fmt.Errorf("%w: %w", errCardRejected, err)
		}
		return err
	}
	p, err := s.Orders.Pledge(ctx, id)
	if err != nil {
		return err
	}
	if p, err = s.Projector.Book(ctx, p, ""); err != nil {
		return err
	}
	if p.Open() { // otherwise the result of the charge is emailed
		return s.queueMail(ctx, p, pledge.CardUpdated)
	}
	if p.Status != pledge.PaymentFailed || s.Retry == nil {
		return nil
	}
	return s.Retry(ctx, p.CampaignSlug, p.Email)
}
