package mailtext

import (
	"embed"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/locale"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

//go:embed messages/*.json
var messages embed.FS

// locales holds the languages of mails, one per file in the folder messages.
var locales = locale.MustRead(messages, "messages")

// language formats messages, dates and amounts in one language.
type language struct{ *locale.Locale }

// languageFor returns the language for a tag, or English if there is none.
func languageFor(tag string) language { return language{locales.For(tag)} }

// prefix returns the path prefix of the pages in the language, such as "/es"; "" for English.
func (w language) prefix() string {
	if w.Code() == locale.Origin {
		return ""
	}
	return "/" + w.Code()
}

// Moment formats a date, a time and the zone's name in a language, as pages and mails do.
func Moment(lang string, t time.Time) string { return languageFor(lang).moment(t) }

// moment formats t's date, time and zone name, as the pages do.
func (w language) moment(t time.Time) string {
	return w.Format("moment", "date", w.day(t), "at", w.at(t), "zone", zoneName(t))
}

// at formats t's time of day with its article or preposition: the Spanish article is singular at
// one o'clock. The message "clock" is a layout of package time.
func (w language) at(t time.Time) string {
	clock := strings.TrimPrefix(t.Format(w.Format("clock")), "0") // as browsers write it
	if strings.HasPrefix(clock, "1:") {
		return w.Format("at_one", "clock", clock)
	}
	return w.Format("at", "clock", clock)
}

// amount formats an amount with cents, as in bills.
func (w language) amount(c money.Cents) string { return c.Amount(w.Code()) }

// price formats a goal or another round amount, as on price tags.
func (w language) price(c money.Cents) string { return c.Price(w.Code()) }

// List joins names in a language, as in a sentence: "Night Ferry and Tidepool Traders".
func List(lang string, names []string) string { return languageFor(lang).list(names) }

// list joins names as in a sentence: "Night Ferry and Tidepool Traders".
func (w language) list(names []string) string {
	last := len(names) - 1
	switch {
	case last < 1:
		return strings.Join(names, "")
	case last == 1:
		return w.Format("list_two"+w.vowel(names[1]), "first", names[0], "last", names[1])
	}
	return w.Format("list_more"+w.vowel(names[last]), "first", strings.Join(names[:last], ", "), "last", names[last])
}

// vowel returns "_i" if a word begins with the sound of i, before which Spanish uses "e" for "and".
func (w language) vowel(word string) string {
	word = strings.ToLower(word)
	for _, begin := range []string{"i", "í", "hi", "hí"} {
		if strings.HasPrefix(word, begin) && !strings.HasPrefix(word, "hie") && !strings.HasPrefix(word, "hia") {
			return "_i"
		}
	}
	return ""
}

// day formats a date, as the pages do.
func (w language) day(t time.Time) string {
	return w.Format("date", "month", w.Format(fmt.Sprintf("month%d", t.Month())), "day",
		fmt.Sprint(t.Day()), "year", fmt.Sprint(t.Year()))
}

// zoneName returns the zone's abbreviation or, if it has none, its IANA name with spaces for
// underscores.
func zoneName(t time.Time) string {
	name, _ := t.Zone()
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		return strings.ReplaceAll(t.Location().String(), "_", " ")
	}
	return name
}
