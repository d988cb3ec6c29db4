package audit

import (
	"cmp"
	"embed"
	"slices"

	"github.com/pledgeworks/pledgeworks/pledge/locale"
)

// messages holds one file per language, with a message for each action.
//
//go:embed messages/*.json
var messages embed.FS

var locales = locale.MustRead(messages, "messages")

// otherAction is the message for actions of another release.
const otherAction = "other"

// Summary describes an event's action, such as "Started charging", in the given language, or in
// English if there are no messages in it. It does not include the campaign, the operator or the
// target.
func (e *Event) Summary(lang string) string {
	l := locales.For(lang)
	if !l.Has(e.Action) {
		return l.Format(otherAction)
	}
	return l.Format(e.Action)
}

// Action is a value of Act.Action by which events can be filtered.
type Action struct {
	ID      string `json:"action"`  // such as settlement.start
	Summary string `json:"summary"` // in words
}

// Actions returns the actions of this release with their summaries in a language, sorted by
// summary. Actions with the same summary are all listed.
func Actions(lang string) []Action {
	l := locales.For(lang)
	var all []Action
	for _, id := range l.IDs() {
		if id != otherAction {
			all = append(all, Action{id, l.Format(id)})
		}
	}
	slices.SortFunc(all,
		func(a, b Action) int { return cmp.Or(cmp.Compare(a.Summary, b.Summary), cmp.Compare(a.ID, b.ID)) })
	return all
}
