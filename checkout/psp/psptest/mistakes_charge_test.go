package psptest

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// brokenProcessors are processors with one mistake each, which the suite has to detect.
var brokenProcessors = map[string]func(p psp.Processor, b *SimBench) brokenProcessor{
	"uses a new key for every attempt": func(p psp.Processor, b *SimBench) brokenProcessor {
		n := 0
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			n++
			c.Key += string(rune('a' + n%20))
			return p.Charge(ctx, c)
		}}
	},
	"retries after an unknown outcome": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.Unknown {
				o = p.Charge(ctx, c)
			}
			return o
		}}
	},
	"reports a 500 as declined": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.Unknown && o.RequestID != "" {
				o.Status = psp.Declined
			}
			return o
		}}
	},
	"reports no response as not started": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.Unknown && o.RequestID == "" && b.Now().Before(c.NotAfter) {
				o.Status = psp.NotStarted
			}
			return o
		}}
	},
	"reports a rate limit as unknown": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.RetryAfter > 0 {
				o.Status = psp.Unknown
			}
			return o
		}}
	},
	"reports a rejected API key as a rate limit": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			o.Barred = false
			return o
		}}
	},
	"reports a missing card as a rate limit": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.Declined && o.Payment.ID == "" {
				o.Status = psp.NotStarted
			}
			return o
		}}
	},
	"reads a card without expiry": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{card: func(id string) (psp.Card, error) {
			c, err := p.Card(ctx, id)
			c.ExpiresYear += 100
			return c, err
		}}
	},
	"reads a detached card as attached": func(p psp.Processor, b *SimBench) brokenProcessor {
		last := ""
		return brokenProcessor{card: func(id string) (psp.Card, error) {
			c, err := p.Card(ctx, id)
			if last = cmp.Or(c.CustomerID, last, "cus_1"); err == nil {
				c.CustomerID = last
			}
			return c, err
		}}
	},
	"does not detach a card": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{forget: func(id, _ string) error {
			_, err := p.Card(ctx, id)
			return err
		}}
	},
	"rejects repeated detaching": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{forget: func(id, key string) error {
			if c, err := p.Card(ctx, id); err == nil && c.CustomerID == "" {
				return fault.New(fault.Invalid, "The card is detached")
			}
			return p.DetachCard(ctx, id, key)
		}}
	},
	"detaches an unknown card": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{forget: func(id, key string) error {
			if err := p.DetachCard(ctx, id, key); !fault.Is(err, fault.NotFound) {
				return err
			}
			return nil
		}}
	},
	"reports no response as detached": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{forget: func(id, key string) error {
			if err := p.DetachCard(ctx, id, key); !fault.Is(err, fault.Unavailable) {
				return err
			}
			return nil
		}}
	},
	"reports needs action as declined": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.NeedsAction {
				o.Status = psp.Declined
			}
			return o
		}}
	},
	"reports pending as succeeded": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.Pending {
				o.Status = psp.Succeeded
			}
			return o
		}}
	},
	"hides a mismatch": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.Mismatch {
				o.Status = psp.NotStarted
			}
			return o
		}}
	},
	"sends after NotAfter": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			c.NotAfter = b.Now()
			return p.Charge(ctx, c)
		}}
	},
	"does not send at NotAfter": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			c.NotAfter = c.NotAfter.Add(-time.Second)
			return p.Charge(ctx, c)
		}}
	},
	"drops the group": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			c.Group = "none"
			return p.Charge(ctx, c)
		}}
	},
	"generates a key": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			if c.Key == "" {
				c.Key = "made-up"
			}
			return p.Charge(ctx, c)
		}}
	},
	"finds all payments of a customer": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{find: func(customer, group string) ([]psp.Payment, error) {
			var out []psp.Payment
			for _, e := range b.Sim.Entries() {
				if e.CustomerID != customer {
					continue
				}
				pay, err := p.Payment(ctx, e.PaymentID)
				if err != nil {
					return nil, err
				}
				out = append([]psp.Payment{pay}, out...)
			}
			return out, nil
		}}
	},
	"finds nothing if there is no response": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{find: func(customer, group string) ([]psp.Payment, error) {
			found, err := p.FindCharge(ctx, customer, group)
			if err != nil {
				return nil, nil
			}
			return found, nil
		}}
	},
	"lists the oldest first": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{find: func(customer, group string) ([]psp.Payment, error) {
			found, err := p.FindCharge(ctx, customer, group)
			var out []psp.Payment
			for _, f := range found {
				out = append([]psp.Payment{f}, out...)
			}
			return out, err
		}}
	},
	"reads one page": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{find: func(customer, group string) ([]psp.Payment, error) {
			found, err := p.FindCharge(ctx, customer, group)
			later, _ := p.FindCharge(ctx, customer, group+"-later")
			if len(later) >= 100 {
				return nil, err
			}
			return found, err
		}}
	},
	"always reports canceled": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{cancel: func(id, key string) (psp.Payment, error) {
			got, err := p.CancelPayment(ctx, id, key)
			got.Status = psp.Canceled
			return got, err
		}}
	},
	"cancels nothing": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{cancel: func(id, key string) (psp.Payment, error) {
			got, err := p.Payment(ctx, id)
			if got.Status == psp.NeedsAction {
				got.Status = psp.Canceled
			}
			return got, err
		}}
	},
	"fails to cancel twice": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{cancel: func(id, key string) (psp.Payment, error) {
			if got, err := p.Payment(ctx, id); err == nil && got.Status != psp.NeedsAction {
				return got, fault.New(fault.Invalid, "payment_intent_unexpected_state")
			}
			return p.CancelPayment(ctx, id, key)
		}}
	},
	"allows approval of every payment": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{show: func(id string) (psp.Approval, error) {
			got, err := p.Approval(ctx, id)
			if fault.Is(err, fault.Conflict) {
				return psp.Approval{PaymentID: id, ClientSecret: "s"}, nil
			}
			return got, err
		}}
	},
	"reports every decline as final": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			o.MayPass = false
			return o
		}}
	},
	"loses financials": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{pay: func(id string) (psp.Payment, error) {
			got, err := p.Payment(ctx, id)
			got.Financials = psp.Financials{}
			return got, err
		}}
	},
	"reports a complete session as expired": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{expire: func(id, key string) (psp.Session, error) {
			ses, err := p.ExpireSession(ctx, id, key)
			ses.Status = psp.Expired
			return ses, err
		}}
	},
	"fails when the session has ended": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{expire: func(id, key string) (psp.Session, error) {
			if ses, err := p.Session(ctx, id); err != nil || ses.Status != psp.Open {
				return psp.Session{}, fault.New(fault.Invalid, "the session has ended")
			}
			return p.ExpireSession(ctx, id, key)
		}}
	},
	"sends the wrong mode's URLs": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{start: func(s psp.NewSetup) (psp.Session, error) {
			if s.UIMode == psp.Custom && s.SuccessURL != "" {
				return psp.Session{}, fault.New(fault.Invalid, "success_url")
			}
			return p.StartSetup(ctx, s)
		}}
	},
	"drops session metadata": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{start: func(s psp.NewSetup) (psp.Session, error) {
			s.Metadata = nil
			return p.StartSetup(ctx, s)
		}}
	},
	"ignores the expiry": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{start: func(s psp.NewSetup) (psp.Session, error) {
			s.Expires = time.Time{}
			return p.StartSetup(ctx, s)
		}}
	},
	"creates a new customer each time": func(p psp.Processor, b *SimBench) brokenProcessor {
		n := 0
		return brokenProcessor{create: func(c psp.NewCustomer) (string, error) {
			n++
			c.Key += string(rune('a' + n%20))
			return p.CreateCustomer(ctx, c)
		}}
	},
	"does not read the saved card": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{read: func(id string) (psp.Session, error) {
			ses, err := p.Session(ctx, id)
			ses.PaymentMethodID = ""
			return ses, err
		}}
	},
	"reports not found as unavailable": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{read: func(id string) (psp.Session, error) {
			ses, err := p.Session(ctx, id)
			if err != nil {
				err = fault.New(fault.Unavailable, "no")
			}
			return ses, err
		}}
	},
	"accepts every body": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{verify: func(body []byte, _, secret string, now time.Time) (psp.Hint, error) {
			return sim.Verify(body, sim.Sign(body, secret, now), secret, now)
		}}
	},
	"accepts the future": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{verify: func(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
			h, err := p.Verify(body, signature, secret, now)
			if err != nil {
				h, err = p.Verify(body, signature, secret, now.Add(365*24*time.Hour))
			}
			return h, err
		}}
	},
	"accepts the past": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{verify: func(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
			h, err := p.Verify(body, signature, secret, now)
			if err != nil {
				h, err = p.Verify(body, signature, secret, now.Add(-72*time.Hour))
			}
			return h, err
		}}
	},
	"uses the system clock": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{verify: func(body []byte, signature, secret string, _ time.Time) (psp.Hint, error) {
			return p.Verify(body, signature, secret, b.Now())
		}}
	},
	"accepts the empty secret": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{verify: func(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
			if secret == "" && signature == sim.Sign(body, "", now) {
				return sim.Verify(body, sim.Sign(body, "x", now), "x", now)
			}
			return p.Verify(body, signature, secret, now)
		}}
	},
	"ignores a trailing newline": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{verify: func(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
			if n := len(body); n > 0 && body[n-1] == '\n' {
				body = body[:n-1]
			}
			return p.Verify(body, signature, secret, now)
		}}
	},
	"accepts any signed JSON as an event": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{verify: func(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
			h, err := p.Verify(body, signature, secret, now)
			if fault.Is(err, fault.Invalid) && json.Valid(body) {
				return psp.Hint{}, nil
			}
			return h, err
		}}
	},
	"reports every event as test mode": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{verify: func(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
			h, err := p.Verify(body, signature, secret, now)
			if err == nil {
				h.Mode = psp.Test
			}
			return h, err
		}}
	},
}
