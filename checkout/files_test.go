package checkout_test

import (
	"strings"
	"testing/fstest"
)

const filmFile = `---
title: Film
slug: film
published: true
start_date: 2026-11-01
goal_deadline: 2026-12-01
goal_amount: 1000
shipping_options: [signature_required]
tiers:
  - {id: seat, name: Seat, price: 25, limit_total: 3, stackable: true}
  - {id: thanks, name: Thanks, price: 5}
  - {id: poster, name: Poster, price: 40, category: physical, stackable: true}
  - {id: premiere, name: Premiere, price: 100, requires_threshold: 50}
support_items:
  - {id: lens, label: Lens, target: 500}
campaign_add_ons:
  - {id: mug, name: Mug, price: 12, category: physical, inventory: 2}
custom_amount: {min: 2, max: 500}
decisions:
  - {id: ending, type: vote, title: Which ending, options: [Happy, Sad]}
  - {id: town, type: poll, title: Which town, eligible: charged, options: [A, B]}
  - {id: over, type: poll, title: Over already, deadline: 2026-11-02, options: [A, B]}
---
`

const gameFile = `---
title: Game
slug: game
published: true
start_date: 2026-11-01
goal_deadline: 2026-12-15
goal_amount: 2000
single_tier_only: true
shipping_fallback_flat_rate: 7
tiers:
  - {id: box, name: Box, price: 60, category: physical, limit_total: 2}
  - {id: print, name: Print and play, price: 10}
---
`

const addOnsFile = `enabled: true
products:
  - {id: sticker, name: Sticker, price: 4, category: physical, inventory: 3}
  - {id: sound, name: Sound, price: 7, category: digital}
  - id: shirt
    name: Shirt
    price: 28
    category: digital
    variant_option_name: Size
    variants:
      - {id: s, label: S, inventory: 2}
      - {id: xl, label: XL, price: 30, inventory: 0}
`

func files() fstest.MapFS {
	later := strings.NewReplacer("film", "later", "Film", "Later", "2026-11-01", "2026-12-24",
		"2026-12-01", "2026-12-31").Replace(filmFile)
	early := strings.NewReplacer("film", "early", "Film", "Early", "2026-11-01", "2026-09-01",
		"2026-12-01", "2026-10-31").Replace(filmFile)
	hidden := strings.NewReplacer("film", "hidden", "Film", "Hidden", "published: true",
		"published: false").Replace(filmFile)
	return fstest.MapFS{
		"campaigns/film.md":   {Data: []byte(filmFile)},
		"campaigns/game.md":   {Data: []byte(gameFile)},
		"campaigns/later.md":  {Data: []byte(later)},
		"campaigns/early.md":  {Data: []byte(early)},
		"campaigns/hidden.md": {Data: []byte(hidden)},
		"add-ons.yml":         {Data: []byte(addOnsFile)},
	}
}
