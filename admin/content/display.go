package content

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// display returns a value as people read it: amounts with a currency, times with weekday and
// zone, the labels of choices, the names of countries and files, and the whole text of texts and
// blocks. It is "" for no value.
func (s *Service) display(file, at string, value json.RawMessage) string {
	var v any
	d := json.NewDecoder(strings.NewReader(string(value)))
	d.UseNumber()
	if d.Decode(&v) != nil || v == nil {
		return ""
	}
	text, _ := s.fieldText(file, at)
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
	if labels := labelsOf(text, plain); labels != "" {
		return labels
	}
	switch text.Kind {
	case "money":
		if c, err := campaignfile.ParseDollars(plain, campaign.MaxGoal); err == nil {
			return c.Price(s.lang)
		}
	case "datetime":
		return s.displayMoment(at, plain)
	case "month":
		return s.displayMonth(plain)
	case "percent":
		return s.displayPercent(plain)
	case "rate":
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			return s.displayPercent(strconv.FormatFloat(math.Round(f*1e8)/1e6, 'f', -1, 64))
		}
	case "media":
		if strings.HasPrefix(plain, "/") {
			return path.Base(plain)
		}
	case "integer", "decimal":
		return s.withUnit(text, plain)
	}
	return plain
}

// labelsOf returns the labels of choices that a text names, separated by commas or spaces; "" if
// one has no label.
func labelsOf(text FieldText, plain string) string {
	if label := text.Choices[plain]; label != "" {
		return label
	}
	var labels []string
	for _, one := range strings.FieldsFunc(plain, func(r rune) bool { return r == ',' || r == ' ' }) {
		label := text.Choices[one]
		if label == "" {
			return ""
		}
		labels = append(labels, label)
	}
	return strings.Join(labels, ", ")
}

func (s *Service) withUnit(text FieldText, amount string) string {
	if text.Unit == "" {
		return amount
	}
	if text.Unit == "days" && amount == "1" {
		return bilingual{"1 day", "1 día"}.in(s.lang)
	}
	return amount + " " + unitWords(text.Unit).in(s.lang)
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
	if len(list) == 0 {
		return bilingual{"None", "Ninguno"}.in(s.lang)
	}
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
		return s.withUnit(text, strings.Join(lines, ", "))
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

func (s *Service) displayPercent(number string) string {
	return bilingual{number + "%", strings.Replace(number, ".", ",", 1) + "\u00a0%"}.in(s.lang)
}

// displayMonth formats a month such as 2027-05.
func (s *Service) displayMonth(text string) string {
	m, err := time.Parse("2006-01", text)
	if err != nil {
		return text
	}
	return bilingual{m.Format("January 2006"), months[m.Month()-1] + m.Format(" de 2006")}.in(s.lang)
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
