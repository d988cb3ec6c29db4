package notify

import (
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Mails leave by lanes: none of a lane leaves while one of a lane before it is due. A
// marker in the queue stands for each mail that waits, named so that the due ones of a
// lane come first: whoever sends mails never looks through those that are not due.

// lane is a mail's place among the others.
type lane byte

// The lanes, in the order in which they leave.
const (
	awaited   lane = '1' // what somebody has just asked for and looks for in the mailbox
	accounts  lane = '2' // the rest of what is about somebody's own pledge
	reminding lane = '3'
	updating  lane = '4'
)

var lanes = []lane{awaited, accounts, reminding, updating}

// lane returns the kind's lane.
func (k Kind) lane() lane {
	switch k.Stream() {
	case Reminders:
		return reminding
	case Updates:
		return updating
	case Transactional:
	}
	if slices.Contains([]Kind{Confirmation, Modified, Cancelled, LinksAgain, LostOrder, LaunchConfirmation, AdminSignIn}, k) {
		return awaited
	}
	return accounts
}

// queuePrefix begins the keys of markers: email-queue:v1:{lane}:{due}:{hash}.
const queuePrefix = "email-queue:v1:"

// dueLayout has one width, so that keys are in the order of time.
const dueLayout = "2006-01-02T15:04:05.000Z"

// QueueKey is the marker of a mail of a kind that is due at a time.
func QueueKey(k Kind, due time.Time, hash string) string {
	return queueOf(k.lane()) + due.UTC().Format(dueLayout) + ":" + hash
}

func queueOf(l lane) string { return queuePrefix + string(rune(l)) + ":" }

// marked reads a marker's key.
func marked(key string) (due time.Time, hash string, ok bool) {
	rest := strings.TrimPrefix(key, queuePrefix)
	if len(rest) < len("1:")+len(dueLayout)+1 {
		return time.Time{}, "", false
	}
	rest = rest[len("1:"):]
	due, err := time.Parse(dueLayout, rest[:len(dueLayout)])
	return due, strings.TrimPrefix(rest[len(dueLayout):], ":"), err == nil
}

// marker returns the key of the mail's marker. One that is due later than its marker says
// is found too early, which does no harm; the other way round it would be forgotten.
func (p pending) marker() string { return QueueKey(p.Mail.Kind, p.DueAt, p.Mail.Key) }

// mark returns the write of the mail's marker.
func (p pending) mark() kv.Write {
	return kv.PutUntil(p.marker(), []byte("{}"), p.QueuedAt.Add(OutboxLife))
}
