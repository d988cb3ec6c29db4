package campaignfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Parse returns the campaign in a file's content, like Document.Campaign. name is the file name
// used in problems.
func Parse(name string, src []byte) (*campaign.Campaign, error) {
	d, err := open(name, src, noFrontMatter)
	if err != nil {
		return nil, err
	}
	return d.Campaign()
}

const noFrontMatter = "begin the file with a line ---, then the keys, then another line ---"

// Campaign returns the campaign that the document defines. The error is Problems with all errors,
// including unknown keys.
func (d *Document) Campaign() (*campaign.Campaign, error) {
	r := d.reader()
	m := r.mapping(d.root, "")
	c := &campaign.Campaign{File: d.file, Revision: Revision(d.Bytes())}
	m.readIdentity(c)
	m.readPage(c)
	m.readOffers(c)
	m.readTerms(c)
	m.warnDerived("state", "pledged_amount")
	m.rejectUnknownKeys("layout")
	line := bytes.Count(d.yaml, []byte("\n")) + 3
	body, err := richtext.Check(d.body(), campaign.MaxBody)
	if err != nil {
		r.fail(line-r.above, "body", "%s", strings.TrimSpace(err.Error()))
	} else {
		c.Body = body
		for _, address := range richtext.Images(body) {
			r.references = append(r.references,
				campaign.Reference{File: d.file, Line: line, Field: "body", Path: address, Inline: true})
		}
		r.recordAnchors(line-r.above, "body", richtext.Anchors(body))
	}
	m.checkWhole(c)
	if len(r.problems) > 0 {
		r.problems.Sort()
		return nil, r.problems
	}
	c.Lines, c.Warnings, c.References = r.lines, r.warnings, r.references
	return c, nil
}

// Revision returns the first 16 hex digits of a file's SHA-256, as in campaign.Campaign.Revision.
func Revision(src []byte) string {
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:8])
}

func (m *mapping) readIdentity(c *campaign.Campaign) {
	c.Title = m.name("title", campaign.MaxTitle)
	c.Slug = m.id("slug", c.Title, map[string]bool{})
	c.Start = m.moment("start_date")
	c.Deadline = m.moment("goal_deadline")
	c.Charged = m.boolean("charged", false)
	c.Creator = m.creator()
	c.Category = m.choice("category", append([]string{""}, campaign.Categories()...)...)
	c.Blurb = m.text("short_blurb", campaign.MaxBlurb)
	c.TestOnly = m.boolean("test_only", false)
	c.PreviewEnabled = m.boolean("preview_enabled", false)
	visibility := m.choice("visibility", "public", "hidden", "preview")
	c.Published = m.boolean("published", true) && visibility != "hidden"
	c.PreviewOnly = m.boolean("preview_only", false) || visibility == "preview"
	goal, written := m.amountUpTo("goal_amount", campaign.MaxGoal)
	if written && goal == 0 && c.Public() {
		m.failKey("goal_amount", "write more than 0 dollars")
	}
	c.Goal = goal
}

func (m *mapping) creator() campaign.Creator {
	c := campaign.Creator{
		Name: m.text("creator_name", campaign.MaxName), Image: m.media("creator_image"), Instagram: m.instagram(),
		About: m.rich("creator_about", campaign.MaxDescription),
	}
	m.each("creator_links", campaign.MaxLinks, func(l *mapping) {
		c.Links = append(c.Links, campaign.Link{Label: l.text("label", campaign.MaxName), URL: l.source("url", safety.Link)})
		l.rejectUnknownKeys()
	})
	return c
}

func (m *mapping) instagram() string {
	name := strings.TrimPrefix(m.text("instagram", 200), "@")
	name = strings.TrimSuffix(strings.TrimPrefix(name, "https://www.instagram.com/"), "/")
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._") != "" || len(name) > 30 {
		m.failKey("instagram", "write the account's name, such as nightferry.film")
		return ""
	}
	return name
}

func (m *mapping) readPage(c *campaign.Campaign) {
	c.Media = campaign.Media{
		Hero: m.media("hero_image"), HeroWide: m.media("hero_image_wide"),
		HeroAlt:   m.text("hero_image_alt", campaign.MaxName),
		HeroVideo: m.media("hero_video"), Background: m.media("campaign_background"),
	}
	m.warnRetired("pages do not use it", "progress_background")
	if c.Media.HeroAlt == "" {
		c.Media.HeroAlt = c.Title
	}
	c.Content = m.blocks("long_content")
	c.Risks = m.rich("risks", campaign.MaxText)
	m.each("faq", campaign.MaxList, func(q *mapping) {
		c.Questions = append(c.Questions, campaign.Question{Question: q.name("question", campaign.MaxBlurb),
			Answer: q.required("answer", campaign.MaxDescription)})
		q.rejectUnknownKeys()
	})
	c.Diary = m.diary()
	c.Decisions = m.decisions()
}

func (m *mapping) readOffers(c *campaign.Campaign) {
	c.Tiers = m.tiers()
	c.FeaturedTier = m.text("featured_tier_id", campaign.MaxSlug)
	c.SupportItems = m.supportItems()
	c.AddOns = m.addOns("campaign_add_ons")
	c.StretchHidden = m.boolean("stretch_hidden", true)
	m.each("stretch_goals", campaign.MaxList, func(g *mapping) {
		c.StretchGoals = append(c.StretchGoals, campaign.StretchGoal{
			Threshold: g.priceUpTo("threshold", campaign.MaxGoal), Title: g.name("title", campaign.MaxName),
			Description: g.rich("description", campaign.MaxDescription), Status: g.text("status", campaign.MaxName),
		})
		g.rejectUnknownKeys()
	})
	c.ShowOngoing = m.boolean("show_ongoing", false)
	m.each("ongoing_items", campaign.MaxList, func(o *mapping) {
		remaining, _ := o.amount("remaining")
		c.OngoingItems = append(c.OngoingItems,
			campaign.OngoingItem{Label: o.name("label", campaign.MaxName), Remaining: remaining})
		o.rejectUnknownKeys()
	})
	c.Custom = m.customAmount()
	c.SingleTierOnly = m.boolean("single_tier_only", false)
}

// customAmount reads the setting. By default, any amount from one dollar is allowed.
func (m *mapping) customAmount() campaign.CustomAmount {
	m.warnRetired(noLatePledges, "custom_late_support")
	a := campaign.CustomAmount{Enabled: true, Min: 100, Max: money.Max}
	s := m.sub("custom_amount")
	if s == nil {
		return a
	}
	a.Enabled = s.boolean("enabled", true)
	if v, ok := s.dollars("min"); ok {
		a.Min = v
	}
	if v, ok := s.dollars("max"); ok {
		a.Max = v
	}
	if a.Min < 100 || a.Min > a.Max {
		s.failKey("min", "write at least 1 dollar, and no more than max")
	}
	s.rejectUnknownKeys()
	return a
}

func (m *mapping) readTerms(c *campaign.Campaign) {
	if rate, ok := m.amount("shipping_fallback_flat_rate"); ok {
		c.Shipping.FallbackFlatRate = &rate
	}
	if s, ok := m.scalar("free_shipping"); ok && s != "inherit" && s != "" {
		free := m.boolean("free_shipping", false)
		c.Shipping.Free = &free
	}
	for _, n := range m.list("shipping_options", campaign.MaxList) {
		option := follow(n).Value
		if !contains([]string{campaign.StandardShipping, campaign.SignatureRequired, campaign.AdultSignature}, option) {
			m.fail(n.Line, "shipping_options", "write %s, %s or %s", campaign.StandardShipping,
				campaign.SignatureRequired, campaign.AdultSignature)
			continue
		}
		if !contains(c.Shipping.Options, option) {
			c.Shipping.Options = append(c.Shipping.Options, option)
		}
	}
	c.Shipping.ShipDisputed = m.boolean("ship_disputed", false)
	applyShipsTo(c, m.shipsTo())
	c.Recovery = m.recovery()
	c.ReportEmails = m.emails("runner_report_emails")
	c.ReportExcluded = m.emails("runner_report_excluded_emails")
}

// checkWhole checks conditions that involve several fields.
func (m *mapping) checkWhole(c *campaign.Campaign) {
	if c.Public() {
		for _, key := range []string{"start_date", "goal_deadline", "goal_amount"} {
			if !m.has(key) {
				m.failKey(key, "is missing: a campaign that is not preview_only needs it")
			}
		}
	}
	if !c.Start.IsZero() && !c.Deadline.IsZero() && !c.StartsAt(time.UTC).Before(c.EndsAt(time.UTC)) {
		m.failKey("goal_deadline", "is before start_date")
	}
	if c.FeaturedTier != "" {
		if _, ok := c.Tier(c.FeaturedTier); !ok {
			m.failKey("featured_tier_id", "is not a tier of this campaign")
		}
	}
	m.checkPledgeable(c)
	m.checkDeliveries(c)
	m.checkAnchors(c)
}
