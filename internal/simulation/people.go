package simulation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// person is a supporter.
type person struct {
	w       *history
	email   string
	address string // network address
	orders  []*placedOrder
	// stranger is set if the email address belongs to another person: no mail
	// reaches this person.
	stranger bool
	// keepsCard is set if the person saves no other card when pledges are joined.
	keepsCard bool
}

// placedOrder is a checkout from the supporter's view.
type placedOrder struct {
	checkout.Started
	saved bool // the card was entered
}

// typedEmail returns the address in one of the ways people type it.
func (p *person) typedEmail() string {
	switch p.w.rng.IntN(4) {
	case 0:
		return strings.ToUpper(p.email)
	case 1:
		return " " + strings.ToUpper(p.email[:1]) + p.email[1:] + " "
	}
	return p.email
}

// spawnAll starts the servers and all activities of people.
func (w *history) spawnAll() {
	for _, s := range w.servers {
		s.boot()
	}
	for _, plan := range w.scenario.plans {
		p := &person{w: w, email: plan.email, address: fmt.Sprintf("10.1.%d.%d", len(w.people)/250, len(w.people)%250)}
		p.stranger, p.keepsCard = plan.stranger, plan.keepsCard
		w.people = append(w.people, p)
		for n, c := range plan.choices {
			attempt := fmt.Sprintf("attempt-%s-%d", strings.ReplaceAll(p.address, ".", "-"), n)
			w.spawn(fmt.Sprintf("%s #%d", p.email, n+1), nil, c.at, func() { p.pledge(c, attempt) })
		}
		if !plan.silent {
			w.spawn(p.email+" cards", nil, ends+time.Hour, p.handleFailures)
		}
		if plan.unites {
			w.spawn(p.email+" unites", nil, ends-time.Duration(5+w.rng.IntN(90))*time.Minute, p.joinPledges)
		}
	}
	w.spawnReactions()
	w.spawnOperators()
	if w.scenario.reversals {
		w.spawn("the bank", nil, ends+settlement.Margin, w.reversePayments)
	}
	w.spawn("operator", nil, ends-maxSkew-time.Minute, w.runOperator)
	for _, name := range staff {
		w.spawn(name, nil, ends+time.Hour, func() { w.resolveCharges(name) })
	}
	w.spawnRefunds()
	w.spawnPayouts()
	if w.scenario.farBehind || w.scenario.lateCards || w.scenario.changesDie {
		w.spawn("operators", nil, ends+settlement.Margin-time.Minute, w.rushSettlement)
	}
	if r := w.scenario.restoring; r.happens {
		w.spawn("the database", nil, ends+r.backup, w.restoreBackup)
	}
	if e := w.scenario.edit; e.happens {
		w.spawn("the editor", nil, ends+e.at, w.editFiles)
	}
	if w.scenario.mails.news {
		w.spawn("the writer", nil, 10*time.Hour, w.runEditor)
	}
	w.drawReturning()
	if n := w.scenario.mails.refuses; n > 0 {
		w.refused = w.people[n-1].email
		w.mailer.rejectAddress(w.refused)
	}
	w.spawn("hooks", nil, time.Second, w.deliverWebhooks)
}

// drawReturning draws the addresses that bounce: at most one, or every second one in histories
// in which many mails bounce. With Postmark, none bounces.
func (w *history) drawReturning() {
	one := w.rng.IntN(16)
	for i, p := range w.people {
		if !w.scenario.mails.keyless && (i == one || w.scenario.prompt && i%2 == 0) {
			w.returning = append(w.returning, p.email)
		}
	}
	w.returned = slices.Clone(w.returning)
}

func (p *person) pledge(c choice, attempt string) {
	var items []map[string]any
	for _, id := range c.cart {
		items = append(items, map[string]any{"id": id})
	}
	if c.reduces {
		items[0]["quantity"] = 3
	}
	body := map[string]any{"campaignSlug": strings.Split(c.cart[0], "__")[0], "email": p.typedEmail(),
		"items": items, "attempt": attempt}
	if c.tip != nil {
		body["tipPercent"] = *c.tip
	}
	of, linked := p.mailedLink(strings.Split(c.cart[0], "__")[0])
	if linked = linked && !p.stranger && !c.forgets; linked {
		body["manageToken"] = p.token(of)
	}
	o := &placedOrder{}
	if !p.send("POST", "/checkout-intent/start", body, &o.Started, 6) {
		return
	}
	p.orders = append(p.orders, o)
	p.w.checker.recordStarted(p, o, c.tip)
	made := cardConsent{by: p, byLink: linked}
	for _, t := range o.Campaigns {
		made.pledges = append(made.pledges, t.OrderID)
		if linked && t.CampaignSlug == of.CampaignSlug {
			p.recordJoin(of.OrderID)
		}
	}
	if linked {
		p.recordJoin(made.pledges...)
	}
	if c.walks == 0 {
		return
	}
	p.stayOnPage(o, c)
	if c.walks == 1 {
		p.send("POST", "/checkout-intent/abandon", map[string]any{"orderId": o.OrderID, "token": o.Token}, nil, 2)
		p.w.pause(time.Minute)
		if c.then > 3 {
			return // a few save their card anyway, in another window
		}
	}
	if err := p.w.sim.Complete(o.SessionID, c.card); err != nil {
		p.w.note("saving the card: %v", err)
		return
	}
	p.w.note("the card is saved")
	o.saved = true
	p.w.checker.recordCard(o.SessionID, made)
	p.w.checker.checkBooks()
	if c.then%2 == 0 && !c.closes {
		p.w.pause(2 * time.Second)
		p.send("POST", "/checkout-intent/complete", map[string]any{"orderId": o.OrderID, "sessionId": o.SessionID}, nil, 2)
	}
	if c.last != 0 {
		c.later = max(deadline.Add(c.last).Sub(p.w.now), 0)
	}
	p.w.pause(c.later)
	first := o.Campaigns[0]
	if p.stranger {
		return
	}
	switch c.then {
	case 0:
		p.change("/pledge/cancel", first.OrderID, map[string]any{"token": p.token(first)}, c.insists)
	case 1, 2:
		id := c.cart[0]
		quantity := 1 + c.then
		if c.reduces {
			quantity = 1
		}
		body := map[string]any{"token": p.token(first), "items": []map[string]any{{"id": id, "quantity": quantity}}}
		p.change("/pledge/modify", first.OrderID, body, c.insists)
	}
}

// stayOnPage simulates the time on the card page. Some supporters keep it open,
// so that it extends the session; others close it, and some of them return.
func (p *person) stayOnPage(o *placedOrder, c choice) {
	mine := map[string]any{"orderId": o.OrderID, "token": o.Token}
	left := c.thinks
	for every := 3 * time.Minute; c.walks%2 == 0 && left > every && p.w.now.Before(o.ExpiresAt); left -= every {
		p.w.pause(every)
		p.send("POST", "/checkout-intent/extend", mine, nil, 1)
	}
	p.w.pause(left)
	var again checkout.Started
	if c.walks%4 == 3 && p.send("POST", "/checkout-intent/resume", mine, &again, 2) && again.SessionID != o.SessionID {
		p.w.checker.reportViolation("S6", "resuming %s returned another session", o.OrderID)
	}
}

func (p *person) token(c checkout.CampaignTotal) string {
	s := token.Signer{Secret: []byte(p.w.config.Secrets.MagicLink.Reveal())}
	t, err := s.Sign(token.Claims{Scope: token.Manage, OrderID: c.OrderID, Email: p.email, CampaignSlug: c.CampaignSlug,
		Expires: p.w.now.Add(token.ManageLife)})
	if err != nil {
		panic(err)
	}
	return t
}

// handleFailures responds to failed charges: after the mail, most people
// authenticate the payment, save another card, or both.
func (p *person) handleFailures() {
	for p.w.now.Before(p.w.rest.Add(-cardCutoff)) {
		for _, o := range p.failedOrders() {
			for _, c := range o.Campaigns {
				pl := p.w.checker.pledge(c.OrderID)
				if pl == nil || pl.Status != pledge.PaymentFailed || p.w.rng.IntN(3) == 0 {
					continue
				}
				if pl.Recovery.Lane == pledge.Approve && p.w.rng.IntN(3) > 0 {
					p.w.spawn(p.email+" approves", nil, 0, func() { p.approve(c) })
				}
				if pl.Recovery.Lane != pledge.Approve || p.w.rng.IntN(3) == 0 || p.w.scenario.approves {
					p.newCard(c)
				}
			}
		}
		minutes := 30 + p.w.rng.IntN(240)
		if p.w.scenario.overtaken {
			minutes /= 10
		}
		p.w.pause(p.w.slow(time.Duration(minutes) * time.Minute))
	}
}

// failedOrders returns the person's checkouts, or nil before a mail has reported a failed
// charge.
func (p *person) failedOrders() []*placedOrder {
	if len(p.w.mails[mailKey{notify.UpdateCard, p.email}]) == 0 {
		return nil
	}
	return p.orders
}

func (p *person) newCard(c checkout.CampaignTotal) {
	var started struct {
		SessionID string `json:"sessionId"`
	}
	if !p.send("POST", "/pledge/payment-method/start", map[string]any{"token": p.token(c)}, &started, 2) {
		return
	}
	p.w.pause(time.Duration(1+p.w.rng.IntN(30)) * time.Minute)
	card := cards[p.w.rng.IntN(len(cards))]
	if p.w.scenario.overtaken && p.w.rng.IntN(3) > 0 {
		card = sim.CardProcessing + ":90m"
	}
	err := p.w.sim.Complete(started.SessionID, card)
	p.w.note("another card, %s: %v", card, err)
	if err == nil {
		p.w.checker.recordCard(started.SessionID, cardConsent{by: p, pledges: []string{c.OrderID}, byLink: true})
	}
}

// approve opens the page that authenticates a payment and authenticates it
// immediately or much later. The browser does not always report back.
func (p *person) approve(c checkout.CampaignTotal) {
	var a checkout.ApprovalStarted
	if !p.send("POST", "/pledge/payment/approve", map[string]any{"token": p.token(c)}, &a, 2) {
		return
	}
	minutes := 20
	if p.w.rng.IntN(4) == 0 {
		minutes = 900
	}
	p.w.pause(time.Duration(1+p.w.rng.IntN(minutes)) * time.Minute)
	if p.w.now.After(p.w.rest.Add(-cardCutoff)) {
		return // too late for all redeliveries of its webhook
	}
	err := p.w.sim.Authenticate(a.PaymentID)
	p.w.note("approved: %v", err)
	p.w.checker.checkBooks()
	if err == nil && p.w.rng.IntN(2) == 0 {
		p.w.pause(2 * time.Second)
		p.send("POST", "/pledge/payment/approved", map[string]any{"token": p.token(c)}, nil, 2)
	}
}

// approveDuringCancel authenticates a payment while its cancellation is in
// progress.
func (w *history) approveDuringCancel(r *http.Request) {
	id, cancels := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/v1/payment_intents/"), "/cancel")
	if !cancels || !w.scenario.approves || !w.strikes(w.now, 500) {
		return
	}
	err := w.sim.Authenticate(id)
	w.note("fault: %s: %v", w.recordFault("%s is approved as it is canceled", id), err)
}

// runOperator simulates an impatient operator, who is most active around the deadline.
func (w *history) runOperator() {
	for range 20 {
		if w.now.Before(deadline.Add(maxSkew)) {
			w.pause(time.Duration(30+w.rng.IntN(240)) * time.Second)
		} else {
			w.pause(time.Duration(5+w.rng.IntN(90)) * time.Minute)
		}
		w.settleOnce()
	}
}

// claimLate simulates a run that lost its lock without noticing: it claims a new pledge for the
// attempt that its successor froze without the pledge.
func (w *history) claimLate(id string) {
	p := w.checker.pledge(id)
	if p == nil {
		return // booked for the platform's add-ons
	}
	hash := state.GroupHash(p.CampaignSlug, p.Email)
	g, ok := w.checker.group(p.CampaignSlug, hash)
	if !ok || p.JoinedAt == nil || g.Status != state.Submitted || !w.strikes(w.now, overtaking) {
		return
	}
	w.note("fault: %s", w.recordFault("a run without its lock claims %s", id))
	w.spawn("overtaken", nil, time.Second, func() {
		_, err := w.orders().Claim(w.ctx, id, hash, g.Generation)
		orderID, _ := pledge.OrderOf(id)
		// the checker's own storage does not report changes
		w.checker.invalidate(kv.Object{Class: order.ClassName, Name: orderID})
		w.note("claimed: %v", err)
	})
}

// send makes a request as the public site does, with at most times attempts, and reports whether
// it succeeded.
func (p *person) send(method, path string, body, into any, times int) bool {
	return p.w.call(p.address, method, path, body, into, times)
}

// call sends a request to random servers, at most times times, until one accepts it (true) or
// rejects it (false). header lists names and values.
func (w *history) call(address, method, path string, body, into any, times int, header ...string) bool {
	b, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	all := map[string]string{"Origin": string(w.config.Site.Base), "Content-Type": "application/json"}
	for i := 0; i+1 < len(header); i += 2 {
		all[header[i]] = header[i+1]
	}
	for range times {
		s := w.anyServer()
		path, query, _ := strings.Cut(path, "?")
		r, ok := w.request(s, httpapi.Request{
			Method: method, Path: path, RawQuery: query, Body: b, ClientIP: address,
			Header: func(name string) string { return all[name] },
		})
		switch {
		case ok && r.Status < 300:
			if into != nil && json.Unmarshal(r.Body, into) != nil {
				panic("an answer that is not JSON: " + string(r.Body))
			}
			return true
		case ok && r.Status < 500 && r.Status != 429:
			return false
		}
		w.pause(time.Duration(10+w.rng.IntN(60)) * time.Second)
	}
	return false
}

// deliverWebhooks delivers the processor's webhooks, with faults.
func (w *history) deliverWebhooks() {
	under := map[string]bool{}
	for w.now.Before(w.end) {
		wait := 5 * time.Minute // in case all due deliveries are in progress
		for _, d := range w.sim.Due() {
			if under[d.ID] {
				continue
			}
			under[d.ID], wait = true, time.Minute
			w.spawn("hook "+string(d.Type), nil, 0, func() {
				w.deliverWebhook(d)
				delete(under, d.ID)
			})
		}
		w.pause(wait)
		for at, ok := w.sim.NextHook(); w.now.Before(w.end) && (!ok || at.After(w.now)); at, ok = w.sim.NextHook() {
			w.pause(w.slow(time.Minute))
		}
	}
}

func (w *history) deliverWebhook(d sim.Delivery) {
	w.checker.recordEvent(d)
	if w.strikes(w.now, w.scenario.deliveryFaultRate()) {
		switch w.scenario.deliveryFault(w.draw(2, 5)) {
		case 0:
			w.note("fault: %s", w.recordFault("the webhook %s is lost", d.Type))
			w.sim.RecordResponse(d, 200)
			return
		case 1:
			w.note("fault: %s", w.recordFault("the webhook %s gets no response", d.Type))
			w.sim.RecordResponse(d, 0)
			return
		case 2:
			w.note("fault: %s", w.recordFault("the webhook %s is late", d.Type))
			w.pause(time.Duration(w.scenario.webhookDelay(w.draw(3, 240))) * time.Minute)
			d = w.sim.Redeliver(d)
		case 3:
			w.note("fault: %s", w.recordFault("the webhook %s is delivered twice at once", d.Type))
			w.spawn("hook again "+string(d.Type), nil, time.Duration(w.draw(3, 2000))*time.Millisecond,
				func() { w.postWebhook(d) })
		case 4:
			w.note("fault: %s", w.recordFault("the webhook %s is delivered again later", d.Type))
			w.spawn("hook again "+string(d.Type), nil, time.Duration(w.draw(3, 200))*time.Second, func() { w.postWebhook(d) })
		}
	}
	w.sim.RecordResponse(d, w.postWebhook(d))
}

// postWebhook sends a webhook to a server and returns the status. A server whose clock
// is far behind rejects the signature; after faults have stopped, it gets no
// webhooks.
func (w *history) postWebhook(d sim.Delivery) int {
	s := w.anyServer()
	if w.scenario.farBehind && w.now.After(w.calm) {
		s = w.servers[0]
	}
	r, ok := w.request(s, httpapi.Request{
		Method: "POST", Path: "/webhooks/psp", Body: d.Body, ClientIP: "10.9.9.9",
		Header: func(name string) string { return map[string]string{"Psp-Signature": d.Signature}[name] },
	})
	if !ok {
		return 0
	}
	return r.Status
}
