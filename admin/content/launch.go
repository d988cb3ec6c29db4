package content

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// Launch is the checklist for a campaign's launch.
type Launch struct {
	Slug string `json:"slug"`
	// Ready is set if every item is done.
	Ready bool   `json:"ready"`
	Items []Item `json:"items"`
	// Starts and Ends are the dates with weekday and time zone, for review; "" for none.
	Starts string `json:"starts"`
	Ends   string `json:"ends"`
	// Days is the duration of the campaign in days, rounded down.
	Days int `json:"days"`
	// Freezes lists what supporters rely on after their first pledge. Changing it requires
	// a reason, which is shown to supporters, or is not possible.
	Freezes []string `json:"freezes"`
}

// Item is an entry of the checklist.
type Item struct {
	Key  string `json:"key"`
	Done bool   `json:"done"`
	// Words describe the current state, or the missing step.
	Words string `json:"words"`
}

// LaunchList returns the checklist for the current version of a campaign's file. Lang is
// "en" or "es".
func (s *Service) LaunchList(ctx context.Context, slug, lang string) (Launch, error) {
	file, err := s.CampaignFile(slug)
	if err != nil {
		return Launch{}, err
	}
	f, err := s.read(ctx, file)
	if err != nil {
		return Launch{}, err
	}
	c, err := campaignfile.Parse(file, f.Bytes)
	if err != nil {
		return Launch{}, s.refuse(err, file)
	}
	l := Launch{Slug: slug, Items: s.items(c, lang), Ready: true}
	for _, f := range frozen {
		l.Freezes = append(l.Freezes, f.in(lang))
	}
	for _, i := range l.Items {
		l.Ready = l.Ready && i.Done
	}
	if !c.Start.IsZero() {
		l.Starts = readBack(c.StartsAt(s.Zone).In(s.Zone), lang)
	}
	if !c.Deadline.IsZero() {
		l.Ends = readBack(c.EndsAt(s.Zone).Add(-time.Second).In(s.Zone), lang)
	}
	if !c.Start.IsZero() && !c.Deadline.IsZero() {
		l.Days = int(c.EndsAt(s.Zone).Sub(c.StartsAt(s.Zone)) / (24 * time.Hour))
	}
	return l, nil
}

func (s *Service) items(c *campaign.Campaign, lang string) []Item {
	now := s.Now()
	start, end := c.StartsAt(s.Zone), c.EndsAt(s.Zone)
	heavy := countUnweighed(c)
	shipped := countRewards(heavy, bilingual{"shipped", "con envío"})
	item := func(key string, done bool, is, missing bilingual) Item {
		if done {
			return Item{key, true, is.in(lang)}
		}
		return Item{key, false, missing.in(lang)}
	}
	return []Item{
		item("goal", c.Goal > 0, bilingual{"The goal is " + c.Goal.String(), "La meta es " + c.Goal.String()}, bilingual{"Set a goal", "Escribe una meta"}),
		item("start", !c.Start.IsZero(), bilingual{"The start date is set", "Tiene inicio"}, bilingual{"Set a start date", "Escribe el día en que empieza"}),
		item("deadline", !c.Deadline.IsZero() && end.After(now) && end.After(start), bilingual{"The deadline is in the future", "La fecha límite está por llegar"},
			bilingual{"Set a deadline in the future, after the start", "Escribe una fecha límite que esté por llegar, después del inicio"}),
		item("rewards", len(c.Tiers) > 0 || c.Custom.Enabled, countRewards(len(c.Tiers), bilingual{}),
			bilingual{"Add a reward, or let supporters choose an amount", "Añade una recompensa, o deja que los mecenas elijan una cantidad"}),
		item("summary", c.Blurb != "", bilingual{"It has a summary", "Tiene resumen"},
			bilingual{"Write a summary: it appears on cards and in search results", "Escribe un resumen: aparece en las fichas y en los buscadores"}),
		item("page", len(c.Content) > 0 || c.Body != "", bilingual{"The page has text", "La página tiene texto"}, bilingual{"Describe the campaign", "Escribe de qué trata la campaña"}),
		item("picture", c.Media.Hero != "", bilingual{"It has a picture", "Tiene imagen"}, bilingual{"Add a picture", "Añade una imagen"}),
		item("alt", c.Media.Hero == "" || c.Media.HeroAlt != c.Title, bilingual{"The picture is described", "La imagen está descrita"},
			bilingual{"Describe the picture for people who can't see it", "Describe la imagen para quien no la ve"}),
		item("creator", c.Creator.Name != "" && c.Creator.About != "", bilingual{"The creator is described", "Dice quién la lleva"}, bilingual{"Describe the creator", "Di quién la lleva"}),
		item("risks", c.Risks != "", bilingual{"The risks are described", "Dice qué puede salir mal"}, bilingual{"Describe the risks", "Di qué puede salir mal"}),
		item("shipping", heavy == 0, bilingual{"Rewards that are shipped have weights", "Las recompensas con envío tienen peso"}, bilingual{
			"The weight of " + shipped.en + " is missing: the platform's fallback rate is charged for shipping",
			"Falta el peso de " + shipped.es + ": por el envío se pide la tarifa general de la plataforma",
		}),
		item("published", c.Public(), bilingual{"The campaign will be public once it is published", "Todo el mundo la ve en cuanto se publique"},
			bilingual{"Set published to true and preview_only to false", "Pon published en true y preview_only en false"}),
	}
}

// countUnweighed counts the rewards whose shipping cost cannot be calculated because their
// weight is missing.
func countUnweighed(c *campaign.Campaign) (n int) {
	if c.Shipping.FallbackFlatRate != nil || c.Shipping.Free != nil && *c.Shipping.Free {
		return 0
	}
	for _, t := range c.Tiers {
		if t.Category == campaign.Physical && t.Package == nil && t.ShippingPreset == "" {
			n++
		}
	}
	return n
}
