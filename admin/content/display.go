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

// display formats a value for the dashboard: amounts with a currency, times with weekday and zone,
// choices as labels, countries and files by name, and texts and blocks in full. It returns "" for
// no value.
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
		return strings.Join(entryTexts(v), "\n")
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

// labelsOf returns the labels of the choices in a text, which are separated by commas or spaces. It
// returns "" if one has no label.
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

// displayList joins the labels of choices, texts and numbers; for entries it joins their texts.
func (s *Service) displayList(text FieldText, list []any) string {
	if len(list) == 0 {
		return bilingual{"None", "Ninguno"}.in(s.lang)
	}
	var lines []string
	simple := true
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			lines, simple = append(lines, entryTexts(m)...), false
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

// entryTexts returns the visible texts of an entry, in the order of the page.
func entryTexts(entry map[string]any) []string {
	var out []string
	for _, key := range []string{"title", "name", "label", "question", "answer", "text",
		"attribution", "description", "alt", "caption"} {
		if text, ok := entry[key].(string); ok && text != "" {
			out = append(out, text)
		}
	}
	if images, ok := entry["images"].([]any); ok {
		for _, i := range images {
			if m, ok := i.(map[string]any); ok {
				out = append(out, entryTexts(m)...)
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

// displayMoment formats a date or time from a file. A date without a time is shown as its last
// second for a deadline, otherwise as its first.
func (s *Service) displayMoment(path, text string) string {
	m, err := campaign.ParseMoment(text)
	if err != nil || s.Zone == nil {
		return text
	}
	if strings.HasSuffix(path, "deadline") {
		return formatMoment(m.Ends(s.Zone).Add(-time.Second).In(s.Zone), s.lang)
	}
	return formatMoment(m.Starts(s.Zone).In(s.Zone), s.lang)
}
