package notify

import (
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Mails are sent in batches by priority: before each batch, a drain checks whether mails with a
// higher priority are due. Each queued mail has a marker in the Store, whose key sorts the mails
// of a priority by due time, so that a drain finds the due mails without reading the others.

// priority is a mail's priority in the queue.
type priority byte

// The priorities, highest first.
const (
	priorityInteractive priority = '1' // a user triggered the mail and is waiting for it
	priorityAccount     priority = '2' // other mails about the reader's own pledge or account
	priorityReminders   priority = '3'
	priorityUpdates     priority = '4'
)

var priorities = []priority{priorityInteractive, priorityAccount, priorityReminders, priorityUpdates}

// priority returns the kind's priority.
func (k Kind) priority() priority {
	switch k.Stream() {
	case Reminders:
		return priorityReminders
	case Updates:
		return priorityUpdates
	case Transactional:
	}
	if slices.Contains([]Kind{Confirmation, Modified, Cancelled, LinksAgain, LostOrder, LaunchConfirmation, AdminSignIn},
		k) {
		return priorityInteractive
	}
	return priorityAccount
}

// queuePrefix is the prefix of markers' keys: email-queue:v1:{priority}:{due}:{hash}.
const queuePrefix = "email-queue:v1:"

// dueLayout has a fixed width, so that keys sort by time.
const dueLayout = "2006-01-02T15:04:05.000Z"

// QueueKey returns the key of the marker of a mail.
func QueueKey(k Kind, due time.Time, hash string) string {
	return queuePrefixOf(k.priority()) + due.UTC().Format(dueLayout) + ":" + hash
}

func queuePrefixOf(p priority) string { return queuePrefix + string(rune(p)) + ":" }

// parseMarker parses a marker's key.
func parseMarker(key string) (due time.Time, hash string, ok bool) {
	rest := strings.TrimPrefix(key, queuePrefix)
	if len(rest) < len("1:")+len(dueLayout)+1 {
		return time.Time{}, "", false
	}
	rest = rest[len("1:"):]
	due, err := time.Parse(dueLayout, rest[:len(dueLayout)])
	return due, strings.TrimPrefix(rest[len(dueLayout):], ":"), err == nil
}

// markerKey returns the key of the mail's marker. If a mail is due later than its marker, a drain
// finds it too early and reschedules it. In the reverse case, the mail would be sent late.
func (p *pending) markerKey() string { return QueueKey(p.Mail.Kind, p.DueAt, p.Mail.Key) }

// markerWrite returns the write that creates the mail's marker.
func (p *pending) markerWrite() kv.Write {
	return kv.PutUntil(p.markerKey(), []byte("{}"), p.QueuedAt.Add(OutboxLife))
}
