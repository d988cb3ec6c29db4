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

// brokenProcessors are the mistakes that the suite has to find.
var brokenProcessors = map[string]func(p psp.Processor, b *SimBench) brokenProcessor{
	"makes a fresh key for every attempt": func(p psp.Processor, b *SimBench) brokenProcessor {
		n := 0
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			n++
			c.Key += string(rune('a' + n%20))
			return p.Charge(ctx, c)
		}}
	},
	"repeats after an unknown answer": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.Unknown {
				o = p.Charge(ctx, c)
			}
			return o
		}}
	},
	"takes a 500 for a refusal": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.Unknown && o.RequestID != "" {
				o.Status = psp.Declined
			}
			return o
		}}
	},
	"takes no answer for not started": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.Unknown && o.RequestID == "" && b.Now().Before(c.NotAfter) {
				o.Status = psp.NotStarted
			}
			return o
		}}
	},
	"takes a limit for unknown": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.RetryAfter > 0 {
				o.Status = psp.Unknown
			}
			return o
		}}
	},
	"takes a key that is refused for a limit": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			o.Barred = false
			return o
		}}
	},
	"takes a card that is gone for a limit": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.Declined && o.Payment.ID == "" {
				o.Status = psp.NotStarted
			}
			return o
		}}
	},
	"reads a card that never runs out": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{card: func(id string) (psp.Card, error) {
			c, err := p.Card(ctx, id)
			c.ExpiresYear += 100
			return c, err
		}}
	},
	"reads a card that is never detached": func(p psp.Processor, b *SimBench) brokenProcessor {
		last := ""
		return brokenProcessor{card: func(id string) (psp.Card, error) {
			c, err := p.Card(ctx, id)
			if last = cmp.Or(c.CustomerID, last, "cus_1"); err == nil {
				c.CustomerID = last
			}
			return c, err
		}}
	},
	"keeps a card that was to be forgotten": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{forget: func(id, _ string) error {
			_, err := p.Card(ctx, id)
			return err
		}}
	},
	"forgets a card once": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{forget: func(id, key string) error {
			if c, err := p.Card(ctx, id); err == nil && c.CustomerID == "" {
				return fault.New(fault.Invalid, "The card is detached")
			}
			return p.DetachCard(ctx, id, key)
		}}
	},
	"forgets what it does not know": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{forget: func(id, key string) error {
			if err := p.DetachCard(ctx, id, key); !fault.Is(err, fault.NotFound) {
				return err
			}
			return nil
		}}
	},
	"takes no answer for a forgotten card": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{forget: func(id, key string) error {
			if err := p.DetachCard(ctx, id, key); !fault.Is(err, fault.Unavailable) {
				return err
			}
			return nil
		}}
	},
	"takes a wanted supporter for a refusal": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			o := p.Charge(ctx, c)
			if o.Status == psp.NeedsAction {
				o.Status = psp.Declined
			}
			return o
		}}
	},
	"takes pending for success": func(p psp.Processor, b *SimBench) brokenProcessor {
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
	"never sends at the last moment": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			c.NotAfter = c.NotAfter.Add(-time.Second)
			return p.Charge(ctx, c)
		}}
	},
	"forgets the group": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{charge: func(ctx context.Context, c psp.NewCharge) psp.Outcome {
			c.Group = "none"
			return p.Charge(ctx, c)
		}}
	},
	"makes up a key": func(p psp.Processor, b *SimBench) brokenProcessor {
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
			for _, e := range b.Sim.Books() {
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
	"finds nothing when nobody answers": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{find: func(customer, group string) ([]psp.Payment, error) {
			found, err := p.FindCharge(ctx, customer, group)
			if err != nil {
				return nil, nil
			}
			return found, nil
		}}
	},
	"finds the oldest first": func(p psp.Processor, b *SimBench) brokenProcessor {
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
	"says canceled whatever came of it": func(p psp.Processor, b *SimBench) brokenProcessor {
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
	"cancels twice": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{cancel: func(id, key string) (psp.Payment, error) {
			if got, err := p.Payment(ctx, id); err == nil && got.Status != psp.NeedsAction {
				return got, fault.New(fault.Invalid, "payment_intent_unexpected_state")
			}
			return p.CancelPayment(ctx, id, key)
		}}
	},
	"lets everything be approved": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{show: func(id string) (psp.Approval, error) {
			got, err := p.Approval(ctx, id)
			if fault.Is(err, fault.Conflict) {
				return psp.Approval{PaymentID: id, ClientSecret: "s"}, nil
			}
			return got, err
		}}
	},
	"calls every refusal final": func(p psp.Processor, b *SimBench) brokenProcessor {
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
	"says expired when the supporter was faster": func(p psp.Processor, b *SimBench) brokenProcessor {
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
	"makes a new customer each time": func(p psp.Processor, b *SimBench) brokenProcessor {
		n := 0
		return brokenProcessor{create: func(c psp.NewCustomer) (string, error) {
			n++
			c.Key += string(rune('a' + n%20))
			return p.CreateCustomer(ctx, c)
		}}
	},
	"does not read the card back": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{read: func(id string) (psp.Session, error) {
			ses, err := p.Session(ctx, id)
			ses.PaymentMethodID = ""
			return ses, err
		}}
	},
	"says unavailable for not found": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{read: func(id string) (psp.Session, error) {
			ses, err := p.Session(ctx, id)
			if err != nil {
				err = fault.New(fault.Unavailable, "no")
			}
			return ses, err
		}}
	},
	"believes every body": func(p psp.Processor, b *SimBench) brokenProcessor {
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
	"reads the machine's clock": func(p psp.Processor, b *SimBench) brokenProcessor {
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
	"forgives a trailing newline": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{verify: func(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
			if n := len(body); n > 0 && body[n-1] == '\n' {
				body = body[:n-1]
			}
			return p.Verify(body, signature, secret, now)
		}}
	},
	"takes any signed JSON for an event": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{verify: func(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
			h, err := p.Verify(body, signature, secret, now)
			if fault.Is(err, fault.Invalid) && json.Valid(body) {
				return psp.Hint{}, nil
			}
			return h, err
		}}
	},
	"calls every event a test": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{verify: func(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
			h, err := p.Verify(body, signature, secret, now)
			if err == nil {
				h.Mode = psp.Test
			}
			return h, err
		}}
	},
}
