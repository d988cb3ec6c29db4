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

// The campaigns of the story: the game gets funded and ends first, the film
// does not reach its goal.
const (
	game = "tidepool-traders"
	film = "night-ferry"
)

// The story's numbers.
const (
	crowd   = 32 // more than settlement takes into one batch
	rush    = 50 // clients that want the last painted set
	repeats = 5  // deliveries of one webhook
)

var home = pledge.Address{Name: "A supporter", Line1: "1 Shore Road", City: "Taos", State: "NM", PostalCode: "87571", Country: "US"}

// made is a pledge of the story.
type made struct {
	started checkout.Started
	email   string
	tokens  map[string]string // by pledge ID
}

// Stage is where the story is told: a service in test mode with the demo's own routes
// beside it. Which host it runs on makes no difference.
type Stage struct {
	Base            string // of service, site and the demo's routes
	Admin           string // the secrets of the operator's routes
	Settlement      string
	WebhookSecret   string
	SignatureHeader string
	Now             func() time.Time
}

// story is one telling.
type story struct {
	*client
	stage Stage
	out   io.Writer
	step  int
	err   error // of writing
	books []made

	opened  []string // links to sign in, which were used
	several string   // the link of the first pledge of somebody who pledges again
	mu      sync.Mutex
}

// Script tells the story on the demo itself.
func (d *Demo) Script(ctx context.Context, out io.Writer) error {
	return Tell(ctx, out, Stage{
		Base: d.Base, Admin: d.App.Config.Secrets.Admin.Reveal(), Settlement: settlementSecret(d.App.Config),
		WebhookSecret: d.App.Config.PSPWebhookSecret().Reveal(), SignatureHeader: "Psp-Signature", Now: d.Clock.Now,
	})
}

// Tell tells the whole story over HTTP, step by step, and ends with the books
// of campaign and processor held against each other. It fails at the first
// thing that is not as it should be, or that takes half a minute; a context with a
// deadline has patience until then.
func Tell(ctx context.Context, out io.Writer, stage Stage) error {
	s := &story{stage: stage, out: out, client: &client{base: stage.Base, http: &http.Client{}}}
	steps := []func(context.Context) error{
		s.onePledge, s.bundle, s.firstOfSeveral, s.others, s.secondOfSeveral, s.badCard, s.strictBank,
		s.fiveDeliveries, s.neverDelivered, s.neverDeliveredNorReturned,
		s.changes, s.cancels, s.lastUnit, s.tooEarly, s.operators,
		s.deadline, s.settle, s.newCard, s.approve, s.again, s.unfunded, s.hold,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return fmt.Errorf("step %d: %w", s.step+1, err)
		}
	}
	return s.err
}

func (s *story) tell(format string, args ...any) {
	s.step++
	_, err := fmt.Fprintf(s.out, "%2d. %s\n", s.step, fmt.Sprintf(format, args...))
	if s.err == nil {
		s.err = err
	}
}

// cart is a cart of one item with a quantity.
func cart(slug, item string, quantity int) checkout.Cart {
	return checkout.Cart{CampaignSlug: slug, Items: []checkout.Item{{ID: item, Quantity: &quantity}}, ShippingAddress: &home}
}

func (s *story) start(ctx context.Context, email string, c checkout.Cart) (checkout.Started, error) {
	var started checkout.Started
	err := s.post(ctx, "/checkout-intent/start", checkout.StartRequest{Cart: c, Email: email}, &started)
	return started, err
}

func (s *story) saveCard(ctx context.Context, sessionID, card string) error {
	return s.post(ctx, "/_sim/complete", map[string]string{"session": sessionID, "card": card}, nil)
}

// pledge goes all the way and waits for the webhook to have made the pledge.
func (s *story) pledge(ctx context.Context, email string, c checkout.Cart, card string) (made, error) {
	return s.pledgeFrom(ctx, "", email, c, card)
}

// pledgeFrom pledges by the link of an earlier pledge, "" is without one.
func (s *story) pledgeFrom(ctx context.Context, link, email string, c checkout.Cart, card string) (made, error) {
	var started checkout.Started
	err := s.post(ctx, "/checkout-intent/start", checkout.StartRequest{Cart: c, Email: email, ManageToken: link}, &started)
	if err != nil {
		return made{}, err
	}
	if err := s.saveCard(ctx, started.SessionID, card); err != nil {
		return made{}, err
	}
	if err := s.persisted(ctx, started); err != nil {
		return made{}, err
	}
	return s.note(ctx, email, started)
}

func (s *story) persisted(ctx context.Context, started checkout.Started) error {
	q := url.Values{"orderId": {started.OrderID}, "token": {started.Token}}
	return until(ctx, "the webhook of "+started.OrderID, func() (bool, error) {
		var sum checkout.Summary
		err := s.get(ctx, "/checkout-intent/summary?"+q.Encode(), &sum)
		return sum.Persisted, err
	})
}

// note finds the links of an order's pledges in its confirmations.
func (s *story) note(ctx context.Context, email string, started checkout.Started) (made, error) {
	m := made{started: started, email: email, tokens: map[string]string{}}
	err := until(ctx, "the confirmation of "+started.OrderID, func() (bool, error) {
		var mails []app.Mail
		if err := s.get(ctx, "/demo/mail", &mails, "Accept", "application/json"); err != nil {
			return false, err
		}
		for _, mail := range mails {
			if mail.To != email {
				continue
			}
			if err := s.links(ctx, &m, mail.Text); err != nil {
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

func (s *story) links(ctx context.Context, m *made, text string) error {
	for _, word := range strings.Fields(text) {
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

func (s *story) view(ctx context.Context, token string) (checkout.PledgeView, error) {
	var v checkout.PledgeView
	err := s.get(ctx, "/pledge?"+url.Values{"token": {token}}.Encode(), &v)
	return v, err
}

// status reads the status of a pledge by its own link.
func (m made) only() string {
	for _, t := range m.tokens {
		return t
	}
	return ""
}

func (s *story) admin() []string {
	return []string{"Authorization", "Bearer " + s.stage.Admin}
}

func (s *story) settler() []string {
	return []string{"Authorization", "Bearer " + s.stage.Settlement}
}

func (s *story) charges(ctx context.Context) ([]sim.Entry, error) {
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

func (s *story) moveClock(ctx context.Context, to time.Time) error {
	return s.post(ctx, "/demo/clock", map[string]time.Time{"to": to}, nil)
}
