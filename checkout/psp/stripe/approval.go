package stripe

import (
	"context"
	"net/http"
	"slices"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Approval implements psp.Processor. After a decline the payment no longer has a
// payment method; the error contains the one that was declined.
func (p *Processor) Approval(ctx context.Context, id string) (psp.Approval, error) {
	intent, err := p.client.V1PaymentIntents.Retrieve(ctx, id, &stripego.PaymentIntentRetrieveParams{})
	if err != nil {
		return psp.Approval{}, convertError(err)
	}
	if statusOf(intent) != psp.NeedsAction || intent.LastPaymentError.PaymentMethod == nil {
		return psp.Approval{}, fault.New(fault.Conflict, "The payment is no longer awaiting approval")
	}
	return psp.Approval{
		PaymentID:       intent.ID,
		ClientSecret:    intent.ClientSecret,
		PaymentMethodID: intent.LastPaymentError.PaymentMethod.ID,
		Amount:          money.Cents(intent.Amount),
		Currency:        string(intent.Currency),
	}, nil
}

// Card implements psp.Processor.
func (p *Processor) Card(ctx context.Context, id string) (psp.Card, error) {
	method, err := p.client.V1PaymentMethods.Retrieve(ctx, id, &stripego.PaymentMethodRetrieveParams{})
	if err != nil {
		return psp.Card{}, convertError(err)
	}
	if method.Card == nil {
		return psp.Card{}, fault.New(fault.NotFound, "The payment method is not a card")
	}
	card := psp.Card{ExpiresYear: int(method.Card.ExpYear), ExpiresMonth: time.Month(method.Card.ExpMonth)}
	if method.Customer != nil {
		card.CustomerID = method.Customer.ID
	}
	return card, nil
}

// DetachCard implements psp.Processor. A rejection may mean that the card is
// already detached, so the card is read to find out.
func (p *Processor) DetachCard(ctx context.Context, id, key string) error {
	params := &stripego.PaymentMethodDetachParams{}
	if err := setKey(&params.Params, key); err != nil {
		return err
	}
	_, err := p.client.V1PaymentMethods.Detach(ctx, id, params)
	if err == nil {
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
	a, err := p.client.V1Accounts.Retrieve(ctx, &stripego.AccountRetrieveParams{})
	if err != nil {
		return psp.Account{}, convertError(err)
	}
	at, err := http.ParseTime(a.LastResponse.Header.Get("Date"))
	if err != nil || a.ID == "" {
		return psp.Account{}, fault.Wrap(err, fault.Unavailable, "The processor did not report its account or time")
	}
	return psp.Account{ID: a.ID, At: at.UTC()}, nil
}

// CancelPayment implements psp.Processor. A rejection may mean that the payment
// has already ended or is in progress, so the payment is read to find out.
func (p *Processor) CancelPayment(ctx context.Context, id, key string) (psp.Payment, error) {
	params := &stripego.PaymentIntentCancelParams{}
	if err := setKey(&params.Params, key); err != nil {
		return psp.Payment{}, err
	}
	params.AddExpand(financials)
	intent, err := p.client.V1PaymentIntents.Cancel(ctx, id, params)
	if err == nil {
		return paymentOf(intent), nil
	}
	refused := convertError(err)
	if !fault.Is(refused, fault.Invalid) {
		return psp.Payment{}, refused
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

// temporaryDeclines are the decline codes after which the same card may be
// accepted later, according to Stripe's documentation.
var temporaryDeclines = []stripego.DeclineCode{
	stripego.DeclineCodeInsufficientFunds,
	stripego.DeclineCodeProcessingError,
	stripego.DeclineCodeIssuerNotAvailable,
	stripego.DeclineCodeTryAgainLater,
	stripego.DeclineCodeReenterTransaction,
	stripego.DeclineCodeCardVelocityExceeded,
	stripego.DeclineCodeWithdrawalCountLimitExceeded,
}

func isTemporary(e *stripego.Error) bool {
	return slices.Contains(temporaryDeclines, e.DeclineCode) || e.Code == stripego.ErrorCodeProcessingError
}
