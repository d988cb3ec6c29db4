package notify

import (
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Mails are sent by priority: no mail is sent while one of a higher priority is due. Each
// queued mail has a marker in the Store, whose key sorts the mails of a priority by due time,
// so that a drain never reads mails that are not due.

// lane is a mail's priority in the queue.
type lane byte

// The priorities, highest first.
const (
	awaited   lane = '1' // a user has just caused the mail and is waiting for it
	accounts  lane = '2' // other mails about the reader's own pledge or account
	reminding lane = '3'
	updating  lane = '4'
)

var lanes = []lane{awaited, accounts, reminding, updating}

// lane returns the kind's priority.
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

// queuePrefix starts the keys of markers: email-queue:v1:{priority}:{due}:{hash}.
const queuePrefix = "email-queue:v1:"

// dueLayout has a fixed width, so that keys sort by time.
const dueLayout = "2006-01-02T15:04:05.000Z"

// QueueKey returns the key of the marker of a mail.
func QueueKey(k Kind, due time.Time, hash string) string {
	return queueOf(k.lane()) + due.UTC().Format(dueLayout) + ":" + hash
}

func queueOf(l lane) string { return queuePrefix + string(rune(l)) + ":" }

// marked parses a marker's key.
func marked(key string) (due time.Time, hash string, ok bool) {
	rest := strings.TrimPrefix(key, queuePrefix)
	if len(rest) < len("1:")+len(dueLayout)+1 {
		return time.Time{}, "", false
	}
	rest = rest[len("1:"):]
	due, err := time.Parse(dueLayout, rest[:len(dueLayout)])
	return due, strings.TrimPrefix(rest[len(dueLayout):], ":"), err == nil
}

// marker returns the key of the mail's marker. A mail may be due later than its marker says:
// it is then found too early, which is harmless. The reverse would lose the mail.
func (p pending) marker() string { return QueueKey(p.Mail.Kind, p.DueAt, p.Mail.Key) }

// mark returns the write that creates the mail's marker.
func (p pending) mark() kv.Write {
	return kv.PutUntil(p.marker(), []byte("{}"), p.QueuedAt.Add(OutboxLife))
}
