package content

import (
	"regexp"
	"strings"
	"sync"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// Problem is a problem or a warning with the place of its field.
type Problem struct {
	campaign.Problem
	Place
	// Words is a sentence for the author, without paths: "Limit: enter 46 or more, because 46 are
	// already claimed".
	Words string `json:"words"`
}

// problemsIn adds places and sentences to problems. The names of entries are from the first
// document that contains them.
func (s *Service) problemsIn(file string, all campaign.Problems, documents ...*campaignfile.Document) []Problem {
	var out []Problem
	for _, p := range all {
		place := s.placeOf(file, p.Field, documents...)
		words := sentence(p.Message, s.lang)
		if place.Label != "" {
			words = place.Label + ": " + words
		}
		out = append(out, Problem{p, place, words})
	}
	return out
}

// sentence rewrites a message of the parsers in the wording of the dashboard. A message that is not
// in problemWords is returned unchanged in English, and quoted in Spanish.
func sentence(message, lang string) string {
	for _, p := range phrases() {
		m := p.pattern.FindStringSubmatch(message)
		if m == nil {
			continue
		}
		text := p.words.in(lang)
		if text == "" {
			text = message
		}
		for i, arg := range m[1:] {
			text = strings.ReplaceAll(text, "{"+string(rune('1'+i))+"}", arg)
		}
		return text
	}
	if lang == "es" {
		return "revisa este valor (" + message + ")"
	}
	return message
}

// phrase is a message of the parsers with its wording for the dashboard.
type phrase struct {
	pattern *regexp.Regexp
	words   bilingual
}

var phrases = sync.OnceValue(func() []phrase {
	all := make([]phrase, 0, len(problemWords))
	for _, p := range problemWords {
		pattern := regexp.QuoteMeta(p.message)
		pattern = strings.NewReplacer("%d", "([0-9]+)", "%s", "(.*)", "%q", `"(.*)"`).Replace(pattern)
		all = append(all, phrase{regexp.MustCompile("^(?s:" + pattern + ")$"), bilingual{p.en, p.es}})
	}
	return all
})

// Translated reports whether problemWords contains a message's format.
func Translated(format string) bool {
	for _, p := range problemWords {
		if p.message == format {
			return true
		}
	}
	return false
}
