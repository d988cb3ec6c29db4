package fulfilment

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
)

// MaxMarks is how many parcels are marked at once.
const MaxMarks = 200

// maxChangeID is how many bytes a batch's identity has at the most.
const maxChangeID = 64

// Service marks parcels. All fields are required. It is safe for concurrent use.
type Service struct {
	Orders    order.Client
	Store     kv.Store // the primary namespace
	Projector *projection.Projector
	Outbox    *notify.Outbox
	Links     notify.Links
	Catalogue func() *campaign.Catalogue
	Zone      *time.Location // the platform's, in which a day is today
	Now       func() time.Time
}

// Mark says how far a parcel is.
type Mark struct {
	OrderID string `json:"orderId"`
	// Fulfiller is whose parcel of the order it is; "" is the campaign's, or the only one.
	Fulfiller string              `json:"fulfiller,omitempty"`
	Status    pledge.ParcelStatus `json:"status"`
	Carrier   string              `json:"carrier,omitempty"`
	Tracking  string              `json:"trackingNumber,omitempty"`
	// SentOn is the day on which it was sent, as 2026-01-31; "" is today.
	SentOn string `json:"sentOn,omitempty"`
}

// Batch is who marks which parcels of a campaign. Under one ChangeID each is marked once.
type Batch struct {
	CampaignSlug string
	ChangeID     string
	By           string // the operator's address, "" for a program
	Tell         bool   // mails supporters that a parcel is on its way, once a parcel
	DryRun       bool   // nothing is written
}

// Outcome is what became of a mark, or would in a dry run.
type Outcome string

// The outcomes.
const (
	Marked    Outcome = "marked"
	Unchanged Outcome = "unchanged" // it was so before
	Refused   Outcome = "refused"
)

// Result is what became of one mark.
type Result struct {
	OrderID string  `json:"orderId"`
	Line    int     `json:"line,omitempty"` // of the file
	Outcome Outcome `json:"outcome"`
	// Problem is why it was refused. The rest is of an order that was found.
	Problem *fault.Error   `json:"problem,omitempty"`
	Parcel  *pledge.Parcel `json:"parcel,omitempty"`
	// Recipient is to whom it goes.
	Recipient string `json:"recipient,omitempty"`
	Items     []Item `json:"items,omitempty"`
}

// Item is one thing of a parcel.
type Item struct {
	Name        string `json:"name"`
	VariantName string `json:"variantName,omitempty"`
	Quantity    int    `json:"quantity"`
}

// Mark marks parcels one by one, and answers each by itself. It fails with code Invalid for a
// batch that is none. Where it is not known what became of one, it fails, and may be repeated
// with the same ChangeID.
func (s *Service) Mark(ctx context.Context, b Batch, marks []Mark) ([]Result, error) {
	if len(marks) == 0 || len(marks) > MaxMarks {
		return nil, fault.New(fault.Invalid, "Mark 1 to %d parcels at once", MaxMarks).In("marks")
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	results := make([]Result, 0, len(marks))
	for _, m := range marks {
		r, err := s.one(ctx, b, m)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

func (b Batch) check() error {
	if b.DryRun {
		return nil
	}
	if b.ChangeID == "" || len(b.ChangeID) > maxChangeID {
		return fault.New(fault.Invalid, "A change has an identity of 1 to %d bytes", maxChangeID).In("changeId")
	}
	return nil
}

func (s *Service) one(ctx context.Context, b Batch, m Mark) (Result, error) {
	r := Result{OrderID: m.OrderID}
	p, err := s.Find(ctx, b.CampaignSlug, m.OrderID)
	if err == nil {
		r, err = s.mark(ctx, b, p, m)
	}
	if problem := refusal(err); problem != nil {
		r.Outcome, r.Problem, err = Refused, problem, nil
	}
	return r, err
}

// refusal is the error of what can't be done, and nil for what may work later.
func refusal(err error) *fault.Error {
	switch fault.CodeOf(err) {
	case fault.Invalid, fault.NotFound, fault.Conflict:
		return fault.Of(err)
	}
	return nil
}

// Find returns a campaign's order by its number, as it was scanned or typed. Of an order for
// several campaigns the number may be without the campaign. It fails with code Invalid for
// what is no number, and with NotFound.
func (s *Service) Find(ctx context.Context, slug, number string) (*pledge.Pledge, error) {
	id := strings.ToLower(strings.TrimSpace(number))
	orderID, err := pledge.OrderOf(id)
	if err != nil {
		return nil, fault.New(fault.Invalid, "This is no order number").In("orderId")
	}
	candidates := []string{id}
	if id == orderID {
		candidates = append(candidates, pledge.IDFor(orderID, slug, true))
	}
	for _, id := range candidates {
		p, err := s.Orders.Pledge(ctx, id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil || p.CampaignSlug == slug {
			return p, err
		}
	}
	return nil, fault.New(fault.NotFound, "The campaign has no such order").In("orderId")
}

func (s *Service) mark(ctx context.Context, b Batch, p *pledge.Pledge, m Mark) (Result, error) {
	if all := p.Fulfillers(); m.Fulfiller == "" && len(all) > 0 {
		m.Fulfiller = all[0]
	}
	was := p.ParcelOf(m.Fulfiller)
	r := Result{OrderID: p.OrderID, Parcel: &was, Items: items(p, m.Fulfiller)}
	if p.ShippingAddress != nil {
		r.Recipient = p.ShippingAddress.Name
	}
	full, err := s.complete(m, was)
	if err != nil {
		return r, err
	}
	next, changed, err := p.Marked(full, s.Now())
	if err != nil {
		return r, err
	}
	if !b.DryRun {
		deed := order.Deed{CampaignSlug: b.CampaignSlug, PledgeID: p.OrderID, ID: b.ChangeID + "/" + m.Fulfiller, By: b.By}
		done, err := s.Orders.MarkParcel(ctx, deed, full)
		if err != nil {
			return r, err
		}
		if err := s.project(ctx, done.Pledge); err != nil {
			return r, err
		}
		next, changed = done.Pledge.ParcelOf(m.Fulfiller), done.Changed
		if changed && b.Tell && next.Status == pledge.Sent {
			if err := s.tell(ctx, done.Pledge, next); err != nil {
				return r, err
			}
		}
	}
	r.Parcel, r.Outcome = &next, Unchanged
	if changed {
		r.Outcome = Marked
	}
	return r, nil
}

// complete checks what was said of a parcel, and adds what follows: of one that is sent the
// day, and from where it is followed.
func (s *Service) complete(m Mark, was pledge.Parcel) (pledge.Mark, error) {
	full := pledge.Mark{Fulfiller: m.Fulfiller, Status: m.Status}
	if m.Status != pledge.Sent {
		return full, nil
	}
	var err error
	today := s.Now().In(s.Zone).Format(time.DateOnly)
	if full.SentOn, err = day(m.SentOn, today); err != nil {
		return full, err
	}
	full.SentOn = cmp.Or(full.SentOn, was.SentOn, today)
	if full.Carrier, err = carrier(m.Carrier); err != nil {
		return full, err
	}
	if full.Tracking, err = tracking(m.Tracking); err != nil {
		return full, err
	}
	full.Carrier, full.Tracking = cmp.Or(full.Carrier, was.Carrier), cmp.Or(full.Tracking, was.Tracking)
	full.Link = trackingLink(full.Carrier, full.Tracking)
	return full, nil
}

// project brings a pledge's record up to date, also after somebody who was cut off before.
func (s *Service) project(ctx context.Context, p *pledge.Pledge) error {
	kept, there, err := kv.Read[pledge.Pledge](ctx, s.Store, pledge.Key(p.OrderID))
	if err != nil || there && kept.Revision >= p.Revision {
		return err
	}
	_, err = s.Projector.Book(ctx, p, "")
	return err
}

// tell queues the mail that a parcel is on its way, unless it was queued before.
func (s *Service) tell(ctx context.Context, p *pledge.Pledge, parcel pledge.Parcel) error {
	c, err := s.Catalogue().Campaign(p.CampaignSlug)
	if err != nil {
		return err
	}
	m, err := notify.ParcelSentOf(p, parcel, c, s.Links, s.Now())
	if err != nil {
		return err
	}
	return s.Outbox.Queue(ctx, m)
}

func items(p *pledge.Pledge, fulfiller string) (all []Item) {
	kinds := []pledge.LineKind{pledge.TierLine, pledge.CampaignAddOnLine}
	if fulfiller == pledge.ByPlatform {
		kinds = []pledge.LineKind{pledge.PlatformAddOnLine}
	}
	for _, l := range p.Lines {
		if slices.Contains(kinds, l.Kind) {
			all = append(all, Item{l.Name, l.VariantName, l.Quantity})
		}
	}
	return all
}
