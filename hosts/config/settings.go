package config

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Setting describes one setting.
type Setting struct {
	Variable string // environment variable
	SiteKey  string // dotted path in the site file; "" if it cannot be set there
	Default  string // as text; "" for none
	Secret   bool   // read only from the environment or a KEY_FILE

	field    string   // name of its field in the group, for parse errors
	group    int      // index of its group in Config
	choices  []string // the allowed values of an enumeration
	min, max string   // bounds of an integer, or ""
	unit     string   // "ms" or "s" if the number is a duration
	need     string   // for a secret: required, recommended, optional, mode
	hmac     bool     // for a secret: must have at least MinHMACSecret bytes
}

// Settings lists all settings in the order of Config.
func Settings() []Setting { return slices.Clone(settings()) }

var settings = sync.OnceValue(func() (all []Setting) {
	t := reflect.TypeFor[Config]()
	for g := range t.NumField() {
		group := t.Field(g).Type
		if group.Kind() != reflect.Struct {
			continue
		}
		for field := range group.Fields() {
			all = append(all, settingOf(field, g))
		}
	}
	return all
})

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

// Entry is a setting with its current value, safe to show.
type Entry struct{ Variable, Value string }

// Redacted lists all settings with their values. Secrets are shown as stars, or as "" if they are
// not set.
func (c *Config) Redacted() []Entry {
	v := reflect.ValueOf(*c)
	var entries []Entry
	for _, s := range Settings() {
		field := v.Field(s.group).FieldByName(s.field)
		entries = append(entries, Entry{s.Variable, display(field, s.unit)})
	}
	return entries
}
