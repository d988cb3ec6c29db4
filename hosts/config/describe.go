package config

import (
	"reflect"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Choices returns the allowed values of an enumeration, or nothing for other settings.
func (s Setting) Choices() []string { return slices.Clone(s.choices) }

// Range returns the bounds of an integer setting, "" if there are none.
func (s Setting) Range() (low, high string) { return s.min, s.max }

// Unit returns "ms" or "s" if the number is a duration, otherwise "".
func (s Setting) Unit() string { return s.unit }

// Form returns the type of a setting's value: "text", "boolean", "integer", "rate", "money", "url",
// "origin", "timezone", "country" or "choice".
func (s Setting) Form() string {
	if len(s.choices) > 0 {
		return "choice"
	}
	f, _ := reflect.TypeFor[Config]().Field(s.group).Type.FieldByName(s.field)
	switch f.Type {
	case reflect.TypeFor[bool]():
		return "boolean"
	case reflect.TypeFor[int](), reflect.TypeFor[time.Duration]():
		return "integer"
	case reflect.TypeFor[money.Rate]():
		return "rate"
	case reflect.TypeFor[money.Cents]():
		return "money"
	case reflect.TypeFor[URL]():
		return "url"
	case reflect.TypeFor[Origin]():
		return "origin"
	case reflect.TypeFor[Zone]():
		return "timezone"
	case reflect.TypeFor[Country]():
		return "country"
	}
	return "text"
}

// SitePaths returns the paths in the site file that the public site reads itself. It includes
// design, but not the keys below it.
func SitePaths() []string { return slices.Clone(sitePaths) }
