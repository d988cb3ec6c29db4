//go:build !js

package config

import (
	"reflect"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Choices are the words that a setting takes, none where it takes others.
func (s Setting) Choices() []string { return slices.Clone(s.choices) }

// Range are the bounds of a whole number, "" where there are none.
func (s Setting) Range() (low, high string) { return s.min, s.max }

// Unit is "ms" or "s" where the number is a duration, else "".
func (s Setting) Unit() string { return s.unit }

// Form is how a setting is written: "text", "boolean", "integer", "rate", "money", "url",
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

// SitesOwn are the paths of the site file that the public site reads itself; below design
// it knows its keys.
func SitesOwn() []string { return slices.Clone(elsewhere) }
