package campaign

import "github.com/pledgeworks/pledgeworks/pledge/money"

// Limits of the content of a file. Lengths are in characters.
const (
	MaxFile        = 1 << 20 // bytes
	MaxTitle       = 80
	MaxName        = 100 // names of tiers, items, add-ons, people
	MaxBlurb       = 200
	MaxDescription = 2000
	MaxText        = 8000 // one block
	MaxBody        = 20000
	MaxList        = 100 // entries of a list
	MaxLinks       = 10  // per creator
	MaxBlocks      = 40  // per page or diary entry
	MaxGallery     = 12
	MaxAddOns      = 50
	MaxVariants    = 30
	MaxOptions     = 50 // per decision
	MaxOption      = 50
	MaxIncludes    = 12        // parts of a reward
	MaxUnits       = 1_000_000 // per tier or add-on
)

// MaxGoal is the upper limit of goals and of the totals at which something is unlocked: one billion
// dollars. Single amounts are limited by money.Max.
const MaxGoal money.Cents = 100_000_000_000
