package config

import (
	"reflect"
	"strings"
)

// Setting describes one thing that can be configured.
type Setting struct {
	Variable string // environment variable
	SiteKey  string // dotted path in the site file; "" for what it cannot hold
	Default  string // as it would be written; "" for none
	Secret   bool   // comes from the environment or a KEY_FILE alone

	field    string   // name inside its group, for the errors of the parser
	group    int      // index of its group in Config
	choices  []string // the words allowed, where they are few
	min, max string   // bounds of a whole number, or ""
	unit     string   // "ms" or "s" where the number is a duration
	need     string   // of a secret: required, recommended, optional, mode
	hmac     bool
}

// Settings lists everything that can be configured, in the order of Config.
func Settings() []Setting {
	var all []Setting
	t := reflect.TypeFor[Config]()
	for g := range t.NumField() {
		group := t.Field(g).Type
		if group.Kind() != reflect.Struct {
			continue
		}
		for i := range group.NumField() {
			all = append(all, settingOf(group.Field(i), g))
		}
	}
	return all
}

func settingOf(f reflect.StructField, group int) Setting {
	s := Setting{
		Variable: f.Tag.Get("env"),
		SiteKey:  f.Tag.Get("site"),
		Default:  f.Tag.Get("envDefault"),
		Secret:   f.Type == reflect.TypeFor[Secret](),
		field:    f.Name,
		group:    group,
		choices:  strings.Fields(f.Tag.Get("oneof")),
		unit:     f.Tag.Get("unit"),
	}
	s.min, s.max, _ = strings.Cut(f.Tag.Get("range"), " ")
	s.need, _, s.hmac = strings.Cut(f.Tag.Get("secret"), " ")
	return s
}

// Entry is one setting with the value it has, fit to be shown.
type Entry struct{ Variable, Value string }

// Redacted lists every setting with its value; a secret is stars, or empty
// where it is not set.
func (c Config) Redacted() []Entry {
	v := reflect.ValueOf(c)
	var entries []Entry
	for _, s := range Settings() {
		field := v.Field(s.group).FieldByName(s.field)
		entries = append(entries, Entry{s.Variable, display(field, s.unit)})
	}
	return entries
}
