package campaign

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
	MaxUnits       = 1_000_000 // per tier or add-on
)
