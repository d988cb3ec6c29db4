package sim

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// processor implements psp.Processor on top of Serve. It encodes requests and decodes responses
// like an HTTP client, so that in-process tests use the same representation.
type processor struct{ sim *Sim }

// Processor returns an in-process psp.Processor. The caller's clock for NotAfter
// is Options.Now; Advance moves only the simulator's.
func (s *Sim) Processor() psp.Processor { return processor{s} }

var _ psp.Processor = processor{}

// Mode implements psp.Processor.
func (p processor) Mode() psp.Mode { return p.sim.opts.Mode }

// Account implements psp.Processor.
func (p processor) Account(ctx context.Context) (psp.Account, error) {
	var out struct {
		ID string `json:"id"`
	}
	a, err := p.fetch(ctx, Call{Method: "GET", Path: "/v1/account"}, &out)
	if err != nil {
		return psp.Account{}, err
	}
	return psp.Account{ID: out.ID, At: a.Date.UTC().Truncate(time.Second)}, nil
}

// CreateCustomer implements psp.Processor.
func (p processor) CreateCustomer(ctx context.Context, c psp.NewCustomer) (string, error) {
	form := url.Values{}
	set(form, "email", c.Email)
	setMetadata(form, "metadata", c.Metadata)
	var out struct {
		ID string `json:"id"`
	}
	if err := p.post(ctx, "/v1/customers", form, c.Key, &out); err != nil {
		return "", err
	}
	return out.ID, nil
}

// StartSetup implements psp.Processor.
func (p processor) StartSetup(ctx context.Context, n psp.NewSetup) (psp.Session, error) {
	form := url.Values{"mode": {"setup"}, "ui_mode": {string(n.UIMode)}, "payment_method_types[0]": {"card"}}
	set(form, "customer", n.CustomerID)
	set(form, "locale", n.Locale)
	if n.UIMode == psp.Hosted {
		set(form, "success_url", n.SuccessURL)
		set(form, "cancel_url", n.CancelURL)
	} else {
		set(form, "return_url", n.ReturnURL)
	}
	if !n.Expires.IsZero() {
		form.Set("expires_at", strconv.FormatInt(n.Expires.Unix(), 10))
	}
	setMetadata(form, "metadata", n.Metadata)
	setMetadata(form, "setup_intent_data[metadata]", n.Metadata)
	var out wireSession
	err := p.post(ctx, "/v1/checkout/sessions", form, n.Key, &out)
	if err != nil {
		return psp.Session{}, err
	}
	return out.session(), nil
}

// Session implements psp.Processor.
func (p processor) Session(ctx context.Context, id string) (psp.Session, error) {
	var out wireSession
	form := url.Values{"expand[]": {"setup_intent.payment_method"}}
	if err := p.get(ctx, "/v1/checkout/sessions/"+url.PathEscape(id), form, &out); err != nil {
		return psp.Session{}, err
	}
	return out.session(), nil
}

// ExpireSession implements psp.Processor. A rejection may mean that the session
// has already ended, so the session is read to find out.
func (p processor) ExpireSession(ctx context.Context, id, key string) (psp.Session, error) {
	var out wireSession
	err := p.post(ctx, "/v1/checkout/sessions/"+url.PathEscape(id)+"/expire", nil, key, &out)
	if err == nil {
		return out.session(), nil
	}
	if !fault.Is(err, fault.Invalid) || key == "" {
		return psp.Session{}, err
	}
	ses, readErr := p.Session(ctx, id)
	if readErr != nil {
		return psp.Session{}, readErr
	}
	if ses.Status == psp.Open {
		return psp.Session{}, err
	}
	return ses, nil
}

// FindCharge implements psp.Processor.
func (p processor) FindCharge(ctx context.Context, customerID, group string) ([]psp.Payment, error) {
	all, err := readAll(ctx, p, "/v1/payment_intents",
		url.Values{"customer": {customerID},
			"expand[]": {"data.latest_charge.balance_transaction"}}, wireIntent.payment)
	return slices.DeleteFunc(all, func(found psp.Payment) bool { return found.Group != group }), err
}

// UpdateCustomer implements psp.Processor.
func (p processor) UpdateCustomer(ctx context.Context, id, key string, metadata map[string]string) error {
	form := url.Values{}
	setMetadata(form, "metadata", metadata)
	var out struct{}
	return p.post(ctx, "/v1/customers/"+url.PathEscape(id), form, key, &out)
}

// Customers implements psp.Processor.
func (p processor) Customers(ctx context.Context, q psp.CustomerQuery) (psp.CustomerPage, error) {
	form := url.Values{"limit": {strconv.Itoa(q.Limit)}, "created[gte]": {strconv.FormatInt(q.From.Unix(), 10)},
		"created[lt]": {strconv.FormatInt(q.To.Unix(), 10)}}
	set(form, "starting_after", q.After)
	var out psp.CustomerPage
	var err error
	out.Customers, out.Next, err = readPage(ctx, p, "/v1/customers", form, wireCustomer.customer)
	return out, err
}

// Payments implements psp.Processor.
func (p processor) Payments(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	form := url.Values{"limit": {strconv.Itoa(q.Limit)}, "created[gte]": {strconv.FormatInt(q.From.Unix(), 10)},
		"created[lt]": {strconv.FormatInt(q.To.Unix(), 10)}, "expand[]": {"data.latest_charge.balance_transaction"}}
	set(form, "starting_after", q.After)
	var out psp.PaymentPage
	var err error
	out.Payments, out.Next, err = readPage(ctx, p, "/v1/payment_intents", form, wireIntent.payment)
	return out, err
}

// Sessions implements psp.Processor.
func (p processor) Sessions(ctx context.Context, q psp.SessionQuery) (psp.SessionPage, error) {
	form := url.Values{"limit": {strconv.Itoa(q.Limit)}, "created[gte]": {strconv.FormatInt(q.From.Unix(), 10)},
		"created[lt]": {strconv.FormatInt(q.To.Unix(), 10)}, "status": {string(psp.Complete)},
		"expand[]": {"data.customer", "data.setup_intent.payment_method"}}
	set(form, "starting_after", q.After)
	var out psp.SessionPage
	var err error
	out.Sessions, out.Next, err = readPage(ctx, p, "/v1/checkout/sessions", form, wireSession.session)
	return out, err
}

// Payment implements psp.Processor.
func (p processor) Payment(ctx context.Context, id string) (psp.Payment, error) {
	var out wireIntent
	form := url.Values{"expand[]": {"latest_charge.balance_transaction"}}
	if err := p.get(ctx, "/v1/payment_intents/"+url.PathEscape(id), form, &out); err != nil {
		return psp.Payment{}, err
	}
	return out.payment(), nil
}

// Card implements psp.Processor.
func (p processor) Card(ctx context.Context, id string) (psp.Card, error) {
	var out struct {
		Customer string `json:"customer"`
		Card     struct {
			Month int `json:"exp_month"`
			Year  int `json:"exp_year"`
		} `json:"card"`
	}
	if err := p.get(ctx, "/v1/payment_methods/"+url.PathEscape(id), nil, &out); err != nil {
		return psp.Card{}, err
	}
	return psp.Card{CustomerID: out.Customer, ExpiresYear: out.Card.Year, ExpiresMonth: time.Month(out.Card.Month)}, nil
}

// DetachCard implements psp.Processor. A rejection may mean that the card is
// already detached, so the card is read to find out.
func (p processor) DetachCard(ctx context.Context, id, key string) error {
	var out struct{}
	refused := p.post(ctx, "/v1/payment_methods/"+url.PathEscape(id)+"/detach", nil, key, &out)
	if !fault.Is(refused, fault.Invalid) || key == "" {
		return refused
	}
	card, err := p.Card(ctx, id)
	if err == nil && card.CustomerID != "" {
		return refused
	}
	return err
}

// Approval implements psp.Processor.
func (p processor) Approval(ctx context.Context, id string) (psp.Approval, error) {
	var in wireIntent
	if err := p.get(ctx, "/v1/payment_intents/"+url.PathEscape(id), nil, &in); err != nil {
		return psp.Approval{}, err
	}
	if in.status() != psp.NeedsAction {
		return psp.Approval{}, fault.New(fault.Conflict, "The payment is no longer awaiting approval")
	}
	return psp.Approval{PaymentID: in.ID, ClientSecret: in.Secret, PaymentMethodID: in.LastError.Method.ID,
		Amount: in.Amount, Currency: in.Currency}, nil
}

// CancelPayment implements psp.Processor. A rejection may mean that the payment
// has already ended or is in progress, so the payment is read to find out.
func (p processor) CancelPayment(ctx context.Context, id, key string) (psp.Payment, error) {
	var out wireIntent
	err := p.post(ctx, "/v1/payment_intents/"+url.PathEscape(id)+"/cancel", nil, key, &out)
	if err == nil {
		return out.payment(), nil
	}
	if !fault.Is(err, fault.Invalid) || key == "" {
		return psp.Payment{}, err
	}
	now, readErr := p.Payment(ctx, id)
	if readErr != nil {
		return psp.Payment{}, readErr
	}
	if now.Status == psp.Declined || now.Status == psp.NeedsAction {
		return psp.Payment{}, err
	}
	return now, nil
}

// Verify implements psp.Processor.
func (p processor) Verify(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
	return Verify(body, signature, secret, now)
}

// Charge implements psp.Processor.
func (p processor) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	if c.Key == "" || c.Group == "" {
		return psp.Outcome{Status: psp.NotStarted, Code: "key_or_group_missing"}
	}
	if status, code := p.unsendable(ctx, c.NotAfter); status != "" {
		return psp.Outcome{Status: status, Code: code}
	}
	form := url.Values{"amount": {strconv.FormatInt(int64(c.Amount), 10)}, "currency": {money.USD},
		"customer": {c.CustomerID}, "payment_method": {c.PaymentMethodID}, "payment_method_types[0]": {"card"},
		"confirm": {"true"}, "off_session": {"true"}, "expand[0]": {"latest_charge.balance_transaction"}}
	if !p.sim.opts.AsyncCapture {
		form.Set("capture_method", "automatic")
	}
	set(form, "description", c.Description)
	setMetadata(form, "metadata", c.Metadata)
	form.Set("metadata["+psp.GroupKey+"]", c.Group)
	return outcome(p.call(ctx, Call{Method: "POST", Path: "/v1/payment_intents", Form: form.Encode(), Key: c.Key}))
}

// unsendable returns the outcome of a request that must not be sent anymore; status is "" if it may be
// sent.
func (p processor) unsendable(ctx context.Context, notAfter time.Time) (status psp.Status, code string) {
	if p.sim.callerClock().After(notAfter) {
		return psp.Unknown, "too_late_to_send"
	}
	if ctx.Err() != nil {
		return psp.NotStarted, "canceled"
	}
	return "", ""
}

// callerClock returns the time on the caller's machine.
func (s *Sim) callerClock() time.Time {
	if s.opts.Now == nil {
		return s.Now()
	}
	return s.opts.Now()
}

// call sends a call through the simulated network. It returns false if the response is lost,
// truncated or later than Options.Timeout.
func (p processor) call(ctx context.Context, c Call) (Answer, bool) {
	c.Version = psp.Version
	c.APIKey = p.sim.opts.APIKey
	if c.APIKey == "" {
		c.APIKey = "sk_" + string(p.sim.opts.Mode) + "_inprocess"
	}
	trace := psp.TraceOf(ctx)
	trace.Requests++
	a := p.sim.Serve(c)
	if a.Lost || a.Wait >= p.sim.opts.Timeout {
		return a, false
	}
	trace.HTTPStatus, trace.RequestID, trace.Replayed = a.Status, a.RequestID, a.Replayed
	return a, !a.Cut
}

func (p processor) post(ctx context.Context, path string, form url.Values, key string, out any) error {
	if key == "" {
		return fault.New(fault.Invalid, "A call that changes something needs an idempotency key").In("key")
	}
	_, err := p.fetch(ctx, Call{Method: "POST", Path: path, Form: form.Encode(), Key: key}, out)
	return err
}

func (p processor) get(ctx context.Context, path string, form url.Values, out any) error {
	_, err := p.fetch(ctx, Call{Method: "GET", Path: path, Form: form.Encode()}, out)
	return err
}

// readPage reads one page of a list. next is the cursor of the following page, "" on the last one.
func readPage[W interface{ id() string }, T any](ctx context.Context, p processor, path string,
	form url.Values, read func(W) T) (page []T, next string, err error) {
	var list struct {
		Data    []W  `json:"data"`
		HasMore bool `json:"has_more"`
	}
	if err := p.get(ctx, path, form, &list); err != nil {
		return nil, "", err
	}
	page = make([]T, 0, len(list.Data))
	for _, w := range list.Data {
		page, next = append(page, read(w)), w.id()
	}
	if !list.HasMore {
		next = ""
	}
	return page, next, nil
}

// readAll reads all pages of a list.
func readAll[W interface{ id() string }, T any](ctx context.Context, p processor, path string,
	form url.Values, read func(W) T) ([]T, error) {
	form.Set("limit", "100")
	var all []T
	for {
		page, next, err := readPage(ctx, p, path, form, read)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if next == "" {
			return all, nil
		}
		form.Set("starting_after", next)
	}
}

func (p processor) fetch(ctx context.Context, c Call, out any) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, fault.Wrap(err, fault.Unavailable, "The call to the processor was canceled")
	}
	a, ok := p.call(ctx, c)
	if !ok {
		return a, fault.New(fault.Unavailable, "The processor did not answer")
	}
	if a.Status != 200 {
		return a, convertError(a)
	}
	if err := json.Unmarshal(a.Body, out); err != nil {
		return a, fault.Wrap(err, fault.Unavailable, "Invalid response from the processor")
	}
	return a, nil
}

func set(form url.Values, name, value string) {
	if value != "" {
		form.Set(name, value)
	}
}

func setMetadata(form url.Values, name string, m map[string]string) {
	for k, v := range m {
		form.Set(name+"["+k+"]", v)
	}
}
