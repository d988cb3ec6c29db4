package checkout

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/pricing"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// draft is a checkout that is validated and quoted but not yet started.
type draft struct {
	manifest order.Manifest   // without an order ID
	parts    []pricing.Priced // in the manifest's order
	anchor   string
	combined []*Combined // one per part: the pledges that are charged in the same payment
	attempt  string      // the client's key for repeating the start; "" if it cannot be repeated
	holder   string      // pseudonym of the client that holds the units
	network  string      // pseudonym of the client's network
	due      time.Time   // when its holds expire
	order    order.Order // set by reserve
}

func (d draft) physical() bool {
	for _, p := range d.parts {
		if p.Delivery == "physical" {
			return true
		}
	}
	return false
}

// prepareDraft validates a request and quotes it. It writes nothing.
func (s *Service) prepareDraft(ctx context.Context, r StartRequest) (draft, error) {
	sel, err := r.Cart.Select()
	if err != nil {
		return draft{}, err
	}
	email, err := s.canonicalEmail(ctx, r.Email)
	if err != nil {
		return draft{}, err
	}
	prices := s.pricer()
	in, err := prices.Inputs(r.Cart)
	if err != nil {
		return draft{}, err
	}
	choices, err := prices.Choose(ctx, sel, s.amountPledged)
	if err != nil {
		return draft{}, err
	}
	if err := checkAttempt(r.Attempt); err != nil {
		return draft{}, err
	}
	session, err := s.browserSession(email, r.Session)
	if err != nil {
		return draft{}, err
	}
	link, err := s.linkedPledge(ctx, r.ManageToken, email)
	if err != nil {
		return draft{}, err
	}
	d := draft{anchor: sel.Anchor, attempt: r.Attempt, holder: s.holderID(r.Client),
		network: s.holderID(r.ClientNetwork), manifest: order.Manifest{
			Email:                email,
			Currency:             money.USD,
			PreferredLang:        pledge.Language(r.PreferredLang),
			TipPercent:           in.Tip.Percent,
			ShippingAddress:      in.ShipTo,
			BillingAddress:       in.BillTo,
			ConsentVersion:       ConsentVersion,
			Attribution:          r.Attribution.Clean(),
			AbandonedCartConsent: r.AbandonedCartConsent,
			Link:                 link,
			Session:              session,
		}}
	priced, err := prices.Price(ctx, choices, in)
	if err != nil {
		return draft{}, err
	}
	d.parts, d.manifest.Amount = priced.Parts, priced.Amount
	for _, p := range d.parts {
		d.manifest.Campaigns = append(d.manifest.Campaigns, p.Contribution(s.Settings.Zone))
	}
	d.combined, err = s.combinations(ctx, d.manifest)
	return d, err
}

// canonicalEmail returns the spelling of an address that the supporter's earlier
// pledges use, so that new pledges belong to the same supporter. For an address
// without pledges it returns the form of pledge.ParseEmail.
func (s *Service) canonicalEmail(ctx context.Context, email string) (string, error) {
	parsed, err := pledge.ParseEmail(email)
	if err != nil {
		return "", err
	}
	spellings := pledge.EmailSpellings(parsed)
	if len(spellings) == 1 {
		return parsed, nil
	}
	for _, spelling := range spellings {
		ids, err := s.Orders.PledgeIDs(ctx, spelling)
		if err != nil {
			return "", err
		}
		if len(ids) > 0 {
			return spelling, nil
		}
	}
	return parsed, nil
}

// amountPledged returns the amount that counts toward the campaign's goal, read from the campaign's
// object. It returns 0 without reading if none of the picked tiers has a threshold.
func (s *Service) amountPledged(ctx context.Context, c *campaign.Campaign, picks []pricing.Pick) (money.Cents, error) {
	if !pricing.NeedsPledged(c, picks) {
		return 0, nil
	}
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	return snap.Totals.Counted, err
}

// limitedCampaigns returns the slugs of the draft's campaigns whose pledges need limited units, the
// campaign's or the platform's. Their public stock changes with the draft's holds.
func (d draft) limitedCampaigns() []string {
	var slugs []string
	for i, p := range d.parts {
		if slices.ContainsFunc(slices.Concat(p.Own, p.Platform), isLimited) {
			slugs = append(slugs, d.manifest.Campaigns[i].CampaignSlug)
		}
	}
	return slugs
}

func isLimited(r inventory.Request) bool { return r.Limit != 0 }

// claim is one hold of an order: the object that keeps the stock, and the requested units.
type claim struct {
	object string
	hold   inventory.Hold
	wants  []inventory.Request
}

// claims lists the order's holds: one per pledge for units of its campaign, and
// one for units of the platform if the pledge has platform add-ons. A pledge's
// holds share an ID.
func (d draft) claims() []claim {
	var all []claim
	for i, p := range d.parts {
		c := d.manifest.Campaigns[i]
		h := inventory.Hold{ID: holdID(d.manifest.OrderID, i), Pledge: c.PledgeID, Order: d.manifest.OrderID,
			Due: d.due, Holder: d.holder, Network: d.network}
		all = append(all, claim{c.CampaignSlug, h, p.Own})
		if len(p.Platform) > 0 {
			all = append(all, claim{inventory.Platform, h, p.Platform})
		}
	}
	return all
}
