package pledgeworks

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Services take pledges and charge them. They are safe for concurrent use. Their fields may be
// replaced before the first call.
type Services struct {
	Checkout   *checkout.Service
	Settlement *settlement.Service
	Reconcile  *reconcile.Service
	Projector  *projection.Projector
	Outbox     *notify.Outbox
	// Evidence records the requests to the processor.
	Evidence *evidence.Recorder
}

// Classes returns the object classes that the program's coordinator must run. more can
// register additional commands of the settlement class.
func Classes(more ...func(*kv.Class)) []*kv.Class {
	campaigns := inventory.NewClass()
	vote.Register(campaigns)
	settlements := state.NewClass()
	reconcile.Register(settlements)
	refund.Register(settlements)
	dispute.Register(settlements)
	payout.Register(settlements)
	for _, register := range more {
		register(settlements)
	}
	return []*kv.Class{order.NewClass(), campaigns, settlements}
}

// New creates the services. Its error names every missing part.
func New(p Parts) (*Services, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	p = withDefaults(p)
	recorder, err := evidence.NewRecorder(p.Store, p.Now, p.Rand, p.Log)
	if err != nil {
		return nil, err
	}
	p.Processor = recorder.Wrap(p.Processor)
	orders, stock := order.Client{Coordinator: p.Coordinator}, inventory.Client{Coordinator: p.Coordinator}
	s := &Services{Evidence: recorder}
	s.Projector = projection.New(projection.Deps{
		Store: p.Store, Votes: p.Votes, Orders: orders, Inventory: stock, Catalogue: p.Catalogue, Zone: p.Zone, Now: p.Now,
		TestMode: p.Processor.Mode() == psp.Test, SegmentSize: p.SegmentSize,
	})
	s.Outbox = &notify.Outbox{
		Store: p.Store, Sender: p.Sender, Now: p.Now, Pace: &notify.Pace{Now: p.Now}, News: p.News,
		From: p.From, ReplyTo: p.ReplyTo,
		Render: mailtext.RenderHTML,
	}
	s.settlement(p, orders, stock)
	s.checkout(p, orders, stock)
	s.Outbox.Verifier = s.Settlement
	return s, nil
}

func (p *Parts) links() mailtext.Links {
	return mailtext.Links{SiteBase: p.Site, Signer: token.Signer{Secret: p.Secret}, Platform: p.Platform}
}

func (s *Services) settlement(p Parts, orders order.Client, stock inventory.Client) {
	s.Settlement = &settlement.Service{
		Store: p.Store, Coordinator: p.Coordinator, Orders: orders, Inventory: stock,
		Projector: s.Projector, Processor: p.Processor, Outbox: s.Outbox, Links: p.links(),
		Catalogue: p.Catalogue, Zone: p.Zone, Now: p.Now, Rand: p.Rand, Log: p.Log, Next: p.Next,
		Holder: p.Holder, Together: p.Together, Leases: p.Leases,
		EndCheckouts: func(ctx context.Context, slug string) error {
			_, err := s.Checkout.SweepCampaign(ctx, slug)
			return err
		},
		Grouping: p.Grouping, Disabled: p.Hold, Mute: p.mute(), BatchSize: p.BatchSize, SweepSize: p.SweepSize,
	}
	s.Reconcile = &reconcile.Service{
		Store: p.Store, Coordinator: p.Coordinator, Orders: orders, Inventory: stock, Settlement: s.Settlement,
		Processor: p.Processor, Catalogue: p.Catalogue, Zone: p.Zone, Now: p.Now, PageSize: p.PageSize,
	}
}

func (s *Services) checkout(p Parts, orders order.Client, stock inventory.Client) {
	s.Checkout = &checkout.Service{
		Store: p.Store, Orders: orders, Inventory: stock, Votes: vote.Client{Coordinator: p.Coordinator},
		Projector: s.Projector, Processor: p.Processor, Tax: p.Tax, Shipping: p.Shipping, Outbox: s.Outbox,
		Links: p.links(), Catalogue: p.Catalogue,
		Settings: checkout.Settings{
			Zone: p.Zone, SiteBase: p.Site, DefaultTip: p.DefaultTip, MaxTip: p.MaxTip,
			PublishableKey: p.PublishableKey, WebhookSecret: p.WebhookSecret, Grouping: p.Grouping,
			TestMode: p.Processor.Mode() == psp.Test,
		},
		Intents: token.Signer{Secret: p.IntentSecret},
		Retry:   s.Settlement.RetryCard, Approved: s.Settlement.Approved,
		Disputed: s.Settlement.ImportPaymentDisputes, Warned: s.Settlement.ImportWarnings, Awake: s.Settlement.ActiveCampaigns,
		Wake: s.Settlement.Wake, Refunded: s.Settlement.UpdateRefunds, PaidOut: s.Settlement.ImportPayout,
		Now: p.Now, Rand: p.Rand, Log: p.Log,
	}
}
