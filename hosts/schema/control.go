package schema

import "strings"

// The controls. A control is the form input that edits a field, whereas the field's Kind is the
// type of its value.
const (
	TextControl      = "text"
	LongTextControl  = "longtext" // several lines without formatting
	RichTextControl  = "richtext" // Markdown
	BlocksControl    = "blocks"
	MoneyControl     = "money"
	PercentControl   = "percent" // also for a Rate, whose value is a fraction
	IntegerControl   = "integer"
	DecimalControl   = "decimal"
	DateTimeControl  = "datetime"
	MonthControl     = "month"
	DurationControl  = "duration" // a whole number of Unit
	DaysControl      = "days"     // a list of days, as tags
	ToggleControl    = "toggle"
	ChoiceControl    = "choice"
	ChoicesControl   = "choices"
	CountryControl   = "country"
	CountriesControl = "countries"
	ZoneControl      = "timezone"
	ColorControl     = "color"
	EmailControl     = "email"
	EmailsControl    = "emails" // addresses, as tags
	LinesControl     = "lines"  // texts, one per line
	SenderControl    = "sender"
	URLControl       = "url"
	ImageControl     = "image"
	MediaControl     = "media"  // a video or an audio file, or a link to a video
	LengthControl    = "length" // a CSS length
	SlugControl      = "slug"
	VariantsControl  = "variants"
	ListControl      = "list"
	// HiddenControl marks a field that forms do not show, because another field sets it or it is
	// generated.
	HiddenControl = "hidden"
)

// controls contains the default controls by kind.
var controls = map[string]string{
	Text: TextControl, Markdown: RichTextControl, Money: MoneyControl, Integer: IntegerControl, Decimal: DecimalControl,
	Percent: PercentControl, Rate: PercentControl, DateTime: DateTimeControl, Month: MonthControl, Boolean: ToggleControl,
	Choice: ChoiceControl, Choices: ChoicesControl, Integers: DaysControl, Emails: EmailsControl,
	Texts: LinesControl, Email: EmailControl, Sender: SenderControl,
	URL: URLControl, Media: ImageControl, Color: ColorControl, Country: CountryControl,
	Countries: CountriesControl, Zone: ZoneControl,
	Objects: ListControl, Object: ListControl, Blocks: BlocksControl,
}

// longText is the MaxLength from which a text gets a multi-line input.
const longText = 150

// durations contains the units that mark an integer as a duration.
var durations = map[string]bool{"ms": true, "s": true, "days": true}

// setControls sets the default controls of fields that have none.
func setControls(fields []Field) {
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Control != "":
		case f.Kind == Text && f.MaxLength >= longText && f.Pattern == "":
			f.Control = LongTextControl
		case f.Kind == Integer && durations[f.Unit]:
			f.Control = DurationControl
		default:
			f.Control = controls[f.Kind]
		}
		setControls(f.Fields)
	}
}

func control(c string) option { return func(f *Field) { f.Control = c } }

// Condition requires that another field of the same object has one of the values in Is. "" stands
// for a missing value, and "*" for any value.
type Condition struct {
	Field string   `json:"field"`
	Is    []string `json:"is"`
}

// onlyIf adds a condition to a field.
func onlyIf(field string, is ...string) option {
	return func(f *Field) { f.OnlyIf = append(f.OnlyIf, Condition{field, is}) }
}

// Rule determines when a field is locked.
type Rule string

// The rules.
const (
	ReadOnly Rule = "readOnly" // always; clients do not send the field
	Computed Rule = "computed" // always, because the service sets it; clients do not send the field
	Started  Rule = "started"  // once the campaign is public and has started
	Pledged  Rule = "pledged"  // once the campaign has pledges
	Claimed  Rule = "claimed"  // once supporters have chosen the reward or add-on
)

// Lock describes why and when a field cannot be changed.
type Lock struct {
	Rule Rule `json:"rule"`
	// Reason is set if the field can still be changed by giving a reason, which supporters can
	// read.
	Reason bool `json:"reason,omitempty"`
	// Words explain the lock to operators.
	Words string `json:"words"`
}

func (t locale) locked(r Rule, en, es string) option {
	return func(f *Field) { f.Locked = &Lock{Rule: r, Words: t.choose(en, es)} }
}

// lockPromises locks the fields with Promise set. They can still be changed by giving a reason.
func (t locale) lockPromises(fields []Field) {
	for i := range fields {
		f := &fields[i]
		if f.Promise && f.Locked == nil && f.Kind != Objects {
			f.Locked = &Lock{Pledged, true,
				t.choose("Supporters who have pledged can read your reason.", "Quienes ya aportaron pueden leer tu motivo.")}
			if inEntry(f) {
				f.Locked = &Lock{Claimed, true,
					t.choose("Supporters who chose it can read your reason.", "Quienes la eligieron pueden leer tu motivo.")}
			}
		}
		t.lockPromises(f.Fields)
	}
}

// inEntry reports whether a promised field belongs to a list entry. Promised fields at the top
// level are named charged or start with goal_.
func inEntry(f *Field) bool { return !strings.HasPrefix(f.Path, "goal_") && f.Path != "charged" }
