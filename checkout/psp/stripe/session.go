package stripe

import (
	"context"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// StartSetup implements psp.Processor.
func (p *Processor) StartSetup(ctx context.Context, s psp.NewSetup) (psp.Session, error) {
	params := &stripego.CheckoutSessionCreateParams{
		Mode:               stripego.String(string(stripego.CheckoutSessionModeSetup)),
		UIMode:             stripego.String(string(s.UIMode)),
		PaymentMethodTypes: stripego.StringSlice([]string{"card"}),
		Metadata:           s.Metadata,
		SetupIntentData:    &stripego.CheckoutSessionCreateSetupIntentDataParams{Metadata: s.Metadata},
	}
	optional := []struct {
		param **string
		value string
	}{{&params.Customer, s.CustomerID}, {&params.Locale, s.Locale}}
	if s.UIMode == psp.Hosted {
		params.SuccessURL, params.CancelURL = stripego.String(s.SuccessURL), stripego.String(s.CancelURL)
	} else {
		params.ReturnURL = stripego.String(s.ReturnURL)
	}
	for _, o := range optional {
		if o.value != "" {
			*o.param = stripego.String(o.value)
		}
	}
	if !s.Expires.IsZero() {
		params.ExpiresAt = new(s.Expires.Unix())
	}
	if err := setKey(&params.Params, s.Key); err != nil {
		return psp.Session{}, err
	}
	session, err := p.client.V1CheckoutSessions.Create(ctx, params)
	if err != nil {
		return psp.Session{}, convertError(err)
	}
	return sessionOf(session), nil
}

// Session implements psp.Processor.
func (p *Processor) Session(ctx context.Context, id string) (psp.Session, error) {
	params := &stripego.CheckoutSessionRetrieveParams{}
	params.AddExpand("setup_intent.payment_method")
	session, err := p.client.V1CheckoutSessions.Retrieve(ctx, id, params)
	if err != nil {
		return psp.Session{}, convertError(err)
	}
	return sessionOf(session), nil
}

// Sessions implements psp.Processor.
func (p *Processor) Sessions(ctx context.Context, q psp.SessionQuery) (psp.SessionPage, error) {
	params := &stripego.CheckoutSessionListParams{
		CreatedRange: &stripego.RangeQueryParams{GreaterThanOrEqual: q.From.Unix(), LesserThan: q.To.Unix()},
		Status:       stripego.String(string(stripego.CheckoutSessionStatusComplete)),
	}
	params.Limit = new(int64(q.Limit))
	if q.After != "" {
		params.StartingAfter = stripego.String(q.After)
	}
	params.AddExpand("data.customer")
	params.AddExpand("data.setup_intent.payment_method")
	out := psp.SessionPage{Sessions: []psp.Session{}}
	for session, err := range p.client.V1CheckoutSessions.List(ctx, params) {
		if err != nil {
			return psp.SessionPage{}, convertError(err)
		}
		listed := sessionOf(session)
		if session.Customer != nil {
			listed.Email = session.Customer.Email
		}
		out.Sessions = append(out.Sessions, listed)
		if len(out.Sessions) == q.Limit {
			out.Next = session.ID
			break
		}
	}
	return out, nil
}

// ExpireSession implements psp.Processor. A rejection may mean that the session
// has already ended, so the session is read to find out.
func (p *Processor) ExpireSession(ctx context.Context, id, key string) (psp.Session, error) {
	params := &stripego.CheckoutSessionExpireParams{}
	if err := setKey(&params.Params, key); err != nil {
		return psp.Session{}, err
	}
	session, err := p.client.V1CheckoutSessions.Expire(ctx, id, params)
	if err == nil {
		return sessionOf(session), nil
	}
	refused := convertError(err)
	if !fault.Is(refused, fault.Invalid) {
		return psp.Session{}, refused
	}
	now, err := p.Session(ctx, id)
	if err != nil {
		return psp.Session{}, err
	}
	if now.Status == psp.Open {
		return psp.Session{}, refused
	}
	return now, nil
}

func sessionOf(s *stripego.CheckoutSession) psp.Session {
	out := psp.Session{
		ID:           s.ID,
		Status:       psp.SessionStatus(s.Status),
		Mode:         psp.ModeOf(s.Livemode),
		ClientSecret: s.ClientSecret,
		URL:          s.URL,
		Expires:      time.Unix(s.ExpiresAt, 0).UTC(),
		Metadata:     s.Metadata,
	}
	if s.Status != stripego.CheckoutSessionStatusComplete || s.SetupIntent == nil {
		return out
	}
	if s.Customer != nil {
		out.CustomerID = s.Customer.ID
	}
	out.SetupIntentID = s.SetupIntent.ID
	if pm := s.SetupIntent.PaymentMethod; pm != nil {
		out.PaymentMethodID = pm.ID
		if pm.Created != 0 {
			out.CompletedAt = time.Unix(pm.Created, 0).UTC()
		}
		if pm.Card != nil {
			out.Card = psp.CardLabel{Brand: string(pm.Card.Brand), Last4: pm.Card.Last4}
		}
	}
	return out
}

// setKey sets a request's idempotency key. Without one, the library would
// generate a random key, which could not be repeated after a crash.
func setKey(params *stripego.Params, key string) error {
	if key == "" {
		return fault.New(fault.Invalid, "A call that changes something needs an idempotency key").In("key")
	}
	params.SetIdempotencyKey(key)
	return nil
}
