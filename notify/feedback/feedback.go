// Package feedback applies what mail providers report of mails that they took: an address
// that takes no mail is suppressed, and so is a reader who called one spam.
//
// A report names its mail by the key that it was sent under, and never by an address, so
// that nobody's report reaches beyond a mail that was really sent.
package feedback

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// MarkerLife is how long an event is known again, longer than any provider repeats one.
const MarkerLife = 35 * 24 * time.Hour

// Young is how old an event is at the most that has to be told again where nobody keeps its
// mail: a Store may be read late, and what was reported first is not lost for it.
const Young = 30 * time.Minute

const markerPrefix = "resend-webhook:v1:"

// markerKey holds when an event was applied. The prefix is of the first provider there was.
func markerKey(id string) string { return markerPrefix + id }

// Service applies events. All fields are required. It is safe for concurrent use.
type Service struct {
	Store kv.Store // the primary namespace
	Now   func() time.Time
	// Noters keep mails: the first that knows a mail is told of it.
	Noters []notify.Noter
	// Suppress stops all mails to an address, named as notify.Noted does.
	Suppress func(ctx context.Context, address string, reason suppression.Reason) error
}

// Applied counts what became of events.
type Applied struct {
	Applied  int `json:"applied"`
	Repeated int `json:"repeated"` // applied earlier
	Unknown  int `json:"unknown"`  // about mails that nobody keeps
}

// marker is an event that was applied.
type marker struct {
	Kind notify.EventKind `json:"kind"`
	At   time.Time        `json:"at"`
}

// Apply applies every event once. It fails with code Invalid for an event without an ID,
// with code Unavailable for one that is Young and about a mail that nobody keeps, and where
// the Store fails: the same events can then be applied again.
func (s *Service) Apply(ctx context.Context, events []notify.Event) (Applied, error) {
	var all Applied
	for _, e := range events {
		if err := s.apply(ctx, e, &all); err != nil {
			return all, err
		}
	}
	return all, nil
}

// apply writes the marker last: where it is cut off before, the repeat does again what
// changes nothing but a count.
func (s *Service) apply(ctx context.Context, e notify.Event, all *Applied) error {
	key := markerKey(e.ID)
	if e.ID == "" || kv.CheckKey(key) != nil {
		return fault.New(fault.Invalid, "An event has an ID").In("id")
	}
	_, repeated, err := kv.Read[marker](ctx, s.Store, key)
	if err != nil {
		return err
	}
	if repeated {
		all.Repeated++
		return nil
	}
	known, err := s.take(ctx, e)
	if err != nil {
		return err
	}
	now := s.Now().UTC()
	if !known && e.Key != "" && now.Sub(e.At) < Young {
		return fault.New(fault.Unavailable, "Nobody keeps this mail yet")
	}
	w, err := kv.Record(markerKey(e.ID), marker{Kind: e.Kind, At: now}, now.Add(MarkerLife))
	if err != nil {
		return err
	}
	if err := s.Store.Apply(ctx, []kv.Write{w}); err != nil {
		return err
	}
	if !known {
		all.Unknown++
		return nil
	}
	all.Applied++
	return nil
}

// take does what an event asks for. It is false where nobody keeps the mail.
func (s *Service) take(ctx context.Context, e notify.Event) (bool, error) {
	noted, known, err := s.note(ctx, e)
	if err != nil || !known {
		return false, err
	}
	reason := map[notify.EventKind]suppression.Reason{
		notify.Bounced: suppression.Bounced, notify.Complained: suppression.Complained,
	}[e.Kind]
	if reason != "" && noted.Recipient != "" {
		if err := s.Suppress(ctx, noted.Recipient, reason); err != nil {
			return true, err
		}
	}
	return true, s.count(ctx, noted.Stream, e.Kind)
}

func (s *Service) note(ctx context.Context, e notify.Event) (notify.Noted, bool, error) {
	if e.Key == "" {
		return notify.Noted{}, false, nil
	}
	for _, n := range s.Noters {
		if noted, known, err := n.Note(ctx, e); known || err != nil {
			return noted, known, err
		}
	}
	return notify.Noted{}, false, nil
}
