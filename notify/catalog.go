package notify

import (
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// catalog is the catalogue of one language: its messages by ID. Placeholders are written in
// {braces}. Every language has the same messages as English, with the same placeholders. A
// message with {count} has one text for each plural form of its language: id_one, id_other
// and, in Spanish, id_many.
type catalog struct {
	code     string // "es"
	prefix   string // path prefix of the language's pages, such as "/es"; "" for English
	messages map[string]string
	hours24  bool
	plural   func(count string) string // the plural form for a whole number
}

// catalogs are the catalogues of all languages that mails are written in.
var catalogs = map[string]catalog{
	"en": {"en", "", english, false, englishPlural},
	"es": {"es", "/es", spanish, true, spanishPlural},
}

// englishPlural and spanishPlural implement CLDR's plural rules for whole numbers:
// https://www.unicode.org/cldr/charts/48/supplemental/language_plural_rules.html
func englishPlural(count string) string {
	if count == "1" {
		return "one"
	}
	return "other"
}

func spanishPlural(count string) string {
	if strings.HasSuffix(count, "000000") {
		return "many" // un millón de aportaciones
	}
	return englishPlural(count)
}

// catalogFor returns the catalogue for a language tag.
func catalogFor(tag string) catalog { return catalogs[pledge.Language(tag)] }

// format returns a message with its placeholders replaced by the values given in pairs of name
// and value. The value count selects the plural form.
func (w catalog) format(id string, pairs ...string) string {
	var said strings.Builder
	rest := w.lookup(id, pairs)
	for {
		before, from, _ := strings.Cut(rest, "{")
		name, after, closed := strings.Cut(from, "}")
		if !closed {
			return said.String() + rest
		}
		said.WriteString(before)
		if value, given := valueOf(name, pairs); given {
			said.WriteString(value)
		} else {
			said.WriteString("{" + name + "}")
		}
		rest = after
	}
}

// lookup returns a message in the plural form that its count selects, or in the form "other" if
// the message lacks that form.
func (w catalog) lookup(id string, pairs []string) string {
	count, given := valueOf("count", pairs)
	if !given {
		return w.messages[id]
	}
	for _, form := range []string{id + "_" + w.plural(count), id + "_other"} {
		if text, ok := w.messages[form]; ok {
			return text
		}
	}
	return w.messages[id]
}

func valueOf(name string, pairs []string) (value string, given bool) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1], true
		}
	}
	return "", false
}

// Moment formats a date, a time and the zone's name in a language, as pages and mails do.
func Moment(lang string, t time.Time) string { return catalogFor(lang).moment(t) }

// moment formats a date, a time and the zone's name, as the pages do.
func (w catalog) moment(t time.Time) string {
	clock := t.Format("3:04 PM")
	if w.hours24 {
		clock = strings.TrimPrefix(t.Format("15:04"), "0") // as browsers write it
	}
	return w.format("moment", "date", w.day(t), "clock", clock, "zone", zoneName(t))
}

// day formats a date, as the pages do.
func (w catalog) day(t time.Time) string {
	return w.format("date", "month", w.format(fmt.Sprintf("month%d", t.Month())), "day", fmt.Sprint(t.Day()), "year", fmt.Sprint(t.Year()))
}

// zoneName returns the zone's abbreviation, or its city if it has none.
func zoneName(t time.Time) string {
	name, _ := t.Zone()
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		return strings.ReplaceAll(t.Location().String(), "_", " ")
	}
	return name
}
