package checkout

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// JoinRequest has the token's pledge charged together with the others of its address to
// the campaign. OrderID, where it is given, has to be that pledge's.
type JoinRequest struct {
	Token   string `json:"token"`
	OrderID string `json:"orderId,omitempty"`
}

// Joined is a pledge after it was joined, and what it is charged with.
type Joined struct {
	Success bool       `json:"success"`
	Message string     `json:"message"`
	Pledge  PledgeView `json:"pledge"`
	Joining Joining    `json:"joining"`
}

// Joining is what the token's pledge is charged with once it is joined. Other pledges are
// counted and not named: a link is for one.
type Joining struct {
	Joined  bool        `json:"joined"`  // it is already
	CanJoin bool        `json:"canJoin"` // its campaign has not ended
	Amount  money.Cents `json:"amount"`  // cents, of the token's pledge
	// Others are the pledges to the campaign that the holder of the address has joined, and
	// Total is what they and the token's come to, in cents.
	Others int         `json:"others"`
	Total  money.Cents `json:"total"`
	// Together says that there is a card to pay for all, one that was given by a link.
	// Until there is, each pledge is charged to its own.
	Together bool `json:"together"`
	// CardSavedAt is when that card was saved, and OwnCard that it is the token's pledge's.
	CardSavedAt *time.Time `json:"cardSavedAt,omitempty"`
	OwnCard     bool       `json:"ownCard"`
}

// Joining shows what joining the token's pledge comes to. It changes nothing, and fails
// as View does.
func (s *Service) Joining(ctx context.Context, tok string) (Joining, error) {
	p, err := s.own(ctx, tok, "")
	if err != nil {
		return Joining{}, err
	}
	return s.joining(ctx, p)
}

func (s *Service) joining(ctx context.Context, p *pledge.Pledge) (Joining, error) {
	others, err := s.others(ctx, p)
	if err != nil {
		return Joining{}, err
	}
	others = slices.DeleteFunc(others, func(o *pledge.Pledge) bool { return o.JoinedAt == nil || !o.Unpaid() })
	amounts, pays := []money.Cents{p.Amount}, p
	if !p.CardByLink {
		pays = nil
	}
	for _, o := range others {
		amounts = append(amounts, o.Amount)
		if o.CardByLink && (pays == nil || o.CardSavedAt.After(pays.CardSavedAt)) {
			pays = o
		}
	}
	total, err := money.Sum(amounts...)
	if err != nil {
		return Joining{}, err
	}
	j := Joining{Joined: p.JoinedAt != nil, CanJoin: s.canJoin(p), Amount: p.Amount, Others: len(others), Total: total}
	if pays != nil {
		j.Together, j.CardSavedAt, j.OwnCard = true, &pays.CardSavedAt, pays.OrderID == p.OrderID
	}
	return j, nil
}

// others reads the other pledges to the campaign under the address of one.
func (s *Service) others(ctx context.Context, p *pledge.Pledge) ([]*pledge.Pledge, error) {
	sup, err := s.Inventory.Supporter(ctx, p.CampaignSlug, pledge.EmailHash(p.Email))
	if err != nil {
		return nil, err
	}
	var all []*pledge.Pledge
	for _, id := range sup.Pledges {
		if id == p.OrderID {
			continue
		}
		o, err := s.Orders.Pledge(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

func (s *Service) canJoin(p *pledge.Pledge) bool {
	return p.JoinedAt == nil && p.Open() && s.campaign(p.CampaignSlug).State(s.Now(), s.Settings.Zone) != campaign.Ended
}

// Join has the token's pledge charged together with the others that were joined; joining
// it again changes nothing. It fails with code Conflict when the pledge is charged, being
// charged or cancelled, or its campaign is over.
func (s *Service) Join(ctx context.Context, r JoinRequest) (Joined, error) {
	p, err := s.own(ctx, r.Token, r.OrderID)
	if err != nil {
		return Joined{}, err
	}
	if p, err = s.Orders.Join(ctx, p.OrderID, s.changesUntil(p.CampaignSlug)); err != nil {
		return Joined{}, err
	}
	if p, err = s.Projector.Book(ctx, p, ""); err != nil {
		return Joined{}, err
	}
	j, err := s.joining(ctx, p)
	if err != nil {
		return Joined{}, err
	}
	v, err := s.view(ctx, p)
	return Joined{Success: true, Message: "Your pledge is joined with your others.", Pledge: v, Joining: j}, err
}

// linked returns the pledge whose mailed link a checkout is started from, "" for none.
func (s *Service) linked(ctx context.Context, tok, email string) (string, error) {
	if tok == "" {
		return "", nil
	}
	p, err := s.own(ctx, tok, "")
	if transient(err) {
		return "", err
	}
	if err != nil || p.Email != email {
		return "", fault.New(fault.Invalid, "The link was not mailed to this address, or has expired").In("manageToken")
	}
	return p.OrderID, nil
}

// joinLink joins the pledge whose link an order was started from, where it is to one of
// the order's campaigns and not too late.
func (s *Service) joinLink(ctx context.Context, m order.Manifest) error {
	if m.Link == "" {
		return nil
	}
	p, err := s.Orders.Pledge(ctx, m.Link)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(m.Campaigns, func(c order.Contribution) bool { return c.CampaignSlug == p.CampaignSlug }) {
		return nil
	}
	p, err = s.Orders.Join(ctx, p.OrderID, s.changesUntil(p.CampaignSlug))
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	if err == nil {
		_, err = s.Projector.Book(ctx, p, "")
	}
	return err
}
