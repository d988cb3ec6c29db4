package sim

import (
	"maps"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// render returns the API representation of an object with unexpanded references,
// or nil if there is no such object.
func (s *Sim) render(id string) object {
	prefix, _, _ := strings.Cut(id, "_")
	st := s.st
	var o object
	switch prefix {
	case "cus":
		o = st.Customers[id].render()
	case "cs":
		o = s.renderSession(st.Sessions[id])
	case "seti":
		o = st.SetupIntents[id].render()
	case "pm":
		o = st.PaymentMethods[id].render()
	case "pi":
		o = s.renderIntent(st.Intents[id])
	case "ch":
		o = s.renderCharge(st.Charges[id])
	case "re":
		return st.Refunds[id].render()
	case "du":
		o = s.renderDispute(st.Disputes[id])
	case "issfr":
		o = st.Warnings[id].render()
	case "po":
		o = st.Payouts[id].render()
	case "txn":
		o = st.BalanceTxns[id].render(s.clock().Before)
	case "evt":
		o = s.renderEvent(st.Events[id])
	case "we":
		o = st.Endpoints[id].render()
	}
	if o == nil {
		return nil
	}
	if prefix != "pm" {
		o["livemode"] = s.opts.Mode == psp.Live
	}
	return o
}

// retrieve handles all requests that read one object.
func (s *Sim) retrieve(r request) (work, *apiError) {
	wanted := map[Op]string{RetrieveCustomer: "cus_", RetrieveRefund: "re_", RetrieveDispute: "du_", RetrievePayout: "po_", RetrieveWarning: "issfr_",
		RetrieveSession: "cs_", RetrieveSetupIntent: "seti_",
		RetrievePaymentMethod: "pm_", RetrieveIntent: "pi_", RetrieveCharge: "ch_", RetrieveBalanceTxn: "txn_",
		RetrieveEvent: "evt_", RetrieveEndpoint: "we_"}[r.op]
	what := strings.TrimSuffix(string(r.op), ".retrieve")
	if !strings.HasPrefix(r.id, wanted) {
		return nil, notFound(what, r.id)
	}
	o := s.render(r.id)
	if o == nil {
		return nil, notFound(what, r.id)
	}
	return func() (object, *apiError) { return o, nil }, nil
}

func (s *Sim) retrieveAccount(request) (work, *apiError) {
	return func() (object, *apiError) {
		return object{"id": s.opts.Account, "object": "account", "livemode": s.opts.Mode == psp.Live}, nil
	}, nil
}

func (c *customer) render() object {
	if c == nil {
		return nil
	}
	return object{"id": c.ID, "object": "customer", "email": nullIfEmpty(c.Email), "name": nullIfEmpty(c.Name),
		"description": nullIfEmpty(c.Description), "metadata": meta(c.Metadata), "created": unix(c.Created)}
}

func (s *Sim) renderSession(ses *session) object {
	if ses == nil {
		return nil
	}
	o := object{"id": ses.ID, "object": "checkout.session", "mode": "setup", "ui_mode": string(ses.UIMode),
		"status": string(ses.Status), "payment_status": "no_payment_required", "customer": ses.Customer,
		"setup_intent": ses.SetupIntent, "payment_intent": nil, "payment_method_types": []string{"card"},
		"return_url": nullIfEmpty(ses.ReturnURL), "success_url": nullIfEmpty(ses.SuccessURL),
		"cancel_url": nullIfEmpty(ses.CancelURL),
		"locale":     nullIfEmpty(ses.Locale), "client_reference_id": nullIfEmpty(ses.ClientReference), "currency": nil,
		"metadata": meta(ses.Metadata), "created": unix(ses.Created), "expires_at": unix(ses.Expires),
		"client_secret": nil, "url": nil}
	switch {
	case !ses.open():
	case ses.UIMode == psp.Hosted:
		o["url"] = s.opts.BaseURL + "/_sim/pay/" + ses.ID
	default:
		o["client_secret"] = ses.Secret
	}
	return o
}

func (seti *setupIntent) render() object {
	if seti == nil {
		return nil
	}
	return object{"id": seti.ID, "object": "setup_intent", "customer": seti.Customer, "status": seti.Status,
		"payment_method": nullIfEmpty(seti.PaymentMethod), "usage": "off_session", "client_secret": seti.Secret,
		"payment_method_types": []string{"card"}, "description": nullIfEmpty(seti.Description),
		"metadata": meta(seti.Metadata), "created": unix(seti.Created), "last_setup_error": seti.LastError.render()}
}

func (pm *paymentMethod) render() object {
	if pm == nil {
		return nil
	}
	year, month := pm.expiryMonth()
	return object{"id": pm.ID, "object": "payment_method", "type": "card", "customer": nullIfEmpty(pm.Customer),
		"created": unix(pm.Created), "metadata": object{}, "livemode": false,
		"card": object{"brand": "visa", "last4": pm.Card.last4(), "exp_month": int(month), "exp_year": year,
			"country": "US", "funding": "credit"}}
}

func (s *Sim) renderIntent(in *intent) object {
	if in == nil {
		return nil
	}
	received := money.Cents(0)
	if in.Status == succeeded {
		received = s.st.Charges[in.LatestCharge].Captured
	}
	return object{"id": in.ID, "object": "payment_intent", "status": in.Status, "amount": in.Amount,
		"amount_received": received, "currency": money.USD, "customer": nullIfEmpty(in.Customer),
		"payment_method": nullIfEmpty(in.PaymentMethod), "payment_method_types": []string{"card"},
		"latest_charge": nullIfEmpty(in.LatestCharge), "client_secret": in.Secret, "capture_method": in.CaptureMethod,
		"confirmation_method": "automatic", "description": nullIfEmpty(in.Description), "metadata": meta(in.Metadata),
		"created": unix(in.Created), "canceled_at": nullIfZero(unix(in.CanceledAt)),
		"cancellation_reason": nullIfEmpty(in.CancelReason), "last_payment_error": in.LastError.render()}
}

func (s *Sim) renderCharge(ch *charge) object {
	if ch == nil {
		return nil
	}
	o := object{"id": ch.ID, "object": "charge", "amount": ch.Amount, "amount_captured": money.Cents(0),
		"amount_refunded": ch.Refunded, "currency": money.USD, "customer": nullIfEmpty(ch.Customer),
		"payment_intent": ch.Intent,
		"payment_method": ch.PaymentMethod, "balance_transaction": nullIfEmpty(ch.BalanceTxn),
		"metadata": meta(ch.Metadata), "created": unix(ch.Created), "status": "failed", "paid": false, "captured": false,
		"refunded": ch.Succeeded &&
			ch.Refunded == ch.Captured, "disputed": ch.Disputed, "failure_code": nil, "failure_message": nil}
	if ch.Succeeded {
		o["status"], o["paid"], o["captured"], o["amount_captured"] = succeeded, true, true, ch.Captured
	}
	if ch.Failure != nil {
		o["failure_code"], o["failure_message"] = ch.Failure.Code, ch.Failure.Message
	}
	return o
}

func (r *refusal) render() any {
	if r == nil {
		return nil
	}
	o := object{"type": "card_error", "code": r.Code, "decline_code": r.DeclineCode, "message": r.Message}
	if r.PaymentMethod != "" {
		o["payment_method"] = object{"id": r.PaymentMethod, "object": "payment_method"}
	}
	return o
}

func nullIfEmpty(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func nullIfZero(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// meta replaces nil with an empty map, since the API never returns null.
func meta(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return maps.Clone(m)
}

// expandable lists the references that can be expanded.
var expandable = []string{"data", "latest_charge", "balance_transaction", "payment_method", "setup_intent",
	"customer", "payment_intent", "charge", "source"}

func checkExpand(paths []string) *apiError {
	for _, p := range paths {
		parts := strings.Split(p, ".")
		if len(parts) > 4 {
			return invalid("expand", "", "You cannot expand more than 4 levels of a property: "+p)
		}
		for _, part := range parts {
			if !slices.Contains(expandable, part) {
				return invalid("expand", "", "This property cannot be expanded ("+p+")")
			}
		}
	}
	return nil
}

// expand replaces references with the objects. Paths that the object does not
// have, or that are null, are ignored.
func (s *Sim) expand(o object, paths []string) {
	for _, p := range paths {
		s.expandPath(o, strings.Split(p, "."))
	}
}

func (s *Sim) expandPath(o object, path []string) {
	if len(path) == 0 {
		return
	}
	if data, ok := o["data"].([]object); ok && path[0] == "data" {
		for _, each := range data {
			s.expandPath(each, path[1:])
		}
		return
	}
	if id, ok := o[path[0]].(string); ok {
		if full := s.render(id); full != nil {
			o[path[0]] = full
		}
	}
	if inner, ok := o[path[0]].(object); ok {
		s.expandPath(inner, path[1:])
	}
}
