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

// JoinRequest has the token's pledge charged together with the others of its address to
// the campaign. OrderID, where it is given, has to be that pledge's.
type JoinRequest struct {
	Token   string `json:"token"`
	OrderID string `json:"orderId,omitempty"`
	// Session is that of a StartRequest. If the pledge was started under it, then its card
	// may pay for the others, and the other pledges of the session are joined too.
	Session string `json:"session,omitempty"`
	// All is the token of the link by which a confirmation offers to join a pledge: then all
	// pledges of the address to the campaign are joined with it.
	All string `json:"all,omitempty"`
	// Total is the total that was shown, in cents. Another one is refused; 0 is not checked.
	Total money.Cents `json:"total,omitempty"`
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
	// Others are the pledges to the campaign that the holder of the address has joined, or
	// joins with this one, and Total is the total of them and the token's, in cents.
	Others int         `json:"others"`
	Total  money.Cents `json:"total"`
	// Together says that there is a card to pay for all, one that was given by a link.
	// Until there is, each pledge is charged to its own.
	Together bool `json:"together"`
	// CardSavedAt is when that card was saved, and OwnCard that it is the token's pledge's.
	CardSavedAt *time.Time `json:"cardSavedAt,omitempty"`
	OwnCard     bool       `json:"ownCard"`
	// Leaves is how many pledges of its browser session the token's pledge would no longer be
	// charged with: unless the session is known, only the pledge itself is joined.
	Leaves int `json:"leaves"`
}

// JoiningRequest asks what joining the token's pledge would do. Session and All are those of a
// JoinRequest.
type JoiningRequest struct{ Token, Session, All string }

// Joining shows the total of the token's pledge and those that it would be joined with. It
// changes nothing, and fails as View does, and with code Invalid for a session or a token
// that is not valid.
func (s *Service) Joining(ctx context.Context, r JoiningRequest) (Joining, error) {
	p, err := s.own(ctx, r.Token, "")
	if err != nil {
		return Joining{}, err
	}
	by, err := s.joiner(p, r.Session, r.All)
	if err != nil {
		return Joining{}, err
	}
	return s.joining(ctx, p, by)
}

// joiner describes the holder of a pledge's link. It decides which other pledges of the
// address are joined with the link's.
type joiner struct {
	session string // the hash of their browser session, "" if it is unknown
	all     bool   // they hold the token of a mail that offers to join all
}

// joiner reads what a request to join a pledge shows of its sender. Their browser session
// matters only if the pledge was made in it, or all pledges are joined.
func (s *Service) joiner(p *pledge.Pledge, session, all string) (joiner, error) {
	here, err := s.browserSession(p.Email, session)
	if err != nil {
		return joiner{}, err
	}
	if all != "" {
		c, err := s.Links.Signer.Verify(all, token.Join, s.Now())
		if err != nil || c.Email != p.Email || c.CampaignSlug != p.CampaignSlug {
			return joiner{}, fault.New(fault.Invalid, "The link is not for the pledges of this address, or has expired").In("all")
		}
	}
	if all == "" && p.Session != here {
		here = ""
	}
	return joiner{here, all != ""}, nil
}

// joins reports whether another pledge of the address is joined too.
func (j joiner) joins(o *pledge.Pledge) bool {
	return o.JoinedAt == nil && o.Open() && (j.all || j.gave(o))
}

// gave reports whether the card of a pledge was given in the joiner's browser session.
func (j joiner) gave(o *pledge.Pledge) bool { return j.session != "" && o.Session == j.session }

func (s *Service) joining(ctx context.Context, p *pledge.Pledge, by joiner) (Joining, error) {
	others, err := s.others(ctx, p)
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
		may := o.CardByLink || byEmail || o.JoinedAt == nil && by.gave(o)
		if may && (pays == nil || o.CardSavedAt.After(pays.CardSavedAt)) {
			pays = o
		}
	}
	total, err := money.Sum(amounts...)
	if err != nil {
		return Joining{}, err
	}
	j := Joining{Joined: p.JoinedAt != nil, CanJoin: s.canJoin(p), Amount: p.Amount, Others: len(others), Total: total, Leaves: leaves}
	if pays != nil {
		j.Together, j.CardSavedAt, j.OwnCard = true, &pays.CardSavedAt, pays.OrderID == p.OrderID
	}
	return j, nil
}

// sessionMates counts the other pledges that a pledge is charged with because they were made
// in its browser session.
func sessionMates(p *pledge.Pledge, others []*pledge.Pledge) (n int) {
	for _, o := range others {
		if p.CombinedBy() != "" && o.CombinedBy() == p.CombinedBy() && !o.Claimed() {
			n++
		}
	}
	return n
}

// others reads the other pledges to the campaign under the address of one.
func (s *Service) others(ctx context.Context, p *pledge.Pledge) ([]*pledge.Pledge, error) {
	return s.pledgesOf(ctx, p.CampaignSlug, p.Email, p.OrderID)
}

// pledgesOf reads an address's pledges to a campaign, except one.
func (s *Service) pledgesOf(ctx context.Context, slug, email, except string) ([]*pledge.Pledge, error) {
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
			continue // of an order that a restored database has lost
		}
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

func (s *Service) canJoin(p *pledge.Pledge) bool {
	return s.Settings.Grouping != pledge.ByEmail && p.JoinedAt == nil && p.Open() && s.campaign(p.CampaignSlug).State(s.Now(), s.Settings.Zone) != campaign.Ended
}

// Join has the token's pledge charged together with the others that were joined; joining
// it again changes nothing. It fails with code Conflict when the pledge is charged, being
// charged or cancelled, its campaign is over, or the total is another by now, and with Invalid
// for a session or a token that is not valid.
func (s *Service) Join(ctx context.Context, r JoinRequest) (Joined, error) {
	p, err := s.own(ctx, r.Token, r.OrderID)
	if err != nil {
		return Joined{}, err
	}
	by, err := s.joiner(p, r.Session, r.All)
	if err != nil {
		return Joined{}, err
	}
	if err := s.asShown(ctx, p, by, r.Total); err != nil {
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
	if err != nil || pledge.DeliveryEmail(p.Email) != pledge.DeliveryEmail(email) {
		return "", fault.New(fault.Invalid, "The link was not mailed to this address, or has expired").In("manageToken")
	}
	return p.OrderID, nil
}

// asShown fails with code Conflict if joining a pledge would make another total than the one
// that was shown, 0 for none.
func (s *Service) asShown(ctx context.Context, p *pledge.Pledge, by joiner, total money.Cents) error {
	if total == 0 || p.JoinedAt != nil {
		return nil
	}
	j, err := s.joining(ctx, p, by)
	if err == nil && j.Total != total {
		err = fault.New(fault.Conflict, "The pledges under this address have changed meanwhile").In("total")
	}
	return err
}

// joinOthers joins other pledges of an address to a campaign with the one whose link the
// joiner holds. It skips those that can no longer be joined.
func (s *Service) joinOthers(ctx context.Context, slug, email string, by joiner) error {
	if by == (joiner{}) {
		return nil
	}
	all, err := s.pledgesOf(ctx, slug, email, "")
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

// joinStarted joins what the holder of a link has charged together with a new order: the
// pledges to the order's campaigns that were made in its browser session, and the pledge
// whose link it was started from.
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

// joinLink joins the pledge whose link an order was started from, where it is to one of
// the order's campaigns and not too late.
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
