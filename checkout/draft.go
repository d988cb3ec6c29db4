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

// draft is a checkout that is validated and quoted but not started.
type draft struct {
	manifest order.Manifest // without an order ID
	parts    []priced       // in the manifest's order
	anchor   string
	combined []*Combined // one per part: the pledges that are charged in the same payment
	attempt  string      // the client's key for repeating the start; "" if it cannot be repeated
	holder   string      // of the units
	network  string      // the holder's network
	due      time.Time   // when its holds expire
	order    order.Order // set by reserve
}

func (d draft) physical() bool {
	for _, p := range d.parts {
		if p.delivery == "physical" {
			return true
		}
	}
	return false
}

// prepareDraft validates a request and quotes it. It writes nothing.
func (s *Service) prepareDraft(ctx context.Context, r StartRequest) (draft, error) {
	sel, err := r.Cart.parse()
	if err != nil {
		return draft{}, err
	}
	email, err := s.canonicalEmail(ctx, r.Email)
	if err != nil {
		return draft{}, err
	}
	t, err := s.parseTerms(r.Cart)
	if err != nil {
		return draft{}, err
	}
	choices, err := s.choices(ctx, sel, s.amountPledged)
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
	d := draft{anchor: sel.anchor, attempt: r.Attempt, holder: s.holderID(r.Client), network: s.holderID(r.ClientNetwork), manifest: order.Manifest{
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
	if err := s.quoteChoices(ctx, &d, choices, t); err != nil {
		return draft{}, err
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

// quoteChoices quotes every choice and adds it to the manifest.
func (s *Service) quoteChoices(ctx context.Context, d *draft, choices []choice, t terms) error {
	ctx, cancel := context.WithTimeout(ctx, QuoteTimeout)
	defer cancel()
	amounts := make([]money.Cents, 0, len(choices))
	for _, c := range choices {
		p, err := s.priceChoice(ctx, c, t)
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
	return withField(err, "items")
}

func (s *Service) parseTerms(c Cart) (terms, error) {
	t := terms{option: c.ShippingOption, at: s.Now()}
	var err error
	if t.tip, err = s.parseTip(c.TipPercent, s.Settings.DefaultTip); err != nil {
		return terms{}, err
	}
	if t.shipTo, err = parseAddress(c.ShippingAddress, "shippingAddress"); err != nil {
		return terms{}, err
	}
	t.billTo, err = parseAddress(c.BillingAddress, "billingAddress")
	return t, err
}

// choices resolves the selection against the catalogue. The amount pledged to a
// campaign is read only if a tier has a threshold.
func (s *Service) choices(ctx context.Context, sel selection, pledged func(context.Context, *campaign.Campaign, []pick) (money.Cents, error)) ([]choice, error) {
	catalogue := s.Catalogue()
	choices := make([]choice, 0, len(sel.parts))
	for _, part := range sel.parts {
		c, err := s.openCampaign(catalogue, part.slug)
		if err != nil {
			return nil, err
		}
		m := offering{campaign: c, addOns: catalogue.AddOns()}
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

// openCampaign returns a campaign that accepts pledges now.
func (s *Service) openCampaign(catalogue *campaign.Catalogue, slug string) (*campaign.Campaign, error) {
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

// amountPledged returns the amount that counts toward the campaign's goal, read
// from its object, or 0 if none of the picked tiers has a threshold.
func (s *Service) amountPledged(ctx context.Context, c *campaign.Campaign, picks []pick) (money.Cents, error) {
	for _, p := range picks {
		if t, _ := c.Tier(p.id); !t.Open(0) {
			snap, err := s.Inventory.Snapshot(ctx, c.Slug)
			return snap.Totals.Counted, err
		}
	}
	return 0, nil
}

// allTiersOpen is an amountPledged that opens every tier, for previews.
func allTiersOpen(context.Context, *campaign.Campaign, []pick) (money.Cents, error) {
	return money.Max * 1000, nil
}

// scarceCampaigns lists the campaigns whose public numbers change with the
// order's holds, including campaigns that show the platform's stock.
func (d draft) scarceCampaigns() []string {
	var slugs []string
	for i, p := range d.parts {
		if slices.ContainsFunc(slices.Concat(p.own, p.platform), func(w inventory.Request) bool { return w.Limit != 0 }) {
			slugs = append(slugs, d.manifest.Campaigns[i].CampaignSlug)
		}
	}
	return slugs
}

// claim is one hold of an order: its object and the wanted units.
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
		h := inventory.Hold{ID: holdID(d.manifest.OrderID, i), Pledge: c.PledgeID, Order: d.manifest.OrderID, Due: d.due, Holder: d.holder, Network: d.network}
		all = append(all, claim{c.CampaignSlug, h, p.own})
		if len(p.platform) > 0 {
			all = append(all, claim{inventory.Platform, h, p.platform})
		}
	}
	return all
}
