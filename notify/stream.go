package notify

import "slices"

// Stream is a group of mails with the same purpose. Readers can unsubscribe from reminders and
// updates with one click, but not from transactional mails. Reminders and updates can have a
// different sender, so that their reputation does not affect transactional mails.
type Stream string

// The streams, in order of priority.
const (
	Transactional Stream = "transactional" // about the reader's own pledge or account
	Reminders     Stream = "reminder"      // the reader opted in with a checkbox or a form
	Updates       Stream = "update"        // a campaign's news to its supporters
)

// updates and reminders are the kinds that are not transactional.
var (
	updates   = []Kind{Announcement, DiaryEntry, Milestone, Blast}
	reminders = []Kind{LaunchReminder, AbandonedCart}
)

// Stream returns the kind's stream.
func (k Kind) Stream() Stream {
	switch {
	case slices.Contains(updates, k):
		return Updates
	case slices.Contains(reminders, k):
		return Reminders
	}
	return Transactional
}
