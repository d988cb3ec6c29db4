package schema

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/hosts/config"
)

// settings describes the site file. It also contains the sections of the settings page whose
// content does not come from the site file; they have no fields.
func (t locale) settings() Document {
	var d Document
	known := map[string]config.Setting{}
	for _, s := range config.Settings() {
		known[s.SiteKey] = s
	}
	for _, s := range settingSections() {
		section := Section{Key: s.key, Label: t.choose(s.en, s.es), Fields: []Field{}}
		for _, g := range s.groups {
			if g.key != "" {
				section.Groups = append(section.Groups, t.heading(g.key, g.words))
			}
			for _, f := range g.fields {
				section.Fields = append(section.Fields, group(g.key, t.settingField(known, f))...)
			}
		}
		d.Sections = append(d.Sections, section)
	}
	for _, s := range config.Reserved() {
		if s.SiteKey != "" {
			d.Ignored = append(d.Ignored, s.SiteKey)
		}
	}
	return d
}

// settingField contains the texts of a setting. kind is "" if it follows from the form of the
// configuration's setting.
type settingField struct {
	path, kind string
	words
	options []option
}

func (t locale) settingField(known map[string]config.Setting, sf settingField) Field {
	f := t.field(sf.path, sf.kind, sf.words, sf.options...)
	if s, ok := known[sf.path]; ok {
		f = t.setting(s, sf)
	}
	if f.Locked != nil && f.Locked.Words == "" {
		f.Locked.Words = t.choose("Set where the service is installed.", "Se fija donde está instalado el servicio.")
	}
	return f
}

// forms maps the result of config.Setting.Form to the kind of field.
var forms = map[string]string{
	"text": Text, "boolean": Boolean, "integer": Integer, "rate": Rate, "money": Money, "url": URL, "origin": URL,
	"timezone": Zone, "country": Country, "choice": Choice,
}

func (t locale) setting(s config.Setting, sf settingField) Field {
	kind := sf.kind
	if kind == "" {
		kind = forms[s.Form()]
	}
	f := t.field(s.SiteKey, kind, sf.words, unit(s.Unit()))
	if kind == Money {
		f.Unit = "USD"
	}
	if kind == Rate {
		between(0, 1)(&f)
	}
	low, high := s.Range()
	if from, err := strconv.ParseFloat(low, 64); err == nil {
		to, _ := strconv.ParseFloat(high, 64) // both are set, or neither
		between(from, to)(&f)
	}
	for _, c := range s.Choices() {
		names, ok := settingChoices[c]
		if !ok {
			names = [2]string{c, c}
		}
		f.Choices = append(f.Choices, Option{c, t.choose(names[0], names[1])})
	}
	f.Default = defaultOf(s.Default, kind)
	for _, o := range sf.options {
		o(&f)
	}
	return f
}

// defaultOf converts a setting's value to JSON: dollars to cents, numbers and booleans unchanged,
// and anything else to a string. It returns nil for "".
func defaultOf(text, kind string) json.RawMessage {
	switch {
	case text == "":
		return nil
	case kind == Money:
		return json.RawMessage(cmp.Or(strings.TrimLeft(strings.Replace(text, ".", "", 1), "0"), "0"))
	case kind == Boolean, kind == Integer, kind == Percent, kind == Rate:
		return json.RawMessage(text)
	}
	return json.RawMessage(strconv.Quote(text))
}

var settingChoices = map[string][2]string{
	"flat": {"One flat rate", "Un tipo fijo"}, "offline_rules": {"Built-in rules", "Reglas incluidas"},
	"nm_grt": {"New Mexico", "Nuevo México"}, "local_tax_api": {"Lookup by address", "Consulta por dirección"},
	"standard": {"Standard", "Normal"}, "signature_required": {"Signature", "Con firma"},
	"adult_signature_required": {"Adult signature", "Firma de un adulto"},
	"retail":                   {"Retail", "De ventanilla"}, "commercial": {"Commercial", "De franqueo impreso"},
}
