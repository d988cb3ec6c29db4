// Package devmail is a notify.Sender for development and demos. It delivers nothing, keeps
// the latest mails in memory, and lets a host display them. A mail that is sent again under
// its key is kept once.
package devmail

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Letter is one stored mail.
type Letter struct {
	ID   string      `json:"id"` // as in the delivery record
	At   time.Time   `json:"at"`
	Mail notify.Mail `json:"mail"`
}

// Box keeps mails. It is safe for concurrent use.
type Box struct {
	now  func() time.Time
	keep int

	mu      sync.Mutex
	letters []Letter          // oldest first
	ids     map[string]string // IDs of the letters by mail key
	count   int
}

// New returns an empty Box that keeps the latest mails, at most keep and at least one.
func New(keep int, now func() time.Time) *Box {
	return &Box{now: now, keep: max(keep, 1), ids: map[string]string{}}
}

// Send stores the mail.
func (b *Box) Send(ctx context.Context, m notify.Mail) (notify.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return notify.Receipt{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id, known := b.ids[m.Key]
	if !known {
		id = b.add(m)
	}
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: id}, nil
}

func (b *Box) add(m notify.Mail) string {
	b.count++
	id := fmt.Sprintf("mail-%d", b.count)
	b.letters = append(b.letters, Letter{ID: id, At: b.now().UTC(), Mail: m})
	b.ids[m.Key] = id
	if len(b.letters) > b.keep {
		delete(b.ids, b.letters[0].Mail.Key)
		b.letters = slices.Delete(b.letters, 0, 1)
	}
	return id
}

// Letters returns the stored mails, newest first.
func (b *Box) Letters() []Letter {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.letters)
	slices.Reverse(all)
	return all
}

// Letter returns the mail with the ID. It fails with code NotFound if there is none or it is
// no longer stored.
func (b *Box) Letter(id string) (Letter, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.letters {
		if l.ID == id {
			return l, nil
		}
	}
	return Letter{}, fault.New(fault.NotFound, "No such mail")
}
