package campaign

// The greatest sizes of what a file may hold. Lengths are in characters.
const (
	MaxFile        = 1 << 20 // bytes
	MaxTitle       = 80
	MaxName        = 100 // names of tiers, items, add-ons, people
	MaxBlurb       = 200
	MaxDescription = 2000
	MaxText        = 8000 // one block
	MaxBody        = 20000
	MaxList        = 100 // entries of any list
	MaxLinks       = 10  // of a creator
	MaxBlocks      = 40  // of one page or diary entry
	MaxGallery     = 12
	MaxAddOns      = 50
	MaxVariants    = 30
	MaxOptions     = 50 // of one decision
	MaxOption      = 50
	MaxUnits       = 1_000_000 // of a tier or add-on
)
