package rest

import (
	"context"
	"net/url"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

const customers = "/v1/customers"

// CreateCustomer implements psp.Processor.
func (p *Processor) CreateCustomer(ctx context.Context, n psp.NewCustomer) (string, error) {
	form := url.Values{}
	setIfNotEmpty(form, "email", n.Email)
	setMap(form, "metadata", n.Metadata)
	c, err := newPost(customers, n.Key, form)
	if err != nil {
		return "", err
	}
	var made struct {
		ID string `json:"id"`
	}
	if _, err := p.do(ctx, c, &made); err != nil {
		return "", convertError(err)
	}
	return made.ID, nil
}

// UpdateCustomer implements psp.Processor.
func (p *Processor) UpdateCustomer(ctx context.Context, id, key string, metadata map[string]string) error {
	form := url.Values{}
	setMap(form, "metadata", metadata)
	c, err := newPost(objectPath(customers, id, ""), key, form)
	if err != nil {
		return err
	}
	if _, err := p.do(ctx, c, &customer{}); err != nil {
		return convertError(err)
	}
	return nil
}

// Customers implements psp.Processor.
func (p *Processor) Customers(ctx context.Context, q psp.CustomerQuery) (psp.CustomerPage, error) {
	form := url.Values{"created[gte]": {formatInt(q.From.Unix())}, "created[lt]": {formatInt(q.To.Unix())},
		"limit": {formatInt(int64(q.Limit))}}
	setIfNotEmpty(form, "starting_after", q.After)
	var list struct {
		Data    []customer `json:"data"`
		HasMore bool       `json:"has_more"`
	}
	if _, err := p.do(ctx, call{method: "GET", path: customers, form: form}, &list); err != nil {
		return psp.CustomerPage{}, convertError(err)
	}
	out := psp.CustomerPage{Customers: []psp.Customer{}}
	for _, c := range list.Data {
		out.Customers = append(out.Customers,
			psp.Customer{ID: c.ID, Metadata: c.Metadata, CreatedAt: time.Unix(c.Created, 0).UTC()})
	}
	if n := len(list.Data); list.HasMore && n > 0 {
		out.Next = list.Data[n-1].ID
	}
	return out, nil
}
