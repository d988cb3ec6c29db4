package content

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Launch is the checklist for a campaign's launch, with a summary of the launch's effects.
type Launch struct {
	Slug  string `json:"slug"`
	Title string `json:"title"`
	// Base is the SHA of the file, for Service.Launch.
	Base       string `json:"base"`
	Visibility string `json:"visibility"`
	// Ready is set if all items that are not optional are done. Left is the number of such items
	// that are not done.
	Ready bool   `json:"ready"`
	Left  int    `json:"left"`
	Items []Item `json:"items"`
	// Goal is in cents.
	Goal money.Cents `json:"goal"`
	// Starts and Ends are the dates with weekday and time zone, for review; "" for none. A
	// campaign without a start goes live when it is launched.
	Starts string `json:"starts"`
	Ends   string `json:"ends"`
	// StartsAt and EndsAt are the same dates. EndsAt is the first moment after the deadline.
	StartsAt *time.Time `json:"startsAt,omitempty"`
	EndsAt   *time.Time `json:"endsAt,omitempty"`
	// Days is the duration of the campaign in days, rounded down.
	Days    int            `json:"days"`
	Rewards []LaunchReward `json:"rewards"`
	// Fixed lists the parts that cannot change after the launch. Freezes lists the parts that
	// supporters rely on after their first pledge: a change requires a reason that they can read.
	Fixed   []string `json:"fixed"`
	Freezes []string `json:"freezes"`
}

// LaunchReward is a reward in the checklist.
type LaunchReward struct {
	ID    string      `json:"id"`
	Name  string      `json:"name"`
	Price money.Cents `json:"price"`           // cents
	Limit int         `json:"limit,omitempty"` // units; 0 for no limit
}

// Item is an entry of the checklist.
type Item struct {
	Key  string `json:"key"`
	Done bool   `json:"done"`
	// State is "todo", "done", or "blocked" if something else has to be done first.
	State ItemState `json:"state"`
	// Optional is set if the campaign can be launched without it.
	Optional bool `json:"optional,omitempty"`
	// Words describes the current state or the missing step.
	Words string `json:"words"`
	// Target is the field that completes the step; nil for none.
	Target *Target `json:"place,omitempty"`
}

// ItemState is the state of an Item.
type ItemState string

// The states.
const (
	Todo    ItemState = "todo"
	Done    ItemState = "done"
	Blocked ItemState = "blocked"
)

// LaunchList returns the checklist for the current version of a campaign's file.
func (s *Service) LaunchList(ctx context.Context, slug string) (Launch, error) {
	file, err := s.CampaignFile(slug)
	if err != nil {
		return Launch{}, err
	}
	f, err := s.read(ctx, file)
	if err != nil {
		return Launch{}, err
	}
	d, err := campaignfile.Open(file, f.Bytes)
	if err != nil {
		return Launch{}, s.refuse(err, file)
	}
	c, err := d.Campaign()
	if err != nil {
		return Launch{}, s.refuse(err, file, d)
	}
	l := Launch{Slug: slug, Title: c.Title, Base: f.SHA, Visibility: visibilityOf(d),
		Items: s.items(c), Goal: c.Goal, Rewards: []LaunchReward{}}
	for _, i := range l.Items {
		if !i.Done && !i.Optional {
			l.Left++
		}
	}
	l.Ready = l.Left == 0
	for _, f := range fixed {
		l.Fixed = append(l.Fixed, f.in(s.lang))
	}
	for _, f := range frozen {
		l.Freezes = append(l.Freezes, f.in(s.lang))
	}
	for _, t := range c.Tiers {
		l.Rewards = append(l.Rewards, LaunchReward{t.ID, t.Name, t.Price, t.Limit})
	}
	s.addDates(&l, c)
	return l, nil
}

func (s *Service) addDates(l *Launch, c *campaign.Campaign) {
	start, end := startsAt(c, s.Now(), s.Zone), c.EndsAt(s.Zone)
	if !c.Start.IsZero() {
		l.Starts, l.StartsAt = formatMoment(start.In(s.Zone), s.lang), &start
	}
	if !c.Deadline.IsZero() {
		l.Ends, l.EndsAt = formatMoment(end.Add(-time.Second).In(s.Zone), s.lang), &end
		l.Days = int(end.Sub(start) / (24 * time.Hour))
	}
}

// check is an item of the checklist before it is translated.
type check struct {
	key, field string // field is the path of the field that completes the item
	done       bool
	blocked    bilingual // why it cannot be done yet; empty if it can
	optional   bool
	is, todo   bilingual
}

func (s *Service) items(c *campaign.Campaign) []Item {
	var items []Item
	for _, k := range s.checks(c) {
		i := Item{Key: k.key, Done: k.done, Optional: k.optional, State: Todo, Words: k.todo.in(s.lang)}
		switch {
		case k.done:
			i.State, i.Words = Done, k.is.in(s.lang)
		case k.blocked.en != "":
			i.State, i.Words = Blocked, k.blocked.in(s.lang)
		}
		if k.field != "" {
			target := s.placeOf(c.File, k.field).Target
			i.Target = &target
		}
		items = append(items, i)
	}
	return items
}

// checks returns the items in display order. None of them is done for a new campaign.
func (s *Service) checks(c *campaign.Campaign) []check {
	end := c.EndsAt(s.Zone)
	pictureFirst := bilingual{}
	if c.Media.Hero == "" {
		pictureFirst = bilingual{"Add a picture first, then its alt text",
			"Añade primero una imagen y después su texto alternativo"}
	}
	words := wordCount(c)
	all := []check{
		{
			key: "goal", field: "goal_amount", done: c.Goal > 0,
			is:   bilingual{"The goal is " + c.Goal.Price("en"), "La meta es " + c.Goal.Price("es")},
			todo: bilingual{"Set a goal", "Indica una meta"},
		},
		{
			key: "start", field: "start_date", done: !c.Start.IsZero(), optional: true,
			is: bilingual{"The start is set", "El inicio está fijado"}, todo: bilingual{
				"No start is set: the campaign starts when you launch it", "Sin inicio: la campaña empieza cuando la lances"},
		},
		{
			key: "deadline", field: "goal_deadline",
			done: !c.Deadline.IsZero() && end.After(s.Now()) && end.After(startsAt(c, s.Now(), s.Zone)),
			is:   bilingual{"The deadline is in the future", "La fecha límite está por llegar"}, todo: bilingual{
				"Set a deadline in the future, after the start", "Indica una fecha límite futura, posterior al inicio"},
		},
		{
			key: "summary", field: "short_blurb", done: c.Blurb != "",
			is: bilingual{"It has a summary", "Tiene resumen"},
			todo: bilingual{"Write a summary: it appears on cards and in search results",
				"Escribe un resumen: aparece en las tarjetas y en los buscadores"},
		},
		{
			key: "picture", field: "hero_image", done: c.Media.Hero != "",
			is: bilingual{"It has a picture", "Tiene imagen"}, todo: bilingual{"Add a picture", "Añade una imagen"},
		},
		{
			key: "alt", field: "hero_image_alt", done: c.Media.Hero != "" && c.Media.HeroAlt != c.Title, blocked: pictureFirst,
			is: bilingual{"The picture has alt text", "La imagen tiene texto alternativo"},
			todo: bilingual{"Add alt text to the picture, for people who use screen readers",
				"Añade texto alternativo a la imagen, para quienes usan lectores de pantalla"},
		},
		{
			key: "page", field: "long_content", done: len(c.Content) > 0 || c.Body != "",
			is: bilingual{"The story has " + pluralize(words, "word", "words"), "La historia tiene " +
				pluralize(words, "palabra", "palabras")}, todo: bilingual{"Write the story", "Escribe la historia"},
		},
		{
			key: "rewards", field: "tiers",
			done: len(c.Tiers) > 0 || len(c.SupportItems) > 0 || c.Custom.Enabled && c.Lines["custom_amount"] > 0,
			is:   describeOffers(c), todo: bilingual{"Add a reward, or choose that supporters can pledge without one",
				"Añade una recompensa, o indica que se puede aportar sin ella"},
		},
		{
			key: "creator", field: "creator_name", done: c.Creator.Name != "",
			is:   bilingual{"The creator is named", "La persona o el equipo responsable tiene nombre"},
			todo: bilingual{"Name the creator", "Indica quién es responsable de la campaña"},
		},
		{
			key: "about", field: "creator_about", done: c.Creator.About != "", optional: true,
			is:   bilingual{"The creator is introduced", "Se presenta a la persona o el equipo responsable"},
			todo: bilingual{"Introduce the creator", "Presenta a la persona o el equipo responsable"},
		},
		{
			key: "risks", field: "risks", done: c.Risks != "", optional: true,
			is:   bilingual{"The risks are described", "Los riesgos están descritos"},
			todo: bilingual{"Describe the risks", "Describe los riesgos"},
		},
	}
	return append(all, s.conditionalChecks(c)...)
}

// conditionalChecks returns the items that only some campaigns have.
func (s *Service) conditionalChecks(c *campaign.Campaign) (all []check) {
	if heavy := countUnweighed(c); heavy > 0 || ships(c) {
		shipped := countRewards(heavy, bilingual{"shipped", "con envío"})
		all = append(all, check{
			key: "shipping", field: "tiers", done: heavy == 0,
			is: bilingual{"Shipping can be calculated for all physical rewards",
				"Se puede calcular el envío de todas las recompensas físicas"},
			todo: bilingual{
				"The weight of " + shipped.en + " is missing: the platform's flat rate is charged for shipping",
				"Falta el peso de " + shipped.es + ": por el envío se cobra la tarifa fija de la plataforma",
			},
		})
	}
	if s.Repository == nil {
		all = append(all, check{
			key: "publishing",
			blocked: bilingual{"Publishing is not set up on this server. Only its operator can finish this.",
				"La publicación no está configurada en este servidor. Solo puede hacerlo quien lo administra."},
		})
	}
	return all
}

// wordCount counts the words of a campaign's story.
func wordCount(c *campaign.Campaign) int {
	n := len(strings.Fields(c.Body))
	for _, b := range c.Content {
		n += len(strings.Fields(b.Text))
	}
	return n
}

// describeOffers describes the offers that supporters can choose.
func describeOffers(c *campaign.Campaign) bilingual {
	if len(c.Tiers) == 0 {
		return bilingual{"Supporters can pledge without a reward", "Se puede aportar sin recompensa"}
	}
	lowest := c.Tiers[0].Price
	for _, t := range c.Tiers {
		lowest = min(lowest, t.Price)
	}
	n := countRewards(len(c.Tiers), bilingual{})
	return bilingual{fmt.Sprintf("%s, from %s", n.en, lowest), fmt.Sprintf("%s, desde %s", n.es, lowest)}
}

func ships(c *campaign.Campaign) bool {
	for _, t := range c.Tiers {
		if t.Category == campaign.Physical {
			return true
		}
	}
	return false
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
