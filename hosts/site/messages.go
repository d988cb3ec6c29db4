package site

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"
)

// Each file in messages contains the messages of one language and is named after the language's
// code. All files have the same messages.
//
//go:embed messages/*.yaml
var messageFiles embed.FS

// origin is the default language, whose pages have no path prefix.
const origin = "en"

// locale is a language of the site.
type locale struct {
	Code      string // such as "es"
	localizer *i18n.Localizer
	// all and visitors are messages for scripts by ID without "js_", as JSON: all of them, and those of
	// the pages that visitors see first.
	all, visitors template.JS
}

// readLocales loads the languages, origin first. The error lists every message that a language
// lacks or has in addition to those of origin.
func readLocales(files fs.FS) ([]locale, error) {
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
	var locales []locale
	var faults []error
	for code := range ids {
		faults = append(faults, messageDifferences(code, ids[origin], ids[code])...)
		l := locale{Code: code, localizer: i18n.NewLocalizer(bundle, code)}
		l.all, l.visitors = scriptText(texts[code]), scriptText(withoutActions(texts[code]))
		locales = append(locales, l)
	}
	slices.SortFunc(locales, func(a, b locale) int {
		if (a.Code == origin) != (b.Code == origin) {
			return map[bool]int{true: -1, false: 1}[a.Code == origin]
		}
		return strings.Compare(a.Code, b.Code)
	})
	return locales, errors.Join(faults...)
}

// withEveryForm returns a message in which missing plural forms are set to the form "other".
func withEveryForm(m i18n.Message) *i18n.Message {
	for _, form := range []*string{&m.Zero, &m.One, &m.Two, &m.Few, &m.Many} {
		*form = cmp.Or(*form, m.Other)
	}
	return &m
}

// scriptForms returns a message's texts for scripts: by name or, if it has several plural forms, by
// name and form, such as "days_one".
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

// actionMessages contains the prefixes of messages that home and campaign pages do not show, except
// for checkout_email. They make up more than half of all messages.
var actionMessages = []string{
	"addon", "address_", "admin_", "bill", "cancel_", "card", "change", "checkout_",
	"combined", "confirm_", "history_", "join_",
	"lane_", "made_", "mails_", "manage_", "parcel_", "part_", "passkey", "preview_",
	"reason_", "refund_", "share_", "status_", "success_",
	"tax_", "tip", "when",
}

// scriptText returns texts as JSON to embed in a page.
func scriptText(texts map[string]string) template.JS {
	b, err := json.Marshal(texts)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return template.JS(b) //nolint:gosec // json.Marshal escapes the end of a script
}

// withoutActions returns the messages without actionMessages.
func withoutActions(texts map[string]string) map[string]string {
	rest := maps.Clone(texts)
	maps.DeleteFunc(rest, func(name, _ string) bool {
		return name != "checkout_email" &&
			slices.ContainsFunc(actionMessages, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
	return rest
}

// scriptMessages returns the messages that a page embeds for its scripts. Home and campaign pages,
// which visitors see first, omit actionMessages to stay small.
func (l locale) scriptMessages(page string) template.JS {
	if page == "home" || page == "campaign" {
		return l.visitors
	}
	return l.all
}

func messageDifferences(code string, want, have []string) []error {
	var faults []error
	for _, id := range want {
		if !slices.Contains(have, id) {
			faults = append(faults, fmt.Errorf("messages/%s.yaml has no %s", code, id))
		}
	}
	for _, id := range have {
		if !slices.Contains(want, id) {
			faults = append(faults, fmt.Errorf("messages/%s.yaml has %s, which messages/en.yaml does not have", code, id))
		}
	}
	return faults
}

// prefix returns the path prefix of the language's pages: "" or "/es".
func (l locale) prefix() string {
	if l.Code == origin {
		return ""
	}
	return "/" + l.Code
}

// say returns a message with the named values filled in. The value named Count selects the plural
// form. It fails for an unknown message.
func (l locale) say(id string, pairs ...any) (string, error) {
	c := &i18n.LocalizeConfig{MessageID: id}
	if len(pairs) > 0 {
		data := map[string]any{}
		for i := 0; i+1 < len(pairs); i += 2 {
			name, ok := pairs[i].(string)
			if !ok {
				return "", fmt.Errorf("site: message %s: the name of a value is not a string", id)
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

// date formats a date, such as "January 31, 2026".
func (l locale) date(t time.Time) (string, error) {
	month, err := l.say(fmt.Sprintf("month%d", t.Month()))
	if err != nil {
		return "", err
	}
	return l.say("date", "Day", t.Day(), "Month", month, "Year", t.Year())
}

// month formats a month and year.
func (l locale) month(t time.Time) (string, error) {
	month, err := l.say(fmt.Sprintf("month%d", t.Month()))
	if err != nil {
		return "", err
	}
	return l.say("month_of", "Month", month, "Year", t.Year())
}

// category translates the name of a campaign category.
func (l locale) category(name string) (string, error) {
	return l.say(fmt.Sprintf("category_%s", strings.ReplaceAll(strings.ToLower(name), " ", "_")))
}

// moment formats a date and time with the time zone. Scripts use the same format.
func (l locale) moment(t time.Time) (string, error) {
	day, err := l.date(t)
	if err != nil {
		return "", err
	}
	at, err := l.at(t)
	if err != nil {
		return "", err
	}
	return l.say("moment", "Date", day, "At", at, "Zone", zoneName(t))
}

// until formats a date and time without the time zone.
func (l locale) until(t time.Time) (string, error) {
	day, err := l.date(t)
	if err != nil {
		return "", err
	}
	at, err := l.at(t)
	if err != nil {
		return "", err
	}
	return l.say("moment_without_zone", "Date", day, "At", at)
}

// at formats a time of day. In Spanish it has an article, which is singular for one o'clock.
func (l locale) at(t time.Time) (string, error) {
	clock, err := l.say("clock", "Clock12", t.Format("3:04 PM"), "Clock24", strings.TrimPrefix(t.Format("15:04"), "0"))
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(clock, "1:") {
		return l.say("at_one", "Clock", clock)
	}
	return l.say("at", "Clock", clock)
}

// zoneName returns the abbreviation of a time's zone, such as "MST". If the zone has none, zoneName
// returns its IANA name with spaces in place of underscores, such as "America/Sao Paulo".
func zoneName(t time.Time) string {
	name, _ := t.Zone()
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		return strings.ReplaceAll(t.Location().String(), "_", " ")
	}
	return name
}

// zoneNames returns the zone's abbreviations in a year by UTC offset in the browsers' format:
// "GMT-07:00", or "GMT" for zero.
func zoneNames(zone *time.Location, year int) map[string]string {
	names := map[string]string{}
	for month := time.January; month <= time.December; month++ {
		t := time.Date(year, month, 15, 12, 0, 0, 0, zone)
		names[strings.TrimSuffix(t.Format("GMT-07:00"), "+00:00")] = zoneName(t)
	}
	return names
}
