package simulation

import (
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// The campaigns of every history. Values in braces are drawn per history.

const filmFile = `---
title: Film
slug: film
published: true
start_date: 2026-10-01
goal_deadline: 2026-10-31
goal_amount: {film}
recovery: {attempts: 4}
tiers:
  - {id: seat, name: Seat, price: {seat}, limit_total: 3, stackable: true}
  - {id: thanks, name: Thanks, price: {thanks}}
campaign_add_ons:
  - {id: mug, name: Mug, price: {mug}, inventory: 2}
---
`

const gameFile = `---
title: Game
slug: game
published: true
start_date: 2026-10-01
goal_deadline: 2026-10-31
goal_amount: {game}
recovery: {grace_days: 2, retry_days: [1], attempts: 6}
tiers:
  - {id: print, name: Print and play, price: {print}, stackable: true}
  - {id: box, name: Box, price: {box}, limit_total: 2}
---
`

const albumFile = `---
title: Album
slug: album
published: true
start_date: 2026-10-01
goal_deadline: 2026-10-31
goal_amount: 900000
tiers:
  - {id: copy, name: Copy, price: {copy}}
---
`

const addOnsFile = `enabled: true
products:
  - {id: sticker, name: Sticker, price: {sticker}, category: digital, inventory: 3}
`

var slugs = []string{"film", "game", "album"}

// policies are the campaigns' settings for failed charges.
var policies = map[string]struct{ grace, attempts int }{"film": {14, 4}, "game": {2, 6}, "album": {14, 10}}

// limits is the stock of limited items, by campaign and item.
var limits = map[string]map[string]int{
	"film":             {"tier/seat": 3, "add-on/mug": 2},
	"game":             {"tier/box": 2},
	inventory.Platform: {"add-on/sticker": 3},
}

var stackable = map[string]bool{"film__seat": true, "game__print": true}

var carts = [][]string{
	{"film__thanks"}, {"film__seat"}, {"film__seat", "film__addon__mug"}, {"film__thanks", "addon__sticker"},
	{"game__print"}, {"game__box"}, {"film__thanks", "game__print"},
	{"film__seat", "game__box", "addon__sticker"}, {"album__copy"},
}

var scarce = [][]string{
	{"film__seat"}, {"film__seat", "film__addon__mug"}, {"game__box"}, {"film__seat", "game__box", "addon__sticker"},
	{"film__thanks", "addon__sticker"},
}

var cards = []string{
	sim.CardOK, sim.CardOK, sim.CardOK, sim.CardOK, sim.CardAuthUnlessSetUp, sim.CardChargeDeclined, sim.CardAuthAlways,
	sim.CardAuthInsufficient, sim.CardDeclineTimes + ":1", sim.CardProcessing + ":90m", sim.CardProcessFails + ":2h",
	sim.CardRollsForward + ":3h", sim.CardAvailableNow,
}

var refused = []string{sim.CardChargeDeclined, sim.CardAuthInsufficient, sim.CardDeclineTimes + ":1",
	sim.CardProcessFails + ":2h"}
