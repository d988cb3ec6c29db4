package notify

import "slices"

// Stream says why somebody gets a mail, and so who may stop it: nobody stops what is about
// their own pledge, and everybody stops the rest with one click. Mails of a stream share a
// sender, so that what becomes of one stream's reputation does not touch another's.
type Stream string

// The streams, in the order in which they leave.
const (
	Transactional Stream = "transactional" // about the reader's own pledge or account
	Reminders     Stream = "reminder"      // asked for with a box or a form
	Updates       Stream = "update"        // a campaign's news to its supporters
)

// updates and reminders are the kinds of mail that are not transactional.
var (
	updates   = []Kind{Announcement, DiaryEntry, Milestone, Blast}
	reminders = []Kind{LaunchReminder, AbandonedCart}
)

// Stream returns the stream that mails of the kind belong to.
func (k Kind) Stream() Stream {
	switch {
	case slices.Contains(updates, k):
		return Updates
	case slices.Contains(reminders, k):
		return Reminders
	}
	return Transactional
}
