package audit

import (
	"embed"

	"github.com/pledgeworks/pledgeworks/pledge/locale"
)

// Each file is a language, with a message for each action.
//
//go:embed messages/*.json
var messages embed.FS

var locales = locale.MustRead(messages, "messages")

// otherAction is the message for actions of another release.
const otherAction = "other"

// Summary returns what an event's action did in words, such as "Started charging", in a
// language, or in English if there are no messages in it. The event's other fields have the
// campaign, the operator and the target.
func (e *Event) Summary(lang string) string {
	l := locales.For(lang)
	if !l.Has(e.Action) {
		return l.Format(otherAction)
	}
	return l.Format(e.Action)
}
