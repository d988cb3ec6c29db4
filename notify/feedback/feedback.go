// Package feedback applies email providers' reports about accepted mails. It records each event
// with its mail and suppresses addresses that bounced or complained.
//
// Events identify a mail by the key under which it was sent, never by an address. A forged
// event can therefore affect only recipients of mails that were really sent.
//
// RateProblem reports when a stream's bounce or complaint rate is close to the limit at which
// providers close accounts.
package feedback

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// MarkerLife is how long an applied event is recognized. No provider retries for that long.
const MarkerLife = 35 * 24 * time.Hour

// Young is the age below which an event about an unknown mail is rejected, so that the provider
// delivers it again: in an eventually consistent Store, the mail may not be visible yet.
const Young = 30 * time.Minute

const markerPrefix = "resend-webhook:v1:"

// markerKey is the key of an applied event. The prefix dates from the first provider.
func markerKey(id string) string { return markerPrefix + id }

// Service applies events. All fields are required. It is safe for concurrent use.
type Service struct {
	Store kv.Store // the primary namespace
	Now   func() time.Time
	// Observers are tried in order until one has the mail.
	Observers []notify.Noter
	// Suppress suppresses an address for all mails, identified as in notify.Noted.
	Suppress func(ctx context.Context, address string, reason suppression.Reason) error
}

// Applied counts the results of applying events.
type Applied struct {
	Applied  int `json:"applied"`
	Repeated int `json:"repeated"` // already applied
	Unknown  int `json:"unknown"`  // about an unknown mail or no mail
}

// marker records that an event was applied.
type marker struct {
	Kind notify.EventKind `json:"kind"`
	At   time.Time        `json:"at"`
}

// Apply applies every event once. It stops at the first error; the same events can then be applied
// again. It fails with code Invalid for an event without a valid ID, with code Unavailable for an
// event about an unknown mail that is younger than Young, and with any error of the Store, an
// Observer or Suppress.
func (s *Service) Apply(ctx context.Context, events []notify.Event) (Applied, error) {
	var all Applied
	for _, e := range events {
		if err := s.apply(ctx, e, &all); err != nil {
			return all, err
		}
	}
	return all, nil
}

// apply applies one event and counts its result in all. It writes the marker last: if it is
// interrupted before that, the event is applied again, which only increases RateProblem's counts.
func (s *Service) apply(ctx context.Context, e notify.Event, all *Applied) error {
	key := markerKey(e.ID)
	if e.ID == "" || kv.CheckKey(key) != nil {
		return fault.New(fault.Invalid, "An event needs an ID").In("id")
	}
	_, repeated, err := kv.Read[marker](ctx, s.Store, key)
	if err != nil {
		return err
	}
	if repeated {
		all.Repeated++
		return nil
	}
	known, err := s.applyToMail(ctx, e)
	if err != nil {
		return err
	}
	now := s.Now().UTC()
	if !known && e.Key != "" && now.Sub(e.At) < Young {
		return fault.New(fault.Unavailable, "The event's mail is not known yet")
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

// applyToMail records an event with its mail and suppresses the recipient of a bounce or a
// complaint. It returns false if no Observer has the mail.
func (s *Service) applyToMail(ctx context.Context, e notify.Event) (bool, error) {
	noted, known, err := s.noteMail(ctx, e)
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

// noteMail records an event with the first Observer that has the mail. It returns false if none
// has it, or if the event is not about a mail.
func (s *Service) noteMail(ctx context.Context, e notify.Event) (notify.Noted, bool, error) {
	if e.Key == "" {
		return notify.Noted{}, false, nil
	}
	for _, n := range s.Observers {
		if noted, known, err := n.Note(ctx, e); known || err != nil {
			return noted, known, err
		}
	}
	return notify.Noted{}, false, nil
}
