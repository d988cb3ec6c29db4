package rest

import (
	"context"
	"net/url"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const sessions = "/v1/checkout/sessions"

// StartSetup implements psp.Processor.
func (p *Processor) StartSetup(ctx context.Context, n psp.NewSetup) (psp.Session, error) {
	form := url.Values{"mode": {"setup"}, "ui_mode": {string(n.UIMode)}, "payment_method_types[0]": {"card"}}
	setIfNotEmpty(form, "customer", n.CustomerID)
	setIfNotEmpty(form, "locale", n.Locale)
	if n.UIMode == psp.Hosted {
		setIfNotEmpty(form, "success_url", n.SuccessURL)
		setIfNotEmpty(form, "cancel_url", n.CancelURL)
	} else {
		setIfNotEmpty(form, "return_url", n.ReturnURL)
	}
	if !n.Expires.IsZero() {
		form.Set("expires_at", formatInt(n.Expires.Unix()))
	}
	setMap(form, "metadata", n.Metadata)
	setMap(form, "setup_intent_data[metadata]", n.Metadata)
	c, err := newPost(sessions, n.Key, form)
	if err != nil {
		return psp.Session{}, err
	}
	return p.session(ctx, c)
}

// Session implements psp.Processor.
func (p *Processor) Session(ctx context.Context, id string) (psp.Session, error) {
	form := url.Values{"expand[0]": {"setup_intent.payment_method"}}
	return p.session(ctx, call{method: "GET", path: objectPath(sessions, id, ""), form: form})
}

// Sessions implements psp.Processor.
func (p *Processor) Sessions(ctx context.Context, q psp.SessionQuery) (psp.SessionPage, error) {
	form := url.Values{
		"created[gte]": {formatInt(q.From.Unix())}, "created[lt]": {formatInt(q.To.Unix())},
		"status": {string(psp.Complete)}, "limit": {formatInt(int64(q.Limit))}, "expand[0]": {"data.customer"},
		"expand[1]": {"data.setup_intent.payment_method"},
	}
	setIfNotEmpty(form, "starting_after", q.After)
	var list struct {
		Data    []session `json:"data"`
		HasMore bool      `json:"has_more"`
	}
	if _, err := p.do(ctx, call{method: "GET", path: sessions, form: form}, &list); err != nil {
		return psp.SessionPage{}, convertError(err)
	}
	out := psp.SessionPage{Sessions: []psp.Session{}}
	for _, s := range list.Data {
		out.Sessions = append(out.Sessions, s.psp())
	}
	if n := len(list.Data); list.HasMore && n > 0 {
		out.Next = list.Data[n-1].ID
	}
	return out, nil
}

// ExpireSession implements psp.Processor. A rejection may mean that the session
// has already ended, so the session is read to find out.
func (p *Processor) ExpireSession(ctx context.Context, id, key string) (psp.Session, error) {
	c, err := newPost(objectPath(sessions, id, "/expire"), key, nil)
	if err != nil {
		return psp.Session{}, err
	}
	s, refused := p.session(ctx, c)
	if !fault.Is(refused, fault.Invalid) {
		return s, refused
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

func (p *Processor) session(ctx context.Context, c call) (psp.Session, error) {
	var s session
	if _, err := p.do(ctx, c, &s); err != nil {
		return psp.Session{}, convertError(err)
	}
	return s.psp(), nil
}
