package fulfilment

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
)

// MaxMarks is the maximum number of parcels per call of Mark.
const MaxMarks = 200

// maxChangeID is the maximum length of a change ID in bytes.
const maxChangeID = 64

// Service marks parcels. All fields are required. It is safe for concurrent use.
type Service struct {
	Orders    order.Client
	Projector *projection.Projector
	Outbox    *notify.Outbox
	Links     mailtext.Links
	Catalogue func() *campaign.Catalogue
	Zone      *time.Location // the platform's time zone, which determines today's date
	Now       func() time.Time
}

// Mark is the new status of a parcel.
type Mark struct {
	OrderID string `json:"orderId"`
	// Fulfiller identifies the parcel of the order; "" means the campaign's or the only one.
	Fulfiller string              `json:"fulfiller,omitempty"`
	Status    pledge.ParcelStatus `json:"status"`
	Carrier   string              `json:"carrier,omitempty"`
	Tracking  string              `json:"trackingNumber,omitempty"`
	// SentOn is the day of dispatch, as 2026-01-31; "" means today.
	SentOn string `json:"sentOn,omitempty"`
}

// Batch describes a request to mark parcels of a campaign. Each parcel is marked once per
// ChangeID.
type Batch struct {
	CampaignSlug     string
	ChangeID         string
	By               string // the operator's address, "" for a program
	NotifySupporters bool   // mail supporters that a parcel was sent, once per parcel
	DryRun           bool   // write nothing
}

// Outcome is the result of a mark, also in a dry run.
type Outcome string

// The outcomes.
const (
	Marked    Outcome = "marked"
	Unchanged Outcome = "unchanged" // already in that state
	Refused   Outcome = "refused"
)

// Result is the result of one mark.
type Result struct {
	OrderID string  `json:"orderId"`
	Line    int     `json:"line,omitempty"` // of the file
	Outcome Outcome `json:"outcome"`
	// Problem is why the mark was rejected, nil otherwise. The following fields are set if the
	// order was found.
	Problem *fault.Error   `json:"problem,omitempty"`
	Parcel  *pledge.Parcel `json:"parcel,omitempty"`
	// Recipient is the name in the shipping address.
	Recipient string `json:"recipient,omitempty"`
	Items     []Item `json:"items,omitempty"`
}

// Item is an item in a parcel.
type Item struct {
	Name        string `json:"name"`
	VariantName string `json:"variantName,omitempty"`
	Quantity    int    `json:"quantity"`
}

// Mark marks parcels and returns a result for each. It fails with code Invalid if the batch or the
// number of marks is not valid. If it fails for another reason, some parcels may have been marked;
// the call can be repeated with the same ChangeID.
func (s *Service) Mark(ctx context.Context, b Batch, marks []Mark) ([]Result, error) {
	if len(marks) == 0 || len(marks) > MaxMarks {
		return nil, fault.New(fault.Invalid, "Mark 1 to %d parcels at once", MaxMarks).In("marks")
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	results := make([]Result, 0, len(marks))
	for _, m := range marks {
		r, err := s.markOne(ctx, b, m)
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
		return fault.New(fault.Invalid, "The change ID must have 1 to %d bytes", maxChangeID).In("changeId")
	}
	return nil
}

func (s *Service) markOne(ctx context.Context, b Batch, m Mark) (Result, error) {
	r := Result{OrderID: m.OrderID}
	p, err := s.Find(ctx, b.CampaignSlug, m.OrderID)
	if err == nil {
		r, err = s.mark(ctx, b, p, m)
	}
	if problem := rejection(err); problem != nil {
		r.Outcome, r.Problem, err = Refused, problem, nil
	}
	return r, err
}

// rejection returns the error if it is permanent. It returns nil for no error and for errors after
// which the operation may succeed later.
func rejection(err error) *fault.Error {
	switch fault.CodeOf(err) {
	case fault.Invalid, fault.NotFound, fault.Conflict:
		return fault.Of(err)
	}
	return nil
}

// Find returns a campaign's order by a scanned or typed number. For an order with several
// campaigns, the number may omit the campaign. It fails with code Invalid if the number is
// malformed, and NotFound if the campaign has no such order.
func (s *Service) Find(ctx context.Context, slug, number string) (*pledge.Pledge, error) {
	id := strings.ToLower(strings.TrimSpace(number))
	orderID, err := pledge.OrderOf(id)
	if err != nil {
		return nil, fault.New(fault.Invalid, "This is not a valid order number").In("orderId")
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
	return nil, fault.New(fault.NotFound, "The campaign has no order with this number").In("orderId")
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
	full, err := s.completeMark(m, was)
	if err != nil {
		return r, err
	}
	next, changed, err := p.Marked(full, s.Now())
	if err != nil {
		return r, err
	}
	if !b.DryRun {
		deed := order.OperatorAct{CampaignSlug: b.CampaignSlug, PledgeID: p.OrderID,
			ID: b.ChangeID + "/" + m.Fulfiller, By: b.By}
		done, err := s.Orders.MarkParcel(ctx, deed, full)
		if err != nil {
			return r, err
		}
		if err := s.Projector.BookIfStale(ctx, done.Pledge); err != nil {
			return r, err
		}
		next, changed = done.Pledge.ParcelOf(m.Fulfiller), done.Changed
		if changed && b.NotifySupporters && next.Status == pledge.Sent {
			if err := s.sendMail(ctx, done.Pledge, next); err != nil {
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

// completeMark validates a mark. For a sent parcel, it takes missing data from the parcel's
// earlier mark, uses today as the default day, and adds the tracking link.
func (s *Service) completeMark(m Mark, was pledge.Parcel) (pledge.Mark, error) {
	full := pledge.Mark{Fulfiller: m.Fulfiller, Status: m.Status}
	if m.Status != pledge.Sent {
		return full, nil
	}
	var err error
	today := s.Now().In(s.Zone).Format(time.DateOnly)
	if full.SentOn, err = parseDay(m.SentOn, today); err != nil {
		return full, err
	}
	full.SentOn = cmp.Or(full.SentOn, was.SentOn, today)
	if full.Carrier, err = parseCarrier(m.Carrier); err != nil {
		return full, err
	}
	if full.Tracking, err = parseTracking(m.Tracking); err != nil {
		return full, err
	}
	full.Carrier, full.Tracking = cmp.Or(full.Carrier, was.Carrier), cmp.Or(full.Tracking, was.Tracking)
	full.Link = trackingLink(full.Carrier, full.Tracking)
	return full, nil
}

// sendMail queues the mail that a parcel was sent, unless it was queued before.
func (s *Service) sendMail(ctx context.Context, p *pledge.Pledge, parcel pledge.Parcel) error {
	c, err := s.Catalogue().Campaign(p.CampaignSlug)
	if err != nil {
		return err
	}
	m, err := mailtext.ParcelSentMail(p, parcel, c, s.Links, s.Now())
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
