package stripe

import (
	"context"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// CreateCustomer implements psp.Processor.
func (p *Processor) CreateCustomer(ctx context.Context, c psp.NewCustomer) (string, error) {
	params := &stripego.CustomerCreateParams{Metadata: c.Metadata}
	if c.Email != "" {
		params.Email = stripego.String(c.Email)
	}
	if err := setKey(&params.Params, c.Key); err != nil {
		return "", err
	}
	customer, err := p.client.V1Customers.Create(ctx, params)
	if err != nil {
		return "", convertError(err)
	}
	return customer.ID, nil
}

// UpdateCustomer implements psp.Processor.
func (p *Processor) UpdateCustomer(ctx context.Context, id, key string, metadata map[string]string) error {
	params := &stripego.CustomerUpdateParams{Metadata: metadata}
	if err := setKey(&params.Params, key); err != nil {
		return err
	}
	if _, err := p.client.V1Customers.Update(ctx, id, params); err != nil {
		return convertError(err)
	}
	return nil
}

// Customers implements psp.Processor.
func (p *Processor) Customers(ctx context.Context, q psp.CustomerQuery) (psp.CustomerPage, error) {
	params := &stripego.CustomerListParams{
		CreatedRange: &stripego.RangeQueryParams{GreaterThanOrEqual: q.From.Unix(), LesserThan: q.To.Unix()},
	}
	params.Limit = new(int64(q.Limit))
	if q.After != "" {
		params.StartingAfter = stripego.String(q.After)
	}
	out := psp.CustomerPage{Customers: []psp.Customer{}}
	for c, err := range p.client.V1Customers.List(ctx, params) {
		if err != nil {
			return psp.CustomerPage{}, convertError(err)
		}
		out.Customers = append(out.Customers,
			psp.Customer{ID: c.ID, Metadata: c.Metadata, CreatedAt: time.Unix(c.Created, 0).UTC()})
		if len(out.Customers) == q.Limit {
			out.Next = c.ID
			break
		}
	}
	return out, nil
}
