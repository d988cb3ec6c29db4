package shipping

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Preset is a common item as packed. We measured ordinary items on a kitchen scale, in
// the usual mailer, and rounded up. Other items need a package.
type Preset struct {
	Name  string // as in campaign files
	About string
	campaign.Package
	// Media is set for film, sound or print, which has a lower postage. Flexible is set if the
	// item may ship as a letter or large envelope.
	Media, Flexible bool
}

// FindPreset returns the preset with a name.
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
	bends
)

// of returns a preset from ounces (per unit, packaging) and inches.
func of(name, about, weight, packaging, length, width, height, stack string, kind int) Preset {
	d := decimal.RequireFromString
	return Preset{Name: name, About: about, Media: kind&media != 0, Flexible: kind&bends != 0, Package: campaign.Package{
		Weight: d(weight), Packaging: d(packaging), Length: d(length), Width: d(width),
		Height: d(height), StackHeight: d(stack),
	}}
}

var presets = []Preset{
	of("sticker", "Sticker or postcard, in an envelope", "0.3", "0.7", "9", "6", "0.1", "0.02", bends),
	of("zine", "Stapled booklet, in an envelope", "2.8", "0.9", "10", "7", "0.2", "0.12", media|bends),
	of("pin", "Enamel pin or patch, in a padded envelope", "0.6", "1.2", "7", "5", "0.8", "0.3", 0),
	of("print", "Art print to 9 by 12 inches, flat between boards", "1.0", "4.5", "13", "10", "0.4", "0.03", 0),
	of("poster", "Poster to 24 by 36 inches, rolled in a tube", "3.5", "7.0", "26", "3", "3", "0.1", 0),
	of("tshirt", "Shirt, in a poly mailer", "6.5", "0.8", "13", "10", "1.0", "0.8", 0),
	of("hoodie", "Hooded sweater, in a poly mailer", "21", "1.5", "15", "12", "2.8", "2.5", 0),
	of("cap", "Cap, in a box", "3.6", "5.5", "9", "8", "5", "1.5", 0),
	of("tote", "Cotton bag, folded, in a poly mailer", "5.5", "0.8", "12", "9", "0.7", "0.5", 0),
	of("mug", "Mug, in a box", "13.5", "5.0", "6", "6", "5", "5", 0),
	of("cassette", "Cassette, in a padded mailer", "2.6", "1.6", "6", "4.5", "0.9", "0.7", media),
	of("cd", "CD in its case, in a padded mailer", "3.6", "2.2", "7.5", "6.5", "0.6", "0.4", media),
	of("dvd", "DVD in its case, in a padded mailer", "3.8", "2.2", "9", "6.5", "0.8", "0.6", media),
	of("bluray", "Blu-ray in its case, in a padded mailer", "3.3", "2.2", "8.5", "6.5", "0.7", "0.5", media),
	of("vinyl", "Long-playing record, in a record mailer", "10.5", "9.0", "13.5", "13.5", "0.9", "0.3", media),
	of("paperback", "Paperback to 300 pages, in a padded mailer", "13", "1.8", "10", "7", "1.2", "0.9", media),
	of("hardcover", "Hardcover to 350 pages, in a box", "25", "5.0", "11", "8.5", "2.0", "1.4", media),
	of("signed_script", "Script of 120 pages, in a stiff envelope", "12.5", "2.5", "12.5", "9.5", "0.8", "0.6", media),
	of("card_game", "Small box of cards, in a box", "9.5", "4.0", "7", "6", "2.8", "2.0", 0),
	of("board_game", "Box of 12 by 12 by 3 inches, in a box", "52", "12", "13.5", "13.5", "4.2", "3.0", 0),
	of("box_set", "Box of several discs or books, in a box", "44", "11", "14", "12", "5", "4.2", 0),
}
