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

// Kinds returns a finding of every kind, in English; Found is empty.
func Kinds() []Finding {
	all := make([]Finding, 0, len(table))
	for _, k := range table {
		all = append(all, Finding{ID: k.id, Severity: k.severity, Remedy: remedy(k.id, locales[locale.Origin])})
	}
	return all
}
