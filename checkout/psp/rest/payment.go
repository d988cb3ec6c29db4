package rest

import (
	"context"
	"net/url"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const (
	payments   = "/v1/payment_intents"
	financials = "latest_charge.balance_transaction"
	pageLimit  = 100
)

// Charge implements psp.Processor. The capture is synchronous, so that the
// response includes the balance transaction whenever possible.
func (p *Processor) Charge(ctx context.Context, n psp.NewCharge) psp.Outcome {
	if n.Key == "" || n.Group == "" {
		return psp.Outcome{Status: psp.NotStarted, Code: "key_or_group_missing"}
	}
	if ctx.Err() != nil {
		return psp.Outcome{Status: psp.NotStarted, Code: "canceled"}
	}
	form := url.Values{
		"amount": {formatInt(int64(n.Amount))}, "currency": {money.USD},
		"customer": {n.CustomerID}, "payment_method": {n.PaymentMethodID}, "payment_method_types[0]": {"card"},
		"capture_method": {"automatic"}, "confirm": {"true"}, "off_session": {"true"}, "expand[0]": {financials},
	}
	setIfNotEmpty(form, "description", n.Description)
	setMap(form, "metadata", n.Metadata)
	form.Set("metadata["+psp.GroupKey+"]", n.Group)
	var in intent
	requestID, err := p.do(ctx,
		call{method: "POST", path: payments, key: n.Key, form: form, notAfter: &n.NotAfter}, &in)
	if err != nil {
		return outcome(err, requestID)
	}
	payment := in.payment()
	return psp.Outcome{Status: payment.Status, Payment: payment, RequestID: requestID}
}

// FindCharge implements psp.Processor.
func (p *Processor) FindCharge(ctx context.Context, customerID, group string) ([]psp.Payment, error) {
	form := url.Values{"customer": {customerID}}
	var found []psp.Payment
	for more := true; more; {
		page, next, err := p.list(ctx, form, pageLimit)
		if err != nil {
			return nil, err
		}
		for _, in := range page {
			if in.Group == group {
				found = append(found, in)
			}
		}
		more = next != ""
		form.Set("starting_after", next)
	}
	return found, nil
}

// Payments implements psp.Processor.
func (p *Processor) Payments(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	form := url.Values{"created[gte]": {formatInt(q.From.Unix())}, "created[lt]": {formatInt(q.To.Unix())}}
	setIfNotEmpty(form, "starting_after", q.After)
	page, next, err := p.list(ctx, form, q.Limit)
	if err != nil {
		return psp.PaymentPage{}, err
	}
	return psp.PaymentPage{Payments: page, Next: next}, nil
}

// list reads a page of payments; next is "" on the last page.
func (p *Processor) list(ctx context.Context, form url.Values, limit int) (page []psp.Payment, next string, err error) {
	form.Set("limit", formatInt(int64(limit)))
	form.Set("expand[0]", "data."+financials)
	var list struct {
		Data    []intent `json:"data"`
		HasMore bool     `json:"has_more"`
	}
	if _, err := p.do(ctx, call{method: "GET", path: payments, form: form}, &list); err != nil {
		return nil, "", convertError(err)
	}
	page = []psp.Payment{}
	for _, in := range list.Data {
		page = append(page, in.payment())
	}
	if n := len(page); list.HasMore && n > 0 {
		next = page[n-1].ID
	}
	return page, next, nil
}

// Payment implements psp.Processor.
func (p *Processor) Payment(ctx context.Context, id string) (psp.Payment, error) {
	in, err := p.intent(ctx,
		call{method: "GET", path: objectPath(payments, id, ""), form: url.Values{"expand[0]": {financials}}})
	return in.payment(), err
}

func (p *Processor) intent(ctx context.Context, c call) (intent, error) {
	var in intent
	if _, err := p.do(ctx, c, &in); err != nil {
		return intent{}, convertError(err)
	}
	return in, nil
}

// Approval implements psp.Processor. After a decline the payment no longer has a
// payment method; the error contains the one that was declined.
func (p *Processor) Approval(ctx context.Context, id string) (psp.Approval, error) {
	in, err := p.intent(ctx, call{method: "GET", path: objectPath(payments, id, "")})
	if err != nil {
		return psp.Approval{}, err
	}
	if in.status() != psp.NeedsAction || in.LastError.PaymentMethod.ID == "" {
		return psp.Approval{}, fault.New(fault.Conflict, "The payment is no longer awaiting approval")
	}
	return psp.Approval{
		PaymentID: in.ID, ClientSecret: in.ClientSecret, PaymentMethodID: in.LastError.PaymentMethod.ID,
		Amount: money.Cents(in.Amount), Currency: in.Currency,
	}, nil
}

// Card implements psp.Processor.
func (p *Processor) Card(ctx context.Context, id string) (psp.Card, error) {
	var m paymentMethod
	if _, err := p.do(ctx, call{method: "GET", path: objectPath("/v1/payment_methods", id, "")}, &m); err != nil {
		return psp.Card{}, convertError(err)
	}
	if m.Card == nil {
		return psp.Card{}, fault.New(fault.NotFound, "The payment method is not a card")
	}
	return psp.Card{CustomerID: m.Customer.ID, ExpiresYear: m.Card.ExpYear,
		ExpiresMonth: time.Month(m.Card.ExpMonth)}, nil
}

// DetachCard implements psp.Processor. A rejection may mean that the card is
// already detached, so the card is read to find out.
func (p *Processor) DetachCard(ctx context.Context, id, key string) error {
	c, err := newPost(objectPath("/v1/payment_methods", id, "/detach"), key, nil)
	if err != nil {
		return err
	}
	if _, err = p.do(ctx, c, &paymentMethod{}); err == nil {
		return nil
	}
	refused := convertError(err)
	if !fault.Is(refused, fault.Invalid) {
		return refused
	}
	card, err := p.Card(ctx, id)
	if err == nil && card.CustomerID != "" {
		return refused
	}
	return err
}

// Account implements psp.Processor.
func (p *Processor) Account(ctx context.Context) (psp.Account, error) {
	var a ref[struct{}]
	res, err := p.exchange(ctx, call{method: "GET", path: "/v1/account"}, &a)
	if err != nil {
		return psp.Account{}, convertError(err)
	}
	at, err := time.Parse(time.RFC1123, res.Header("Date"))
	if err != nil || a.ID == "" {
		return psp.Account{}, fault.Wrap(err, fault.Unavailable, "The processor did not report its account or time")
	}
	return psp.Account{ID: a.ID, At: at.UTC()}, nil
}

// CancelPayment implements psp.Processor. A rejection may mean that the payment
// has already ended or is in progress, so the payment is read to find out.
func (p *Processor) CancelPayment(ctx context.Context, id, key string) (psp.Payment, error) {
	c, err := newPost(objectPath(payments, id, "/cancel"), key, url.Values{"expand[0]": {financials}})
	if err != nil {
		return psp.Payment{}, err
	}
	in, refused := p.intent(ctx, c)
	if !fault.Is(refused, fault.Invalid) {
		return in.payment(), refused
	}
	now, err := p.Payment(ctx, id)
	if err != nil {
		return psp.Payment{}, err
	}
	if now.Status == psp.Declined || now.Status == psp.NeedsAction {
		return psp.Payment{}, refused
	}
	return now, nil
}
