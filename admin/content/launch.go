package content

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// Launch is what there is to look at before a campaign goes public.
type Launch struct {
	Slug string `json:"slug"`
	// Ready says that every item is done.
	Ready bool   `json:"ready"`
	Items []Item `json:"items"`
	// Starts and Ends read the dates back, with their weekdays and the zone; "" for none.
	Starts string `json:"starts"`
	Ends   string `json:"ends"`
	// Days is how long the campaign runs, in days, rounded down.
	Days int `json:"days"`
	// Freezes are what supporters rely on from their first pledge on: to change it takes a
	// reason that they are told, or can't be done.
	Freezes []string `json:"freezes"`
}

// Item is one thing to have done.
type Item struct {
	Key  string `json:"key"`
	Done bool   `json:"done"`
	// Words say what there is, or what is missing.
	Words string `json:"words"`
}

// LaunchList looks at a campaign as its file is now, in "en" or "es".
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
		return Launch{}, refused(err)
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
	heavy := unweighed(c)
	shipped := rewards(heavy, bilingual{"shipped", "con envío"})
	item := func(key string, done bool, is, missing bilingual) Item {
		if done {
			return Item{key, true, is.in(lang)}
		}
		return Item{key, false, missing.in(lang)}
	}
	return []Item{
		item("goal", c.Goal > 0, bilingual{"The goal is " + c.Goal.String(), "La meta es " + c.Goal.String()}, bilingual{"Write a goal", "Escribe una meta"}),
		item("start", !c.Start.IsZero(), bilingual{"It has a start", "Tiene inicio"}, bilingual{"Write the day on which it starts", "Escribe el día en que empieza"}),
		item("deadline", !c.Deadline.IsZero() && end.After(now) && end.After(start), bilingual{"The deadline is to come", "La fecha límite está por llegar"},
			bilingual{"Write a deadline that is to come, after the start", "Escribe una fecha límite que esté por llegar, después del inicio"}),
		item("rewards", len(c.Tiers) > 0 || c.Custom.Enabled, rewards(len(c.Tiers), bilingual{}),
			bilingual{"Add a reward, or let supporters choose an amount", "Añade una recompensa, o deja que los mecenas elijan una cantidad"}),
		item("summary", c.Blurb != "", bilingual{"It has a summary", "Tiene resumen"},
			bilingual{"Write a summary: it stands on cards and in search results", "Escribe un resumen: aparece en las fichas y en los buscadores"}),
		item("page", len(c.Content) > 0 || c.Body != "", bilingual{"The page has text", "La página tiene texto"}, bilingual{"Write what the campaign is about", "Escribe de qué trata la campaña"}),
		item("picture", c.Media.Hero != "", bilingual{"It has a picture", "Tiene imagen"}, bilingual{"Add a picture", "Añade una imagen"}),
		item("alt", c.Media.Hero == "" || c.Media.HeroAlt != c.Title, bilingual{"The picture is described", "La imagen está descrita"},
			bilingual{"Describe the picture for those who do not see it", "Describe la imagen para quien no la ve"}),
		item("creator", c.Creator.Name != "" && c.Creator.About != "", bilingual{"It says who runs it", "Dice quién la lleva"}, bilingual{"Say who runs it", "Di quién la lleva"}),
		item("risks", c.Risks != "", bilingual{"It says what can go wrong", "Dice qué puede salir mal"}, bilingual{"Say what can go wrong", "Di qué puede salir mal"}),
		item("shipping", heavy == 0, bilingual{"Rewards that are shipped have weights", "Las recompensas con envío tienen peso"}, bilingual{
			"Of " + shipped.en + " the weight is missing: the platform's fallback rate is asked for shipping",
			"Falta el peso de " + shipped.es + ": por el envío se pide la tarifa general de la plataforma",
		}),
		item("published", c.Public(), bilingual{"Everybody can see it once it is published", "Todo el mundo la ve en cuanto se publique"},
			bilingual{"Set published to true and preview_only to false", "Pon published en true y preview_only en false"}),
	}
}

// unweighed counts the rewards whose shipping can't be worked out.
func unweighed(c *campaign.Campaign) (n int) {
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
