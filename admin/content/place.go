package content

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// FieldText holds the texts that describe a field in one language.
type FieldText struct {
	Tab, TabLabel string // of the dashboard
	Section       string // group within the tab; "" for none
	Label         string
	Kind          string // kind of value, such as "money"
	Unit          string
	Choices       map[string]string // labels by value
}

// Place locates a field in the dashboard and contains its labels there.
type Place struct {
	// Label is the field's label, or the kind of entry for an entry as a whole.
	Label string `json:"label"`
	// Item is the name of the list entry that the field belongs to, such as a reward's.
	Item string `json:"item,omitempty"`
	// TabLabel is the label of the tab.
	TabLabel string `json:"tabLabel"`
	Target   Target `json:"place"`
}

// Target identifies a field in the dashboard's editors.
type Target struct {
	Tab     string `json:"tab"`               // such as "tiers"
	Section string `json:"section,omitempty"` // such as "dates"
	// List is the list that contains the field's entry, and Item the entry's ID, or its index if it
	// has none. Part is an entry within that entry, such as a variant.
	List string `json:"list,omitempty"`
	Item string `json:"item,omitempty"`
	Part string `json:"part,omitempty"`
	// Field is the field's path within the entry; "" for an entry as a whole.
	Field string `json:"field,omitempty"`
}

// Fields returns the texts of the field of a file at a path, in English ("en") or Spanish
// ("es"). ok is false for an unknown field.
type Fields func(file, path, lang string) (t FieldText, ok bool)

// In returns a service whose displayed texts are in English ("en") or Spanish ("es"), with labels
// from fields.
func (s *Service) In(lang string, fields Fields) *Service {
	in := *s
	in.lang, in.fields = lang, fields
	return &in
}

// placeOf returns the place of a path. The name of an entry is from the first document that
// contains it.
func (s *Service) placeOf(file, path string, documents ...*campaignfile.Document) Place {
	text, _ := s.fieldText(file, path)
	p := Place{Label: text.Label, TabLabel: text.TabLabel,
		Target: Target{Tab: text.Tab, Section: text.Section, Field: path}}
	list, id, rest, ok := cutEntry(path)
	if !ok {
		return p
	}
	at := list + "[" + id + "]"
	for _, d := range documents {
		if d == nil {
			continue
		}
		if own := d.EntryID(at); own != "" {
			id = own
		}
		if p.Item = s.entryName(d, file, list, at); p.Item != "" {
			break
		}
	}
	p.Target.List, p.Target.Item, p.Target.Field = list, id, rest
	if inner, part, field, ok := cutEntry(rest); ok {
		p.Target.Part, p.Target.Field = part, strings.TrimSuffix(inner+"."+field, ".")
		at += "." + inner + "[" + part + "]"
		rest = field
		for _, d := range documents {
			if d == nil {
				continue
			}
			if own := d.EntryID(at); own != "" {
				p.Target.Part = own
			}
			if name := s.entryName(d, file, inner, at); name != "" {
				p.Item += ", " + name
				break
			}
		}
		list = inner
	}
	if rest == "" {
		p.Label = entryNoun(list).in(s.lang)
	}
	return p
}

var entryPath = regexp.MustCompile(`^([a-z_]+)\[([a-z0-9-]*)\](?:\.(.+))?$`)

// cutEntry cuts a path into its list, the entry's ID or index, and the path within the entry.
func cutEntry(path string) (list, id, rest string, ok bool) {
	m := entryPath.FindStringSubmatch(path)
	if m == nil {
		return "", "", "", false
	}
	return m[1], m[2], m[3], true
}

// entryName returns the name of an entry or, if it has none, its type and number, such as "Picture
// 2".
func (s *Service) entryName(d *campaignfile.Document, file, list, at string) string {
	if v, err := d.Value(at); err != nil || v == nil {
		return ""
	}
	for _, key := range []string{"name", "label", "title", "question"} {
		var name string
		if v, err := d.Value(at + "." + key); err == nil && json.Unmarshal(v, &name) == nil && name != "" {
			return name
		}
	}
	n, err := strconv.Atoi(at[strings.LastIndexByte(at, '[')+1 : len(at)-1])
	if err != nil {
		return ""
	}
	word := entryNoun(list).in(s.lang)
	var kind string
	if v, err := d.Value(at + ".type"); err == nil && json.Unmarshal(v, &kind) == nil {
		if text, ok := s.fieldText(file, at+".type"); ok && text.Choices[kind] != "" {
			word = text.Choices[kind]
		}
	}
	return fmt.Sprintf("%s %d", word, n+1)
}

func (s *Service) fieldText(file, path string) (FieldText, bool) {
	if s.fields == nil {
		return FieldText{Label: pathLabel(path)}, false
	}
	return s.fields(file, path, s.lang)
}

// entryNoun returns the noun for one entry of a list.
func entryNoun(list string) bilingual {
	if w, ok := entryNames[list]; ok {
		return w
	}
	return bilingual{"Entry", "Entrada"}
}

var entryNames = map[string]bilingual{
	"tiers": {"Reward", "Recompensa"}, "support_items": {"Support item", "Necesidad"},
	"campaign_add_ons": {"Add-on", "Complemento"},
	"products":         {"Add-on", "Complemento"}, "variants": {"Variant", "Variante"},
	"stretch_goals": {"Stretch goal", "Meta adicional"},
	"ongoing_items": {"Ongoing item", "Gasto continuo"}, "diary": {"Diary entry", "Entrada del diario"},
	"decisions": {"Decision", "Decisión"},
	"options":   {"Answer", "Respuesta"}, "faq": {"Question", "Pregunta"}, "creator_links": {"Link", "Enlace"},
	"images":       {"Picture", "Imagen"},
	"long_content": {"Block", "Bloque"}, "content": {"Block", "Bloque"}, "body": {"Block", "Bloque"},
}
