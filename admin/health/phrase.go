package health

import (
	"embed"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/locale"
)

// messages holds one file per language. The messages of findings are found.ID, their remedies
// remedy.ID, and those of checks that passed passed.NAME.
//
//go:embed messages/*.json
var messages embed.FS

var locales = locale.MustRead(messages, "messages")

// phrase is a message with its values. It can be formatted in each language.
type phrase struct {
	id    string
	pairs []any // names and values; a value may be a phrase
}

func newPhrase(id string, pairs ...any) phrase { return phrase{id, pairs} }

// in formats the phrase in a language.
func (p phrase) in(l *locale.Locale) string {
	values := make([]string, len(p.pairs))
	for i, v := range p.pairs {
		if inner, ok := v.(phrase); ok {
			values[i] = inner.in(l)
		} else {
			values[i] = fmt.Sprint(v)
		}
	}
	return l.Format(p.id, values...)
}

// In returns the report in a language, such as "es", or in English if there are no messages in it.
// Names, addresses and messages of external services are not translated.
func (r *Report) In(lang string) Report {
	l := locales.For(lang)
	all := make([]Finding, len(r.Findings))
	for i, f := range r.Findings {
		if f.found.id != "" { // "" if the report was read from another process
			f.Found = f.found.in(l)
		}
		if f.Remedy != "" && f.found.id != "" {
			f.Remedy = remedy(f.ID, l)
		}
		all[i] = f
	}
	translated := *r
	translated.Findings = all
	return translated
}

// remedy returns the remedy of a kind of finding.
func remedy(id string, l *locale.Locale) string { return l.Format("remedy." + id) }

// ago describes how long ago something happened.
func ago(d time.Duration) phrase {
	switch {
	case d < time.Minute:
		return newPhrase("ago.moment")
	case d < 2*time.Hour:
		return newPhrase("ago.minutes", "count", int(d/time.Minute))
	case d < 48*time.Hour:
		return newPhrase("ago.hours", "count", int(d/time.Hour))
	}
	return newPhrase("ago.days", "count", int(d/(24*time.Hour)))
}

// lasting describes a duration of at least a minute, rounded down: in minutes below two hours,
// in hours below two days, otherwise in days.
func lasting(d time.Duration) phrase {
	switch {
	case d < 2*time.Hour:
		return newPhrase("lasting.minutes", "count", int(d/time.Minute))
	case d < 48*time.Hour:
		return newPhrase("lasting.hours", "count", int(d/time.Hour))
	}
	return newPhrase("lasting.days", "count", int(d/(24*time.Hour)))
}
