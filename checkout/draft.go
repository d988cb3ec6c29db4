package checkout

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// draft is a checkout that was checked and quoted and is not yet begun.
type draft struct {
	manifest order.Manifest // without an identity
	parts    []priced       // in the manifest's order
	anchor   string
	combined []*Combined // what each of them is charged with
	attempt  string      // names the start for its repetition; "" is not to be repeated
	holder   string      // of its units
	network  string      // of the holder
	due      time.Time   // when its holds are
	order    order.Order // once it is reserved
}

func (d draft) physical() bool {
	for _, p := range d.parts {
		if p.delivery == "physical" {
			return true
		}
	}
	return false
}

// draft checks a request and has it quoted. It writes nothing.
func (s *Service) draft(ctx context.Context, r StartRequest) (draft, error) {
	sel, err := r.Cart.parse()
	if err != nil {
		return draft{}, err
	}
	email, err := s.supporterEmail(ctx, r.Email)
	if err != nil {
		return draft{}, err
	}
	t, err := s.terms(r.Cart)
	if err != nil {
		return draft{}, err
	}
	choices, err := s.choices(ctx, sel, s.pledged)
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
	link, err := s.linked(ctx, r.ManageToken, email)
	if err != nil {
		return draft{}, err
	}
	d := draft{anchor: sel.anchor, attempt: r.Attempt, holder: s.holder(r.Client), network: s.holder(r.ClientNetwork), manifest: order.Manifest{
		Email:                email,
		Currency:             money.USD,
		PreferredLang:        pledge.Language(r.PreferredLang),
		TipPercent:           t.tip,
		ShippingAddress:      t.shipTo,
		BillingAddress:       t.billTo,
		ConsentVersion:       ConsentVersion,
		Attribution:          r.Attribution.Clean(),
		AbandonedCartConsent: r.AbandonedCartConsent,
		Link:                 link,
		Session:              session,
	}}
	if err := s.fill(ctx, &d, choices, t); err != nil {
		return draft{}, err
	}
	d.combined, err = s.combinations(ctx, d.manifest)
	return d, err
}

// supporterEmail returns an address in the spelling that the supporter's earlier pledges
// have, so that new ones belong to the same supporter. For an address without pledges it
// returns the form of pledge.ParseEmail.
func (s *Service) supporterEmail(ctx context.Context, email string) (string, error) {
	parsed, err := pledge.ParseEmail(email)
	if err != nil {
		return "", err
	}
	spellings := pledge.EmailSpellings(parsed)
	if len(spellings) == 1 {
		return parsed, nil
	}
	for _, spelling := range spellings {
		ids, err := s.Orders.Of(ctx, spelling)
		if err != nil {
			return "", err
		}
		if len(ids) > 0 {
			return spelling, nil
		}
	}
	return parsed, nil
}

// fill has every choice quoted and puts it into the manifest.
func (s *Service) fill(ctx context.Context, d *draft, choices []choice, t terms) error {
	ctx, cancel := context.WithTimeout(ctx, QuoteTimeout)
	defer cancel()
	amounts := make([]money.Cents, 0, len(choices))
	for _, c := range choices {
		p, err := s.price(ctx, c, t)
		if err != nil {
			return err
		}
		d.parts = append(d.parts, p)
		d.manifest.Campaigns = append(d.manifest.Campaigns, order.Contribution{
			CampaignSlug:     c.campaign.Slug,
			CampaignRevision: c.campaign.Revision,
			Lines:            p.lines,
			ShippingOption:   p.parcels[0].Option,
			FulfillmentType:  p.delivery,
			Totals:           p.totals,
			Explanation:      p.explanation,
			EndsAt:           c.campaign.EndsAt(s.Settings.Zone).UTC(),
			Goal:             c.campaign.Goal,
		})
		amounts = append(amounts, p.totals.Amount)
	}
	var err error
	d.manifest.Amount, err = money.Sum(amounts...)
	return in(err, "items")
}

func (s *Service) terms(c Cart) (terms, error) {
	t := terms{option: c.ShippingOption, at: s.Now()}
	var err error
	if t.tip, err = s.tip(c.TipPercent, s.Settings.DefaultTip); err != nil {
		return terms{}, err
	}
	if t.shipTo, err = address(c.ShippingAddress, "shippingAddress"); err != nil {
		return terms{}, err
	}
	t.billTo, err = address(c.BillingAddress, "billingAddress")
	return t, err
}

// choices asks the catalogue for everything that was picked. What is pledged
// to a campaign is looked up only where a tier waits for it.
func (s *Service) choices(ctx context.Context, sel selection, pledged func(context.Context, *campaign.Campaign, []pick) (money.Cents, error)) ([]choice, error) {
	catalogue := s.Catalogue()
	choices := make([]choice, 0, len(sel.parts))
	for _, part := range sel.parts {
		c, err := s.accepting(catalogue, part.slug)
		if err != nil {
			return nil, err
		}
		m := menu{campaign: c, addOns: catalogue.AddOns()}
		if m.pledged, err = pledged(ctx, c, part.picks); err != nil {
			return nil, err
		}
		chosen, err := m.choose(part.picks)
		if err != nil {
			return nil, err
		}
		choices = append(choices, chosen)
	}
	return choices, nil
}

// accepting returns a campaign that takes pledges now.
func (s *Service) accepting(catalogue *campaign.Catalogue, slug string) (*campaign.Campaign, error) {
	c, err := catalogue.Campaign(slug)
	if err != nil || !c.Public() || c.TestOnly && !s.Settings.TestMode {
		return nil, fault.New(fault.Invalid, "Campaign not found").In("campaignSlug")
	}
	now := s.Now()
	if c.Charged {
		return nil, fault.New(fault.Invalid, "Campaign is charged").In("campaignSlug")
	}
	if !c.Accepts(now, s.Settings.Zone) {
		return nil, fault.New(fault.Invalid, "Campaign is %s", c.State(now, s.Settings.Zone)).In("campaignSlug")
	}
	return c, nil
}

// pledged is what a campaign has toward its goal, from its object, where one of the
// picks may wait for that.
func (s *Service) pledged(ctx context.Context, c *campaign.Campaign, picks []pick) (money.Cents, error) {
	for _, p := range picks {
		if t, _ := c.Tier(p.id); !t.Open(0) {
			snap, err := s.Inventory.Snapshot(ctx, c.Slug)
			return snap.Totals.Counted, err
		}
	}
	return 0, nil
}

// everything opens every tier: for previews.
func everything(context.Context, *campaign.Campaign, []pick) (money.Cents, error) {
	return money.Max * 1000, nil
}

// scarce lists the campaigns whose public numbers the order's holds change: a
// pledge's campaign shows the platform's stock too.
func (d draft) scarce() []string {
	var slugs []string
	for i, p := range d.parts {
		if slices.ContainsFunc(slices.Concat(p.own, p.platform), func(w inventory.Want) bool { return w.Limit != 0 }) {
			slugs = append(slugs, d.manifest.Campaigns[i].CampaignSlug)
		}
	}
	return slugs
}

// claim is one hold of an order: of which object, and what it wants.
type claim struct {
	object string
	hold   inventory.Hold
	wants  []inventory.Want
}

// claims lists what an order has to hold: each pledge units of its campaign,
// and of the platform where it has add-ons of it. A pledge's holds share an ID.
func (d draft) claims() []claim {
	var all []claim
	for i, p := range d.parts {
		c := d.manifest.Campaigns[i]
		h := inventory.Hold{ID: holdID(d.manifest.OrderID, i), Pledge: c.PledgeID, Order: d.manifest.OrderID, Due: d.due, Holder: d.holder, Network: d.network}
		all = append(all, claim{c.CampaignSlug, h, p.own})
		if len(p.platform) > 0 {
			all = append(all, claim{inventory.Platform, h, p.platform})
		}
	}
	return all
}
