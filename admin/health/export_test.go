package health

import "github.com/pledgeworks/pledgeworks/pledge/locale"

// Messages holds the embedded message files.
var Messages = messages

// SetLocales replaces the languages of findings until restore is called.
func SetLocales(set locale.Set) (restore func()) {
	before := locales
	locales = set
	return func() { locales = before }
}
