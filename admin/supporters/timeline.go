package supporters

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
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Limits for an address with very many pledges: the number of pledges shown, and the number of its
// newest pledges that are searched for those to the campaign.
const (
	maxPledges = 20
	maxWalk    = 200
)

// Visibility determines the data that a caller may see in addition to a supporter's identity.
type Visibility struct {
	Money     bool // amounts and charge results
	Addresses bool // shipping addresses
	Platform  bool // actions reserved for super admins
}

// Timeline is everything that is known about one supporter of a campaign.
type Timeline struct {
	CampaignSlug string   `json:"campaignSlug"`
	Title        string   `json:"campaignTitle"`
	Email        string   `json:"email"`
	Name         string   `json:"name"`
	Pledges      []Pledge `json:"pledges"` // newest first
	// More is set if the address has further pledges that are not shown.
	More bool `json:"more"`
	// Events are in chronological order.
	Events []Event `json:"events"`
	// Votes is the number of the campaign's decisions that the supporter has voted on.
	Votes int `json:"votes"`
	// Suppressed lists the kinds of mail that the supporter does not receive, and why.
	Suppressed []Suppressed `json:"suppressed"`
}

// Pledge is the current state of a pledge.
type Pledge struct {
	OrderID  string        `json:"orderId"`
	Revision int           `json:"revision"`
	Status   pledge.Status `json:"pledgeStatus"`
	Display  pledge.Status `json:"status"` // as in Supporter
	BookedAt time.Time     `json:"createdAt"`
	Items    []Item        `json:"items"`
	// CanCancel is set if an operator may cancel the pledge now, and CanRefund if it was charged and
	// not all of it is refunded.
	CanCancel bool   `json:"canCancel"`
	CanRefund bool   `json:"canRefund"`
	Lang      string `json:"preferredLang"`
	Delivery  string `json:"fulfillmentType"`
	Option    string `json:"shippingOption,omitempty"`
	Joined    bool   `json:"joined"` // charged together with others of the address
	// Card is the card to be charged; nil for callers that may not see money.
	Card      *pledge.CardLabel `json:"card,omitempty"`
	Forgotten *time.Time        `json:"cardForgottenAt,omitempty"`
	// Parcels are those of a charged pledge, by fulfiller.
	Parcels []pledge.Parcel `json:"parcels"`
	// Held is why the parcels are held, for callers that may see addresses or money. CanHold is set if
	// the caller may hold or release them.
	Held    pledge.HoldReason `json:"heldReason,omitempty"`
	CanHold bool              `json:"canHold"`
	// Address is nil for callers that may not see addresses, and Totals for those that may
	// not see money.
	Address *pledge.Address `json:"shippingAddress,omitempty"`
	Totals  *pledge.Totals  `json:"totals,omitempty"`
	// ChargedAmount is the charged amount in cents if it differs from the total; 0 also for
	// callers that may not see money.
	ChargedAmount money.Cents `json:"chargedAmount,omitempty"`
	// The following fields are set for callers that may see money: the refunds, why the last charge
	// was declined, how and until when that can be repaired, and the charge at the payment
	// processor.
	Refunds    []pledge.Refund  `json:"refunds,omitempty"`
	Decline    pledge.Reason    `json:"declineReason,omitempty"`
	Recovery   *pledge.Recovery `json:"recovery,omitempty"`
	PaymentID  string           `json:"paymentIntentId,omitempty"`
	PaymentURL string           `json:"paymentUrl,omitempty"`
	// Disputes are those of the payment, and Warnings its early fraud warnings, for callers that may see
	// money.
	Disputes []Dispute `json:"disputes"`
	Warnings []Warning `json:"fraudWarnings"`
}

// Item is one line of a pledge.
type Item struct {
	Kind        pledge.LineKind `json:"kind"`
	Name        string          `json:"name"`
	VariantName string          `json:"variantName,omitempty"`
	Quantity    int             `json:"quantity"`
	// Amount is the price of all units in cents; nil for callers that may not see money.
	Amount *money.Cents `json:"amount,omitempty"`
	// PromisedDelivery is pledge.Line's, and EstimatedDelivery the month in which the campaign now
	// expects to deliver the reward; "" if there is none.
	PromisedDelivery  string `json:"promisedDelivery,omitempty"`
	EstimatedDelivery string `json:"estimatedDelivery,omitempty"`
}

// Event is an entry of the timeline.
type Event struct {
	At time.Time `json:"at"`
	// Kind, Email, Outcome and Reason are the values for a sentence about the event. Email is the
	// kind of an email. Reason is why a charge was declined, for callers that may see money.
	Kind    EventKind     `json:"kind"`
	Email   notify.Kind   `json:"email,omitempty"`
	Outcome Outcome       `json:"outcome,omitempty"`
	Reason  pledge.Reason `json:"reason,omitempty"`
	Source  string        `json:"about"` // "pledge", "mail", "charge" or "operator"
	// Type is the type of a history entry, the category of a mail, or "attempt".
	Type    string `json:"type"`
	OrderID string `json:"orderId,omitempty"` // of a pledge, or of a mail about one
	// Status is the status of a mail or charge attempt, and Reported the mail provider's
	// last report.
	Status   string `json:"status,omitempty"`
	Reported string `json:"reported,omitempty"`
	// By is the operator, "" for a program. Parcel is the resulting parcel. Text is the
	// operator's note, or the reason for changing an address. AddressBefore is set for
	// callers that may see addresses.
	By            string          `json:"by,omitempty"`
	Parcel        *pledge.Parcel  `json:"parcel,omitempty"`
	Text          string          `json:"text,omitempty"`
	AddressBefore *pledge.Address `json:"addressBefore,omitempty"`
	// The following fields are set for callers that may see money: cents, the payment
	// processor's payment ID, and its error code.
	Amount    *money.Cents `json:"amount,omitempty"`
	PaymentID string       `json:"paymentIntentId,omitempty"`
	Code      string       `json:"errorCode,omitempty"`
	// PaymentURL is the payment's page at the payment processor, "" if it is not known.
	PaymentURL string `json:"paymentUrl,omitempty"`
}

// Timeline returns the pledges, events, votes and suppressions of a pledge's supporter in its
// campaign, as far as visible allows. It fails with code NotFound if the campaign has no such
// pledge.
func (s *Service) Timeline(ctx context.Context, slug, orderID string, visible Visibility) (Timeline, error) {
	p, there, err := kv.Read[pledge.Pledge](ctx, s.Index.Store, pledge.Key(orderID))
	if err != nil {
		return Timeline{}, err
	}
	if !there || p.CampaignSlug != slug {
		return Timeline{}, fault.New(fault.NotFound, "The campaign has no pledge with this ID").In("orderId")
	}
	all, more, err := s.ofSupporter(ctx, &p)
	if err != nil {
		return Timeline{}, err
	}
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return Timeline{}, err
	}
	t := Timeline{CampaignSlug: slug, Title: c.Title, Email: p.Email, Name: p.SupporterName(),
		Pledges: []Pledge{}, Events: []Event{}, More: more}
	for _, p := range all {
		view := s.pledgeView(p, c, visible)
		if view.CanCancel, err = s.canCancel(ctx, p, visible); err != nil {
			return Timeline{}, err
		}
		if err = s.addDisputes(ctx, &view, p); err != nil {
			return Timeline{}, err
		}
		t.Pledges = append(t.Pledges, view)
		events, err := s.history(ctx, p, visible)
		if err != nil {
			return Timeline{}, err
		}
		t.Events = append(t.Events, events...)
	}
	charges, attempts, err := s.charges(ctx, all, visible)
	if err != nil {
		return Timeline{}, err
	}
	mails, err := s.mails(ctx, all, attempts)
	if err != nil {
		return Timeline{}, err
	}
	t.Events = slices.Concat(t.Events, charges, mails)
	slices.SortStableFunc(t.Events, func(a, b Event) int { return a.At.Compare(b.At) })
	if t.Votes, err = s.votes(ctx, slug, p.Email); err != nil {
		return Timeline{}, err
	}
	t.Suppressed, err = s.suppressed(ctx, slug, p.Email)
	return t, err
}

// ofSupporter returns a pledge with the other pledges of its address to its campaign, newest
// first. more is set if there can be others that were not read.
func (s *Service) ofSupporter(ctx context.Context, p *pledge.Pledge) (all []*pledge.Pledge, more bool, err error) {
	ids, _, err := kv.Read[[]string](ctx, s.Index.Store, pledge.EmailKey(p.Email))
	if err != nil {
		return nil, false, err
	}
	all = append(all, p)
	for n, id := range slices.Backward(ids) {
		if len(ids)-n > maxWalk || len(all) == maxPledges {
			more = true
			break
		}
		other, there, err := kv.Read[pledge.Pledge](ctx, s.Index.Store, pledge.Key(id))
		if err != nil {
			return nil, false, err
		}
		if there && id != p.OrderID && other.CampaignSlug == p.CampaignSlug {
			all = append(all, &other)
		}
	}
	slices.SortStableFunc(all, func(a, b *pledge.Pledge) int {
		return cmp.Or(b.BookedAt.Compare(a.BookedAt), cmp.Compare(b.OrderID, a.OrderID))
	})
	return all, more, nil
}

// canCancel reports whether the caller may cancel a pledge now.
func (s *Service) canCancel(ctx context.Context, p *pledge.Pledge, visible Visibility) (bool, error) {
	if !visible.Platform || s.CanCancel == nil {
		return false, nil
	}
	return s.CanCancel(ctx, p)
}

func (s *Service) pledgeView(p *pledge.Pledge, c *campaign.Campaign, visible Visibility) Pledge {
	v := Pledge{OrderID: p.OrderID, Status: p.Status, Display: p.DisplayStatus(), BookedAt: p.BookedAt,
		Items: []Item{}, Lang: p.PreferredLang, Delivery: p.FulfillmentType,
		Revision: p.Revision, Parcels: []pledge.Parcel{}, Disputes: []Dispute{}, Warnings: []Warning{}, Option: p.ShippingOption,
		Joined: p.JoinedAt != nil, Forgotten: p.CardForgottenAt}
	for _, l := range p.Lines {
		item := Item{Kind: l.Kind, Name: l.Name, VariantName: l.VariantName, Quantity: l.Quantity,
			PromisedDelivery: l.PromisedDelivery}
		if tier, ok := c.Tier(l.ID); ok && l.Kind == pledge.TierLine {
			item.EstimatedDelivery = tier.EstimatedDelivery
		}
		if visible.Money {
			item.Amount = &l.Amount
		}
		v.Items = append(v.Items, item)
	}
	if p.Charged {
		for _, f := range p.Fulfillers() {
			v.Parcels = append(v.Parcels, p.ParcelOf(f))
		}
	}
	if visible.Addresses {
		v.Address = p.ShippingAddress
	}
	if visible.Addresses || visible.Money {
		v.Held = p.Held()
	}
	if visible.Money {
		v.Display = p.DetailedStatus()
		v.CanHold = p.Disputed() != "" && !p.AllSent()
		v.Totals, v.Card, v.ChargedAmount, v.Refunds = &p.Totals, p.Card, p.ChargedAmount, p.Refunds
		v.CanRefund = p.Charged && p.Refunded() < p.Paid()
		v.Decline, v.Recovery, v.PaymentID, v.PaymentURL = lastDecline(p), p.Recovery,
			p.PaymentIntentID, s.paymentPage(p.PaymentIntentID)
	}
	return v
}

// history returns a pledge's history. Entries that operators caused are replaced by their
// actions, which name the operator.
func (s *Service) history(ctx context.Context, p *pledge.Pledge, visible Visibility) (events []Event, err error) {
	var acts []order.Act
	if s.Acts != nil {
		if acts, err = s.Acts(ctx, p.OrderID); err != nil {
			return nil, err
		}
	}
	byOperator := map[string]bool{}
	for _, a := range acts {
		byOperator[a.Type] = true
		e := Event{At: a.At, Source: "operator", Type: a.Type, Kind: kindOf(a.Type), OrderID: p.OrderID,
			By: a.By, Parcel: a.Parcel, Text: a.Text}
		if visible.Addresses {
			e.AddressBefore = a.Before
		}
		events = append(events, e)
	}
	for _, h := range p.History {
		isDispute := strings.HasPrefix(h.Type, "dispute_")
		if byOperator[h.Type] || isDispute && !visible.Money {
			continue
		}
		e := Event{At: h.At, Source: "pledge", Type: h.Type, Kind: kindOf(h.Type), OrderID: p.OrderID, Text: h.Reason}
		if visible.Money && !isDispute && !strings.HasPrefix(h.Type, "refund_") { // their amounts are elsewhere
			amount := h.Amount
			if h.Type == "charged" {
				amount = p.Paid()
			}
			e.Amount = &amount
		}
		events = append(events, e)
	}
	return events, nil
}
