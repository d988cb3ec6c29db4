package notify

import "slices"

// Stream groups mails by why they are sent, which decides whether the reader can unsubscribe:
// from mails about their own pledge nobody can, from the others with one click. The streams
// can have different senders, so that one stream's reputation does not affect another's.
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
