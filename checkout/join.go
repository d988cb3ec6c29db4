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
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// JoinRequest requests that the token's pledge be charged together with the address's other joined
// pledges to the campaign. OrderID is optional and has to match the token's pledge.
type JoinRequest struct {
	Token   string `json:"token"`
	OrderID string `json:"orderId,omitempty"`
	// Session is the secret of the browser session, as in StartRequest. If the pledge was started
	// in this session, its card may pay for the others, and the session's other pledges are
	// joined too.
	Session string `json:"session,omitempty"`
	// All is the token from the link in a confirmation email that offers to join
	// pledges. With it, all pledges of the address to the campaign are joined.
	All string `json:"all,omitempty"`
	// Total is the total that the supporter saw, in cents. Join fails if it has changed. A total
	// of 0 is not checked.
	Total money.Cents `json:"total,omitempty"`
}

// Joined is a joined pledge and the combined payment that it belongs to.
type Joined struct {
	Success bool       `json:"success"`
	Message string     `json:"message"`
	Pledge  PledgeView `json:"pledge"`
	Joining Joining    `json:"joining"`
}

// Joining describes the payment for the token's pledge once it is joined. Other
// pledges are counted but not identified, since a link gives access to one
// pledge.
type Joining struct {
	Joined  bool        `json:"joined"`  // already joined
	CanJoin bool        `json:"canJoin"` // the campaign has not ended
	Amount  money.Cents `json:"amount"`  // cents, of the token's pledge
	// Others is the number of other pledges that the supporter joined or would
	// join with this one. Total includes them and the token's pledge, in cents.
	Others int         `json:"others"`
	Total  money.Cents `json:"total"`
	// Together reports whether one card can pay for all: a card saved through a mailed link, or for
	// a pledge made in the requester's browser session. Otherwise, each pledge is charged to its
	// own card.
	Together bool `json:"together"`
	// CardSavedAt is when that card was saved. OwnCard reports whether it is this
	// pledge's card.
	CardSavedAt *time.Time `json:"cardSavedAt,omitempty"`
	OwnCard     bool       `json:"ownCard"`
	// Leaves is the number of pledges of the same browser session that the token's pledge would no
	// longer be charged with. It is 0 if the request has the session's secret or All, because those
	// pledges are then joined too.
	Leaves int `json:"leaves"`
}

// JoiningRequest requests a preview of joining the token's pledge. Session and All are as in
// JoinRequest.
type JoiningRequest struct{ Token, Session, All string }

// Joining previews joining the token's pledge. It changes nothing. It fails as
// View does, and with code Invalid for an invalid session or token.
func (s *Service) Joining(ctx context.Context, r JoiningRequest) (Joining, error) {
	p, err := s.pledgeForToken(ctx, r.Token, "")
	if err != nil {
		return Joining{}, err
	}
	by, err := s.newJoiner(p, r.Session, r.All)
	if err != nil {
		return Joining{}, err
	}
	return s.joining(ctx, p, by)
}

// joiner describes the sender of a join request: it determines which other pledges of the address
// are joined with the token's pledge.
type joiner struct {
	session string // the hash of the browser session, "" if it is unknown
	all     bool   // the request has the token from an email that offers to join all
}

// newJoiner returns the joiner of a request about pledge p. The joiner has the browser session only
// if p was made in it or all pledges are joined. newJoiner fails with code Invalid for an invalid
// session or token.
func (s *Service) newJoiner(p *pledge.Pledge, session, all string) (joiner, error) {
	here, err := s.browserSession(p.Email, session)
	if err != nil {
		return joiner{}, err
	}
	if all != "" {
		c, err := s.Links.Signer.Verify(all, token.Join, s.Now())
		if err != nil || c.Email != p.Email || c.CampaignSlug != p.CampaignSlug {
			return joiner{}, fault.New(fault.Invalid,
				"The link is not for the pledges of this address, or has expired").In("all")
		}
	}
	if all == "" && p.Session != here {
		here = ""
	}
	return joiner{here, all != ""}, nil
}

// joins reports whether Join also joins o, another pledge of the address.
func (j joiner) joins(o *pledge.Pledge) bool {
	return o.JoinedAt == nil && o.Open() && (j.all || j.madeInSession(o))
}

// madeInSession reports whether a pledge was made in the joiner's browser
// session.
func (j joiner) madeInSession(o *pledge.Pledge) bool {
	return j.session != "" && o.Session == j.session
}

func (s *Service) joining(ctx context.Context, p *pledge.Pledge, by joiner) (Joining, error) {
	others, err := s.otherPledges(ctx, p)
	if err != nil {
		return Joining{}, err
	}
	if p.JoinedAt != nil {
		by = joiner{}
	}
	leaves := 0
	if by == (joiner{}) {
		leaves = sessionMates(p, others)
	}
	byEmail := s.Settings.Grouping == pledge.ByEmail
	others = slices.DeleteFunc(others, func(o *pledge.Pledge) bool {
		return !o.Unpaid() || o.JoinedAt == nil && !by.joins(o) && !byEmail
	})
	amounts := []money.Cents{}
	var pays *pledge.Pledge
	for _, o := range append([]*pledge.Pledge{p}, others...) {
		amounts = append(amounts, o.Amount)
		may := o.CardByLink || byEmail || o.JoinedAt == nil && by.madeInSession(o)
		if may && (pays == nil || o.CardSavedAt.After(pays.CardSavedAt)) {
			pays = o
		}
	}
	total, err := money.Sum(amounts...)
	if err != nil {
		return Joining{}, err
	}
	j := Joining{Joined: p.JoinedAt != nil, CanJoin: s.canJoin(p), Amount: p.Amount,
		Others: len(others), Total: total, Leaves: leaves}
	if pays != nil {
		j.Together, j.CardSavedAt, j.OwnCard = true, &pays.CardSavedAt, pays.OrderID == p.OrderID
	}
	return j, nil
}

// sessionMates counts the other pledges that are charged with a pledge because
// they were made in the same browser session.
func sessionMates(p *pledge.Pledge, others []*pledge.Pledge) (n int) {
	for _, o := range others {
		if p.CombinedBy() != "" && o.CombinedBy() == p.CombinedBy() && !o.Claimed() {
			n++
		}
	}
	return n
}

// otherPledges reads the address's other pledges to the same campaign.
func (s *Service) otherPledges(ctx context.Context, p *pledge.Pledge) ([]*pledge.Pledge, error) {
	return s.addressPledges(ctx, p.CampaignSlug, p.Email, p.OrderID)
}

// addressPledges reads an address's pledges to a campaign, except one.
func (s *Service) addressPledges(ctx context.Context, slug, email, except string) ([]*pledge.Pledge, error) {
	sup, err := s.Inventory.Supporter(ctx, slug, pledge.EmailHash(email))
	if err != nil {
		return nil, err
	}
	var all []*pledge.Pledge
	for _, id := range sup.Pledges {
		if id == except {
			continue
		}
		o, err := s.Orders.Pledge(ctx, id)
		if fault.Is(err, fault.NotFound) {
			continue // lost by a database restore
		}
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

func (s *Service) canJoin(p *pledge.Pledge) bool {
	return s.Settings.Grouping != pledge.ByEmail && p.JoinedAt == nil && p.Open() &&
		s.campaign(p.CampaignSlug).State(s.Now(), s.Settings.Zone) != campaign.Ended
}

// hasOthersToJoin reports whether the address has another open pledge to the campaign that is not
// charged with this one already.
func (s *Service) hasOthersToJoin(ctx context.Context, p *pledge.Pledge) (bool, error) {
	others, err := s.otherPledges(ctx, p)
	return err == nil && slices.ContainsFunc(others, func(o *pledge.Pledge) bool {
		return o.Open() && (o.CombinedBy() == "" || o.CombinedBy() != p.CombinedBy())
	}), err
}

// Join marks the token's pledge to be charged together with the address's other joined pledges to
// the campaign. It may be repeated. It fails with code Conflict if the pledge is charged, being
// charged or cancelled, its campaign has ended, or the total has changed, and with Invalid for an
// invalid session or token.
func (s *Service) Join(ctx context.Context, r JoinRequest) (Joined, error) {
	p, err := s.pledgeForToken(ctx, r.Token, r.OrderID)
	if err != nil {
		return Joined{}, err
	}
	by, err := s.newJoiner(p, r.Session, r.All)
	if err != nil {
		return Joined{}, err
	}
	if err := s.checkTotal(ctx, p, by, r.Total); err != nil {
		return Joined{}, err
	}
	if p, err = s.Orders.JoinInSession(ctx, p.OrderID, by.session, s.changesUntil(p.CampaignSlug)); err != nil {
		return Joined{}, err
	}
	if p, err = s.Projector.Book(ctx, p, ""); err != nil {
		return Joined{}, err
	}
	if err := s.joinOthers(ctx, p.CampaignSlug, p.Email, by); err != nil {
		return Joined{}, err
	}
	j, err := s.joining(ctx, p, by)
	if err != nil {
		return Joined{}, err
	}
	v, err := s.pledgeView(ctx, p)
	return Joined{Success: true, Message: "Your pledge is joined with your others.", Pledge: v, Joining: j}, err
}

// linkedPledge returns the ID of the pledge whose mailed link a checkout is started from, or "" if
// tok is empty. It fails with code Invalid if the link is invalid or was mailed to another address.
func (s *Service) linkedPledge(ctx context.Context, tok, email string) (string, error) {
	if tok == "" {
		return "", nil
	}
	p, err := s.pledgeForToken(ctx, tok, "")
	if transient(err) {
		return "", err
	}
	if err != nil || pledge.DeliveryEmail(p.Email) != pledge.DeliveryEmail(email) {
		return "", fault.New(fault.Invalid, "The link was not mailed to this address, or has expired").In("manageToken")
	}
	return p.OrderID, nil
}

// checkTotal fails with code Conflict if joining a pledge would result in a total
// other than the one that the supporter saw. A total of 0 is not checked.
func (s *Service) checkTotal(ctx context.Context, p *pledge.Pledge, by joiner, total money.Cents) error {
	if total == 0 || p.JoinedAt != nil {
		return nil
	}
	j, err := s.joining(ctx, p, by)
	if err == nil && j.Total != total {
		err = fault.New(fault.Conflict, "The pledges under this address have changed in the meantime").In("total")
	}
	return err
}

// joinOthers joins an address's other pledges to a campaign with the pledge of
// the joiner's link. It skips pledges that can no longer be joined.
func (s *Service) joinOthers(ctx context.Context, slug, email string, by joiner) error {
	if by == (joiner{}) {
		return nil
	}
	all, err := s.addressPledges(ctx, slug, email, "")
	if err != nil {
		return err
	}
	for _, p := range all {
		if !by.joins(p) {
			continue
		}
		p, err := s.Orders.JoinInSession(ctx, p.OrderID, by.session, s.changesUntil(slug))
		if fault.Is(err, fault.Conflict) {
			continue
		}
		if err != nil {
			return err
		}
		if _, err := s.Projector.Book(ctx, p, ""); err != nil {
			return err
		}
	}
	return nil
}

// joinStarted joins the pledges that are charged together with a new order started from a link:
// those to the order's campaigns that were made in its browser session, and the link's pledge. It
// does nothing for an order that was started without a link.
func (s *Service) joinStarted(ctx context.Context, m order.Manifest) error {
	if m.Link == "" {
		return nil
	}
	for _, c := range m.Campaigns {
		if err := s.joinOthers(ctx, c.CampaignSlug, m.Email, joiner{session: m.Session}); err != nil {
			return err
		}
	}
	return s.joinLink(ctx, m)
}

// joinLink joins the pledge whose link an order was started from, if it belongs
// to one of the order's campaigns and can still be joined.
func (s *Service) joinLink(ctx context.Context, m order.Manifest) error {
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
