package demo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// The campaigns of the script: the game is funded and ends first, the film does not reach its goal.
const (
	game = "tidepool-traders"
	film = "night-ferry"
)

// Numbers of the script.
const (
	crowd   = 32 // more than one settlement batch
	rush    = 50 // clients that request the last painted set
	repeats = 5  // deliveries of one webhook
)

var home = pledge.Address{Name: "A supporter", Line1: "1 Shore Road", City: "Taos",
	State: "NM", PostalCode: "87571", Country: "US"}

// made is a checkout that the script has completed, with its pledges.
type made struct {
	started checkout.Started
	email   string
	tokens  map[string]string // by pledge ID
}

// Stage is the service on which the script runs, on any host. It must be in test mode and have the
// demo's routes.
type Stage struct {
	Base            string // base URL of the service, the site and the demo's routes
	Admin           string // secrets of the operators' routes
	Settlement      string
	WebhookSecret   string
	SignatureHeader string
	Now             func() time.Time
}

// scriptRun is one run of the script.
type scriptRun struct {
	*client
	stage Stage
	out   io.Writer
	step  int
	err   error // of writing
	books []made

	opened  []string // used sign-in links
	several string   // manage token of several@example.com's first pledge
	mu      sync.Mutex
}

// Script runs the script on the demo itself.
func (d *Demo) Script(ctx context.Context, out io.Writer) error {
	return RunScript(ctx, out, Stage{
		Base: d.Base, Admin: d.App.Config.Secrets.Admin.Reveal(), Settlement: settlementSecret(d.App.Config),
		WebhookSecret: d.App.Config.PSPWebhookSecret().Reveal(), SignatureHeader: "Psp-Signature", Now: d.Clock.Now,
	})
}

// RunScript runs the script over HTTP step by step, and finally compares the books of the campaign
// and the processor. It fails at the first unexpected result, or if a step waits longer than half a
// minute. If ctx has a deadline, a step can wait until then instead.
func RunScript(ctx context.Context, out io.Writer, stage Stage) error {
	s := &scriptRun{stage: stage, out: out, client: &client{base: stage.Base, http: &http.Client{}}}
	steps := []func(context.Context) error{
		s.pledgeOnce, s.pledgeBundle, s.pledgeFirst, s.pledgeCrowd, s.pledgeSecond, s.pledgeWithBadCard,
		s.pledgeWithStrictBank,
		s.repeatWebhook, s.completeWithoutWebhook, s.recoverWithoutWebhook,
		s.changePledge, s.cancelPledge, s.requestLastUnit, s.settleTooEarly, s.manageUser,
		s.passDeadline, s.settle, s.replaceCard, s.approve, s.settleAgain, s.endUnfunded, s.compareBooks,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return fmt.Errorf("step %d: %w", s.step+1, err)
		}
	}
	return s.err
}

func (s *scriptRun) printStep(format string, args ...any) {
	s.step++
	_, err := fmt.Fprintf(s.out, "%2d. %s\n", s.step, fmt.Sprintf(format, args...))
	if s.err == nil {
		s.err = err
	}
}

// cart returns a cart with one item.
func cart(slug, item string) checkout.Cart {
	return checkout.Cart{CampaignSlug: slug, Items: []checkout.Item{{ID: item, Quantity: new(1)}}, ShippingAddress: &home}
}

func (s *scriptRun) start(ctx context.Context, email string, c checkout.Cart) (checkout.Started, error) {
	var started checkout.Started
	err := s.post(ctx, "/checkout-intent/start", checkout.StartRequest{Cart: c, Email: email}, &started)
	return started, err
}

func (s *scriptRun) saveCard(ctx context.Context, sessionID, card string) error {
	return s.post(ctx, "/_sim/complete", map[string]string{"session": sessionID, "card": card}, nil)
}

// pledge makes a pledge and waits for the webhook to confirm it.
func (s *scriptRun) pledge(ctx context.Context, email string, c checkout.Cart, card string) (made, error) {
	return s.pledgeFrom(ctx, "", email, c, card)
}

// pledgeFrom makes a pledge from the link of an earlier one, "" for none.
func (s *scriptRun) pledgeFrom(ctx context.Context, link, email string, c checkout.Cart, card string) (made, error) {
	var started checkout.Started
	err := s.post(ctx, "/checkout-intent/start", checkout.StartRequest{Cart: c, Email: email, ManageToken: link}, &started)
	if err != nil {
		return made{}, err
	}
	if err := s.saveCard(ctx, started.SessionID, card); err != nil {
		return made{}, err
	}
	if err := s.awaitWebhook(ctx, started); err != nil {
		return made{}, err
	}
	return s.recordPledge(ctx, email, started)
}

func (s *scriptRun) awaitWebhook(ctx context.Context, started checkout.Started) error {
	q := url.Values{"orderId": {started.OrderID}, "token": {started.Token}}
	return waitUntil(ctx, "the webhook of "+started.OrderID, func() (bool, error) {
		var sum checkout.Summary
		err := s.get(ctx, "/checkout-intent/summary?"+q.Encode(), &sum)
		return sum.Persisted, err
	})
}

// recordPledge waits for an order's confirmation mails and records the order with the links in
// them.
func (s *scriptRun) recordPledge(ctx context.Context, email string, started checkout.Started) (made, error) {
	m := made{started: started, email: email, tokens: map[string]string{}}
	err := waitUntil(ctx, "the confirmation of "+started.OrderID, func() (bool, error) {
		var mails []app.Mail
		if err := s.get(ctx, "/demo/mail", &mails, "Accept", "application/json"); err != nil {
			return false, err
		}
		for _, mail := range mails {
			if mail.To != email {
				continue
			}
			if err := s.collectLinks(ctx, &m, mail.Text); err != nil {
				return false, err
			}
		}
		return len(m.tokens) == len(started.Campaigns), nil
	})
	s.mu.Lock()
	s.books = append(s.books, m)
	s.mu.Unlock()
	return m, err
}

func (s *scriptRun) collectLinks(ctx context.Context, m *made, text string) error {
	for word := range strings.FieldsSeq(text) {
		u, err := url.Parse(word)
		if err != nil || u.Path != "/manage/" {
			continue
		}
		carried, err := url.ParseQuery(u.Fragment)
		if err != nil {
			return err
		}
		token := carried.Get("t")
		view, err := s.view(ctx, token)
		if err != nil {
			return err
		}
		for _, c := range m.started.Campaigns {
			if c.OrderID == view.OrderID {
				m.tokens[view.OrderID] = token
			}
		}
	}
	return nil
}

func (s *scriptRun) view(ctx context.Context, token string) (checkout.PledgeView, error) {
	var v checkout.PledgeView
	err := s.get(ctx, "/pledge?"+url.Values{"token": {token}}.Encode(), &v)
	return v, err
}

// only returns the token of a checkout with one pledge.
func (m made) only() string {
	for _, t := range m.tokens {
		return t
	}
	return ""
}

func (s *scriptRun) admin() []string {
	return []string{"Authorization", "Bearer " + s.stage.Admin}
}

func (s *scriptRun) settler() []string {
	return []string{"Authorization", "Bearer " + s.stage.Settlement}
}

func (s *scriptRun) charges(ctx context.Context) ([]sim.Entry, error) {
	var books struct {
		Charges []sim.Entry `json:"charges"`
		Broken  string      `json:"broken"`
	}
	if err := s.get(ctx, "/_sim/books", &books); err != nil {
		return nil, err
	}
	if books.Broken != "" {
		return nil, fmt.Errorf("%s", books.Broken)
	}
	return books.Charges, nil
}

func total(charges []sim.Entry) money.Cents {
	var sum money.Cents
	for _, c := range charges {
		sum += c.Amount
	}
	return sum
}

func (s *scriptRun) moveClock(ctx context.Context, to time.Time) error {
	return s.post(ctx, "/demo/clock", map[string]time.Time{"to": to}, nil)
}
