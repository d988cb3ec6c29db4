package schema

import (
	"encoding/json"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Document describes one kind of file.
type Document struct {
	Of       string    `json:"of"`
	Sections []Section `json:"sections"`
	// Ignored are keys that are allowed and have no effect.
	Ignored []string `json:"-"`
}

// Section is a tab of the dashboard with its fields, in the order of the form.
type Section struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	// Groups are the headings that the fields are arranged under, in order.
	Groups []Group `json:"groups,omitempty"`
	// Fields is empty for a section whose content does not come from the file.
	Fields []Field `json:"fields"`
}

// Group is a heading within a Section.
type Group struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Help  string `json:"help,omitempty"`
}

// The kinds of fields.
const (
	Text      = "text"     // one line
	Markdown  = "markdown" // Markdown without HTML, except for simple tags
	Money     = "money"    // dollars in the file; Min, Max, Step and Default are in cents
	Integer   = "integer"
	Decimal   = "decimal"
	Percent   = "percent" // whole percent
	Rate      = "rate"    // a fraction from 0 to 1, for example 0.07875
	DateTime  = "datetime"
	Month     = "month" // for example 2027-05
	Boolean   = "boolean"
	Choice    = "choice"
	Choices   = "choices"  // list of choices
	Integers  = "integers" // list of integers
	Emails    = "emails"   // list of addresses
	Texts     = "texts"    // list of short texts, each of at most Max characters
	Email     = "email"
	Sender    = "sender" // "Name <address>" or an address
	URL       = "url"
	Media     = "media" // a path such as /assets/images/boat.jpg, or an absolute address
	Color     = "color"
	Country   = "country"   // two letters
	Countries = "countries" // list of countries, or "everywhere"
	Zone      = "timezone"  // name in the IANA database
	Objects   = "objects"   // list of entries with fields
	Object    = "object"    // object with fields
	Blocks    = "blocks"    // list of content blocks, or Markdown for a single text block
)

// Field describes a field of a file. Limits that do not apply have the zero value.
type Field struct {
	// Path is the field's path in the format of campaignfile.Change. For a field of a list entry it
	// is relative to the entry.
	Path  string `json:"path"`
	Kind  string `json:"kind"`
	Label string `json:"label"`
	Help  string `json:"help,omitempty"`
	// Section is the key of the Group that the field is shown in; for fields of a list entry,
	// the group within the entry's form. "" means the first part of the form.
	Section string `json:"section,omitempty"`
	// Control is the input that edits the field, one of the control constants.
	Control string `json:"control"`
	// OnlyIf lists the conditions under which the field applies. All of them must hold.
	OnlyIf []Condition `json:"onlyIf,omitempty"`
	// Locked describes when the field cannot be changed; nil means that it always can.
	Locked *Lock `json:"locked,omitempty"`
	// Required is set if a file without the field is invalid. WhenPublic is set if that
	// applies to public campaigns only.
	Required   bool `json:"required,omitempty"`
	WhenPublic bool `json:"requiredWhenPublic,omitempty"`
	// Together is set if the field is required as soon as another field with the same parent is
	// present. An example is "shipping.weight_oz".
	Together bool `json:"requiredTogether,omitempty"`
	// MinLength and MaxLength are in characters, or in entries of a list.
	MinLength int `json:"minLength,omitempty"`
	MaxLength int `json:"maxLength,omitempty"`
	// Min, Max and Step, the increment, are in cents for Money.
	Min     *float64 `json:"min,omitempty"`
	Max     *float64 `json:"max,omitempty"`
	Step    int      `json:"step,omitempty"`
	Pattern string   `json:"pattern,omitempty"`
	Choices []Option `json:"choices,omitempty"`
	// ChoicesFrom is the path of a list, such as "tiers", whose entries' IDs are the choices.
	ChoicesFrom string `json:"choicesFrom,omitempty"`
	// Default is the value that applies if the file has none. For Money it is in cents.
	Default json.RawMessage `json:"default,omitempty"`
	// Inherits is the setting that applies if the file has no value, such as
	// "shipping.fallback_flat_rate". The API sets Default to the setting's value. Within a list
	// entry it can be a field of the file or of the object around it, such as "ships_to".
	Inherits string `json:"inherits,omitempty"`
	Unit     string `json:"unit,omitempty"`
	// Promise is set if supporters rely on the field once they have pledged. Changing it
	// then requires a reason.
	Promise bool `json:"promise,omitempty"`
	// Read and Write list the permissions that are all required to read and to change the field.
	// They are permissions of campaign users, or access.Platform for super admins only. Write is
	// empty for fields that can only be changed in the repository.
	Read  []access.Permission `json:"read"`
	Write []access.Permission `json:"write"`
	// Only lists the values of the entry's "type" field for which the field exists; empty means
	// all.
	Only []string `json:"onlyTypes,omitempty"`
	// Identity is the field from which an entry's ID is derived if it has none.
	Identity string          `json:"identity,omitempty"`
	Fields   []Field         `json:"fields,omitempty"`
	New      json.RawMessage `json:"new,omitempty"` // initial value of an entry
	// Ignored are keys that are allowed in an entry and have no effect.
	Ignored []string `json:"-"`
}

// Option is a value of a choice.
type Option struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// The kinds of files.
const (
	OfCampaign = "campaign"
	OfAddOns   = "addon"
	OfSettings = "settings"
)

// Kinds returns the kinds of files.
func Kinds() []string { return []string{OfCampaign, OfAddOns, OfSettings} }

// Describe returns the fields of a kind of file, with texts in English ("en") or Spanish
// ("es"). ok is false for an unknown kind or language.
func Describe(of, language string) (d Document, ok bool) {
	if language != "en" && language != "es" {
		return Document{}, false
	}
	t := locale(language)
	switch of {
	case OfCampaign:
		d = t.campaign()
	case OfAddOns:
		d = t.addOns()
	case OfSettings:
		d = t.settings()
	default:
		return Document{}, false
	}
	d.Of = of
	for _, s := range d.Sections {
		setPermissions(s.Fields, permissions[of], permissions[of])
		markPromises(s.Fields, "", of)
		t.lockPromises(s.Fields)
		setControls(s.Fields)
	}
	return d, true
}

// locale is the language of the texts, "en" or "es".
type locale string

func (t locale) choose(en, es string) string {
	if t == "es" {
		return es
	}
	return en
}

// group sets the section of the fields that have none, and returns all fields.
func group(section string, fields ...Field) []Field {
	for i := range fields {
		if fields[i].Section == "" {
			fields[i].Section = section
		}
	}
	return fields
}

// words contains a label and a help text in both languages.
type words struct{ en, es, help, ayuda string }

type option func(*Field)

func (t locale) field(path, kind string, w words, options ...option) Field {
	f := Field{Path: path, Kind: kind, Label: t.choose(w.en, w.es), Help: t.choose(w.help, w.ayuda)}
	if kind == Money {
		f.Unit = "USD"
		between(0, float64(money.Max))(&f)
	}
	for _, o := range options {
		o(&f)
	}
	return f
}

func (t locale) text(path string, most int, w words, options ...option) Field {
	return t.field(path, Text, w, append([]option{maxLength(most)}, options...)...)
}

func (t locale) markdown(path string, most int, w words, options ...option) Field {
	return t.field(path, Markdown, w, append([]option{maxLength(most)}, options...)...)
}

// entries returns a list field. most is the maximum number of entries, identity the field from
// which an entry's ID is derived, and fresh the initial value of an entry as JSON.
func (t locale) entries(path string, most int, identity, fresh string, w words,
	fields []Field, options ...option) Field {
	f := t.field(path, Objects, w, append([]option{maxLength(most)}, options...)...)
	f.Identity, f.New, f.Fields = identity, json.RawMessage(fresh), fields
	return f
}

func required(f *Field)   { f.Required = true }
func together(f *Field)   { f.Together = true }
func whenPublic(f *Field) { f.WhenPublic = true }

func maxLength(length int) option { return func(f *Field) { f.MaxLength = length } }
func minLength(length int) option { return func(f *Field) { f.MinLength = length } }
func unit(u string) option        { return func(f *Field) { f.Unit = u } }
func step(cents int) option       { return func(f *Field) { f.Step = cents } }
func matching(p string) option    { return func(f *Field) { f.Pattern = p } }
func initially(v string) option   { return func(f *Field) { f.Default = json.RawMessage(v) } }
func only(types ...string) option { return func(f *Field) { f.Only = types } }
func ignoring(k ...string) option { return func(f *Field) { f.Ignored = k } }
func inherits(s string) option    { return func(f *Field) { f.Inherits = s } }
func minimum(n float64) option    { return func(f *Field) { f.Min = &n } }
func between(low, high float64) option {
	return func(f *Field) { f.Min, f.Max = &low, &high }
}

// choices adds choices to a field. Each takes three arguments: the value, and its label in English
// and in Spanish.
func (t locale) choices(all ...string) option {
	return func(f *Field) {
		for ; len(all) > 2; all = all[3:] {
			f.Choices = append(f.Choices, Option{all[0], t.choose(all[1], all[2])})
		}
	}
}

// Patterns for text values.
const (
	slugPattern  = `^[a-z0-9-]{1,100}$`
	HexColor     = `^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`
	FontStack    = `^[A-Za-z0-9 ,"'-]{1,200}$`
	LengthToken  = `^(?:0|[0-9]{1,3}(?:\.[0-9]{1,3})?(?:px|rem|em))$`
	monthPattern = `^[0-9]{4}-(?:0[1-9]|1[0-2])$`
)

// everywhere is the value that stands for all countries.
const everywhere = campaignfile.Everywhere
