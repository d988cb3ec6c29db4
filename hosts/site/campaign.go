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

// campaignView is a campaign with the derived data that templates need.
type campaignView struct {
	*campaign.Campaign
	State          string    // upcoming, live or ended
	StartsAt       time.Time // in the platform's time zone
	LastMoment     time.Time // last second before the end, in the platform's time zone
	CreatorName    string
	TextLang       string // language of the campaign's own texts; "" if unknown
	Figures        Figures
	Funded         bool    // live or ended, with the goal reached by the latest figures
	Badge          string  // name of its message without "badge_", "" for none
	DaysLeft       int     // full days until the deadline, at least 1
	Portrait       picture // of the creator
	Backdrop       picture
	Hero           picture
	HeroWide       picture
	Film           string // path of the hero video's file
	Frame          string // or the URL of the video provider's frame
	Blocks         []block
	Tiers          []tierView
	OwnAddOns      []addOnView // the campaign's own add-ons
	PlatformAddOns []addOnView // the platform's add-ons
	Entries        []entry
	Phases         []phase
	Decisions      []decisionView
	Goals          []goalView
	MoreGoals      bool // some goals are hidden
}

// goalView is a stretch goal. Hidden goals are part of the page, so that the script can show each
// as soon as the previous one is reached.
type goalView struct {
	campaign.StretchGoal
	Later bool // hidden
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

// fewLeft is the maximum number of remaining units with which a reward is marked as running out.
const fewLeft = 10

// Few reports whether an unlocked reward has at least one but at most fewLeft units left.
func (t tierView) Few() bool { return t.Left > 0 && t.Left <= fewLeft && !t.Locked }

type addOnView struct {
	campaign.AddOn
	Picture  picture
	From     money.Cents // lowest price
	Varies   bool        // some variants cost more
	Item     string      // item ID for the cart, without the variant
	Choices  []choiceView
	NoneLeft bool
	TextLang string // language of the name and description; "" if unknown
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

// addCampaign adds a campaign's files to the tree. It reuses those of the previous build unless
// something that they show has changed.
func (e *edition) addCampaign(c *campaign.Campaign) (err error) {
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
		s.decisionsKey(), e.addOns, e.lowStock, e.images.usage)
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

// checkHome renders the home pages with only this campaign. A campaign that fails here is left out,
// so that the home page with the others can still be rendered.
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

// cardAlt returns the share card's alternative text: that of the hero picture or, without one, the
// title.
func (s campaignView) cardAlt() string {
	if s.Media.Hero != "" && s.Media.HeroAlt != "" {
		return s.Media.HeroAlt
	}
	return s.Title
}

// decisionsKey returns which decisions are closed, to detect changes.
func (s campaignView) decisionsKey() string {
	var out strings.Builder
	for _, d := range s.Decisions {
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
			Image: card, ImageAlt: s.cardAlt(), Structured: e.structuredData(s, l), Data: s, TextLang: s.TextLang,
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
			files[fileOf(l, p.Path)] = f.withETag()
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
	s := e.newView(c)
	e.markInlineUsed(c.References)
	e.setAddOns(&s)
	for _, set := range []func(*campaignView) error{e.setMedia, e.setTiers, e.setDiary} {
		if err := set(&s); err != nil {
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
		s.Decisions = append(s.Decisions, v)
	}
	return s, nil
}

func (e *edition) setMedia(s *campaignView) error {
	s.Hero, s.HeroWide = e.images.optional(s.Media.Hero), e.images.optional(s.Media.HeroWide)
	s.Backdrop, s.Portrait = e.images.optional(s.Media.Background), e.images.optional(s.Creator.Image)
	if s.Media.HeroVideo != "" {
		s.Film, s.Frame = e.film(s.Media.HeroVideo)
	}
	var err error
	s.Blocks, err = e.blocks(s.Content)
	return err
}

func (e *edition) setTiers(s *campaignView) error {
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

func (e *edition) setAddOns(s *campaignView) {
	s.OwnAddOns, s.PlatformAddOns = e.addOnViews(s.AddOns, s.Slug+"__addon__"), e.addOnViews(e.addOns, "addon__")
	for i := range s.OwnAddOns {
		s.OwnAddOns[i].TextLang = s.TextLang
	}
}

func (e *edition) addOnViews(addOns []campaign.AddOn, prefix string) []addOnView {
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

func (e *edition) setDiary(s *campaignView) error {
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

// structuredData returns the campaign's schema.org data for the JSON-LD element of its page.
func (e *edition) structuredData(s campaignView, l locale) any {
	url := e.base() + l.prefix() + "/campaigns/" + s.Slug + "/"
	offers := make([]map[string]any, 0, len(s.Tiers))
	for _, t := range s.Tiers {
		offers = append(offers, map[string]any{
			"@type": "Offer", "name": t.Name, "price": fmt.Sprintf("%d.%02d", t.Price/100, t.Price%100),
			"priceCurrency": "USD", "url": url + "#" + campaign.RewardAnchor(t.ID),
			"availability": "https://schema.org/PreOrder", "hasMerchantReturnPolicy": e.returnPolicy(),
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

// returnPolicy returns the schema.org policy that rewards cannot be returned (service.md, L421). It
// applies to the configured country or, without one, the country that parcels are sent from.
func (b *Builder) returnPolicy() map[string]any {
	return map[string]any{
		"@type": "MerchantReturnPolicy", "returnPolicyCategory": "https://schema.org/MerchantReturnNotPermitted",
		"applicableCountry": cmp.Or(b.settings.SEO.Returns.Country, string(b.config.Shipping.OriginCountry)),
	}
}
