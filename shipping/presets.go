package shipping

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Preset has the weight and size of a common item in its packaging. We weighed and measured
// ordinary items in the usual mailer, and rounded up. Campaigns specify a package for other items.
type Preset struct {
	Name  string // as in campaign files
	About string
	campaign.Package
	// Media is set for film, sound or print, which has a lower postage. Flexible is set if the
	// item may ship as a letter or large envelope.
	Media, Flexible bool
}

// FindPreset returns the preset with a name, and false if there is none.
func FindPreset(name string) (Preset, bool) {
	i := slices.IndexFunc(presets, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return presets[i], true
}

// PresetNames returns the names that a campaign's file may use, from small to large.
func PresetNames() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.Name
	}
	return names
}

// Kinds of presets, combined with OR.
const (
	media = 1 << iota
	flexible
)

// newPreset returns a preset. The weights of the unit and of its packaging are in ounces, the
// other numbers in inches.
func newPreset(name, about, weight, packaging, length, width, height, stack string, kind int) Preset {
	d := decimal.RequireFromString
	return Preset{Name: name, About: about, Media: kind&media != 0, Flexible: kind&flexible != 0,
		Package: campaign.Package{
			Weight: d(weight), Packaging: d(packaging), Length: d(length), Width: d(width),
			Height: d(height), StackHeight: d(stack),
		}}
}

var presets = []Preset{
	newPreset("sticker", "Sticker or postcard, in an envelope", "0.3", "0.7", "9", "6", "0.1", "0.02", flexible),
	newPreset("zine", "Stapled booklet, in an envelope", "2.8", "0.9", "10", "7", "0.2", "0.12", media|flexible),
	newPreset("pin", "Enamel pin or patch, in a padded envelope", "0.6", "1.2", "7", "5", "0.8", "0.3", 0),
	newPreset("print", "Art print to 9 by 12 inches, flat between boards", "1.0", "4.5", "13", "10", "0.4", "0.03", 0),
	newPreset("poster", "Poster to 24 by 36 inches, rolled in a tube", "3.5", "7.0", "26", "3", "3", "0.1", 0),
	newPreset("tshirt", "Shirt, in a poly mailer", "6.5", "0.8", "13", "10", "1.0", "0.8", 0),
	newPreset("hoodie", "Hooded sweater, in a poly mailer", "21", "1.5", "15", "12", "2.8", "2.5", 0),
	newPreset("cap", "Cap, in a box", "3.6", "5.5", "9", "8", "5", "1.5", 0),
	newPreset("tote", "Cotton bag, folded, in a poly mailer", "5.5", "0.8", "12", "9", "0.7", "0.5", 0),
	newPreset("mug", "Mug, in a box", "13.5", "5.0", "6", "6", "5", "5", 0),
	newPreset("cassette", "Cassette, in a padded mailer", "2.6", "1.6", "6", "4.5", "0.9", "0.7", media),
	newPreset("cd", "CD in its case, in a padded mailer", "3.6", "2.2", "7.5", "6.5", "0.6", "0.4", media),
	newPreset("dvd", "DVD in its case, in a padded mailer", "3.8", "2.2", "9", "6.5", "0.8", "0.6", media),
	newPreset("bluray", "Blu-ray in its case, in a padded mailer", "3.3", "2.2", "8.5", "6.5", "0.7", "0.5", media),
	newPreset("vinyl", "Long-playing record, in a record mailer", "10.5", "9.0", "13.5", "13.5", "0.9", "0.3", media),
	newPreset("paperback", "Paperback to 300 pages, in a padded mailer", "13", "1.8", "10", "7", "1.2", "0.9", media),
	newPreset("hardcover", "Hardcover to 350 pages, in a box", "25", "5.0", "11", "8.5", "2.0", "1.4", media),
	newPreset("signed_script", "Script of 120 pages, in a stiff envelope",
		"12.5", "2.5", "12.5", "9.5", "0.8", "0.6", media),
	newPreset("card_game", "Small box of cards, in a box", "9.5", "4.0", "7", "6", "2.8", "2.0", 0),
	newPreset("board_game", "Box of 12 by 12 by 3 inches, in a box", "52", "12", "13.5", "13.5", "4.2", "3.0", 0),
	newPreset("box_set", "Box of several discs or books, in a box", "44", "11", "14", "12", "5", "4.2", 0),
}
