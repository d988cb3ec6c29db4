package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Request calls the API as the public site does. The body is encoded as JSON unless it is nil or
// []byte. header contains alternating canonical names and values of additional headers.
func (h *Host) Request(ctx context.Context, method, path, query string, body any, header ...string) httpapi.Response {
	all := map[string]string{"Origin": string(h.Config.Site.Base), "Content-Type": "application/json"}
	for i := 0; i+1 < len(header); i += 2 {
		all[header[i]] = header[i+1]
	}
	var b []byte
	switch v := body.(type) {
	case nil:
	case []byte:
		b = v
	default:
		b, _ = json.Marshal(v) // test bodies can be encoded
	}
	r := h.API.Serve(ctx, httpapi.Request{
		Method: method, Path: path, RawQuery: query, Header: headers(all), Body: b, ClientIP: "127.0.0.1",
	})
	if err := r.Gather(); err != nil {
		r.Status = 500
	}
	return r
}

// Pledge makes a pledge: it starts a checkout, saves a card from package sim ("" means sim.CardOK),
// and completes the checkout. It returns the response to the start.
func (h *Host) Pledge(ctx context.Context, r checkout.StartRequest, card string) (checkout.Started, error) {
	if card == "" {
		card = sim.CardOK
	}
	started, err := h.Services.Checkout.Start(ctx, r)
	if err != nil {
		return started, fmt.Errorf("start: %w", err)
	}
	if err := h.Sim.Complete(started.SessionID, card); err != nil {
		return started, fmt.Errorf("save card: %w", err)
	}
	_, err = h.Services.Checkout.Complete(ctx,
		checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID})
	if err != nil {
		return started, fmt.Errorf("complete: %w", err)
	}
	return started, nil
}

// Pass advances the clock by d in steps of an hour. After each step it delivers the processor's
// webhooks, runs the hourly job, and runs the requested settlement batches.
func (h *Host) Pass(ctx context.Context, d time.Duration) error {
	for end := h.Now().Add(d); h.Now().Before(end); {
		h.Advance(min(time.Hour, end.Sub(h.Now())))
		h.Deliver(ctx)
		if _, err := h.Services.Cron(ctx); err != nil {
			return err
		}
		if err := h.Settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Token returns a new token for a pledge's manage link.
func (h *Host) Token(pledgeID, email, slug string) (string, error) {
	return h.Services.Checkout.Links.Signer.Sign(token.Claims{
		Scope: token.Manage, OrderID: pledgeID, Email: email, CampaignSlug: slug,
		Expires: h.Now().Add(token.ManageLife),
	})
}
