package site

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// A file in messages is a language: its name is the language's code, and it has
// every message of the English one.
//
//go:embed messages/*.yaml
var messageFiles embed.FS

// origin is the language that stands at the root of the site.
const origin = "en"

// tongue is one language of the site.
type tongue struct {
	Code      string // "es"
	localizer *i18n.Localizer
	script    map[string]string // the messages that scripts show, by their names without "js_"
}

// readTongues returns the languages, the origin's first. It fails with every message
// that a language lacks or has too many.
func readTongues(files fs.FS) ([]tongue, error) {
	bundle := i18n.NewBundle(language.English)
	bundle.RegisterUnmarshalFunc("yaml", yaml.Unmarshal)
	entries, err := fs.ReadDir(files, "messages")
	if err != nil {
		return nil, err
	}
	ids := map[string][]string{}
	texts := map[string]map[string]string{}
	for _, e := range entries {
		text, err := fs.ReadFile(files, "messages/"+e.Name())
		if err != nil {
			return nil, err
		}
		file, err := bundle.ParseMessageFileBytes(text, e.Name())
		if err != nil {
			return nil, fmt.Errorf("messages/%s: %w", e.Name(), err)
		}
		code := strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
		texts[code] = map[string]string{}
		for _, m := range file.Messages {
			ids[code] = append(ids[code], m.ID)
			if err := bundle.AddMessages(file.Tag, withEveryForm(*m)); err != nil {
				return nil, fmt.Errorf("messages/%s: %w", e.Name(), err)
			}
			if name, ok := strings.CutPrefix(m.ID, "js_"); ok {
				maps.Copy(texts[code], scriptForms(name, m))
			}
		}
		slices.Sort(ids[code])
	}
	var tongues []tongue
	var faults []error
	for code := range ids {
		faults = append(faults, sameMessages(code, ids[origin], ids[code])...)
		tongues = append(tongues, tongue{code, i18n.NewLocalizer(bundle, code), texts[code]})
	}
	slices.SortFunc(tongues, func(a, b tongue) int {
		if (a.Code == origin) != (b.Code == origin) {
			return map[bool]int{true: -1, false: 1}[a.Code == origin]
		}
		return strings.Compare(a.Code, b.Code)
	})
	return tongues, errors.Join(faults...)
}

// withEveryForm returns the message with its form "other" in place of each plural form that
// it lacks, so that a number never fails a page.
func withEveryForm(m i18n.Message) *i18n.Message {
	for _, form := range []*string{&m.Zero, &m.One, &m.Two, &m.Few, &m.Many} {
		*form = cmp.Or(*form, m.Other)
	}
	return &m
}

// scriptForms returns a message's texts as scripts look them up: by its name, or by its name
// and the plural form if it has several.
func scriptForms(name string, m *i18n.Message) map[string]string {
	forms := map[string]string{"zero": m.Zero, "one": m.One, "two": m.Two, "few": m.Few, "many": m.Many}
	texts := map[string]string{}
	for form, text := range forms {
		if text != "" {
			texts[name+"_"+form] = text
		}
	}
	if len(texts) == 0 {
		return map[string]string{name: m.Other}
	}
	texts[name+"_other"] = m.Other
	return texts
}

func sameMessages(code string, want, have []string) []error {
	var faults []error
	for _, id := range want {
		if !slices.Contains(have, id) {
			faults = append(faults, fmt.Errorf("messages/%s.yaml has no %s", code, id))
		}
	}
	for _, id := range have {
		if !slices.Contains(want, id) {
			faults = append(faults, fmt.Errorf("messages/%s.yaml has %s, which no other language has", code, id))
		}
	}
	return faults
}

// prefix is where the language's pages stand: "" or "/es".
func (l tongue) prefix() string {
	if l.Code == origin {
		return ""
	}
	return "/" + l.Code
}

// say returns a message with the named values in it; one that is called Count
// selects the plural form. A message that is not there is an error.
func (l tongue) say(id string, pairs ...any) (string, error) {
	c := &i18n.LocalizeConfig{MessageID: id}
	if len(pairs) > 0 {
		data := map[string]any{}
		for i := 0; i+1 < len(pairs); i += 2 {
			name, ok := pairs[i].(string)
			if !ok {
				return "", fmt.Errorf("site: message %s: the name of a value is no text", id)
			}
			data[name] = pairs[i+1]
		}
		c.TemplateData = data
		if n, ok := data["Count"]; ok {
			c.PluralCount = n
		}
	}
	text, tag, err := l.localizer.LocalizeWithTag(c)
	if err != nil {
		return "", err
	}
	if tag.String() != l.Code {
		return "", fmt.Errorf("site: message %s is missing in %s", id, l.Code)
	}
	return text, nil
}

// date is a day as the language writes it.
func (l tongue) date(t time.Time) (string, error) {
	month, err := l.say(fmt.Sprintf("month%d", t.Month()))
	if err != nil {
		return "", err
	}
	return l.say("date", "Day", t.Day(), "Month", month, "Year", t.Year())
}

// month is a month of a year.
func (l tongue) month(t time.Time) (string, error) {
	month, err := l.say(fmt.Sprintf("month%d", t.Month()))
	if err != nil {
		return "", err
	}
	return l.say("month_of", "Month", month, "Year", t.Year())
}

// category is what kind of campaign it is.
func (l tongue) category(name string) (string, error) {
	return l.say(fmt.Sprintf("category_%s", strings.ReplaceAll(strings.ToLower(name), " ", "_")))
}

// moment is a day and a time of it with the zone's name, as browsers write them.
func (l tongue) moment(t time.Time) (string, error) {
	day, err := l.date(t)
	if err != nil {
		return "", err
	}
	return l.say("moment", "Date", day, "Clock12", t.Format("3:04 PM"), "Clock24", strings.TrimPrefix(t.Format("15:04"), "0"), "Zone", zoneName(t))
}

// zoneName is the zone's abbreviation, or its city where it has none.
func zoneName(t time.Time) string {
	name, _ := t.Zone()
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		return strings.ReplaceAll(t.Location().String(), "_", " ")
	}
	return name
}

// zoneNames is what a zone is called in a year, by its distance from UTC as browsers
// write it: "GMT-07:00", and "GMT" where it is none.
func zoneNames(zone *time.Location, year int) map[string]string {
	names := map[string]string{}
	for month := time.January; month <= time.December; month++ {
		t := time.Date(year, month, 15, 12, 0, 0, 0, zone)
		names[strings.TrimSuffix(t.Format("GMT-07:00"), "+00:00")] = zoneName(t)
	}
	return names
}

// amount is a sum without cents that are none.
func amount(c money.Cents) string { return strings.TrimSuffix(c.String(), ".00") }
