package content

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// display returns a value as people read it: amounts with a currency, times with weekday and
// zone, the labels of choices, and the whole text of texts and blocks. It is "" for no value.
func (s *Service) display(file, path string, value json.RawMessage) string {
	var v any
	d := json.NewDecoder(strings.NewReader(string(value)))
	d.UseNumber()
	if d.Decode(&v) != nil || v == nil {
		return ""
	}
	text, _ := s.fieldText(file, path)
	switch v := v.(type) {
	case bool:
		if v {
			return bilingual{"Yes", "Sí"}.in(s.lang)
		}
		return "No"
	case []any:
		return s.displayList(text, v)
	case map[string]any:
		return strings.Join(wordsIn(v), "\n")
	}
	plain := fmt.Sprint(v)
	if label := text.Choices[plain]; label != "" {
		return label
	}
	switch text.Kind {
	case "money":
		if c, err := campaignfile.ParseDollars(plain, campaign.MaxGoal); err == nil {
			return strings.TrimSuffix(c.String(), ".00")
		}
	case "datetime":
		return s.displayMoment(path, plain)
	case "percent":
		return plain + "%"
	case "integer", "decimal":
		if text.Unit != "" {
			return plain + " " + unitWords(text.Unit).in(s.lang)
		}
	}
	return plain
}

func unitWords(unit string) bilingual {
	switch unit {
	case "days":
		return bilingual{"days", "días"}
	case "hour":
		return bilingual{"o'clock", "h"}
	}
	return bilingual{unit, unit}
}

// displayList joins the names of choices, texts and numbers; entries are shown by their texts.
func (s *Service) displayList(text FieldText, list []any) string {
	var lines []string
	simple := true
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			lines, simple = append(lines, wordsIn(m)...), false
			continue
		}
		one := fmt.Sprint(v)
		if label := text.Choices[one]; label != "" {
			one = label
		}
		lines = append(lines, one)
	}
	if simple {
		return strings.Join(lines, ", ")
	}
	return strings.Join(lines, "\n")
}

// wordsIn returns the texts of an entry that readers see, in the order of a page.
func wordsIn(entry map[string]any) []string {
	var out []string
	for _, key := range []string{"title", "name", "label", "question", "answer", "text", "attribution", "description", "alt", "caption"} {
		if text, ok := entry[key].(string); ok && text != "" {
			out = append(out, text)
		}
	}
	if images, ok := entry["images"].([]any); ok {
		for _, i := range images {
			if m, ok := i.(map[string]any); ok {
				out = append(out, wordsIn(m)...)
			}
		}
	}
	return out
}

// displayMoment formats a date or time of a file: a deadline by its last second, everything
// else by its first.
func (s *Service) displayMoment(path, text string) string {
	m, err := campaign.ParseMoment(text)
	if err != nil || s.Zone == nil {
		return text
	}
	if strings.HasSuffix(path, "deadline") {
		return readBack(m.Ends(s.Zone).Add(-time.Second).In(s.Zone), s.lang)
	}
	return readBack(m.Starts(s.Zone).In(s.Zone), s.lang)
}
