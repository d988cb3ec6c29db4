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
	// Ignored are keys that the file may have and that do nothing.
	Ignored []string `json:"-"`
}

// Section is a group of fields, in the order in which forms show them.
type Section struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	// Fields are none where the section is of something else than the file.
	Fields []Field `json:"fields"`
}

// The kinds of fields.
const (
	Text      = "text"     // one line
	Markdown  = "markdown" // Markdown without HTML but the plain tags
	Money     = "money"    // dollars in the file; Min, Max, Step and Default are in cents
	Integer   = "integer"
	Decimal   = "decimal"
	Percent   = "percent" // a whole number of percent
	Rate      = "rate"    // a fraction from 0 to 1, such as 0.07875
	DateTime  = "datetime"
	Month     = "month" // such as 2027-05
	Boolean   = "boolean"
	Choice    = "choice"
	Choices   = "choices"  // a list of choices
	Integers  = "integers" // a list of integers
	Emails    = "emails"   // a list of addresses
	Email     = "email"
	Sender    = "sender" // "Name <address>" or an address
	URL       = "url"
	Media     = "media" // a path such as /assets/images/boat.jpg, or an absolute address
	Color     = "color"
	Country   = "country"   // two letters
	Countries = "countries" // a list of countries, or "everywhere"
	Zone      = "timezone"  // a name of the IANA database
	Objects   = "objects"   // a list of entries with fields
	Object    = "object"    // one set of fields
	Blocks    = "blocks"    // a list of content blocks, or Markdown that is one of text
)

// Field is one field of a file. Left out is what does not limit it.
type Field struct {
	// Path is where the field stands, as edits name it. Below an entry of a list it is
	// relative to the entry.
	Path  string `json:"path"`
	Kind  string `json:"kind"`
	Label string `json:"label"`
	Help  string `json:"help,omitempty"`
	// Required says that no file is in order without it. WhenPublic says so of campaigns that
	// everybody sees.
	Required   bool `json:"required,omitempty"`
	WhenPublic bool `json:"requiredWhenPublic,omitempty"`
	// Together says that it is needed where another field stands whose path begins alike, as
	// in "shipping.weight_oz".
	Together bool `json:"requiredTogether,omitempty"`
	// MinLength and MaxLength are in characters, or in entries of a list.
	MinLength int `json:"minLength,omitempty"`
	MaxLength int `json:"maxLength,omitempty"`
	// Min and Max are numbers, in cents for Money; Step is what they go up by.
	Min     *float64        `json:"min,omitempty"`
	Max     *float64        `json:"max,omitempty"`
	Step    int             `json:"step,omitempty"`
	Pattern string          `json:"pattern,omitempty"`
	Choices []Option        `json:"choices,omitempty"`
	Default json.RawMessage `json:"default,omitempty"`
	Unit    string          `json:"unit,omitempty"`
	// Promise says that supporters who have pledged rely on the field: it takes a reason to
	// change it then.
	Promise bool `json:"promise,omitempty"`
	// Read and Write are the permissions that it takes to see and to change the field, all of
	// them: those of campaign users, or access.Platform for super admins alone. Write is empty
	// for fields that are changed in the repository alone.
	Read  []access.Permission `json:"read"`
	Write []access.Permission `json:"write"`
	// Only are the values of the entry's "type" that have the field; none means all.
	Only []string `json:"onlyTypes,omitempty"`
	// Identity is the field of an entry from which its ID follows where it states none.
	Identity string          `json:"identity,omitempty"`
	Fields   []Field         `json:"fields,omitempty"`
	New      json.RawMessage `json:"new,omitempty"` // how an entry begins
	// Ignored are keys that an entry may have and that do nothing.
	Ignored []string `json:"-"`
}

// Option is one value of a choice.
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

// Kinds are the kinds of files that Describe knows.
func Kinds() []string { return []string{OfCampaign, OfAddOns, OfSettings} }

// Describe returns the fields of a kind of file, with words in English ("en") or Spanish
// ("es"). ok is false where there is no such kind or language.
func Describe(of, language string) (d Document, ok bool) {
	if language != "en" && language != "es" {
		return Document{}, false
	}
	t := tongue(language)
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
		permit(s.Fields, permissions[of], permissions[of])
		relyOn(s.Fields, "", of)
	}
	return d, true
}

// tongue says one of two languages' words.
type tongue string

func (t tongue) say(en, es string) string {
	if t == "es" {
		return es
	}
	return en
}

// words are a label and a help, in both languages.
type words struct{ en, es, help, ayuda string }

type option func(*Field)

func (t tongue) field(path, kind string, w words, options ...option) Field {
	f := Field{Path: path, Kind: kind, Label: t.say(w.en, w.es), Help: t.say(w.help, w.ayuda)}
	if kind == Money {
		f.Unit = "USD"
		between(0, float64(money.Max))(&f)
	}
	for _, o := range options {
		o(&f)
	}
	return f
}

func (t tongue) text(path string, most int, w words, options ...option) Field {
	return t.field(path, Text, w, append([]option{upTo(most)}, options...)...)
}

func (t tongue) markdown(path string, most int, w words, options ...option) Field {
	return t.field(path, Markdown, w, append([]option{upTo(most)}, options...)...)
}

// entries is a list of at most so many entries, which begin with what fresh says.
func (t tongue) entries(path string, most int, identity, fresh string, w words, fields []Field, options ...option) Field {
	f := t.field(path, Objects, w, append([]option{upTo(most)}, options...)...)
	f.Identity, f.New, f.Fields = identity, json.RawMessage(fresh), fields
	return f
}

func required(f *Field)   { f.Required = true }
func together(f *Field)   { f.Together = true }
func whenPublic(f *Field) { f.WhenPublic = true }

func upTo(length int) option      { return func(f *Field) { f.MaxLength = length } }
func atLeast(length int) option   { return func(f *Field) { f.MinLength = length } }
func unit(u string) option        { return func(f *Field) { f.Unit = u } }
func step(cents int) option       { return func(f *Field) { f.Step = cents } }
func matching(p string) option    { return func(f *Field) { f.Pattern = p } }
func initially(v string) option   { return func(f *Field) { f.Default = json.RawMessage(v) } }
func only(types ...string) option { return func(f *Field) { f.Only = types } }
func ignoring(k ...string) option { return func(f *Field) { f.Ignored = k } }
func above(n float64) option      { return func(f *Field) { f.Min = &n } }
func between(low, high float64) option {
	return func(f *Field) { f.Min, f.Max = &low, &high }
}

// of are the values of a choice, each followed by its label in both languages.
func (t tongue) of(all ...string) option {
	return func(f *Field) {
		for ; len(all) > 2; all = all[3:] {
			f.Choices = append(f.Choices, Option{all[0], t.say(all[1], all[2])})
		}
	}
}

// Patterns of what is written in more than one way.
const (
	slugPattern  = `^[a-z0-9-]{1,100}$`
	HexColor     = `^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`
	FontStack    = `^[A-Za-z0-9 ,"'-]{1,200}$`
	LengthToken  = `^(?:0|[0-9]{1,3}(?:\.[0-9]{1,3})?(?:px|rem|em))$`
	monthPattern = `^[0-9]{4}-(?:0[1-9]|1[0-2])$`
)

// everywhere is what stands for all countries.
const everywhere = campaignfile.Everywhere
