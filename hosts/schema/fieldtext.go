package schema

import (
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// KindOf returns the kind of a file in the repository. Any file other than the settings and the
// platform's add-ons counts as a campaign.
func KindOf(file string) string {
	switch file {
	case content.SettingsFile:
		return OfSettings
	case campaign.AddOnsFile:
		return OfAddOns
	}
	return OfCampaign
}

// FieldText returns the texts of a file's field in English ("en") or Spanish ("es"). path has the
// format of campaignfile.Change. If the path is not described, FieldText returns the texts of the
// closest described field that contains it, or of the first one within it. ok is false if there is
// none.
func FieldText(file, path, language string) (t content.FieldText, ok bool) {
	table := tables()[KindOf(file)+" "+language]
	key := strings.TrimSuffix(entries.ReplaceAllString(path, "[]"), "[]")
	for at := key; at != ""; at = at[:max(strings.LastIndexAny(at, ".["), 0)] {
		if f, ok := table[at]; ok {
			return f.text(language), true
		}
	}
	first := ""
	for at := range table {
		if strings.HasPrefix(at, key+".") && (first == "" || at < first) {
			first = at
		}
	}
	f, ok := table[first]
	return f.text(language), ok
}

func (f placedField) text(language string) content.FieldText {
	t := content.FieldText{Tab: f.section.Key, TabLabel: f.section.Label, Section: f.Section,
		Label: f.Label, Kind: f.Kind, Unit: f.Unit}
	if f.Control == CountriesControl || f.Control == CountryControl {
		t.Choices = countriesIn(language)
		return t
	}
	for _, c := range f.Choices {
		if t.Choices == nil {
			t.Choices = map[string]string{}
		}
		t.Choices[c.Value] = c.Label
	}
	return t
}
