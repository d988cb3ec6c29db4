package site

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// campaignView is a campaign with the data for its pages.
type campaignView struct {
	*campaign.Campaign
	State       string    // upcoming, live or ended
	StartsAt    time.Time // in the platform's time zone
	LastMoment  time.Time // of the deadline, in the platform's time zone
	CreatorName string
	TextLang    string // language of the campaign's own texts; "" if unknown
	Figures     Figures
	Funded      bool    // live or ended, with the goal reached by the latest figures
	Badge       string  // key of its message, "" for none
	DaysLeft    int     // until the deadline, at least 1
	Portrait    picture // of the creator
	Backdrop    picture
	Hero        picture
	HeroWide    picture
	Film        string // file of the hero video
	Frame       string // or the frame of its provider
	Blocks      []block
	Tiers       []tierView
	Shelf       []addOnView // the campaign's own add-ons
	House       []addOnView // the platform's add-ons
	Entries     []entry
	Phases      []phase
	Closing     []decisionView
	Goals       []goalView
	MoreGoals   bool // some are hidden until later
}

// goalView is a stretch goal. Hidden goals are in the page, so that the script can reveal each when
// the previous one is reached.
type goalView struct {
	campaign.StretchGoal
	Later bool
}

type tierView struct {
	campaign.Tier
	Picture  picture
	Featured bool
	Postage  shippingCost
	Left     int // units; -1 if unlimited or unknown
	Locked   bool
	Distance money.Cents // to the amount that unlocks it
}

// fewLeft is the number of remaining units at which a reward is marked.
const fewLeft = 10

// Few reports whether few units are left.
func (t tierView) Few() bool { return t.Left > 0 && t.Left <= fewLeft && !t.Locked }

type addOnView struct {
	campaign.AddOn
	Picture  picture
	From     money.Cents // lowest price
	Varies   bool        // some variants cost more
	Item     string      // item ID for the cart, without the variant
	Choices  []choiceView
	NoneLeft bool
	TextLang string // of the name and description
}

type choiceView struct {
	Label, Item string
	Price       money.Cents
	Out         bool
}

type entry struct {
	campaign.DiaryEntry
	At     time.Time
	Blocks []block
}

type phase struct {
	ID            string
	Done, Current bool
}

type decisionView struct {
	campaign.Decision
	Closed  bool
	At      time.Time // deadline; zero for none
	Options []optionView
}

type optionView struct {
	campaign.Option
	Picture picture
}

// campaign adds all files of a campaign. It renders them again only if something has changed.
func (e *edition) campaign(c *campaign.Campaign) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot be rendered: %v", p)
		}
	}()
	e.images.usage = nil
	s, err := e.campaignView(c)
	if err != nil {
		return err
	}
	key := fmt.Sprint(c.Revision, s.State, s.Badge, s.DaysLeft, s.Figures.withoutTime(),
		s.closings(), e.addOns, e.lowStock, e.images.usage)
	done, ok := e.pages[c.Slug]
	if !ok || done.key != key {
		if err := e.checkHome(c); err != nil {
			return err
		}
		done = rendered{key: key, files: map[string]File{}}
		if err := e.renderCampaign(s, done.files); err != nil {
			return err
		}
		e.pages[c.Slug] = done
	}
	for _, p := range slices.Sorted(maps.Keys(done.files)) {
		if err := e.tree.put(p, done.files[p]); err != nil {
			return err
		}
	}
	return nil
}

// checkHome renders the home page with only this campaign, so that a campaign that cannot be listed
// does not break the page for the others.
func (e *edition) checkHome(c *campaign.Campaign) error {
	for _, l := range e.locales {
		for _, p := range e.homePages(l, []*campaign.Campaign{c}) {
			if _, err := e.renderPage(l, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// cardAlt describes the share card: its picture, or the title.
func (s campaignView) cardAlt() string {
	if s.Media.Hero != "" && s.Media.HeroAlt != "" {
		return s.Media.HeroAlt
	}
	return s.Title
}

func (s campaignView) closings() string {
	var out strings.Builder
	for _, d := range s.Closing {
		fmt.Fprint(&out, d.Closed)
	}
	return out.String()
}

func (e *edition) renderCampaign(s campaignView, files map[string]File) error {
	card := "/share/" + s.Slug + ".png"
	for _, l := range e.locales {
		p := page{
			Name: "campaign", Title: s.Title, Description: s.Blurb, Path: "/campaigns/" + s.Slug + "/",
			Slug: s.Slug, Script: "campaign",
			Image: card, ImageAlt: s.cardAlt(), Structured: e.structured(s, l), Data: s, TextLang: s.TextLang,
		}
		if s.State == string(campaign.Upcoming) && e.config.Challenged() {
			p.Challenge = e.config.Reminders.SiteKey
		}
		community := page{
			Name: "community", Title: s.Title, Description: s.Blurb, Path: "/community/" + s.Slug + "/",
			Slug: s.Slug, Script: "community",
			Private: true, NoIndex: !e.settings.SEO.IndexCommunity, Data: s, TextLang: s.TextLang,
		}
		full := page{Name: "embed", Title: s.Title, Path: "/embed/" + s.Slug + "/", Slug: s.Slug, Script: "embed",
			NoIndex: true, Data: embedView{s, false}, TextLang: s.TextLang}
		compact := full
		compact.Path, compact.Data = full.Path+"compact/", embedView{s, true}
		for _, p := range []page{p, community, full, compact} {
			f, err := e.renderPage(l, p)
			if err != nil {
				return err
			}
			files[fileOf(l, p.Path)] = f.tagged()
		}
		if l.Code == origin {
			f, err := e.shareCard(e.card(s, l))
			if err != nil {
				return err
			}
			files[strings.TrimPrefix(card, "/")] = f
		}
	}
	return nil
}

type embedView struct {
	campaignView
	Compact bool
}

func (e *edition) campaignView(c *campaign.Campaign) (campaignView, error) {
	s := e.timed(c)
	e.inline(c.References)
	e.shelves(&s)
	for _, find := range []func(*campaignView) error{e.hero, e.rewards, e.diary} {
		if err := find(&s); err != nil {
			return s, err
		}
	}
	for i, g := range c.StretchGoals {
		later := c.StretchHidden && i > 0
		s.Goals, s.MoreGoals = append(s.Goals, goalView{g, later}), s.MoreGoals || later
	}
	for _, d := range c.Decisions {
		v := decisionView{Decision: d, Closed: d.Status(e.now, e.zone) == campaign.Closed}
		for _, o := range d.Options {
			v.Options = append(v.Options, optionView{o, e.images.optional(o.Image)})
		}
		if !d.Deadline.IsZero() {
			v.At = d.Deadline.Ends(e.zone).Add(-time.Second).In(e.zone)
		}
		s.Closing = append(s.Closing, v)
	}
	return s, nil
}

func (e *edition) hero(s *campaignView) error {
	s.Hero, s.HeroWide = e.images.optional(s.Media.Hero), e.images.optional(s.Media.HeroWide)
	s.Backdrop, s.Portrait = e.images.optional(s.Media.Background), e.images.optional(s.Creator.Image)
	if s.Media.HeroVideo != "" {
		s.Film, s.Frame = e.film(s.Media.HeroVideo)
	}
	var err error
	s.Blocks, err = e.blocks(s.Content)
	return err
}

func (e *edition) rewards(s *campaignView) error {
	for _, t := range s.Campaign.Tiers {
		v := tierView{Tier: t, Featured: t.ID == s.FeaturedTier, Picture: e.images.optional(t.Image), Left: -1,
			Locked: !t.Open(s.Figures.Pledged), Distance: t.RequiresThreshold - s.Figures.Pledged}
		if left, ok := s.Figures.Remaining[t.ID]; ok && t.Limit > 0 {
			v.Left = left
		}
		var err error
		if v.Postage, err = e.shippingCost(s.Campaign, t.Delivery); err != nil {
			return err
		}
		s.Tiers = append(s.Tiers, v)
	}
	return nil
}

func (e *edition) shelves(s *campaignView) {
	s.Shelf, s.House = e.shelf(s.AddOns, s.Slug+"__addon__"), e.shelf(e.addOns, "addon__")
	for i := range s.Shelf {
		s.Shelf[i].TextLang = s.TextLang
	}
}

func (e *edition) shelf(addOns []campaign.AddOn, prefix string) []addOnView {
	var out []addOnView
	for _, a := range addOns {
		v := addOnView{AddOn: a, From: a.Price, Item: prefix + a.ID, NoneLeft: a.Inventory != nil && *a.Inventory == 0,
			Picture: e.images.optional(a.Image)}
		for i, kind := range a.Variants {
			price := a.Price
			if kind.Price != nil {
				price = *kind.Price
			}
			if i == 0 || price < v.From {
				v.From = price
			}
			v.Varies = v.Varies || price != a.Price
			v.Choices = append(v.Choices,
				choiceView{kind.Label, v.Item + "__variant__" + kind.ID, price, kind.Inventory != nil && *kind.Inventory == 0})
		}
		out = append(out, v)
	}
	return out
}

func (e *edition) diary(s *campaignView) error {
	reached := -1
	for _, d := range s.Diary {
		blocks, err := e.blocks(d.Content)
		if err != nil {
			return err
		}
		s.Entries = append(s.Entries, entry{d, d.Date.Starts(e.zone).In(e.zone), blocks})
		reached = max(reached, slices.Index(campaign.Phases(), d.Phase))
	}
	for i, id := range campaign.Phases() {
		s.Phases = append(s.Phases, phase{id, i < reached, i == reached})
	}
	if reached < 0 {
		s.Phases = nil
	}
	return nil
}

// structured returns the campaign's schema.org data.
func (e *edition) structured(s campaignView, l locale) any {
	url := e.base() + l.prefix() + "/campaigns/" + s.Slug + "/"
	offers := make([]map[string]any, 0, len(s.Tiers))
	for _, t := range s.Tiers {
		offers = append(offers, map[string]any{
			"@type": "Offer", "name": t.Name, "price": fmt.Sprintf("%d.%02d", t.Price/100, t.Price%100),
			"priceCurrency": "USD", "url": url + "#" + campaign.RewardAnchor(t.ID),
			"availability": "https://schema.org/PreOrder", "hasMerchantReturnPolicy": e.returns(),
		})
	}
	event := map[string]any{
		"@context": "https://schema.org", "@type": "Project", "name": s.Title, "description": s.Blurb, "url": url,
		"image": e.base() + "/share/" + s.Slug + ".png", "foundingDate": s.StartsAt.Format(time.DateOnly),
	}
	if s.CreatorName != "" {
		creator := map[string]any{"@type": "Organization", "name": s.CreatorName}
		event["founder"] = creator
	}
	if s.State == string(campaign.Live) {
		event["makesOffer"] = offers
	}
	return event
}

// returns is the schema.org policy that rewards cannot be returned (service.md, L421), for the
// configured country or the country that parcels are sent from.
func (b *Builder) returns() map[string]any {
	return map[string]any{
		"@type": "MerchantReturnPolicy", "returnPolicyCategory": "https://schema.org/MerchantReturnNotPermitted",
		"applicableCountry": cmp.Or(b.settings.SEO.Returns.Country, string(b.config.Shipping.OriginCountry)),
	}
}
