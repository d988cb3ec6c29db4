//go:build !js

package health

import (
	"fmt"
	"strings"
	"time"
)

// In returns the report in a language, "en" or "es". Names, addresses and messages of
// others are not translated.
func (r Report) In(lang string) Report {
	if lang != "es" {
		return r
	}
	all := make([]Finding, len(r.Findings))
	for i, f := range r.Findings {
		if format, ok := spanish[f.format]; ok {
			f.Found = fmt.Sprintf(format, translateArgs(f.args)...)
		}
		if remedy, ok := spanish[f.Remedy]; ok {
			f.Remedy = remedy
		}
		all[i] = f
	}
	r.Findings = all
	return r
}

func translateArgs(args []any) []any {
	all := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case ago:
			all[i] = agoSpanish(time.Duration(arg))
		case string:
			all[i] = translatePhrase(arg)
		default:
			all[i] = arg
		}
	}
	return all
}

// translatePhrase translates a phrase that a check inserts into its message.
func translatePhrase(text string) string {
	if known, ok := spanish[text]; ok {
		return known
	}
	for _, p := range [...][2]string{{slow, "ha tardado más de "}, {streamMails, "Los correos del flujo "}} {
		if rest, ok := strings.CutPrefix(text, p[0]); ok {
			return p[1] + rest
		}
	}
	return text
}

func agoSpanish(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "hace menos de un minuto"
	case d < 2*time.Minute:
		return "hace un minuto"
	case d < 2*time.Hour:
		return fmt.Sprintf("hace %d minutos", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("hace %d horas", d/time.Hour)
	}
	return fmt.Sprintf("hace %d días", d/(24*time.Hour))
}
