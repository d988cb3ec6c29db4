package stripe

import (
	"context"
	"maps"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const financials = "latest_charge.balance_transaction"

// Charge implements psp.Processor. The capture is synchronous, so that the
// response includes the balance transaction whenever possible.
func (p *Processor) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	if c.Key == "" || c.Group == "" {
		return psp.Outcome{Status: psp.NotStarted, Code: "key_or_group_missing"}
	}
	if ctx.Err() != nil {
		return psp.Outcome{Status: psp.NotStarted, Code: "canceled"}
	}
	metadata := map[string]string{}
	maps.Copy(metadata, c.Metadata)
	metadata[psp.GroupKey] = c.Group
	params := &stripego.PaymentIntentCreateParams{
		Amount:             new(int64(c.Amount)),
		Currency:           stripego.String(money.USD),
		Customer:           stripego.String(c.CustomerID),
		PaymentMethod:      stripego.String(c.PaymentMethodID),
		PaymentMethodTypes: stripego.StringSlice([]string{"card"}),
		CaptureMethod:      stripego.String(string(stripego.PaymentIntentCaptureMethodAutomatic)),
		Confirm:            new(true),
		OffSession:         new(true),
		Metadata:           metadata,
	}
	if c.Description != "" {
		params.Description = stripego.String(c.Description)
	}
	params.AddExpand(financials)
	params.SetIdempotencyKey(c.Key)
	s := &sendTracker{}
	intent, err := p.client.V1PaymentIntents.Create(s.watch(sendBefore(ctx, c.NotAfter)), params)
	if err != nil && s.unsent() {
		return psp.Outcome{Status: psp.NotStarted, Code: "not_sent"}
	}
	if err != nil {
		return outcome(err)
	}
	payment := paymentOf(intent)
	return psp.Outcome{Status: payment.Status, Payment: payment, RequestID: requestID(intent.LastResponse)}
}

// FindCharge implements psp.Processor.
func (p *Processor) FindCharge(ctx context.Context, customerID, group string) ([]psp.Payment, error) {
	params := &stripego.PaymentIntentListParams{Customer: stripego.String(customerID)}
	params.Limit = stripego.Int64(100)
	params.AddExpand("data." + financials)
	var found []psp.Payment
	for intent, err := range p.client.V1PaymentIntents.List(ctx, params) {
		if err != nil {
			return nil, convertError(err)
		}
		if intent.Metadata[psp.GroupKey] == group {
			found = append(found, paymentOf(intent))
		}
	}
	return found, nil
}

// Payments implements psp.Processor.
func (p *Processor) Payments(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	params := &stripego.PaymentIntentListParams{
		CreatedRange: &stripego.RangeQueryParams{GreaterThanOrEqual: q.From.Unix(), LesserThan: q.To.Unix()},
	}
	params.Limit = new(int64(q.Limit))
	if q.After != "" {
		params.StartingAfter = stripego.String(q.After)
	}
	params.AddExpand("data." + financials)
	out := psp.PaymentPage{Payments: []psp.Payment{}}
	for intent, err := range p.client.V1PaymentIntents.List(ctx, params) {
		if err != nil {
			return psp.PaymentPage{}, convertError(err)
		}
		out.Payments = append(out.Payments, paymentOf(intent))
		if len(out.Payments) == q.Limit {
			out.Next = intent.ID
			break
		}
	}
	return out, nil
}

// Payment implements psp.Processor.
func (p *Processor) Payment(ctx context.Context, id string) (psp.Payment, error) {
	params := &stripego.PaymentIntentRetrieveParams{}
	params.AddExpand(financials)
	intent, err := p.client.V1PaymentIntents.Retrieve(ctx, id, params)
	if err != nil {
		return psp.Payment{}, convertError(err)
	}
	return paymentOf(intent), nil
}

func paymentOf(in *stripego.PaymentIntent) psp.Payment {
	out := psp.Payment{
		ID:        in.ID,
		Status:    statusOf(in),
		Amount:    money.Cents(in.Amount),
		Received:  money.Cents(in.AmountReceived),
		Currency:  string(in.Currency),
		Mode:      psp.ModeOf(in.Livemode),
		Group:     in.Metadata[psp.GroupKey],
		Campaign:  in.Metadata[psp.CampaignKey],
		Pledges:   psp.SplitPledges(in.Metadata[psp.PledgesKey]),
		CreatedAt: time.Unix(in.Created, 0).UTC(),
	}
	if in.Customer != nil {
		out.CustomerID = in.Customer.ID
	}
	if in.PaymentMethod != nil {
		out.PaymentMethodID = in.PaymentMethod.ID
	}
	if e := in.LastPaymentError; e != nil && (out.Status == psp.Declined || out.Status == psp.NeedsAction) {
		out.Code, out.DeclineCode, out.MayPass = string(e.Code), string(e.DeclineCode), isTemporary(e)
		if e.PaymentMethod != nil && out.PaymentMethodID == "" {
			out.PaymentMethodID = e.PaymentMethod.ID
		}
	}
	if in.LatestCharge == nil {
		return out
	}
	out.ChargeID = in.LatestCharge.ID
	out.Refunded, out.Disputed = money.Cents(in.LatestCharge.AmountRefunded), in.LatestCharge.Disputed
	if b := in.LatestCharge.BalanceTransaction; b != nil && b.Created != 0 {
		out.Financials = psp.Financials{
			BalanceTransactionID: b.ID,
			Gross:                money.Cents(b.Amount),
			Fee:                  money.Cents(b.Fee),
			Net:                  money.Cents(b.Net),
			AvailableAt:          time.Unix(b.AvailableOn, 0).UTC(),
		}
	}
	return out
}

// statusOf returns a payment's status. A payment that requires another payment method has failed;
// one that is only created, or in progress, may still succeed.
func statusOf(in *stripego.PaymentIntent) psp.Status {
	switch in.Status {
	case stripego.PaymentIntentStatusSucceeded:
		return psp.Succeeded
	case stripego.PaymentIntentStatusRequiresPaymentMethod:
		if e := in.LastPaymentError; e != nil && needsAuthentication(e) {
			return psp.NeedsAction
		}
		return psp.Declined
	case stripego.PaymentIntentStatusCanceled:
		return psp.Canceled
	default:
		return psp.Pending
	}
}
